//! Each operation as the calls of the driver that it makes.

use super::super::driver::{CaptureMode, Code};
use super::super::element;
use super::{Failure, Run};
use crate::program::{Action, GraphId, Operation, Place, Region, StreamId, TensorId, VariableId, effects};

impl Run<'_> {
    /// Carries out one operation.
    pub(super) fn execute(&mut self, index: usize, operation: &Operation) -> Result<(), Failure> {
        let is_capturing = |stream| self.handles.stream(stream).is_ok_and(|stream| self.captures.captures(stream));
        if let Some((class, text)) = effects::pytorch_refuses(self.program, operation, is_capturing) {
            return Err(Failure::Pytorch(class, text.to_owned()));
        }
        match operation.action {
            Action::Launch { kernel: _, stream, reads, writes } => self.launch(index, stream, reads, writes)?,
            Action::Alloc { tensor, stream } => self.alloc(index, tensor, stream)?,
            Action::Free { tensor } => {
                self.memory.free((&self.handles, &mut self.pace), index, tensor, self.captures.are_open());
            }
            Action::RecordStream { tensor, stream } => self.memory.record_stream(tensor, stream),
            Action::EmptyCache => {
                self.memory.empty_cache((&self.handles, &mut self.pace), index, self.captures.are_open());
            }
            Action::RawMalloc { tensor } => self.memory.raw_malloc(tensor)?,
            Action::RawFree { tensor } => self.memory.raw_free(tensor)?,
            Action::HostAlloc { buffer, raw } => {
                let device = &mut self.memory.given.within(&self.handles, &mut self.pace, index);
                self.buffers.allocate(device, buffer, raw, self.captures.are_open())?;
            }
            Action::HostFree { buffer, raw } => {
                let device = &mut self.memory.given.within(&self.handles, &mut self.pace, index);
                self.buffers.free(device, buffer, raw, self.captures.are_open())?;
            }
            Action::Copy(copy) => self.copy(index, &copy)?,
            Action::Memset { stream, region, value, dtype } => {
                let word = element::word(value, dtype).ok_or(Code(801))?;
                self.memset(index, stream, &region, word)?;
            }
            Action::HostFunction { stream, dur } => {
                self.host_functions.queue(index, dur, self.handles.stream(stream)?)?;
            }
            Action::Record { event, stream, external } => {
                let (event, stream) = (self.handles.event(event)?, self.handles.stream(stream)?);
                if external { event.record_as_node(stream)? } else { event.record(stream)? }
            }
            Action::Wait { event, stream, external } => {
                let (event, stream) = (self.handles.event(event)?, self.handles.stream(stream)?);
                if external { event.wait_as_node(stream)? } else { event.wait(stream)? }
            }
            Action::SyncDevice => self.session.context.synchronize()?,
            Action::SyncStream { stream } => self.handles.stream(stream)?.synchronize()?,
            Action::SyncEvent { event } => self.handles.event(event)?.synchronize()?,
            Action::Query { event, into } => {
                let done = self.handles.event(event)?.is_done()?;
                into.into_iter().for_each(|into| self.set(into, f64::from(u8::from(done))));
            }
            Action::Elapsed { start, end, into } => {
                let us = self.handles.event(start)?.elapsed_us(self.handles.event(end)?)?;
                self.set(into, us);
            }
            Action::Work { dur } => {
                self.pace.wait_until(self.pace.now() + dur);
            }
            Action::Clock { into } => self.set(into, self.pace.now().us()),
            Action::ReadHost { region, into, .. } => {
                let mean = self.buffers.mean(&region);
                into.into_iter().for_each(|into| self.set(into, mean));
            }
            Action::WriteHost { region, value } => self.buffers.write(&region, value),
            Action::BeginCapture { graph, stream } => {
                let mode = self.program.graphs.get(graph.index()).map_or(CaptureMode::Global, |graph| graph.mode);
                self.captures.begin(index, graph, self.handles.stream(stream)?, mode)?;
            }
            Action::EndCapture { graph, stream } => self.end_capture(graph, stream)?,
            Action::Instantiate { graph } => self.captures.instantiate(graph, self.program.host)?,
            Action::MallocAsync { tensor, stream } => {
                let stream = self.handles.stream(stream)?;
                self.memory.malloc_async(tensor, stream, self.captures.captures(stream))?;
            }
            Action::FreeAsync { tensor, stream } => self.memory.free_async(tensor, self.handles.stream(stream)?)?,
            Action::QueryStream { stream, into } => {
                let done = self.handles.stream(stream)?.is_done()?;
                into.into_iter().for_each(|into| self.set(into, f64::from(u8::from(done))));
            }
            Action::DestroyGraph { graph } => self.captures.destroy(graph)?,
            // Refused before anything runs, by `plans`.
            Action::UpdateGraph { .. } | Action::ChildGraph { .. } => {}
            Action::StartThread { .. } | Action::JoinThread { .. } => {}
            Action::Signal { .. } | Action::Await { .. } => {}
            // The timeline is put together from when their calls were made.
            Action::BeginRegion | Action::EndRegion => {}
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

    fn alloc(&mut self, index: usize, tensor: TensorId, stream: StreamId) -> Result<(), Failure> {
        let pool = self.captures.pool(self.program, self.handles.stream(stream).ok());
        let around = (&self.handles, &mut self.pace);
        self.memory.allocate(around, index, tensor, (stream, pool, self.captures.are_open()))
    }

    fn end_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), Failure> {
        let stream = self.handles.stream(stream)?;
        if let (Some(slots), Ok(collect)) = (self.marks.slots, self.session.function("collect")) {
            self.captures.collect(graph, stream, slots, &collect);
        }
        self.captures.end(graph, stream)
    }

    fn set(&mut self, variable: VariableId, value: f64) {
        if let Some(place) = self.variables.get_mut(variable.index()) {
            *place = Some(value);
        }
    }

    /// Address of the first byte of a region, on the device or the host.
    pub(super) fn address(&self, region: &Region) -> u64 {
        let base = match region.place {
            Place::Device(tensor) => self.memory.address(tensor),
            Place::Host(buffer) => self.buffers.address(buffer),
        };
        base + region.offset
    }
}
