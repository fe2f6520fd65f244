//! What each operation does, said once: what it gives the GPU to do, what it touches, when its call returns, and what
//! becomes of it while a stream captures.
//!
//! The model, the GPU executor and the checkers ask here, each for the column that it needs of the one row of an action.

mod row;

use super::action::{Action, Copy, HostMemory, Place, Region};
use super::{BufferId, EventId, GraphId, Operation, Program, SignalId, StreamId, StreamKind, ThreadId};
use crate::profile::{Calls, HostOp};
use crate::scenario::HostOverhead;
use row::{Ends, Needs, Refused, Touched, row};

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

/// What an action means for whether memory is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Nothing.
    Same,
    /// It is there from now on.
    Comes(Place),
    /// It is there no longer.
    Goes(Place),
}

/// The stream that an action works on and the part of the GPU that does it, if it gives the GPU anything to do.
pub fn enqueues(action: &Action) -> Option<(StreamId, Unit)> {
    row(action).enqueues
}

/// The stream that an action gives something to: work, or something that later work has to wait for.
pub fn stream(action: &Action) -> Option<StreamId> {
    match *action {
        Action::Wait { stream, .. } => Some(stream),
        _ => enqueues(action).map(|(stream, _)| stream),
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
    match row(action).returns {
        Ends::When(returns) => returns,
        Ends::OfCopy(copy) => copy_returns(&copy, staging_bytes),
    }
}

fn copy_returns(copy: &Copy, staging_bytes: u64) -> Returns {
    match (copy_unit(copy), copy.memory) {
        (Unit::D2H, HostMemory::Pageable) => Returns::CopyDone,
        (Unit::H2D, HostMemory::Pageable) if copy.is_memcpy => Returns::Staged,
        (Unit::H2D, HostMemory::Pageable) if copy.from.bytes > staging_bytes => Returns::CopyDone,
        (Unit::H2D, HostMemory::Pageable) if !copy.blocking => Returns::Staged,
        _ if copy.blocking => Returns::StreamDone(copy.stream),
        _ => Returns::AtOnce,
    }
}

/// What becomes of an action while a stream captures.
pub fn in_capture(action: &Action) -> InCapture {
    row(action).in_capture
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
    let (refused, text) = match row(&operation.action).refused_by_pytorch {
        Refused::Never => return None,
        Refused::PageableCopy(copy) => (
            !matches!(operation.host, Some(HostOp::Item | HostOp::Print | HostOp::Nonzero))
                && is_capturing(copy.stream),
            "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned.",
        ),
        Refused::CaptureOf(stream) => (
            program.streams.get(stream.index()).is_some_and(|stream| stream.kind == StreamKind::Legacy),
            "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the \
             default stream.)",
        ),
        Refused::TimeBetween(start, end) => {
            let timing = |event: EventId| program.events.get(event.index()).is_some_and(|event| event.timing);
            (!timing(start) || !timing(end), "Both events must be created with argument 'enable_timing=True'.")
        }
    };
    refused.then_some(("RuntimeError", text))
}

/// The CUDA runtime call that an action makes, if it makes one.
pub fn cuda_call(action: &Action) -> Option<&'static str> {
    row(action).call
}

/// Host time in µs of the call of `action`, where that is the last call of the PyTorch operation `op`.
pub fn own_call_us(calls: &Calls, action: &Action, op: HostOp) -> f64 {
    (row(action).own_call_us)(calls, op)
}

/// Whether an action is skipped, since what it depends on is not there: a tensor that was never allocated, a buffer that was
/// not or has been given back, or, for the number that `.item()` returns, its copy: `before` says whether the operation before
/// this one was carried out. It has no effect and meets no error of its own.
pub fn is_skipped(program: &Program, action: &Action, before: bool, is_there: impl Fn(Place) -> bool) -> bool {
    let row = row(action);
    let is_touched_there = || {
        let (reads, writes) = (regions(program, row.reads), regions(program, row.writes));
        reads.chain(writes).all(|region| is_there(region.place))
    };
    match row.needs {
        Needs::Nothing => false,
        Needs::Touched => !is_touched_there(),
        Needs::TouchedBehind => !before || !is_touched_there(),
        Needs::Memory(place) => !is_there(place),
    }
}

/// What an action means for whether memory is there. A tensor that has been freed still is: who uses it makes a mistake, but is
/// not skipped.
pub fn presence(action: &Action) -> Presence {
    row(action).presence
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

/// The regions that an action reads. Those that the host thread reads itself are included.
pub fn reads<'p>(program: &'p Program, action: &Action) -> impl Iterator<Item = Region> + use<'p> {
    regions(program, row(action).reads)
}

/// The regions that an action writes. Those that the host thread writes itself are included; so is the memory that a stream
/// allocates or frees, which no other work may touch before or after that.
pub fn writes<'p>(program: &'p Program, action: &Action) -> impl Iterator<Item = Region> + use<'p> {
    regions(program, row(action).writes)
}

fn regions(program: &Program, touched: Touched) -> impl Iterator<Item = Region> {
    let (one, list) = match touched {
        Touched::Nothing => (None, &[][..]),
        Touched::One(region) => (Some(region), &[][..]),
        Touched::List(list) => (None, program.regions(list)),
        Touched::Whole(tensor) => {
            let bytes = program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
            (Some(Region { place: Place::Device(tensor), offset: 0, bytes }), &[][..])
        }
    };
    one.into_iter().chain(list.iter().copied())
}
