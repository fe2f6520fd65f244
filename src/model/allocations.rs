//! The caching allocator, driven by the host thread of the model.

use super::host::{Call, Failure, Host};
use super::task::{TaskId, TaskKind};
use crate::memory;
use crate::program::cuda_error::CudaError;
use crate::program::order::Enqueued;
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
    /// The latest end of work that had to be waited for.
    waited: Ns,
}

impl memory::Device for Calls<'_, '_> {
    type Event = TaskId;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.malloc_us += self.host.profile.calls.malloc_us.at(bytes as f64);
        self.host.device.memory.give(bytes, self.host.profile.gpu.memory_bytes)
    }

    fn free(&mut self, address: u64) {
        self.free_us += self.host.profile.calls.free_us;
        self.host.device.memory.take_back(address);
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

    fn wait(&mut self, event: TaskId) {
        self.waited = self.waited.max(self.host.device.finish(event));
    }
}

impl Host<'_> {
    /// Lets the allocator do something, and spends the host time of the calls that it made.
    fn with_allocator<T>(
        &mut self,
        call: Call,
        what: impl FnOnce(&mut memory::Allocator<TaskId>, &mut Calls<'_, '_>) -> T,
    ) -> T {
        let mut allocator = std::mem::take(&mut self.allocator);
        let result = self.with_calls(call, |calls| what(&mut allocator, calls));
        self.allocator = allocator;
        result
    }

    /// The same with the cache of page-locked memory.
    fn with_pinned<T>(
        &mut self,
        call: Call,
        what: impl FnOnce(&mut memory::PinnedCache<TaskId, ()>, &mut Calls<'_, '_>) -> T,
    ) -> T {
        let mut cache = std::mem::take(&mut self.pinned_cache);
        let result = self.with_calls(call, |calls| what(&mut cache, calls));
        self.pinned_cache = cache;
        result
    }

    fn with_calls<T>(&mut self, call: Call, what: impl FnOnce(&mut Calls<'_, '_>) -> T) -> T {
        let mut calls = Calls { host: self, malloc_us: 0.0, free_us: 0.0, event_us: 0.0, waited: Ns::ZERO };
        let result = what(&mut calls);
        let Calls { malloc_us, free_us, event_us, waited, .. } = calls;
        // The layers above come first; what the allocator did follows under the names of its calls.
        self.spend(call, SpanKind::Call, 0.0);
        if waited > self.now {
            self.wait_until(call, waited);
        }
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

    pub(super) fn alloc(&mut self, call: Call, tensor: TensorId, stream: StreamId) -> Result<(), Failure> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else { return Ok(()) };
        let capture = self.order.capturing(stream);
        let pool = capture.and_then(|graph| self.program.graphs.get(graph.index())).map_or(0, |graph| graph.pool);
        let capturing = self.order.capture_mode().is_some();
        let outcome =
            self.with_allocator(call, |allocator, calls| allocator.allocate(calls, bytes, stream.0, pool, capturing));
        match outcome {
            Ok(outcome) => {
                self.device.memory.set_address(tensor, outcome.address);
                Ok(())
            }
            Err(error) => Err(Failure::Pytorch("torch.OutOfMemoryError", error.to_string())),
        }
    }

    pub(super) fn free(&mut self, call: Call, tensor: TensorId) {
        let address = self.device.memory.address(tensor);
        let capturing = self.order.capture_mode().is_some();
        self.with_allocator(call, |allocator, calls| allocator.free(calls, address, capturing));
    }

    pub(super) fn empty_cache(&mut self, call: Call) {
        // cudaFree waits for the device, once for the first segment; the others find it idle.
        self.with_allocator(call, |allocator, calls| {
            if allocator.empty_cache(calls) > 0 {
                for node in calls.host.order.device_frontier() {
                    if let Some(task) = calls.host.tasks.get(node.index()).copied() {
                        calls.waited = calls.waited.max(calls.host.device.finish(task));
                    }
                }
            }
        });
    }

    pub(super) fn raw_malloc(&mut self, call: Call, tensor: TensorId) -> Result<(), Failure> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else { return Ok(()) };
        self.spend(call, SpanKind::Allocation, self.profile.calls.malloc_us.at(bytes as f64));
        let address =
            self.device.memory.give(bytes, self.profile.gpu.memory_bytes).ok_or(CudaError::MemoryAllocation)?;
        self.device.memory.set_address(tensor, address);
        Ok(())
    }

    pub(super) fn host_alloc(&mut self, call: Call, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()).filter(|info| info.memory == HostMemory::Pinned)
        else {
            return;
        };
        let cost = &self.profile.calls.malloc_host_us;
        if raw {
            self.spend(call, SpanKind::Allocation, cost.at(info.bytes as f64));
            return;
        }
        let capturing = self.order.capture_mode().is_some();
        if self.with_pinned(call, |cache, calls| cache.take(calls, info.bytes, capturing)).is_none() {
            let bytes = memory::pinned_block_bytes(info.bytes);
            self.spend_as("cudaMallocHost", SpanKind::Allocation, cost.at(bytes as f64));
        }
    }

    pub(super) fn host_free(&mut self, call: Call, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()).filter(|info| info.memory == HostMemory::Pinned)
        else {
            return;
        };
        if raw {
            self.finish_device(call);
            self.spend(call, SpanKind::Allocation, self.profile.calls.free_host_us);
        } else {
            let capturing = self.order.capture_mode().is_some();
            self.with_pinned(call, |cache, calls| cache.give_back(calls, buffer.0, info.bytes, (), capturing));
        }
    }
}
