//! Follows a program operation by operation: what touches which bytes, and what is certainly over by then.

use super::Verdict;
use super::accesses::By;
use super::graphs::Graphs;
use super::scene::Scene;
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, Returns, Unit};
use crate::program::order::{Enqueued, Refusal};
use crate::program::walk::{Cancelled, Visitor, walk};
use crate::program::{Action, Copy, HostMemory, Operation, Place, Program, StreamId, TensorId, ThreadId};

/// Bytes up to which a pageable copy to the device is staged whole. Whether it is changes when the call returns; no document
/// promises either.
const STAGING_BYTES: u64 = 1 << 20;

/// Judges `program`. `goes_on` is asked now and then whether anybody still waits for the verdict.
///
/// # Errors
/// [`Cancelled`] when nobody does.
pub(super) fn judge(program: &Program, goes_on: &mut dyn FnMut() -> bool) -> Result<Verdict, Cancelled> {
    let mut judge = Judge { scene: Scene::new(program), graphs: Graphs::new(program) };
    walk(program, &mut judge, goes_on)?;
    Ok(judge.scene.findings.verdict())
}

struct Judge<'p> {
    scene: Scene<'p>,
    graphs: Graphs,
}

impl Visitor for Judge<'_> {
    fn carry_out(&mut self, thread: ThreadId, index: usize, operation: &Operation) -> Result<(), Refusal> {
        let Self { scene, graphs } = self;
        scene.operation = index as u32;
        scene.course.order.admit(scene.program, operation, thread)?;
        match operation.action {
            Action::Alloc { tensor, stream } => scene.alloc(thread, tensor, stream)?,
            Action::Free { tensor } => scene.free(thread, tensor),
            Action::RecordStream { tensor, stream } => scene.memory.record_stream(tensor, stream),
            Action::EmptyCache => scene.memory.empty_cache(&mut scene.course, thread),
            Action::RawMalloc { tensor } => self.give(tensor)?,
            Action::RawFree { tensor } => scene.raw_free(thread, tensor),
            Action::MallocAsync { tensor, stream } => {
                self.give(tensor)?;
                if let Err(refused) = self.work(thread, operation, stream, By::Lifetime) {
                    self.scene.memory.forget(tensor);
                    return Err(refused);
                }
            }
            Action::FreeAsync { tensor, stream } => self.free_async(thread, operation, tensor, stream)?,
            Action::HostAlloc { buffer, raw } => scene.host_alloc(thread, buffer, raw),
            Action::HostFree { buffer, raw } => scene.host_free(thread, buffer, raw),
            Action::Launch { stream, .. } | Action::Memset { stream, .. } | Action::HostFunction { stream, .. } => {
                self.work(thread, operation, stream, By::Stream)?;
            }
            Action::Copy(copy) => self.copy(thread, operation, &copy)?,
            Action::Record { event, stream, external } => {
                let placed = scene.course.order.record(event, stream, external)?;
                self.placed(thread, stream, placed);
            }
            Action::Wait { event, stream, external } => {
                let placed = scene.course.order.wait(event, stream, external)?;
                self.placed(thread, stream, placed);
            }
            Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => {
                self.synchronize(thread, &operation.action)?;
            }
            Action::StartThread { thread: other } => scene.course.start(thread, other),
            Action::JoinThread { thread: other } => scene.course.join(thread, other),
            Action::Signal { signal } => scene.course.give(signal, thread),
            Action::Await { signal } => scene.course.take_up(signal, thread),
            Action::ReadHost { region, .. } => {
                scene.host_access(thread, &region, false);
                graphs.read_by_host(scene, &region);
            }
            Action::WriteHost { region, .. } => {
                scene.host_access(thread, &region, true);
                graphs.written_by_host(scene, thread, &region);
            }
            Action::Query { event, .. } => {
                scene.course.order.event_node(event)?;
            }
            Action::QueryStream { .. } | Action::Elapsed { .. } | Action::Work { .. } | Action::Clock { .. } => {}
            Action::BeginRegion | Action::EndRegion => {}
            Action::Report { .. } | Action::Instantiate { .. } => {}
            Action::BeginCapture { graph, stream } => graphs.begin(scene, thread, graph, stream)?,
            Action::EndCapture { graph, stream } => graphs.end(scene, thread, graph, stream)?,
            Action::UpdateGraph { graph, from } => graphs.update(scene, graph, from)?,
            Action::ChildGraph { graph, stream } => graphs.add_child(scene, graph, stream)?,
            Action::DestroyGraph { graph } => graphs.destroy(graph),
            Action::Replay { graph, stream } => graphs.replay(scene, thread, graph, stream)?,
        }
        Ok(())
    }
}

