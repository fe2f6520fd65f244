//! The caching allocator, driven by the host thread of the model.

use super::super::host::Host;
use super::super::step::Step;
use super::super::storage::{Driver, Spent, Storage};
use super::super::task::{TaskId, TaskKind};
use crate::memory;
use crate::program::cuda_error::CudaError;
use crate::program::order::Refusal;
use crate::program::{BufferId, HostMemory, StreamId, TensorId};
use crate::recording::SpanKind;
use crate::time::Ns;

impl Host<'_> {
    /// Lets an allocator do something, and spends the host time of the calls that it made.
    fn in_storage<T>(&mut self, what: impl FnOnce(&mut Storage, &mut Driver<'_, '_>) -> T) -> T {
        let (profile, capacity, issue) = (self.profile, self.capacity(), self.issue());
        let mut driver = Driver { gpu: &mut self.gpu, profile, capacity, issue, spent: Spent::default() };
        let result = what(&mut self.storage, &mut driver);
        let Spent { malloc_us, free_us, event_us, launched } = driver.spent;
        if launched {
            self.thread.host_time.launched(issue.at);
        }
        // The layers above come first; what the allocator did follows under the names of its calls.
        self.spend(SpanKind::Call, 0.0);
        for (name, kind, us) in [
            ("cudaMalloc", SpanKind::Allocation, malloc_us),
            ("cudaFree", SpanKind::Allocation, free_us),
            ("cudaEventQuery", SpanKind::Call, event_us),
        ] {
            if us > 0.0 {
                self.spend_as(name, kind, us);
            }
        }
        self.gpu.device.recorder.memory(self.thread.now, self.storage.allocator.take_changes());
        result
    }

    /// The first time without what memory the driver would have to take back; then, when it refused, with that.
    pub(super) fn alloc(&mut self, part: u8, tensor: TensorId, stream: StreamId) -> Result<Step, Refusal> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else {
            return Ok(Step::Done);
        };
        let capture = self.gpu.order.capturing(stream);
        let pool = capture.and_then(|graph| self.program.graphs.get(graph.index())).map_or(0, |graph| graph.pool);
        let capturing = self.gpu.order.is_capturing();
        if part > 0
            && let Some(wait) = self.give_cache_back(part)
        {
            return Ok(wait);
        }
        let outcome =
            self.in_storage(|storage, driver| storage.allocator.allocate(driver, bytes, stream.0, pool, capturing));
        match outcome {
            Ok(outcome) => {
                self.gpu.device.memory.set_address(tensor, outcome.address);
                self.gpu.device.recorder.owner(outcome.address, tensor);
                Ok(Step::Done)
            }
            Err(_) if part == 0 && self.storage.allocator.has_cached() => {
                // Waiting for events and `cudaFree` are not allowed in a capture (PyTorch,
                // `c10/cuda/CUDACachingAllocator.cpp`, `release_cached_blocks`).
                self.gpu.order.check_unsafe(self.thread.id)?;
                Ok(Step::Later)
            }
            Err(error) => Err(Refusal::Pytorch("torch.OutOfMemoryError", error.to_string())),
        }
    }

    pub(super) fn free(&mut self, tensor: TensorId) {
        let address = self.gpu.device.memory.address(tensor);
        let capturing = self.gpu.order.is_capturing();
        self.in_storage(|storage, driver| storage.allocator.free(driver, address, capturing));
    }

    pub(super) fn empty_cache(&mut self, part: u8) -> Step {
        if part == 0 && !self.storage.allocator.has_cached() {
            self.spend(SpanKind::Call, 0.0);
            return Step::Done;
        }
        match part {
            0 => Step::Later,
            part => self.give_cache_back(part).unwrap_or(Step::Done),
        }
    }

    /// Waits for the events that freed blocks wait for, then, since `cudaFree` does, for the device, and gives wholly free
    /// segments back; `None` when that is done.
    fn give_cache_back(&mut self, part: u8) -> Option<Step> {
        let wake_us = self.profile.latencies.wake_us;
        let capturing = self.gpu.order.is_capturing();
        match part {
            1 => {
                let events: Vec<TaskId> = self.storage.allocator.outstanding().collect();
                let open = events.into_iter().filter(|task| self.gpu.device.ended(*task) > self.thread.now);
                Some(self.wait_for(open.collect(), wake_us))
            }
            2 => {
                self.spend(SpanKind::Call, 0.0);
                let released = self.in_storage(|storage, driver| storage.allocator.empty_cache(driver, capturing));
                let open = if released > 0 {
                    self.gpu.open_tasks(self.gpu.order.device_frontier(), self.thread.now)
                } else {
                    Vec::new()
                };
                Some(self.wait_for(open, wake_us))
            }
            _ => None,
        }
    }

    pub(super) fn raw_malloc(&mut self, tensor: TensorId) -> Result<(), Refusal> {
        let bytes = self.program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
        self.spend(SpanKind::Allocation, self.profile.calls.malloc_us.at(bytes as f64));
        self.give(tensor, bytes)
    }

    fn give(&mut self, tensor: TensorId, bytes: u64) -> Result<(), Refusal> {
        let address = self.gpu.device.memory.given.give(bytes, self.capacity()).ok_or(CudaError::MemoryAllocation)?;
        self.gpu.device.memory.set_address(tensor, address);
        Ok(())
    }

    fn capacity(&self) -> u64 {
        self.program.device.memory_bytes.unwrap_or(self.profile.gpu.memory_bytes)
    }

    pub(super) fn raw_free(&mut self, part: u8, tensor: TensorId) -> Step {
        if part == 0 {
            let open = self.gpu.open_tasks(self.gpu.order.device_frontier(), self.thread.now);
            return self.wait_for(open, self.profile.latencies.wake_us);
        }
        self.spend(SpanKind::Allocation, self.profile.calls.free_us);
        let address = self.gpu.device.memory.address(tensor);
        self.gpu.device.memory.given.take_back(address);
        Step::Done
    }

    /// In a capture the address is given out at once: each replay uses the same one.
    pub(super) fn malloc_async(&mut self, tensor: TensorId, stream: StreamId) -> Result<Step, Refusal> {
        if let Some(wait) = self.wait_for_room(stream) {
            return Ok(wait);
        }
        let bytes = self.program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
        let kind = TaskKind::Record { event: None, dur: Ns::ZERO };
        let task = self.enqueue(stream, kind, self.profile.calls.malloc_async_us)?;
        self.gpu.graphs.note_memory(self.gpu.order.capturing(stream).filter(|_| task.is_none()), tensor, true);
        self.give(tensor, bytes)?;
        Ok(Step::Done)
    }

    pub(super) fn free_async(&mut self, tensor: TensorId, stream: StreamId) -> Result<Step, Refusal> {
        let kind = TaskKind::Record { event: None, dur: Ns::ZERO };
        if let Some(wait) = self.wait_for_room(stream) {
            return Ok(wait);
        }
        if !self.may_free(stream, tensor) {
            return Err(CudaError::InvalidValue.into());
        }
        let task = self.enqueue(stream, kind, self.profile.calls.free_async_us)?;
        if task.is_some() {
            let address = self.gpu.device.memory.address(tensor);
            self.gpu.device.memory.given.release(address);
        }
        self.gpu.graphs.note_memory(self.gpu.order.capturing(stream).filter(|_| task.is_none()), tensor, false);
        Ok(Step::Done)
    }

    pub(super) fn host_alloc(&mut self, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()) else { return };
        if info.memory == HostMemory::Pinned {
            self.pinned_alloc(buffer, info.bytes, raw);
        }
        self.gpu.device.memory.fill_buffer(buffer, info);
    }

    fn pinned_alloc(&mut self, buffer: BufferId, bytes: u64, raw: bool) {
        let cost = &self.profile.calls.malloc_host_us;
        if raw {
            self.spend(SpanKind::Allocation, cost.at(bytes as f64));
            return;
        }
        let capturing = self.gpu.order.is_capturing();
        match self.in_storage(|storage, driver| storage.pinned.take(driver, bytes, capturing)) {
            Some(address) => self.gpu.device.memory.set_buffer_address(buffer, address),
            None => {
                let bytes = memory::pinned_block_bytes(bytes);
                self.spend_as("cudaMallocHost", SpanKind::Allocation, cost.at(bytes as f64));
            }
        }
    }

    pub(super) fn host_free(&mut self, part: u8, buffer: BufferId, raw: bool) -> Step {
        let info = self.program.buffers.get(buffer.index()).filter(|info| info.memory == HostMemory::Pinned);
        match info {
            Some(_) if raw && part == 0 => {
                let open = self.gpu.open_tasks(self.gpu.order.device_frontier(), self.thread.now);
                return self.wait_for(open, self.profile.latencies.wake_us);
            }
            Some(_) if raw => self.spend(SpanKind::Allocation, self.profile.calls.free_host_us),
            Some(info) => {
                let capturing = self.gpu.order.is_capturing();
                let (bytes, address) = (info.bytes, self.gpu.device.memory.buffer_address(buffer));
                self.in_storage(|storage, driver| {
                    storage.pinned.give_back(driver, buffer.0, bytes, address, capturing);
                });
            }
            None => {}
        }
        self.gpu.device.memory.take_buffer(buffer);
        Step::Done
    }
}
