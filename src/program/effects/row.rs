//! What each action is: one row for each, and no wildcard among them. A new action is described here before anything compiles.

use super::{InCapture, Presence, Returns, Unit, copy_unit};
use crate::profile::{Calls, HostOp};
use crate::program::action::{Action, Copy, HostMemory, Place, Region, RegionList};
use crate::program::{EventId, StreamId, TensorId};

/// All that is to be said of an action.
pub(super) struct Row {
    /// The CUDA runtime call that it makes.
    pub call: Option<&'static str>,
    /// The stream that it works on, and the part of the GPU that does it.
    pub enqueues: Option<(StreamId, Unit)>,
    /// When its call returns.
    pub returns: Ends,
    /// What becomes of it while a stream captures.
    pub in_capture: InCapture,
    /// What it reads and writes.
    pub reads: Touched,
    pub writes: Touched,
    /// What has to be there for it to be carried out.
    pub needs: Needs,
    /// What it means for whether memory is there.
    pub presence: Presence,
    /// What PyTorch itself refuses.
    pub refused_by_pytorch: Refused,
    /// Host time of its call in µs, where it is the last call of a PyTorch operation.
    pub own_call_us: fn(&Calls, HostOp) -> f64,
}

/// When a call returns.
pub(super) enum Ends {
    /// Then.
    When(Returns),
    /// It depends on the size of the copy.
    OfCopy(Copy),
}

/// What an action touches.
#[derive(Clone, Copy)]
pub(super) enum Touched {
    Nothing,
    One(Region),
    List(RegionList),
    /// All of an allocation.
    Whole(TensorId),
}

/// What has to be there for an action to be carried out.
pub(super) enum Needs {
    Nothing,
    /// All that it touches.
    Touched,
    /// All that it touches, and the operation before it carried out.
    TouchedBehind,
    /// This memory.
    Memory(Place),
}

/// What PyTorch refuses by itself.
pub(super) enum Refused {
    Never,
    /// A copy of pageable memory, where its stream captures.
    PageableCopy(Copy),
    /// A capture of the legacy default stream.
    CaptureOf(StreamId),
    /// The time between two events, unless both keep one.
    TimeBetween(EventId, EventId),
}

/// An action that does nothing and always succeeds: what the others differ from.
const NOTHING: Row = Row {
    call: None,
    enqueues: None,
    returns: Ends::When(Returns::AtOnce),
    in_capture: InCapture::Unaffected,
    reads: Touched::Nothing,
    writes: Touched::Nothing,
    needs: Needs::Nothing,
    presence: Presence::Same,
    refused_by_pytorch: Refused::Never,
    own_call_us: |_, _| 0.0,
};

