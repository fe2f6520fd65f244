//! What an operation does.

use super::{BufferId, EventId, GraphId, KernelId, SignalId, StreamId, TensorId, ThreadId, VariableId};
use crate::kernel::Dtype;
use crate::time::Ns;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// A tensor gets a memory block of the caching allocator, bound to a stream.
    Alloc {
        /// The tensor.
        tensor: TensorId,
        /// The current stream.
        stream: StreamId,
    },
    /// The last name of a tensor went out of scope.
    Free {
        /// The tensor.
        tensor: TensorId,
    },
    /// The memory block of a tensor is in use on another stream too.
    RecordStream {
        /// The tensor.
        tensor: TensorId,
        /// That stream.
        stream: StreamId,
    },
    /// Cached memory goes back to the driver.
    EmptyCache,
    /// `cudaMalloc`.
    RawMalloc {
        /// The memory.
        tensor: TensorId,
    },
    /// `cudaFree`.
    RawFree {
        /// The memory.
        tensor: TensorId,
    },
    /// `cudaMallocAsync`.
    MallocAsync {
        /// The memory.
        tensor: TensorId,
        /// On which stream.
        stream: StreamId,
    },
    /// `cudaFreeAsync`.
    FreeAsync {
        /// The memory.
        tensor: TensorId,
        /// On which stream.
        stream: StreamId,
    },
    /// Host memory comes into being.
    HostAlloc {
        /// The buffer.
        buffer: BufferId,
        /// By `cudaMallocHost` itself rather than by a cache.
        raw: bool,
    },
    /// Host memory goes.
    HostFree {
        /// The buffer.
        buffer: BufferId,
        /// By `cudaFreeHost` itself rather than into a cache.
        raw: bool,
    },
    /// A kernel.
    Launch {
        /// Which.
        kernel: KernelId,
        /// On which stream.
        stream: StreamId,
        /// What it reads, in the order of its operands.
        reads: RegionList,
        /// What it writes.
        writes: RegionList,
    },
    /// A copy.
    Copy(Copy),
    /// A memset.
    Memset {
        /// On which stream.
        stream: StreamId,
        /// What it writes.
        region: Region,
        /// Value of every element afterwards.
        value: f64,
        /// Type of the elements.
        dtype: Dtype,
    },
    /// A function that a driver thread runs while the stream waits.
    HostFunction {
        /// On which stream.
        stream: StreamId,
        /// How long it runs.
        dur: Ns,
    },
    /// An event stands for what the stream holds now.
    Record {
        /// The event.
        event: EventId,
        /// The stream.
        stream: StreamId,
        /// As a node of its own in a graph.
        external: bool,
    },
    /// Later work of the stream waits for the most recent record of the event.
    Wait {
        /// The event.
        event: EventId,
        /// The stream.
        stream: StreamId,
        /// As a node of its own in a graph.
        external: bool,
    },
    /// The host waits for the device.
    SyncDevice,
    /// The host waits for a stream.
    SyncStream {
        /// The stream.
        stream: StreamId,
    },
    /// The host waits for an event.
    SyncEvent {
        /// The event.
        event: EventId,
    },
    /// The host asks whether an event is complete.
    Query {
        /// The event.
        event: EventId,
        /// Becomes 1 or 0.
        into: Option<VariableId>,
    },
    /// The host asks whether a stream has nothing left to do.
    QueryStream {
        /// The stream.
        stream: StreamId,
        /// Becomes 1 or 0.
        into: Option<VariableId>,
    },
    /// The time between two timing events, in µs.
    Elapsed {
        /// Recorded first.
        start: EventId,
        /// Recorded last.
        end: EventId,
        /// Becomes the time.
        into: VariableId,
    },
    /// The host computes, or passes through a call that gives the GPU nothing to do.
    Work {
        /// How long, besides the host time of the PyTorch operation.
        dur: Ns,
    },
    /// The wall clock is read.
    Clock {
        /// Becomes the time, in µs.
        into: VariableId,
    },
    /// The host reads its own memory.
    ReadHost {
        /// What it reads.
        region: Region,
        /// Becomes the mean.
        into: Option<VariableId>,
        /// `item`: reading takes no time of its own.
        free: bool,
    },
    /// The host writes its own memory.
    WriteHost {
        /// What it writes.
        region: Region,
        /// Value of every element afterwards.
        value: f64,
    },
    /// A stream starts to capture.
    BeginCapture {
        /// Into which graph.
        graph: GraphId,
        /// Which stream.
        stream: StreamId,
    },
    /// The capture ends.
    EndCapture {
        /// Of which graph.
        graph: GraphId,
        /// On which stream.
        stream: StreamId,
    },
    /// A captured graph becomes executable.
    Instantiate {
        /// The graph.
        graph: GraphId,
    },
    /// An executable graph is launched.
    Replay {
        /// The graph.
        graph: GraphId,
        /// On which stream.
        stream: StreamId,
    },
    /// An executable graph takes over the parameters of another captured graph.
    UpdateGraph {
        /// The executable graph.
        graph: GraphId,
        /// The captured graph.
        from: GraphId,
    },
    /// A captured graph becomes part of the one being captured.
    ChildGraph {
        /// The captured graph.
        graph: GraphId,
        /// The stream that captures.
        stream: StreamId,
    },
    /// An executable graph is destroyed.
    DestroyGraph {
        /// The graph.
        graph: GraphId,
    },
    /// Another host thread starts.
    StartThread {
        /// Which.
        thread: ThreadId,
    },
    /// The thread waits until another has returned.
    JoinThread {
        /// Which.
        thread: ThreadId,
    },
    /// A signal is given.
    Signal {
        /// Which.
        signal: SignalId,
    },
    /// The thread waits for a signal.
    Await {
        /// Which.
        signal: SignalId,
    },
    /// The host thread comes to a part of the program that has a name: the label of the operation.
    BeginRegion,
    /// It has gone through that part, whose name is the label again.
    EndRegion,
    /// A value of the run is fixed.
    Report {
        /// Index into [`super::Program::reports`].
        report: u32,
    },
}

/// A copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// On which stream.
    pub stream: StreamId,
    /// Source.
    pub from: Region,
    /// Destination, as long as the source.
    pub to: Region,
    /// Kind of the host memory involved, if any.
    pub memory: HostMemory,
    /// Whether the host waits for the stream afterwards, as `copy_` without `non_blocking` does.
    pub blocking: bool,
    /// `cudaMemcpy` itself, which works on the legacy default stream, rather than `cudaMemcpyAsync` and a wait.
    pub is_memcpy: bool,
    /// Through raw pointers, which PyTorch's allocator of page-locked memory does not see.
    pub untracked: bool,
}

/// Kind of host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostMemory {
    /// Page-locked: the copy engine reaches it.
    Pinned,
    /// Ordinary memory: copies pass through a staging buffer of the driver.
    Pageable,
}

/// Where bytes live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In a tensor on the device.
    Device(TensorId),
    /// In a buffer of the host.
    Host(BufferId),
}

/// A range of bytes of a tensor or buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Whose.
    pub place: Place,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// A part of [`super::Program::regions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionList {
    pub(super) start: u32,
    pub(super) len: u16,
}
