//! Lanes and the spans on them.

use serde::{Deserialize, Serialize, Serializer};

use super::Cause;
use crate::time::{Interval, Ns};

/// One row of the timeline. Its spans are sorted by start and never overlap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// What the row stands for.
    pub kind: LaneKind,
    /// The name of the program's author, such as `compute`; empty where the kind says it all.
    pub name: String,
    /// Sorted by start, disjoint.
    pub spans: Vec<Span>,
}

/// What a lane stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    /// What a host thread did.
    HostThread {
        /// Number of the thread, 0 for the main one.
        thread: u16,
    },
    /// What the GPU executed for a stream.
    Stream {
        /// Number of the stream; 0 is the legacy default stream.
        stream: u32,
        /// CUDA priority: lower is more urgent.
        priority: i32,
    },
    /// The copies that ran on a copy engine, seen a second time.
    CopyEngine {
        /// Which one.
        engine: Engine,
    },
}

/// A copy engine of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Host to device.
    H2D,
    /// Device to host.
    D2H,
}

/// Something that took time on a lane. In a file it is a list of its fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Span {
    /// When it began.
    pub start: Ns,
    /// When it was over.
    pub end: Ns,
    /// On a host thread: when the driver was entered, so `[start, call)` is the layers above it (Python, dispatcher,
    /// ATen) and `[call, end)` the CUDA call. On a stream: when the work was handed to the GPU, at the return of the call.
    pub call: Ns,
    /// What it is.
    pub kind: SpanKind,
    /// On a stream: what held this work back last. On a host thread: what a blocked call waited for.
    pub held_by: Cause,
    /// Its name.
    pub name: NameId,
    /// Ties a call on a host thread to everything that it started on the GPU.
    pub correlation: Correlation,
}

/// A list, not an object: a recording has many spans, and their keys would be most of the file. Reading takes either.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { start, end, call, kind, held_by, name, correlation } = self;
        (start, end, call, kind, held_by, name, correlation).serialize(serializer)
    }
}

impl Span {
    /// The time that it took.
    pub fn interval(&self) -> Interval {
        Interval::new(self.start, self.end)
    }

    /// From the return of the call to the start of the work; zero when the work began during the call.
    pub fn launch_latency(&self) -> Ns {
        (self.start - self.call).max(Ns::ZERO)
    }
}

/// What a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Host: a call that returns as soon as its work is queued.
    Call,
    /// Host: a call that allocates or frees memory from the driver.
    Allocation,
    /// Host: the part of a call in which the thread waits for the GPU (it may spin).
    Blocked,
    /// Host: the thread computes something of its own.
    Work,
    /// Host: a graph is captured or instantiated.
    Capture,
    /// GPU: a kernel.
    Kernel,
    /// GPU: a kernel that is a node of a replayed graph.
    GraphKernel,
    /// GPU: a copy to the device.
    CopyH2D,
    /// GPU: a copy to the host.
    CopyD2H,
    /// GPU: a copy within the device.
    CopyD2D,
    /// GPU: a memset.
    Memset,
    /// GPU: an event record that takes time on the stream.
    Event,
    /// Stream: a host function runs and the stream waits for it.
    HostFunction,
}

impl SpanKind {
    /// Whether this keeps the GPU busy: kernels, copies and memsets do; events and host functions do not.
    pub fn is_gpu_busy(self) -> bool {
        match self {
            Self::Kernel | Self::GraphKernel | Self::CopyH2D | Self::CopyD2H | Self::CopyD2D | Self::Memset => true,
            Self::Call | Self::Allocation | Self::Blocked | Self::Work | Self::Capture => false,
            Self::Event | Self::HostFunction => false,
        }
    }

    /// Whether this is a copy over the link or within the device.
    pub fn is_copy(self) -> bool {
        matches!(self, Self::CopyH2D | Self::CopyD2H | Self::CopyD2D)
    }
}

/// Index into [`super::Recording::names`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameId(pub u32);

/// Ties a host call to the work that it started. One graph launch has one correlation for all its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Correlation(pub u32);

impl Correlation {
    /// Belongs to no operation.
    pub const NONE: Self = Self(0);
}
