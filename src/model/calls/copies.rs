//! Copies, and the host's own accesses to its memory.

use super::super::host::Host;
use super::super::step::Step;
use super::super::task::TaskKind;
use crate::program::effects::{self, Returns};
use crate::program::order::Refusal;
use crate::program::{Action, Copy, HostMemory, Place, Region};
use crate::recording::{Engine, SpanKind};
use crate::time::Ns;

impl Host<'_> {
    pub(super) fn copy(&mut self, copy: &Copy) -> Result<Step, Refusal> {
        if self.thread.call.queued {
            return Ok(Step::Done);
        }
        if let Some(wait) = self.wait_for_room(copy.stream) {
            return Ok(wait);
        }
        let copies = &self.profile.copies;
        let bytes = copy.from.bytes as f64;
        let engine = match effects::copy_unit(copy) {
            effects::Unit::H2D => Engine::H2D,
            effects::Unit::D2H => Engine::D2H,
            _ => {
                let kind = TaskKind::Memory { dur: Ns::from_us(copies.d2d_us.at(bytes)), is_memset: false };
                return self.queue(copy.stream, kind, self.profile.calls.copy_d2d_us);
            }
        };
        let returns = effects::returns(&Action::Copy(*copy), copies.staging_bytes);
        let staged = copy.memory == HostMemory::Pageable && engine == Engine::H2D && returns != Returns::CopyDone;
        if copy.is_memcpy && staged {
            return self.memcpy(copy);
        }
        let mut us = self.copy_us(copy, engine, copy.memory == HostMemory::Pinned || staged);
        if let Place::Host(buffer) = copy.to.place
            && !self.gpu.device.memory.is_touched(buffer)
        {
            us += copies.fresh_page_us * (bytes / 4096.0).ceil();
            self.gpu.device.memory.touch(buffer);
        }
        let call_us = match staged {
            true if self.gpu.device.is_idle() => copies.pageable_h2d_us.at(bytes),
            true => copies.staged_busy_us.at(bytes),
            false => self.profile.calls.copy_us,
        };
        let read_now = staged.then(|| self.gpu.device.memory.read(&copy.from));
        let task = self.enqueue(copy.stream, TaskKind::Copy { engine, dur: Ns::from_us(us) }, call_us)?;
        if let Some(buffer) = effects::tracked_buffer(copy, task.is_none()) {
            self.storage.pinned.used(buffer.0, copy.stream.0, task.is_none());
        }
        let Some(task) = task else { return Ok(Step::Done) };
        if let Some(value) = read_now {
            self.gpu.device.memory.staged.insert(task, value);
        }
        self.thread.call.queued = true;
        if !matches!(returns, Returns::CopyDone | Returns::StreamDone(_)) {
            return Ok(Step::Done);
        }
        let sync_us = if copy.blocking { self.profile.calls.stream_sync_us / self.profile.speed.host } else { 0.0 };
        let after = self.profile.latencies.wake_us + sync_us;
        Ok(self.wait_for(vec![task], after))
    }

    /// `cudaMemcpy` from pageable memory: it waits for its stream, then passes the source on chunk by chunk, and returns while the
    /// last chunk is on its way (CUDA Runtime API, "API synchronization behavior").
    fn memcpy(&mut self, copy: &Copy) -> Result<Step, Refusal> {
        let open = self.gpu.open_tasks(self.gpu.order.stream_frontier(copy.stream), self.thread.now);
        if !open.is_empty() {
            return Ok(self.wait_for(open, 0.0));
        }
        let copies = &self.profile.copies;
        let bytes = copy.from.bytes;
        let call_us = copies.pageable_h2d_us.at(bytes as f64) + self.profile.calls.stream_sync_us;
        let rest_us = match bytes > copies.memcpy_chunk_bytes / 2 {
            true => copies.pinned_h2d_us.at(bytes.min(copies.memcpy_chunk_bytes) as f64),
            false => 0.0,
        };
        self.gpu.order.enqueue(copy.stream)?;
        let visible = self.thread.now + Ns::from_us(self.profile.latencies.launch_us);
        let over = self.thread.now + Ns::from_us(call_us / self.profile.speed.host + rest_us);
        let dur = (over - visible).max(Ns(1));
        let issue = self.issue();
        let task = self.gpu.submit(TaskKind::Copy { engine: Engine::H2D, dur }, copy.stream, issue, visible);
        self.thread.host_time.launched(self.thread.now);
        let value = self.gpu.device.memory.read(&copy.from);
        self.gpu.device.memory.staged.insert(task, value);
        self.spend(SpanKind::Call, call_us);
        Ok(Step::Done)
    }

    fn copy_us(&self, copy: &Copy, engine: Engine, pinned: bool) -> f64 {
        let (copies, bytes) = (&self.profile.copies, copy.from.bytes as f64);
        match (engine, pinned) {
            (Engine::H2D, true) => copies.pinned_h2d_us.at(bytes),
            (Engine::D2H, true) => copies.pinned_d2h_us.at(bytes),
            (Engine::H2D, false) => copies.pageable_h2d_us.at(bytes),
            (Engine::D2H, false) => copies.pageable_d2h_us.at(bytes),
        }
    }

    /// The host touches its own memory.
    pub(super) fn access(&mut self, region: &Region) {
        let copies = &self.profile.copies;
        let bytes = region.bytes as f64;
        let mut us = bytes * copies.host_access_ns_per_byte / 1e3;
        if let Place::Host(buffer) = region.place
            && !self.gpu.device.memory.is_touched(buffer)
        {
            us += copies.touch_page_us * (bytes / 4096.0).ceil();
            self.gpu.device.memory.touch(buffer);
        }
        self.spend(SpanKind::Work, us);
    }
}
