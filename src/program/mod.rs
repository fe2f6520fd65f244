//! A scenario with its knobs fixed, lowered ahead of time to a flat list of operations.
//!
//! [`lower()`] makes one. [`effects`] says of each operation, once, what it touches, when its call returns and what becomes of
//! it in a capture; [`order`] says what it has to wait for. Executors and checkers ask those two and match nothing themselves.

mod action;
pub mod cuda_error;
pub mod effects;
pub mod host_time;
mod lower;
pub mod order;
pub mod walk;

use std::collections::BTreeMap;
use std::ops::Range;

pub use action::{Action, Copy, HostMemory, Place, Region, RegionList};
pub use lower::{LowerError, lower, lower_watched};

use crate::kernel::{Dtype, Kernel};
use crate::profile::HostOp;
use crate::scenario::expression::{Expression, Scope, Value};
use crate::scenario::{HostOverhead, statement::graph::CaptureMode};
use crate::text::{Lang, Localized};

/// Most operations that a program may have.
pub const MAX_OPERATIONS: usize = 2_000_000;

/// Most nodes of graphs that all replays of a program may run together.
pub const MAX_GRAPH_NODES: u64 = 8_000_000;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// As an index into the list that it numbers.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// Numbers [`Program::streams`]; 0 is the legacy default stream.
    StreamId;
    /// Numbers [`Program::events`].
    EventId;
    /// Numbers [`Program::tensors`]; each allocation has one of its own.
    TensorId;
    /// Numbers [`Program::buffers`].
    BufferId;
    /// Numbers [`Program::graphs`].
    GraphId;
    /// Numbers [`Program::kernels`].
    KernelId;
    /// Numbers [`Program::variables`].
    VariableId;
    /// Numbers [`Program::threads`]; 0 is the main thread.
    ThreadId;
    /// Numbers [`Program::signals`].
    SignalId;
    /// Numbers [`Program::labels`].
    LabelId;
}

impl StreamId {
    /// The legacy default stream.
    pub const LEGACY: Self = Self(0);
}

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Where host time above the CUDA calls comes from.
    pub host: HostOverhead,
    /// How the device differs from the profile's.
    pub device: DeviceSettings,
    /// The operations of all host threads, one thread after the other.
    pub operations: Vec<Operation>,
    /// Number of operations that belong to the setup, all of the main thread.
    pub measured_from: usize,
    /// Host threads; the main one comes first.
    pub threads: Vec<HostThread>,
    /// Names of the signals between them.
    pub signals: Vec<String>,
    /// Streams.
    pub streams: Vec<Stream>,
    /// Events.
    pub events: Vec<Event>,
    /// Allocations on the device.
    pub tensors: Vec<Tensor>,
    /// Buffers of the host.
    pub buffers: Vec<Buffer>,
    /// Graphs.
    pub graphs: Vec<Graph>,
    /// Kernels with their shapes, each once.
    pub kernels: Vec<Kernel>,
    /// Values that operations name.
    pub variables: Vec<String>,
    /// What the timeline says.
    pub labels: Vec<Localized>,
    /// Paths of statements, as JSON pointers.
    pub paths: Vec<String>,
    /// Loop indices, outermost first.
    pub iterations: Vec<Vec<u32>>,
    /// What `report` statements put out.
    pub reports: Vec<Report>,
    /// Regions that operations touch; a [`RegionList`] is a part of it.
    pub(crate) regions: Vec<Region>,
}

/// One operation of a host thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operation {
    /// What it does.
    pub action: Action,
    /// The PyTorch operation whose host time it carries. Of several that one PyTorch operation was lowered to, the last.
    pub host: Option<HostOp>,
    /// What the timeline says.
    pub label: LabelId,
    /// Index into [`Program::paths`].
    pub path: u32,
    /// Index into [`Program::iterations`].
    pub iteration: u32,
}

/// How the device differs from the one that the profile describes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceSettings {
    /// Memory that the process may have.
    pub memory_bytes: Option<u64>,
    /// Connections that streams share; without it each has one of its own.
    pub connections: Option<u32>,
    /// Factor on the depth of the launch queue.
    pub queue_scale: Option<f64>,
}

/// A host thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostThread {
    /// Its name; empty for the main thread.
    pub name: String,
    /// Its part of [`Program::operations`].
    pub operations: Range<usize>,
}

/// A stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// How it orders with the legacy default stream.
    pub kind: StreamKind,
    /// CUDA priority, lower is more urgent.
    pub priority: i32,
}

