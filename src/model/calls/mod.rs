//! The calls of host threads: what each does, part by part, and what it costs.

mod allocations;
mod copies;
mod graphs;
mod launches;
mod waits;

use super::host::Host;
use super::step::Step;
use super::task::TaskKind;
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::Refusal;
use crate::program::{Action, Operation};
use crate::recording::SpanKind;
use crate::time::Ns;

impl Host<'_> {
    /// Carries out a part of an operation, on the host at least: its layers above the driver are part 0, its call the others.
    pub(super) fn carry_on(&mut self, part: u8, operation: &Operation) -> Result<Step, Refusal> {
        if part == 0 {
            self.enter(operation);
            if self.threads.are_several() {
                return Ok(Step::Later);
            }
            self.thread.part = 1;
        }
        self.let_gpu_catch_up();
        if part > 1 {
            return self.make(operation, part - 1);
        }
        let takes_lock = self.threads.are_several() && effects::cuda_call(&operation.action).is_some();
        if takes_lock && self.threads.lock_until > self.thread.now {
            return Ok(Step::Again);
        }
        if self.gpu.finds_fault(&operation.action, self.profile.copies.staging_bytes) {
            return Err(CudaError::IllegalAddress.into());
        }
        let locked = self.thread.now + self.profile.speed.of_host(Ns::from_us(self.profile.calls.lock_us));
        self.gpu.order.admit(self.program, operation, self.thread.id)?;
        let step = self.make(operation, 0);
        if takes_lock {
            self.threads.lock_until = self.thread.now.min(locked);
        }
        step
    }

    /// A part of the call itself.
    fn make(&mut self, operation: &Operation, part: u8) -> Result<Step, Refusal> {
        match operation.action {
            Action::Alloc { tensor, stream } => return self.alloc(part, tensor, stream),
            Action::Free { tensor } => self.free(tensor),
            Action::RecordStream { tensor, stream } => {
                let address = self.gpu.device.memory.address(tensor);
                self.storage.allocator.record_stream(address, stream.0);
            }
            Action::EmptyCache => return Ok(self.empty_cache(part)),
            Action::RawMalloc { tensor } => self.raw_malloc(tensor)?,
            Action::RawFree { tensor } => return Ok(self.raw_free(part, tensor)),
            Action::MallocAsync { tensor, stream } => return self.malloc_async(tensor, stream),
            Action::FreeAsync { tensor, stream } => return self.free_async(tensor, stream),
            Action::HostAlloc { buffer, raw } => self.host_alloc(buffer, raw),
            Action::HostFree { buffer, raw } => return Ok(self.host_free(part, buffer, raw)),
            Action::Launch { kernel, stream, .. } => return self.launch(kernel, stream),
            Action::Copy(copy) => return self.copy(&copy),
            Action::Memset { stream, region, .. } => {
                let dur = Ns::from_us(self.profile.copies.memset_us.at(region.bytes as f64));
                let kind = TaskKind::Memory { dur, is_memset: true };
                return self.queue(stream, kind, self.profile.calls.memset_us);
            }
            Action::HostFunction { stream, dur } => {
                let kind = TaskKind::HostFunction { dur };
                return self.queue(stream, kind, self.profile.calls.host_function_us);
            }
            Action::Record { event, stream, external } => return self.record(event, stream, external),
            Action::Wait { event, stream, external } => self.wait_event(event, stream, external)?,
            Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => {
                return self.synchronize(part, &operation.action);
            }
            Action::JoinThread { .. } | Action::Await { .. } => {
                return Ok(self.await_thread(part, &operation.action));
            }
            Action::StartThread { thread } => self.start_thread(thread),
            Action::Signal { signal } => self.threads.give(signal, self.thread.now),
            Action::Query { event, into } => self.query(event, into)?,
            Action::QueryStream { stream, into } => self.query_stream(stream, into),
            Action::Elapsed { start, end, into } => {
                self.spend(SpanKind::Call, self.profile.calls.elapsed_us);
                let elapsed = self.elapsed(start, end)?;
                self.results.set(into, elapsed.us());
            }
            Action::Work { dur } => {
                let kind = if operation.host.is_some() { SpanKind::Call } else { SpanKind::Work };
                self.spend(kind, dur.us());
            }
            Action::Clock { into } => self.results.set(into, self.thread.now.us()),
            Action::ReadHost { free: false, region, .. } | Action::WriteHost { region, .. } if part == 0 => {
                self.access(&region);
                return Ok(Step::Later);
            }
            Action::ReadHost { region, into, .. } => {
                let mean = self.gpu.device.memory.mean(&region);
                into.into_iter().for_each(|into| self.results.set(into, mean));
            }
            Action::WriteHost { region, value } => self.gpu.device.memory.write(&region, value),
            Action::BeginCapture { graph, stream } => self.begin_capture(graph, stream)?,
            Action::EndCapture { graph, stream } => self.end_capture(graph, stream)?,
            Action::Instantiate { graph } => self.instantiate(graph)?,
            Action::UpdateGraph { graph, from } => self.update_graph(graph, from)?,
            Action::ChildGraph { graph, stream } => self.child_graph(graph, stream)?,
            Action::DestroyGraph { graph } => self.destroy_graph(graph),
            Action::Replay { graph, stream } => return self.replay(graph, stream),
            Action::BeginRegion => self.region(true, operation),
            Action::EndRegion => self.region(false, operation),
            Action::Report { report } => self.results.report(self.program, report as usize),
        }
        Ok(Step::Done)
    }

    /// The thread comes to a named region, or has gone through one.
    fn region(&mut self, begins: bool, operation: &Operation) {
        let (thread, recorder) = (&self.thread, &mut self.gpu.device.recorder);
        recorder.region(thread.operation(), begins, operation.label, thread.now);
    }
}