impl Judge<'_> {
    /// The driver gives memory.
    fn give(&mut self, tensor: TensorId) -> Result<(), Refusal> {
        let (bytes, since) = (self.scene.bytes(tensor), self.scene.accesses.issued());
        match self.scene.memory.give(tensor, bytes, since) {
            true => Ok(()),
            false => Err(CudaError::MemoryAllocation.into()),
        }
    }

    fn free_async(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        tensor: TensorId,
        stream: StreamId,
    ) -> Result<(), Refusal> {
        self.graphs.check_free(&self.scene, tensor, stream)?;
        let captured = self.work(thread, operation, stream, By::Lifetime)?;
        if !captured {
            self.graphs.freed_outside(tensor);
            self.scene.memory.release(tensor);
            self.scene.memory.lives.end(Place::Device(tensor), self.scene.operation, true);
        }
        Ok(())
    }

    /// An event was recorded or waited for: that may be work, or a node of a graph.
    fn placed(&mut self, thread: ThreadId, stream: StreamId, placed: Option<Enqueued>) {
        match placed {
            None => {}
            Some(Enqueued::Live(_)) => {
                self.scene.course.live(stream, thread);
            }
            Some(Enqueued::Captured(graph, _)) => self.graphs.add_mark(&self.scene, graph, stream),
        }
    }

    /// Work on a stream, with all that it touches. Returns whether it went into a graph.
    fn work(&mut self, thread: ThreadId, operation: &Operation, stream: StreamId, by: By) -> Result<bool, Refusal> {
        let Self { scene, graphs } = self;
        let program = scene.program;
        if let Enqueued::Captured(graph, _) = scene.course.order.enqueue(stream)? {
            graphs.add(scene, graph, stream, &operation.action, by);
            return Ok(true);
        }
        let stamp = scene.course.live(stream, thread);
        for region in effects::reads(program, &operation.action) {
            match by {
                // It has been read when the call returns.
                By::Host => scene.host_access(thread, &region, false),
                By::Stream | By::Staged | By::Lifetime => scene.stream_access(stamp, &region, false, by),
            }
        }
        for region in effects::writes(program, &operation.action) {
            scene.stream_access(stamp, &region, true, by);
            graphs.written_beside(scene, thread, scene.memory.lives.range(&region), region.place);
        }
        Ok(false)
    }

    fn copy(&mut self, thread: ThreadId, operation: &Operation, copy: &Copy) -> Result<(), Refusal> {
        let to_device = effects::copy_unit(copy) == Unit::H2D;
        let pageable = to_device && copy.memory == HostMemory::Pageable;
        // `cudaMemcpy` from pageable memory returns when that has been read; the device may not have it all yet (CUDA Runtime
        // API, "API synchronization behavior").
        let staged = pageable && copy.is_memcpy;
        let by = match pageable {
            true if staged => By::Host,
            true if !copy.blocking => By::Staged,
            _ => By::Stream,
        };
        let captured = self.work(thread, operation, copy.stream, by)?;
        if let Some(buffer) = effects::tracked_buffer(copy, captured) {
            self.scene.memory.uses_pinned(buffer, copy.stream, captured);
        }
        if captured {
            return Ok(());
        }
        let course = &mut self.scene.course;
        let Some(done) = course.latest() else { return Ok(()) };
        match effects::returns(&operation.action, STAGING_BYTES) {
            _ if copy.blocking && !staged => course.learn(thread, &[done], true),
            Returns::CopyDone if !staged => course.learn(thread, &[done], false),
            Returns::CopyDone | Returns::AtOnce | Returns::Staged | Returns::StreamDone(_) => {}
            Returns::DeviceDone | Returns::EventDone(_) | Returns::ThreadDone(_) | Returns::Signalled(_) => {}
        }
        Ok(())
    }

    fn synchronize(&mut self, thread: ThreadId, action: &Action) -> Result<(), Refusal> {
        let course = &mut self.scene.course;
        let nodes = match effects::returns(action, STAGING_BYTES) {
            Returns::DeviceDone => course.order.device_frontier(),
            Returns::StreamDone(stream) => course.order.stream_frontier(stream),
            Returns::EventDone(event) => course.order.event_node(event)?.into_iter().collect(),
            Returns::AtOnce | Returns::Staged | Returns::CopyDone => Vec::new(),
            Returns::ThreadDone(_) | Returns::Signalled(_) => Vec::new(),
        };
        course.learn_nodes(thread, &nodes, true);
        Ok(())
    }
}