/// What `action` is. Inlined wherever one column is asked for, so that no other is worked out. What it says of captures was
/// measured on an H200, driver 580.
#[inline(always)]
pub(super) fn row(action: &Action) -> Row {
    match *action {
        // In a capture the caching allocator asks for memory in relaxed mode and defers what it would have to wait for
        // (PyTorch, c10/cuda/CUDACachingAllocator.cpp, cudaMallocMaybeCapturing).
        Action::Alloc { tensor, .. } => Row { presence: Presence::Comes(Place::Device(tensor)), ..NOTHING },
        Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => NOTHING,
        Action::RawMalloc { tensor } => Row {
            call: Some("cudaMalloc"),
            in_capture: InCapture::Unsafe,
            presence: Presence::Comes(Place::Device(tensor)),
            ..NOTHING
        },
        Action::RawFree { tensor } => Row {
            call: Some("cudaFree"),
            returns: Ends::When(Returns::DeviceDone),
            in_capture: InCapture::Unsafe,
            needs: Needs::Memory(Place::Device(tensor)),
            ..NOTHING
        },
        Action::MallocAsync { tensor, stream } => Row {
            call: Some("cudaMallocAsync"),
            enqueues: Some((stream, Unit::FrontEnd)),
            in_capture: InCapture::NodeOrUnsafe(stream),
            writes: Touched::Whole(tensor),
            presence: Presence::Comes(Place::Device(tensor)),
            own_call_us: |calls, _| calls.malloc_async_us,
            ..NOTHING
        },
        Action::FreeAsync { tensor, stream } => Row {
            call: Some("cudaFreeAsync"),
            enqueues: Some((stream, Unit::FrontEnd)),
            in_capture: InCapture::NodeOrUnsafe(stream),
            writes: Touched::Whole(tensor),
            needs: Needs::Memory(Place::Device(tensor)),
            own_call_us: |calls, _| calls.free_async_us,
            ..NOTHING
        },
        Action::HostAlloc { raw: true, buffer } => Row {
            call: Some("cudaMallocHost"),
            in_capture: InCapture::Unsafe,
            presence: Presence::Comes(Place::Host(buffer)),
            ..NOTHING
        },
        Action::HostAlloc { raw: false, buffer } => Row { presence: Presence::Comes(Place::Host(buffer)), ..NOTHING },
        Action::HostFree { raw: true, buffer } => Row {
            call: Some("cudaFreeHost"),
            returns: Ends::When(Returns::DeviceDone),
            in_capture: InCapture::Unsafe,
            needs: Needs::Memory(Place::Host(buffer)),
            presence: Presence::Goes(Place::Host(buffer)),
            ..NOTHING
        },
        Action::HostFree { raw: false, buffer } => {
            Row { needs: Needs::Memory(Place::Host(buffer)), presence: Presence::Goes(Place::Host(buffer)), ..NOTHING }
        }
        Action::Launch { stream, reads, writes, .. } => Row {
            call: Some("cudaLaunchKernel"),
            enqueues: Some((stream, Unit::Sms)),
            in_capture: InCapture::Node,
            reads: Touched::List(reads),
            writes: Touched::List(writes),
            needs: Needs::Touched,
            own_call_us: |calls, _| calls.launch_us,
            ..NOTHING
        },
        Action::Copy(copy) => Row {
            call: Some(if copy.is_memcpy { "cudaMemcpy" } else { "cudaMemcpyAsync" }),
            enqueues: Some((copy.stream, copy_unit(&copy))),
            returns: Ends::OfCopy(copy),
            in_capture: match copy.blocking {
                // A copy that waits for its stream afterwards synchronizes that stream. `cudaMemcpy` is work of the legacy
                // default stream; no capture looks at how the host waits for it.
                true if !copy.is_memcpy => InCapture::Forbidden(Some(copy.stream)),
                _ => InCapture::Node,
            },
            reads: Touched::One(copy.from),
            writes: Touched::One(copy.to),
            needs: Needs::Touched,
            presence: Presence::Same,
            refused_by_pytorch: match copy.memory {
                HostMemory::Pageable if copy_unit(&copy) != Unit::Memory => Refused::PageableCopy(copy),
                HostMemory::Pageable | HostMemory::Pinned => Refused::Never,
            },
            own_call_us: match (copy_unit(&copy), copy.blocking) {
                (Unit::Memory, _) => |calls, _| calls.copy_d2d_us,
                (_, true) => |calls, _| calls.copy_us + calls.stream_sync_us,
                (_, false) => |calls, _| calls.copy_us,
            },
        },
        Action::Memset { stream, region, .. } => Row {
            call: Some("cudaMemsetAsync"),
            enqueues: Some((stream, Unit::Memory)),
            in_capture: InCapture::Node,
            writes: Touched::One(region),
            needs: Needs::Touched,
            own_call_us: |calls, _| calls.memset_us,
            ..NOTHING
        },
        Action::HostFunction { stream, .. } => Row {
            call: Some("cudaLaunchHostFunc"),
            enqueues: Some((stream, Unit::HostFunction)),
            in_capture: InCapture::Node,
            ..NOTHING
        },
        Action::Record { stream, external, .. } => Row {
            call: Some("cudaEventRecord"),
            enqueues: Some((stream, Unit::FrontEnd)),
            in_capture: if external { InCapture::Node } else { InCapture::Frontier },
            own_call_us: |calls, op| match op {
                HostOp::RecordTiming => calls.record_timing_us,
                _ => calls.record_us,
            },
            ..NOTHING
        },
        Action::Wait { external, .. } => Row {
            call: Some("cudaStreamWaitEvent"),
            in_capture: if external { InCapture::Node } else { InCapture::Frontier },
            own_call_us: |calls, _| calls.wait_us,
            ..NOTHING
        },
        Action::SyncDevice => Row {
            call: Some("cudaDeviceSynchronize"),
            returns: Ends::When(Returns::DeviceDone),
            in_capture: InCapture::Forbidden(None),
            own_call_us: |calls, _| calls.device_sync_us,
            ..NOTHING
        },
        Action::SyncStream { stream } => Row {
            call: Some("cudaStreamSynchronize"),
            returns: Ends::When(Returns::StreamDone(stream)),
            in_capture: InCapture::Forbidden(Some(stream)),
            own_call_us: |calls, _| calls.stream_sync_us,
            ..NOTHING
        },
        Action::SyncEvent { event } => Row {
            call: Some("cudaEventSynchronize"),
            returns: Ends::When(Returns::EventDone(event)),
            in_capture: InCapture::AsksEvent(event),
            own_call_us: |calls, _| calls.event_sync_us,
            ..NOTHING
        },
        Action::Query { event, .. } => Row {
            call: Some("cudaEventQuery"),
            in_capture: InCapture::AsksEvent(event),
            own_call_us: |calls, _| calls.query_us,
            ..NOTHING
        },
        Action::QueryStream { stream, .. } => Row {
            call: Some("cudaStreamQuery"),
            in_capture: InCapture::Forbidden(Some(stream)),
            own_call_us: |calls, _| calls.query_us,
            ..NOTHING
        },
        Action::Elapsed { start, end, .. } => {
            Row { call: Some("cudaEventElapsedTime"), refused_by_pytorch: Refused::TimeBetween(start, end), ..NOTHING }
        }
        Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => NOTHING,
        Action::ReadHost { region, free, .. } => Row {
            reads: Touched::One(region),
            needs: if free { Needs::TouchedBehind } else { Needs::Touched },
            ..NOTHING
        },
        Action::WriteHost { region, .. } => Row { writes: Touched::One(region), needs: Needs::Touched, ..NOTHING },
        Action::BeginCapture { stream, .. } => Row {
            call: Some("cudaStreamBeginCapture"),
            in_capture: InCapture::Boundary,
            refused_by_pytorch: Refused::CaptureOf(stream),
            ..NOTHING
        },
        Action::EndCapture { .. } => {
            Row { call: Some("cudaStreamEndCapture"), in_capture: InCapture::Boundary, ..NOTHING }
        }
        Action::Instantiate { .. } => {
            Row { call: Some("cudaGraphInstantiate"), in_capture: InCapture::Unsafe, ..NOTHING }
        }
        Action::Replay { graph, stream } => Row {
            call: Some("cudaGraphLaunch"),
            enqueues: Some((stream, Unit::Graph(graph))),
            in_capture: InCapture::NotInto(stream),
            own_call_us: |calls, _| calls.graph_launch_us.at(1.0),
            ..NOTHING
        },
        Action::UpdateGraph { .. } => Row { call: Some("cudaGraphExecUpdate"), ..NOTHING },
        Action::ChildGraph { graph, stream } => Row {
            call: Some("cudaGraphAddChildGraphNode"),
            enqueues: Some((stream, Unit::Graph(graph))),
            in_capture: InCapture::Node,
            ..NOTHING
        },
        Action::DestroyGraph { .. } => {
            Row { call: Some("cudaGraphExecDestroy"), in_capture: InCapture::Unsafe, ..NOTHING }
        }
        Action::StartThread { .. } | Action::Signal { .. } => NOTHING,
        Action::BeginRegion | Action::EndRegion => NOTHING,
        Action::JoinThread { thread } => Row { returns: Ends::When(Returns::ThreadDone(thread)), ..NOTHING },
        Action::Await { signal } => Row { returns: Ends::When(Returns::Signalled(signal)), ..NOTHING },
    }
}
