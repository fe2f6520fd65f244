//! What each operation does, said once: what it gives the GPU to do, what it touches, when its call returns, and what
//! becomes of it while a stream captures.
//!
//! The model, the GPU executor and the checkers ask here. There is no wildcard arm over actions: a new one has to be
//! described before anything compiles.

use super::action::{Action, Copy, HostMemory, Place, Region};
use super::{BufferId, EventId, GraphId, Operation, Program, SignalId, StreamId, StreamKind, ThreadId};
use crate::profile::HostOp;
use crate::scenario::HostOverhead;

/// Which part of the GPU works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The SMs.
    Sms,
    /// The copy engine to the device.
    H2D,
    /// The copy engine to the host.
    D2H,
    /// Copies within the device and memsets.
    Memory,
    /// The front end that works off a stream: events.
    FrontEnd,
    /// The driver's thread for host functions.
    HostFunction,
    /// A whole graph.
    Graph(GraphId),
}

/// When the call of an operation returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Returns {
    /// As soon as its work is queued, or at once where it queues none.
    AtOnce,
    /// When the source has been staged: a small pageable copy to the device, and a `cudaMemcpy` of any size.
    Staged,
    /// When its own copy is done: a large pageable copy to the device, and any pageable copy to the host.
    CopyDone,
    /// When all work of a stream is done.
    StreamDone(StreamId),
    /// When all work of the device is done.
    DeviceDone,
    /// When what an event stands for is done.
    EventDone(EventId),
    /// When another host thread has returned.
    ThreadDone(ThreadId),
    /// When a signal has been given.
    Signalled(SignalId),
}

/// What becomes of an operation while a stream captures (CUDA C++ Programming Guide, "Stream capture").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InCapture {
    /// Work on the capturing stream becomes a node; work on another stream runs now and is not in the graph.
    Node,
    /// The same on the stream that captures; potentially unsafe on another.
    NodeOrUnsafe(StreamId),
    /// Moves the frontier without a node: records and waits.
    Frontier,
    /// Has nothing to do with streams.
    Unaffected,
    /// Potentially unsafe: error 900 in the modes that forbid it, fine in relaxed mode.
    Unsafe,
    /// Error 900 when it concerns a capturing stream (`None`: any), in every mode; otherwise potentially unsafe.
    Forbidden(Option<StreamId>),
    /// Asks about an event: error 907 when a capture recorded it last, which that capture does not survive; otherwise
    /// potentially unsafe.
    AsksEvent(EventId),
    /// Error 900 into a capturing stream, in every mode; fine elsewhere.
    NotInto(StreamId),
    /// Begins or ends a capture.
    Boundary,
}

/// The stream that an action works on and the part of the GPU that does it, if it gives the GPU anything to do.
pub fn enqueues(action: &Action) -> Option<(StreamId, Unit)> {
    match *action {
        Action::Launch { stream, .. } => Some((stream, Unit::Sms)),
        Action::Copy(copy) => Some((copy.stream, copy_unit(&copy))),
        Action::Memset { stream, .. } => Some((stream, Unit::Memory)),
        Action::HostFunction { stream, .. } => Some((stream, Unit::HostFunction)),
        Action::Record { stream, .. } => Some((stream, Unit::FrontEnd)),
        Action::Replay { graph, stream } | Action::ChildGraph { graph, stream } => Some((stream, Unit::Graph(graph))),
        Action::MallocAsync { stream, .. } | Action::FreeAsync { stream, .. } => Some((stream, Unit::FrontEnd)),
        Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => None,
        Action::RawMalloc { .. } | Action::RawFree { .. } => None,
        Action::HostAlloc { .. } | Action::HostFree { .. } => None,
        Action::Wait { .. } | Action::Query { .. } | Action::QueryStream { .. } | Action::Elapsed { .. } => None,
        Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => None,
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => None,
        Action::ReadHost { .. } | Action::WriteHost { .. } => None,
        Action::BeginCapture { .. } | Action::EndCapture { .. } | Action::Instantiate { .. } => None,
        Action::UpdateGraph { .. } | Action::DestroyGraph { .. } => None,
        Action::StartThread { .. } | Action::JoinThread { .. } => None,
        Action::Signal { .. } | Action::Await { .. } => None,
    }
}

/// The part of the GPU that carries out a copy.
pub fn copy_unit(copy: &Copy) -> Unit {
    match (copy.from.place, copy.to.place) {
        (Place::Host(_), Place::Device(_)) => Unit::H2D,
        (Place::Device(_), Place::Host(_)) => Unit::D2H,
        (Place::Device(_), Place::Device(_)) | (Place::Host(_), Place::Host(_)) => Unit::Memory,
    }
}

