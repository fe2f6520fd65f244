//! The caching allocator, driven by the host thread of the model.

use super::host::Host;
use super::task::{TaskId, TaskKind};
use super::threads::Step;
use crate::memory;
use crate::program::cuda_error::CudaError;
use crate::program::order::{Enqueued, Refusal};
use crate::program::{BufferId, HostMemory, StreamId, TensorId};
use crate::recording::SpanKind;
use crate::time::Ns;

/// What the allocator sees of the machine, and the host time that its calls took.
struct Calls<'h, 'a> {
    host: &'h mut Host<'a>,
    /// Host time of `cudaMalloc`, in µs.
    malloc_us: f64,
    /// Host time of `cudaFree`, in µs, besides waiting.
    free_us: f64,
    /// Host time of events and queries, in µs.
    event_us: f64,
}

impl memory::Device for Calls<'_, '_> {
    type Event = TaskId;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.malloc_us += self.host.profile.calls.malloc_us.at(bytes as f64);
        let capacity = self.host.capacity();
        self.host.device.memory.given.give(bytes, capacity)
    }

    fn free(&mut self, address: u64) {
        self.free_us += self.host.profile.calls.free_us;
        self.host.device.memory.given.take_back(address);
    }

    fn record(&mut self, stream: u32) -> TaskId {
        let stream = StreamId(stream);
        self.event_us += self.host.profile.calls.record_us;
        match self.host.order.enqueue(stream) {
            Ok(Enqueued::Live(_)) => {
                let after = self.host.predecessors();
                let task = self.host.new_task(TaskKind::Record { event: None, dur: Ns::ZERO }, stream);
                let visible = self.host.now + Ns::from_us(self.host.profile.latencies.launch_us);
                self.host.submit(task, visible, &after)
            }
            // The allocator never asks while a stream captures.
            Ok(Enqueued::Captured(..)) | Err(_) => TaskId(u32::MAX),
        }
    }

    fn is_done(&mut self, event: TaskId) -> bool {
        self.event_us += self.host.profile.calls.query_us;
        let now = self.host.now;
        self.host.device.task(event).is_none_or(|task| task.ended <= now)
    }

    /// The host has waited before it lets the allocator go on.
    fn wait(&mut self, _event: TaskId) {}
}

