//! Device memory: the caching allocator drives the real thing.

use super::super::driver::{self, Code, Event, RelaxedCapture};
use super::{Failure, InnerCall, MemoryStep, Run};
use crate::memory;
use crate::program::{StreamId, TensorId};
use crate::recording::SpanKind;
use crate::time::Ns;

/// Events of the allocator, used again once they are done, as PyTorch's pool does it.
#[derive(Debug, Default)]
pub(super) struct EventPool {
    events: Vec<Event>,
    free: Vec<u32>,
}

/// What the allocator sees of the device.
pub(super) struct Device<'r, 'a> {
    run: &'r mut Run<'a>,
    operation: usize,
    /// Calls of the driver that it has made.
    calls: Vec<InnerCall>,
    /// What the driver said to one that it refused.
    refused: Option<Code>,
}

impl Device<'_, '_> {
    fn call<T>(&mut self, name: &'static str, kind: SpanKind, call: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let start = self.run.now();
        let result = call(self.run);
        let end = self.run.now();
        self.calls.push(InnerCall { operation: self.operation, name, kind, start, end });
        result
    }
}

impl memory::Device for Device<'_, '_> {
    /// Index into the pool.
    type Event = u32;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.call("cudaMalloc", SpanKind::Allocation, |run| {
            let held: u64 = run.owned.values().sum();
            if run.program.device.memory_bytes.is_some_and(|limit| held + bytes > limit) {
                return None;
            }
            let _relaxed = RelaxedCapture::enter();
            let address = driver::malloc(bytes).ok()?;
            run.owned.insert(address, bytes);
            Some(address)
        })
    }

    fn free(&mut self, address: u64) {
        let freed = self.call("cudaFree", SpanKind::Allocation, |run| {
            let freed = driver::free(address);
            if freed.is_ok() {
                run.owned.remove(&address);
            }
            freed
        });
        self.refused = self.refused.or(freed.err());
    }

    fn record(&mut self, stream: u32) -> u32 {
        self.call("cudaEventRecord", SpanKind::Call, |run| {
            let pool = &mut run.allocator_events;
            let index = match pool.free.pop() {
                Some(index) => index,
                None => match Event::new(false, false) {
                    Ok(event) => {
                        pool.events.push(event);
                        pool.events.len() as u32 - 1
                    }
                    // Nothing can be waited for; the block counts as free at once, as after a failed record in PyTorch.
                    Err(_) => return u32::MAX,
                },
            };
            if let (Some(event), Ok(stream)) =
                (run.allocator_events.events.get(index as usize), run.stream(StreamId(stream)))
            {
                let _recorded = event.record(stream);
            }
            index
        })
    }

    fn is_done(&mut self, event: u32) -> bool {
        self.call("cudaEventQuery", SpanKind::Call, |run| {
            let done =
                run.allocator_events.events.get(event as usize).is_none_or(|event| event.is_done().unwrap_or(true));
            if done && event != u32::MAX {
                run.allocator_events.free.push(event);
            }
            done
        })
    }

    fn wait(&mut self, event: u32) {
        let waited = self.call("cudaEventSynchronize", SpanKind::Blocked, |run| {
            run.allocator_events.events.get(event as usize).map_or(Ok(()), Event::synchronize)
        });
        self.refused = self.refused.or(waited.err());
    }
}

