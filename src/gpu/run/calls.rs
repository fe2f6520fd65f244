//! Each operation as the calls of the driver that it makes.

use super::super::driver::{CaptureMode, Code, Event};
use super::super::element;
use super::{Failure, Run};
use crate::profile::{HostOp, Profile};
use crate::program::{Action, EventId, Operation, Place, VariableId, effects};
use crate::time::Ns;

/// Weight of the latest call in what calls take.
const LEARNING: f64 = 1.0 / 16.0;
/// The same for cold calls, which are few.
const LEARNING_COLD: f64 = 0.5;

/// What the last CUDA call of each PyTorch operation takes on this machine. It starts with what the profile says and learns
/// from run to run, so that an operation as a whole takes what was measured of PyTorch.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct OwnCalls {
    /// In µs, by operation; `None` before its first.
    usual_us: Vec<Option<f64>>,
    /// What calls take in addition after a pause, in µs, by operation.
    cold_us: Vec<f64>,
}

impl Default for OwnCalls {
    fn default() -> Self {
        Self { usual_us: vec![None; HostOp::ALL.len()], cold_us: vec![0.0; HostOp::ALL.len()] }
    }
}

impl OwnCalls {
    /// For `action`, the last call of `op`.
    pub fn of(&mut self, profile: &Profile, action: &Action, op: HostOp) -> Ns {
        let start = || effects::own_call_us(&profile.calls, action, op);
        Ns::from_us(self.usual_us.get_mut(op as usize).map_or(0.0, |known| *known.get_or_insert_with(start)))
    }

    /// What is left to emulate of `cold`, the time that PyTorch takes in addition after a pause: this machine's own calls are
    /// cold too.
    pub fn rest_of_cold(&self, op: HostOp, cold: Ns) -> Ns {
        let own = self.cold_us.get(op as usize).copied().unwrap_or(0.0);
        (cold - Ns::from_us(own)).max(Ns::ZERO)
    }

    /// A call took `dur`. One that was held up by a full queue says nothing.
    pub fn learn(&mut self, op: HostOp, dur: Ns) {
        if let Some(Some(known)) = self.usual_us.get_mut(op as usize)
            && dur.us() < 4.0 * *known + 4.0
        {
            *known += (dur.us() - *known) * LEARNING;
        }
    }

    /// A call after a pause took `dur`.
    pub fn learn_cold(&mut self, op: HostOp, dur: Ns) {
        let usual = self.usual_us.get(op as usize).copied().flatten();
        if let (Some(usual), Some(cold)) = (usual, self.cold_us.get_mut(op as usize)) {
            *cold += ((dur.us() - usual).max(0.0) - *cold) * LEARNING_COLD;
        }
    }
}