impl Host<'_> {
    /// Lets the allocator do something, and spends the host time of the calls that it made.
    fn with_allocator<T>(&mut self, what: impl FnOnce(&mut memory::Allocator<TaskId>, &mut Calls<'_, '_>) -> T) -> T {
        let mut allocator = std::mem::take(&mut self.allocator);
        let result = self.with_calls(|calls| what(&mut allocator, calls));
        self.allocator = allocator;
        self.device.recorder.memory(self.now, self.allocator.take_changes());
        result
    }

    /// The same with the cache of page-locked memory.
    fn with_pinned<T>(
        &mut self,
        what: impl FnOnce(&mut memory::PinnedCache<TaskId, u64>, &mut Calls<'_, '_>) -> T,
    ) -> T {
        let mut cache = std::mem::take(&mut self.pinned_cache);
        let result = self.with_calls(|calls| what(&mut cache, calls));
        self.pinned_cache = cache;
        result
    }

    fn with_calls<T>(&mut self, what: impl FnOnce(&mut Calls<'_, '_>) -> T) -> T {
        let mut calls = Calls { host: self, malloc_us: 0.0, free_us: 0.0, event_us: 0.0 };
        let result = what(&mut calls);
        let Calls { malloc_us, free_us, event_us, .. } = calls;
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
        result
    }

    /// The first time without what memory the driver would have to take back; then, when it refused, with that.
    pub(super) fn alloc(&mut self, part: u8, tensor: TensorId, stream: StreamId) -> Result<Step, Refusal> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else {
            return Ok(Step::Done);
        };
        let capture = self.order.capturing(stream);
        let pool = capture.and_then(|graph| self.program.graphs.get(graph.index())).map_or(0, |graph| graph.pool);
        let capturing = self.order.is_capturing();
        if part > 0
            && let Some(wait) = self.give_cache_back(part)
        {
            return Ok(wait);
        }
        let outcome =
            self.with_allocator(|allocator, calls| allocator.allocate(calls, bytes, stream.0, pool, capturing));
        match outcome {
            Ok(outcome) => {
                self.device.memory.set_address(tensor, outcome.address);
                self.device.recorder.owner(outcome.address, tensor);
                Ok(Step::Done)
            }
            Err(_) if part == 0 && self.allocator.has_cached() => {
                // Waiting for events and `cudaFree` are not allowed in a capture (PyTorch,
                // `c10/cuda/CUDACachingAllocator.cpp`, `release_cached_blocks`).
                self.order.check_unsafe(self.thread)?;
                Ok(Step::Later)
            }
            Err(error) => Err(Refusal::Pytorch("torch.OutOfMemoryError", error.to_string())),
        }
    }

    pub(super) fn free(&mut self, tensor: TensorId) {
        let address = self.device.memory.address(tensor);
        let capturing = self.order.is_capturing();
        self.with_allocator(|allocator, calls| allocator.free(calls, address, capturing));
    }

    pub(super) fn empty_cache(&mut self, part: u8) -> Step {
        if part == 0 && !self.allocator.has_cached() {
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
        let capturing = self.order.is_capturing();
        match part {
            1 => {
                let events: Vec<TaskId> = self.allocator.outstanding().collect();
                let open =
                    events.into_iter().filter(|task| self.device.task(*task).is_some_and(|it| it.ended > self.now));
                Some(self.wait_for(open.collect(), wake_us))
            }
            2 => {
                self.spend(SpanKind::Call, 0.0);
                let released = self.with_allocator(|allocator, calls| allocator.empty_cache(calls, capturing));
                let open =
                    if released > 0 { self.open_tasks(&self.order.device_frontier(), self.now) } else { Vec::new() };
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
        let address = self.device.memory.given.give(bytes, self.capacity()).ok_or(CudaError::MemoryAllocation)?;
        self.device.memory.set_address(tensor, address);
        Ok(())
    }

    fn capacity(&self) -> u64 {
        self.program.device.memory_bytes.unwrap_or(self.profile.gpu.memory_bytes)
    }

    pub(super) fn raw_free(&mut self, part: u8, tensor: TensorId) -> Step {
        if part == 0 {
            let open = self.open_tasks(&self.order.device_frontier(), self.now);
            return self.wait_for(open, self.profile.latencies.wake_us);
        }
        self.spend(SpanKind::Allocation, self.profile.calls.free_us);
        let address = self.device.memory.address(tensor);
        self.device.memory.given.take_back(address);
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
        self.graphs.note_memory(self.order.capturing(stream).filter(|_| task.is_none()), tensor, true);
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
            let address = self.device.memory.address(tensor);
            self.device.memory.given.release(address);
        }
        self.graphs.note_memory(self.order.capturing(stream).filter(|_| task.is_none()), tensor, false);
        Ok(Step::Done)
    }

    pub(super) fn host_alloc(&mut self, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()) else { return };
        if info.memory == HostMemory::Pinned {
            self.pinned_alloc(buffer, info.bytes, raw);
        }
        self.device.memory.fill_buffer(buffer, info);
    }

    fn pinned_alloc(&mut self, buffer: BufferId, bytes: u64, raw: bool) {
        let cost = &self.profile.calls.malloc_host_us;
        if raw {
            self.spend(SpanKind::Allocation, cost.at(bytes as f64));
            return;
        }
        let capturing = self.order.is_capturing();
        match self.with_pinned(|cache, calls| cache.take(calls, bytes, capturing)) {
            Some(address) => self.device.memory.set_buffer_address(buffer, address),
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
                let open = self.open_tasks(&self.order.device_frontier(), self.now);
                return self.wait_for(open, self.profile.latencies.wake_us);
            }
            Some(_) if raw => self.spend(SpanKind::Allocation, self.profile.calls.free_host_us),
            Some(info) => {
                let capturing = self.order.is_capturing();
                let (bytes, address) = (info.bytes, self.device.memory.buffer_address(buffer));
                self.with_pinned(|cache, calls| cache.give_back(calls, buffer.0, bytes, address, capturing));
            }
            None => {}
        }
        self.device.memory.take_buffer(buffer);
        Step::Done
    }
}
