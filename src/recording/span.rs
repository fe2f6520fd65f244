//! Spans: what took time on a lane.

use serde::{Deserialize, Serialize};

use super::Cause;
use crate::program::Program;
use crate::time::{Interval, Ns};

/// Something that took time on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// When it began.
    pub start: Ns,
    /// When it was over.
    pub end: Ns,
    /// On a host thread: when the driver was entered, so `[start, call)` is the layers above it (Python, dispatcher,
    /// ATen) and `[call, end)` the CUDA call. On a stream: when the work was handed to the GPU, at the return of the call.
    pub call: Ns,
    /// On a stream: when the last piece of work that stands before this one let it go, the hardware's own pause behind that
    /// included; `start` or later where nothing else was waited for. On a host thread: `start`.
    pub released: Ns,
    /// What it is.
    pub kind: SpanKind,
    /// On a stream: what it waited for until `released`. On a host thread: what a blocked call waited for.
    pub released_by: Cause,
    /// On a stream: what held it back after it was released and handed over; [`Cause::LaunchLatency`] when nothing did.
    pub held_by: Cause,
    /// What it began after, where its producer knows: the operation whose work on the GPU, or whose call on a host thread, it
    /// waited for last. [`Correlation::NONE`] where that is the call that handed it over, or where nobody knows. On a host thread:
    /// what a blocked call waited for last.
    pub after: Correlation,
    /// On a stream: how much longer it took than it would have alone, because it shared SMs, memory bandwidth or the link. Only the
    /// model knows; zero elsewhere.
    pub contended: Ns,
    /// Its name.
    pub name: NameId,
    /// Ties a call on a host thread to everything that it started on the GPU.
    pub correlation: Correlation,
}

impl Span {
    /// What a host thread did, with no layers above it.
    pub fn on_host(interval: Interval, kind: SpanKind, name: NameId, correlation: Correlation) -> Self {
        let Interval { start, end } = interval;
        let released_by = if kind == SpanKind::Blocked { Cause::HostBlocked } else { Cause::LaunchBound };
        Self {
            start,
            end,
            call: start,
            released: start,
            kind,
            released_by,
            held_by: Cause::LaunchLatency,
            after: Correlation::NONE,
            contended: Ns::ZERO,
            name,
            correlation,
        }
    }

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
    /// Host: an operation of a framework, such as `aten::linear`; it holds others.
    Operation,
    /// Host: a stretch that the program gave a name, such as a region or a range of NVTX; it holds others.
    Annotation,
    /// Host: a frame of the Python interpreter; it holds others.
    Python,
    /// GPU: a kernel.
    Kernel,
    /// GPU: a kernel that is a node of a replayed graph.
    GraphKernel,
    /// GPU: a copy to the device.
    #[serde(rename = "copy_h2d", alias = "copy_h2_d")]
    CopyH2D,
    /// GPU: a copy to the host.
    #[serde(rename = "copy_d2h", alias = "copy_d2_h")]
    CopyD2H,
    /// GPU: a copy within the device.
    #[serde(rename = "copy_d2d", alias = "copy_d2_d")]
    CopyD2D,
    /// GPU: a memset.
    Memset,
    /// GPU: an event record that takes time on the stream.
    Event,
    /// Stream: a host function runs and the stream waits for it.
    HostFunction,
}

impl SpanKind {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Call,
        Self::Allocation,
        Self::Blocked,
        Self::Work,
        Self::Capture,
        Self::Operation,
        Self::Annotation,
        Self::Python,
        Self::Kernel,
        Self::GraphKernel,
        Self::CopyH2D,
        Self::CopyD2H,
        Self::CopyD2D,
        Self::Memset,
        Self::Event,
        Self::HostFunction,
    ];

    /// Whether this keeps the GPU busy: kernels, copies and memsets do; events and host functions do not.
    pub fn is_gpu_busy(self) -> bool {
        match self {
            Self::Kernel | Self::GraphKernel | Self::CopyH2D | Self::CopyD2H | Self::CopyD2D | Self::Memset => true,
            Self::Call | Self::Allocation | Self::Blocked | Self::Work | Self::Capture => false,
            Self::Operation | Self::Annotation | Self::Python => false,
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

    /// That of the operation of `program` at `index`, by its number among those of the measured part, counted from 1; `None` in the
    /// setup, which is not recorded.
    pub fn of(program: &Program, index: usize) -> Option<Self> {
        index.checked_sub(program.measured_from).map(|number| Self(number as u32 + 1))
    }
}