impl Run<'_> {
    /// Carries out one operation.
    pub(super) fn execute(&mut self, index: usize, operation: &Operation) -> Result<(), Failure> {
        let is_capturing = |stream| self.capturing > 0 && self.stream(stream).is_ok_and(|stream| stream.is_capturing());
        if let Some((class, text)) = effects::pytorch_refuses(self.program, operation, is_capturing) {
            return Err(Failure::Pytorch(class, text.to_owned()));
        }
        match operation.action {
            Action::Launch { kernel: _, stream, reads, writes } => self.launch(index, stream, reads, writes)?,
            Action::Alloc { tensor, stream } => self.alloc(index, tensor, stream)?,
            Action::Free { tensor } => self.free(index, tensor),
            Action::RecordStream { tensor, stream } => {
                let address = self.address_of(tensor);
                self.allocator.record_stream(address, stream.0);
            }
            Action::EmptyCache => self.empty_cache(index)?,
            Action::RawMalloc { tensor } => self.raw_malloc(tensor)?,
            Action::RawFree { tensor } => self.raw_free(tensor)?,
            Action::HostAlloc { buffer, raw } => self.host_alloc(index, buffer, raw)?,
            Action::HostFree { buffer, raw } => self.host_free(index, buffer, raw)?,
            Action::Copy(copy) => self.copy(index, &copy)?,
            Action::Memset { stream, region, value, dtype } => {
                let word = element::word(value, dtype).ok_or(Code(801))?;
                self.memset(index, stream, &region, word)?;
            }
            Action::HostFunction { stream, dur } => self.host_function(index, stream, dur)?,
            Action::Record { event, stream, external: true } => {
                self.event(event)?.record_as_node(self.stream(stream)?)?;
            }
            Action::Wait { event, stream, external: true } => self.event(event)?.wait_as_node(self.stream(stream)?)?,
            Action::Record { event, stream, external: false } => self.event(event)?.record(self.stream(stream)?)?,
            Action::Wait { event, stream, external: false } => self.event(event)?.wait(self.stream(stream)?)?,
            Action::SyncDevice => self.session.context.synchronize()?,
            Action::SyncStream { stream } => self.stream(stream)?.synchronize()?,
            Action::SyncEvent { event } => self.event(event)?.synchronize()?,
            Action::Query { event, into } => {
                let done = self.event(event)?.is_done()?;
                into.into_iter().for_each(|into| self.set(into, f64::from(u8::from(done))));
            }
            Action::Elapsed { start, end, into } => {
                let us = self.event(start)?.elapsed_us(self.event(end)?)?;
                self.set(into, us);
            }
            Action::Work { dur } => {
                self.wait_until(self.now() + dur);
            }
            Action::Clock { into } => self.set(into, self.now().us()),
            Action::ReadHost { region, into, .. } => {
                let mean = self.buffers.mean(&region);
                into.into_iter().for_each(|into| self.set(into, mean));
            }
            Action::WriteHost { region, value } => self.buffers.write(&region, value),
            Action::BeginCapture { graph, stream } => {
                let mode = self.program.graphs.get(graph.index()).map_or(CaptureMode::Global, |graph| graph.mode);
                self.begin_capture(index, graph, stream, mode)?;
            }
            Action::EndCapture { graph, stream } => self.end_capture(graph, stream)?,
            Action::Instantiate { graph } => self.instantiate(graph)?,
            Action::MallocAsync { tensor, stream } => self.malloc_async(tensor, stream)?,
            Action::FreeAsync { tensor, stream } => self.free_async(tensor, stream)?,
            Action::QueryStream { stream, into } => {
                let done = self.stream(stream)?.is_done()?;
                into.into_iter().for_each(|into| self.set(into, f64::from(u8::from(done))));
            }
            Action::DestroyGraph { graph } => self.destroy_graph(graph)?,
            // Refused before anything runs, by `plans`.
            Action::UpdateGraph { .. } | Action::ChildGraph { .. } => {}
            Action::StartThread { .. } | Action::JoinThread { .. } => {}
            Action::Signal { .. } | Action::Await { .. } => {}
            Action::Replay { graph, stream } => self.replay(index, graph, stream)?,
            Action::Report { report } => {
                let value = self.program.reported(report as usize, &self.variables);
                if let Some(place) = self.outcome.values.get_mut(report as usize) {
                    *place = value;
                }
            }
        }
        Ok(())
    }

    fn event(&self, id: EventId) -> Result<&Event, Failure> {
        self.events.get(id.index()).ok_or(Failure::Cuda(Code(400)))
    }

    fn set(&mut self, variable: VariableId, value: f64) {
        if let Some(place) = self.variables.get_mut(variable.index()) {
            *place = Some(value);
        }
    }

    /// Address of the first byte of a region, on the device or the host.
    pub(super) fn address(&self, region: &crate::program::Region) -> u64 {
        let base = match region.place {
            Place::Device(tensor) => self.address_of(tensor),
            Place::Host(buffer) => self.buffers.address(buffer),
        };
        base + region.offset
    }
}