/// The buffer of the host that a copy goes through.
pub fn host_buffer(copy: &Copy) -> Option<BufferId> {
    match (copy.from.place, copy.to.place) {
        (Place::Host(buffer), _) | (_, Place::Host(buffer)) => Some(buffer),
        (Place::Device(_), Place::Device(_)) => None,
    }
}

/// The page-locked buffer that a copy may use after its call has returned, or, when it has been captured, at any replay, if
/// PyTorch's allocator of such memory is told of it (`aten/src/ATen/native/cuda/Copy.cu`).
pub fn tracked_buffer(copy: &Copy, captured: bool) -> Option<BufferId> {
    let outlives = captured || (copy.memory == HostMemory::Pinned && !copy.blocking);
    host_buffer(copy).filter(|_| outlives && !copy.untracked)
}

/// When the call returns. `staging_bytes` is the size up to which a pageable copy is staged whole.
pub fn returns(action: &Action, staging_bytes: u64) -> Returns {
    match *action {
        Action::SyncDevice | Action::RawFree { .. } => Returns::DeviceDone,
        Action::HostFree { raw: true, .. } => Returns::DeviceDone,
        Action::SyncStream { stream } => Returns::StreamDone(stream),
        Action::SyncEvent { event } => Returns::EventDone(event),
        Action::Copy(copy) => match (copy_unit(&copy), copy.memory) {
            (Unit::D2H, HostMemory::Pageable) => Returns::CopyDone,
            (Unit::H2D, HostMemory::Pageable) if copy.is_memcpy => Returns::Staged,
            (Unit::H2D, HostMemory::Pageable) if copy.from.bytes > staging_bytes => Returns::CopyDone,
            (Unit::H2D, HostMemory::Pageable) if !copy.blocking => Returns::Staged,
            _ if copy.blocking => Returns::StreamDone(copy.stream),
            _ => Returns::AtOnce,
        },
        Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => {
            Returns::AtOnce
        }
        Action::RawMalloc { .. } | Action::HostAlloc { .. } | Action::HostFree { raw: false, .. } => Returns::AtOnce,
        Action::Launch { .. } | Action::Memset { .. } | Action::HostFunction { .. } => Returns::AtOnce,
        Action::Record { .. } | Action::Wait { .. } | Action::Query { .. } | Action::Elapsed { .. } => Returns::AtOnce,
        Action::QueryStream { .. } | Action::MallocAsync { .. } | Action::FreeAsync { .. } => Returns::AtOnce,
        Action::JoinThread { thread } => Returns::ThreadDone(thread),
        Action::Await { signal } => Returns::Signalled(signal),
        Action::StartThread { .. } | Action::Signal { .. } => Returns::AtOnce,
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => Returns::AtOnce,
        Action::ReadHost { .. } | Action::WriteHost { .. } => Returns::AtOnce,
        Action::BeginCapture { .. } | Action::EndCapture { .. } => Returns::AtOnce,
        Action::Instantiate { .. } | Action::Replay { .. } | Action::ChildGraph { .. } => Returns::AtOnce,
        Action::UpdateGraph { .. } | Action::DestroyGraph { .. } => Returns::AtOnce,
    }
}

/// What becomes of an action while a stream captures. What the table says was measured on an H200,
/// driver 580.
pub fn in_capture(action: &Action) -> InCapture {
    match *action {
        Action::Launch { .. } | Action::Memset { .. } | Action::HostFunction { .. } => InCapture::Node,
        Action::ChildGraph { .. } => InCapture::Node,
        Action::MallocAsync { stream, .. } | Action::FreeAsync { stream, .. } => InCapture::NodeOrUnsafe(stream),
        Action::Record { external: true, .. } | Action::Wait { external: true, .. } => InCapture::Node,
        // `cudaMemcpy` is work of the legacy default stream; no capture looks at how the host waits for it.
        Action::Copy(copy) if copy.is_memcpy => InCapture::Node,
        // A copy that waits for its stream afterwards synchronizes that stream.
        Action::Copy(copy) if copy.blocking => InCapture::Forbidden(Some(copy.stream)),
        Action::Copy(_) => InCapture::Node,
        Action::Record { .. } | Action::Wait { .. } => InCapture::Frontier,
        Action::SyncDevice => InCapture::Forbidden(None),
        Action::SyncStream { stream } | Action::QueryStream { stream, .. } => InCapture::Forbidden(Some(stream)),
        Action::Replay { stream, .. } => InCapture::NotInto(stream),
        Action::SyncEvent { event } | Action::Query { event, .. } => InCapture::AsksEvent(event),
        Action::RawMalloc { .. } | Action::RawFree { .. } | Action::Instantiate { .. } => InCapture::Unsafe,
        Action::DestroyGraph { .. } => InCapture::Unsafe,
        Action::UpdateGraph { .. } => InCapture::Unaffected,
        Action::HostAlloc { raw, .. } | Action::HostFree { raw, .. } => {
            if raw {
                InCapture::Unsafe
            } else {
                InCapture::Unaffected
            }
        }
        // The caching allocator asks for memory in relaxed mode and defers what it would have to wait for
        // (PyTorch, c10/cuda/CUDACachingAllocator.cpp, cudaMallocMaybeCapturing).
        Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => {
            InCapture::Unaffected
        }
        Action::Elapsed { .. } => InCapture::Unaffected,
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => InCapture::Unaffected,
        Action::ReadHost { .. } | Action::WriteHost { .. } => InCapture::Unaffected,
        Action::StartThread { .. } | Action::JoinThread { .. } => InCapture::Unaffected,
        Action::Signal { .. } | Action::Await { .. } => InCapture::Unaffected,
        Action::BeginCapture { .. } | Action::EndCapture { .. } => InCapture::Boundary,
    }
}