impl Run<'_> {
    /// Address of a tensor, 0 before it is allocated.
    pub(super) fn address_of(&self, tensor: TensorId) -> u64 {
        self.addresses.get(tensor.index()).copied().unwrap_or(0)
    }

    fn with_allocator<T>(
        &mut self,
        operation: usize,
        what: impl FnOnce(&mut memory::Allocator<u32>, &mut Device<'_, '_>) -> T,
    ) -> T {
        let mut allocator = std::mem::take(&mut self.allocator);
        let result = self.with_device(operation, |device| what(&mut allocator, device));
        self.keep_changes(allocator.take_changes());
        self.allocator = allocator;
        result
    }

    /// Keeps what became of memory when the run is traced.
    fn keep_changes(&mut self, changes: impl Iterator<Item = memory::Change>) {
        if self.slots.is_some() {
            // The clocks run from the start of the measured part on; what the setup held is there from its start on.
            let at = if self.outcome.clock.is_some() { self.now() } else { Ns::ZERO };
            self.outcome.memory_steps.extend(changes.map(|change| MemoryStep::Change(at, change)));
        }
    }

    /// Calls of the driver within an operation.
    pub(super) fn with_device<T>(&mut self, operation: usize, what: impl FnOnce(&mut Device<'_, '_>) -> T) -> T {
        let mut device = Device { run: self, operation, calls: Vec::new(), refused: None };
        let result = what(&mut device);
        let calls = device.calls;
        self.outcome.inner.extend(calls);
        result
    }

    pub(super) fn alloc(&mut self, index: usize, tensor: TensorId, stream: StreamId) -> Result<(), Failure> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else { return Ok(()) };
        let capturing = self.capturing > 0;
        let pool = if capturing { self.pool_of(stream) } else { 0 };
        let outcome = self.with_allocator(index, |allocator, device| {
            let outcome = allocator.allocate(device, bytes, stream.0, pool, capturing).or_else(|_| {
                // Neither waiting nor `cudaFree` is allowed in most captures, and PyTorch does both as it is.
                allocator.empty_cache(device, capturing);
                allocator.allocate(device, bytes, stream.0, pool, capturing)
            });
            (outcome, device.refused)
        });
        let (outcome, refused) = outcome;
        if let Some(code) = refused {
            return Err(code.into());
        }
        match outcome {
            Ok(outcome) => {
                self.set_address(tensor, outcome.address);
                if self.slots.is_some() {
                    self.outcome.memory_steps.push(MemoryStep::Owner(outcome.address, tensor));
                }
                Ok(())
            }
            Err(error) => Err(Failure::Pytorch("torch.OutOfMemoryError", error.to_string())),
        }
    }

    /// The private pool of the graph that the stream is captured into, or the ordinary pool.
    fn pool_of(&self, stream: StreamId) -> u32 {
        let captures = self.stream(stream).is_ok_and(|stream| stream.is_capturing());
        let graph = self.open_graph.filter(|_| captures);
        graph.and_then(|graph| self.program.graphs.get(graph.index())).map_or(0, |graph| graph.pool)
    }

    pub(super) fn free(&mut self, index: usize, tensor: TensorId) {
        let address = self.address_of(tensor);
        let capturing = self.capturing > 0;
        self.with_allocator(index, |allocator, device| allocator.free(device, address, capturing));
    }

    pub(super) fn empty_cache(&mut self, index: usize) -> Result<(), Failure> {
        let capturing = self.capturing > 0;
        self.with_allocator(index, |allocator, device| allocator.empty_cache(device, capturing));
        Ok(())
    }

    pub(super) fn raw_malloc(&mut self, tensor: TensorId) -> Result<(), Failure> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else { return Ok(()) };
        let address = driver::malloc(bytes)?;
        self.owned.insert(address, bytes);
        self.set_address(tensor, address);
        Ok(())
    }

    pub(super) fn raw_free(&mut self, tensor: TensorId) -> Result<(), Failure> {
        let address = self.address_of(tensor);
        driver::free(address)?;
        self.owned.remove(&address);
        Ok(())
    }

    /// What a graph allocates is the graph's own.
    pub(super) fn malloc_async(&mut self, tensor: TensorId, stream: StreamId) -> Result<(), Failure> {
        let Some(bytes) = self.program.tensors.get(tensor.index()).map(|tensor| tensor.bytes) else { return Ok(()) };
        let stream = self.stream(stream)?;
        let captured = self.capturing > 0 && stream.is_capturing();
        let address = driver::malloc_async(bytes, stream)?;
        if !captured {
            self.owned.insert(address, bytes);
        }
        self.set_address(tensor, address);
        Ok(())
    }

    pub(super) fn free_async(&mut self, tensor: TensorId, stream: StreamId) -> Result<(), Failure> {
        let address = self.address_of(tensor);
        driver::free_async(address, self.stream(stream)?)?;
        self.owned.remove(&address);
        Ok(())
    }

    fn set_address(&mut self, tensor: TensorId, address: u64) {
        if let Some(place) = self.addresses.get_mut(tensor.index()) {
            *place = address;
        }
    }
}

impl Drop for Run<'_> {
    /// Gives everything back that the program left behind, once the device is done with it.
    fn drop(&mut self) {
        // A run that was cancelled within a capture: before its end nothing can be waited for or freed. The other streams
        // answer that they do not capture, or belong to a capture that began elsewhere.
        if self.capturing > 0 {
            for stream in &self.streams {
                let _ended = stream.end_capture();
            }
        }
        let _done = self.session.context.synchronize();
        for address in std::mem::take(&mut self.owned).into_keys() {
            let _freed = driver::free(address);
        }
    }
}
