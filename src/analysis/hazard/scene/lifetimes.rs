//! Memory comes and goes.

use super::super::Class;
use super::super::accesses::{Access, By};
use super::super::clocks::Clocks;
use super::Scene;
use crate::program::order::Refusal;
use crate::program::{BufferId, HostMemory, Place, Region, StreamId, TensorId, ThreadId};

impl Scene<'_> {
    /// The size of a tensor.
    pub fn bytes(&self, tensor: TensorId) -> u64 {
        self.program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes)
    }

    /// A tensor gets a block of the caching allocator.
    pub fn alloc(&mut self, thread: ThreadId, tensor: TensorId, stream: StreamId) -> Result<(), Refusal> {
        let capture = self.course.order.capturing(stream);
        let pool = capture.and_then(|graph| self.program.graphs.get(graph.index())).map_or(0, |graph| graph.pool);
        let (what, place, since) = ((tensor, self.bytes(tensor)), (stream, pool), self.accesses.issued());
        let Self { memory, course, .. } = self;
        let mut outcome = memory.allocate(course, thread, what, place, since);
        if outcome.is_err() && memory.has_cached() {
            course.order.check_unsafe(thread)?;
            memory.empty_cache(course, thread);
            outcome = memory.allocate(course, thread, what, place, since);
        }
        outcome.map_err(|error| Refusal::Pytorch("torch.OutOfMemoryError", error.to_string()))
    }

    /// The last name of a tensor goes out of scope.
    pub fn free(&mut self, thread: ThreadId, tensor: TensorId) {
        let Self { memory, course, accesses, .. } = self;
        memory.free(course, thread, tensor, |start, end| accesses.all(start, end).copied().collect());
        memory.lives.end(Place::Device(tensor), self.operation, true);
    }

    /// `cudaFree`.
    pub fn raw_free(&mut self, thread: ThreadId, tensor: TensorId) {
        self.relies_on_free(thread, Place::Device(tensor), self.bytes(tensor));
        self.memory.take_back(tensor);
        self.memory.lives.end(Place::Device(tensor), self.operation, true);
    }

    /// Host memory comes into being.
    pub fn host_alloc(&mut self, thread: ThreadId, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()) else { return };
        if info.memory == HostMemory::Pinned && !raw {
            self.memory.take_pinned(&mut self.course, thread, buffer, info.bytes);
        }
        let since = self.accesses.issued();
        if let Some(life) = self.memory.lives.get_mut(Place::Host(buffer)) {
            life.since = since;
        }
        if info.fill.is_some() && !raw {
            self.host_access(thread, &Region { place: Place::Host(buffer), offset: 0, bytes: info.bytes }, true);
        }
    }

    /// Host memory goes.
    pub fn host_free(&mut self, thread: ThreadId, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()) else { return };
        let (bytes, place) = (info.bytes, Place::Host(buffer));
        let mut is_up_for_reuse = true;
        if info.memory == HostMemory::Pinned && !raw {
            is_up_for_reuse = self.memory.give_pinned_back(&mut self.course, thread, buffer, bytes);
        }
        if raw {
            self.relies_on_free(thread, place, bytes);
        }
        self.memory.lives.end(place, self.operation, is_up_for_reuse);
    }

    /// Memory is given back by a call that waits for the device, though no document promises that.
    fn relies_on_free(&mut self, thread: ThreadId, place: Place, bytes: u64) {
        let documented = Clocks::at(self.course.known(thread).documented);
        let (start, end) = self.memory.lives.range(&Region { place, offset: 0, bytes });
        let lane = self.course.lanes.of_thread(thread);
        let is_pending = |access: &&Access| {
            access.lane != lane && !self.course.clocks.is_before(access.lane, access.seq, documented)
        };
        let pending: Vec<Access> = self.accesses.all(start, end).filter(is_pending).copied().collect();
        for first in pending {
            let (place, at, operation) = (first.place, self.accesses.issued(), self.operation);
            let (replay, writes, by) = (None, true, By::Host);
            let second = Access { lane, seq: 0, at, operation, replay, place, start, end, writes, by };
            self.report(Class::Fragile, &first, &second);
        }
        self.course.learn_device(thread);
    }
}