/// How a stream orders with the legacy default stream (CUDA Runtime API, "Stream synchronization behavior").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamKind {
    /// It is the legacy default stream.
    Legacy,
    /// Waits for the legacy default stream and makes it wait; the per-thread default stream is one.
    Blocking,
    /// Neither waits for the other.
    NonBlocking,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Whether it stores a time.
    pub timing: bool,
    /// Whether a thread that waits for it sleeps.
    pub blocking_sync: bool,
}

/// An allocation on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name it was made under.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A buffer of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name it was made under.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Type of its elements.
    pub dtype: Dtype,
    /// What kind of memory.
    pub memory: HostMemory,
    /// Value of every element at first; `None` where no page has been touched.
    pub fill: Option<f64>,
}

/// A graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Its name.
    pub name: String,
    /// What is forbidden while it is captured.
    pub mode: CaptureMode,
    /// Number of the private pool that it allocates from.
    pub pool: u32,
}

/// A value of the run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Its name.
    pub name: String,
    /// How it follows from the variables; `None` for no value.
    pub value: Option<Expression>,
    /// The variables that it names.
    pub variables: BTreeMap<String, VariableId>,
    /// The knobs and loop indices that it names.
    pub scope: Scope,
}

impl Program {
    /// The regions of a list.
    pub fn regions(&self, list: RegionList) -> &[Region] {
        let from = list.start as usize;
        self.regions.get(from..from + usize::from(list.len)).unwrap_or(&[])
    }

    /// What the timeline says, in English.
    pub fn label(&self, id: LabelId) -> &str {
        self.labels.get(id.index()).map_or("", |label| label.get(Lang::En))
    }

    /// What the timeline says, in both languages.
    pub fn localized(&self, id: LabelId) -> Localized {
        self.labels.get(id.index()).cloned().unwrap_or_default()
    }

    /// Where an operation was lowered from, for messages: path and iteration.
    pub fn origin(&self, operation: &Operation) -> (&str, &[u32]) {
        let path = self.paths.get(operation.path as usize).map_or("", String::as_str);
        let iteration = self.iterations.get(operation.iteration as usize).map_or(&[][..], Vec::as_slice);
        (path, iteration)
    }

    /// The value of a report while the variables have these values; `None` where it cannot be worked out.
    pub fn reported(&self, report: usize, variables: &[Option<f64>]) -> Option<f64> {
        let report = self.reports.get(report)?;
        let variable = |name: &str| variables.get(report.variables.get(name)?.index()).copied().flatten();
        let lookup = |name: &str| variable(name).map(Value::Number).or_else(|| report.scope.get(name).cloned());
        report.value.as_ref()?.number_by(&lookup).filter(|value| value.is_finite())
    }

    /// The host thread that the operation at `index` belongs to.
    pub fn thread_of(&self, index: usize) -> ThreadId {
        let behind = self.threads.partition_point(|thread| thread.operations.start <= index);
        ThreadId(behind.saturating_sub(1) as u32)
    }

    /// The operations of a host thread.
    pub fn thread_range(&self, thread: ThreadId) -> Range<usize> {
        self.threads.get(thread.index()).map_or(0..self.operations.len(), |thread| thread.operations.clone())
    }

    /// Where a thread goes on that ends early at the operation at `index`: the main one at its final synchronization.
    pub fn thread_end(&self, index: usize) -> usize {
        let thread = self.thread_of(index);
        let end = self.thread_range(thread).end;
        if thread.index() == 0 { end.saturating_sub(1).max(index + 1) } else { end }
    }

    /// Where the thread goes on when the operation at `index` met an error: after a CUDA error at the next operation; an
    /// exception of PyTorch ends the capture it is raised in, and then the thread, of which only the final synchronization
    /// is left.
    pub fn after_error(&self, index: usize) -> usize {
        let next = index + 1;
        if self.host == HostOverhead::Cuda {
            return next;
        }
        let begins = |operation: &Operation| matches!(operation.action, Action::BeginCapture { .. });
        if self.operations.get(index).is_some_and(begins) {
            return self.thread_end(index);
        }
        let range = self.thread_range(self.thread_of(index));
        let rest = self.operations.get(next..range.end).unwrap_or_default();
        // The capture that encloses the operation: one that begins later encloses others.
        let mut deeper = 0_u32;
        for (offset, operation) in rest.iter().enumerate() {
            match operation.action {
                Action::BeginCapture { .. } => deeper += 1,
                Action::EndCapture { .. } if deeper == 0 => return next + offset,
                Action::EndCapture { .. } => deeper -= 1,
                _ => {}
            }
        }
        self.thread_end(index)
    }
}