/// What PyTorch itself refuses: the class of its exception and its text (`aten/src/ATen/native/cuda/Copy.cu`,
/// `aten/src/ATen/cuda/CUDAGraph.cpp`, `c10/cuda/CUDAEvent.h`). `.item()`, `print` and `nonzero` in a capture are not; the driver refuses
/// their synchronization.
pub fn pytorch_refuses(
    program: &Program,
    operation: &Operation,
    is_capturing: impl Fn(StreamId) -> bool,
) -> Option<(&'static str, &'static str)> {
    if program.host != HostOverhead::Pytorch {
        return None;
    }
    let (refused, text) = match operation.action {
        Action::Copy(copy) => (
            copy.memory == HostMemory::Pageable
                && !matches!(operation.host, Some(HostOp::Item | HostOp::Print | HostOp::Nonzero))
                && copy_unit(&copy) != Unit::Memory
                && is_capturing(copy.stream),
            "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned.",
        ),
        Action::BeginCapture { stream, .. } => (
            program.streams.get(stream.index()).is_some_and(|stream| stream.kind == StreamKind::Legacy),
            "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the \
             default stream.)",
        ),
        Action::Elapsed { start, end, .. } => {
            let timing = |event: EventId| program.events.get(event.index()).is_some_and(|event| event.timing);
            (!timing(start) || !timing(end), "Both events must be created with argument 'enable_timing=True'.")
        }
        _ => return None,
    };
    refused.then_some(("RuntimeError", text))
}

/// The CUDA runtime call that an action makes, if it makes one.
pub fn cuda_call(action: &Action) -> Option<&'static str> {
    match action {
        Action::Launch { .. } => Some("cudaLaunchKernel"),
        Action::Copy(_) => Some("cudaMemcpyAsync"),
        Action::Memset { .. } => Some("cudaMemsetAsync"),
        Action::HostFunction { .. } => Some("cudaLaunchHostFunc"),
        Action::Record { .. } => Some("cudaEventRecord"),
        Action::Wait { .. } => Some("cudaStreamWaitEvent"),
        Action::SyncDevice => Some("cudaDeviceSynchronize"),
        Action::SyncStream { .. } => Some("cudaStreamSynchronize"),
        Action::SyncEvent { .. } => Some("cudaEventSynchronize"),
        Action::Query { .. } => Some("cudaEventQuery"),
        Action::QueryStream { .. } => Some("cudaStreamQuery"),
        Action::Elapsed { .. } => Some("cudaEventElapsedTime"),
        Action::MallocAsync { .. } => Some("cudaMallocAsync"),
        Action::FreeAsync { .. } => Some("cudaFreeAsync"),
        Action::UpdateGraph { .. } => Some("cudaGraphExecUpdate"),
        Action::ChildGraph { .. } => Some("cudaGraphAddChildGraphNode"),
        Action::DestroyGraph { .. } => Some("cudaGraphExecDestroy"),
        Action::RawMalloc { .. } => Some("cudaMalloc"),
        Action::RawFree { .. } => Some("cudaFree"),
        Action::HostAlloc { raw: true, .. } => Some("cudaMallocHost"),
        Action::HostFree { raw: true, .. } => Some("cudaFreeHost"),
        Action::BeginCapture { .. } => Some("cudaStreamBeginCapture"),
        Action::EndCapture { .. } => Some("cudaStreamEndCapture"),
        Action::Instantiate { .. } => Some("cudaGraphInstantiate"),
        Action::Replay { .. } => Some("cudaGraphLaunch"),
        Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => None,
        Action::HostAlloc { raw: false, .. } | Action::HostFree { raw: false, .. } => None,
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => None,
        Action::ReadHost { .. } | Action::WriteHost { .. } => None,
        Action::StartThread { .. } | Action::JoinThread { .. } => None,
        Action::Signal { .. } | Action::Await { .. } => None,
    }
}

/// Whether an action is skipped, since what it depends on is not there: a tensor that was never allocated, a buffer that was
/// not or has been given back, or, for the number that `.item()` returns, its copy: `before` says whether the operation before
/// this one was carried out. It has no effect and meets no error of its own.
pub fn is_skipped(program: &Program, action: &Action, before: bool, is_there: impl Fn(Place) -> bool) -> bool {
    match *action {
        Action::Launch { reads, writes, .. } => {
            let mut touched = program.regions(reads).iter().chain(program.regions(writes));
            !touched.all(|region| is_there(region.place))
        }
        Action::Copy(copy) => !is_there(copy.from.place) || !is_there(copy.to.place),
        Action::Memset { region, .. } | Action::WriteHost { region, .. } => !is_there(region.place),
        Action::ReadHost { region, free, .. } => (free && !before) || !is_there(region.place),
        Action::RawFree { tensor } | Action::FreeAsync { tensor, .. } => !is_there(Place::Device(tensor)),
        Action::HostFree { buffer, .. } => !is_there(Place::Host(buffer)),
        Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => false,
        Action::RawMalloc { .. } | Action::HostAlloc { .. } | Action::HostFunction { .. } => false,
        Action::MallocAsync { .. } | Action::QueryStream { .. } => false,
        Action::Record { .. } | Action::Wait { .. } | Action::Query { .. } | Action::Elapsed { .. } => false,
        Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => false,
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => false,
        Action::BeginCapture { .. } | Action::EndCapture { .. } => false,
        Action::Instantiate { .. } | Action::Replay { .. } | Action::ChildGraph { .. } => false,
        Action::UpdateGraph { .. } | Action::DestroyGraph { .. } => false,
        Action::StartThread { .. } | Action::JoinThread { .. } => false,
        Action::Signal { .. } | Action::Await { .. } => false,
    }
}

/// Whether an executable graph can take over the parameters of another: both have the same nodes and edges (CUDA driver API,
/// `cuGraphExecUpdate`). A node is its operation and the nodes before it.
pub fn can_update<'n>(
    program: &Program,
    old: impl ExactSizeIterator<Item = (u32, &'n [u32])>,
    new: impl ExactSizeIterator<Item = (u32, &'n [u32])>,
) -> bool {
    let kind =
        |operation: u32| program.operations.get(operation as usize).map(|operation| node_kind(&operation.action));
    old.len() == new.len() && old.zip(new).all(|(old, new)| old.1 == new.1 && kind(old.0) == kind(new.0))
}

/// The type of the node that an action becomes in a graph: how it is done, and for a copy or memset which.
fn node_kind(action: &Action) -> (Option<Unit>, std::mem::Discriminant<Action>) {
    let unit = match enqueues(action) {
        Some((_, Unit::Graph(_))) | None => None,
        Some((_, unit)) => Some(unit),
    };
    (unit, std::mem::discriminant(action))
}

/// The regions that an action reads, and those that it writes. Reads and writes of the host thread itself are included; so is
/// the memory that a stream allocates or frees, which no other work may touch before or after that.
pub fn touches(program: &Program, action: &Action) -> (Vec<Region>, Vec<Region>) {
    match *action {
        Action::Launch { reads, writes, .. } => (program.regions(reads).to_vec(), program.regions(writes).to_vec()),
        Action::Copy(copy) => (vec![copy.from], vec![copy.to]),
        Action::Memset { region, .. } | Action::WriteHost { region, .. } => (Vec::new(), vec![region]),
        Action::ReadHost { region, .. } => (vec![region], Vec::new()),
        Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => {
            Default::default()
        }
        Action::MallocAsync { tensor, .. } | Action::FreeAsync { tensor, .. } => {
            let bytes = program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
            (Vec::new(), vec![Region { place: Place::Device(tensor), offset: 0, bytes }])
        }
        Action::RawMalloc { .. } | Action::RawFree { .. } => Default::default(),
        Action::HostAlloc { .. } | Action::HostFree { .. } | Action::HostFunction { .. } => Default::default(),
        Action::Record { .. } | Action::Wait { .. } | Action::Query { .. } | Action::Elapsed { .. } => {
            Default::default()
        }
        Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => Default::default(),
        Action::QueryStream { .. } => Default::default(),
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => Default::default(),
        Action::BeginCapture { .. } | Action::EndCapture { .. } => Default::default(),
        Action::Instantiate { .. } | Action::Replay { .. } | Action::ChildGraph { .. } => Default::default(),
        Action::UpdateGraph { .. } | Action::DestroyGraph { .. } => Default::default(),
        Action::StartThread { .. } | Action::JoinThread { .. } => Default::default(),
        Action::Signal { .. } | Action::Await { .. } => Default::default(),
    }
}
