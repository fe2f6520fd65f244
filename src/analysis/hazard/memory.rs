//! Where tensors and buffers lie in the worst case: a block that waits for other streams is reused only when it is certain that
//! those are done, and one that waits for nobody at once.

use std::collections::HashMap;

use super::accesses::Access;
use super::clocks::{Clocks, Stamp};
use super::judge::Judge;
use crate::memory::{self, Addresses, Allocator, PinnedCache};
use crate::program::order::{Enqueued, Refusal};
use crate::program::{BufferId, HostMemory, Place, Program, Region, StreamId, TensorId, ThreadId};

/// Host buffers live above everything on the device.
const HOST_BASE: u64 = 1 << 62;
/// Distance between two buffers; no buffer is larger.
const HOST_STRIDE: u64 = 1 << 41;

/// Blocks in use without protection that are remembered: the latest stand for those before them.
const MOST_UNPROTECTED: usize = 64;

/// What a tensor or buffer has been through.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Life {
    /// Where it lies; 0 before it does.
    pub address: u64,
    /// Number of the access that was made last when it came.
    pub since: u32,
    /// The private pool that it came from, 0 for the ordinary one.
    pub pool: u32,
    /// The stream that its block is bound to.
    pub stream: Option<StreamId>,
    /// Whether work or the host has written it outside any graph.
    pub is_filled: bool,
    /// The operation that ended it.
    pub ended_by: Option<u32>,
    /// Whether its bytes may have a new owner since; a page-locked buffer that a graph copies never has.
    pub is_up_for_reuse: bool,
}

/// Uses of a freed block by streams that the allocator does not know of. Whether the block is reused while they last depends on
/// when the streams that it does know of are done, so it may be.
#[derive(Clone, Debug)]
struct Unprotected {
    bytes: u64,
    stream: u32,
    pool: u32,
    small: bool,
    uses: Vec<Access>,
}

/// Memory of the program.
#[derive(Debug)]
pub(super) struct Memory {
    tensors: Vec<Life>,
    buffers: Vec<Life>,
    addresses: Addresses,
    capacity: u64,
    pub allocator: Allocator<Stamp>,
    /// Uses of freed blocks that no `record_stream` protects, though one protects the block from another stream.
    unprotected: Vec<Unprotected>,
    /// For a tensor whose block may be one of those, the uses of the block.
    pub suspects: HashMap<TensorId, Vec<Access>>,
    pub pinned: PinnedCache<Stamp, u64>,
}

impl Memory {
    pub fn new(program: &Program) -> Self {
        let buffer = |index: usize| Life { address: HOST_BASE + index as u64 * HOST_STRIDE, ..Life::default() };
        Self {
            tensors: vec![Life::default(); program.tensors.len()],
            buffers: (0..program.buffers.len()).map(buffer).collect(),
            addresses: Addresses::default(),
            capacity: program.device.memory_bytes.unwrap_or(u64::MAX),
            allocator: Allocator::default(),
            unprotected: Vec::new(),
            suspects: HashMap::new(),
            pinned: PinnedCache::default(),
        }
    }

    pub fn life(&self, place: Place) -> Option<&Life> {
        match place {
            Place::Device(tensor) => self.tensors.get(tensor.index()),
            Place::Host(buffer) => self.buffers.get(buffer.index()),
        }
    }

    pub fn life_mut(&mut self, place: Place) -> Option<&mut Life> {
        match place {
            Place::Device(tensor) => self.tensors.get_mut(tensor.index()),
            Place::Host(buffer) => self.buffers.get_mut(buffer.index()),
        }
    }

    pub fn address(&self, place: Place) -> u64 {
        self.life(place).map_or(0, |life| life.address)
    }

    /// The bytes of a region.
    pub fn range(&self, region: &Region) -> (u64, u64) {
        let start = self.address(region.place) + region.offset;
        (start, start + region.bytes)
    }

    /// Whether a tensor has been allocated, or a buffer not given back.
    pub fn is_there(&self, place: Place) -> bool {
        match (place, self.life(place)) {
            (Place::Device(_), Some(life)) => life.address != 0,
            (Place::Host(_), Some(life)) => life.ended_by.is_none(),
            (_, None) => false,
        }
    }

    /// A graph allocates its memory once more, at the same addresses.
    pub fn begin_again(&mut self, place: Place) {
        if let Some(life) = self.life_mut(place) {
            (life.ended_by, life.is_up_for_reuse) = (None, false);
        }
    }

    /// A tensor or buffer is over.
    pub fn end(&mut self, place: Place, operation: u32, is_up_for_reuse: bool) {
        if let Some(life) = self.life_mut(place) {
            (life.ended_by, life.is_up_for_reuse) = (Some(operation), is_up_for_reuse);
        }
    }

    /// `cudaMalloc` and its like.
    pub fn give(&mut self, tensor: TensorId, bytes: u64, since: u32) -> bool {
        let Some(address) = self.addresses.give(bytes, self.capacity) else { return false };
        if let Some(life) = self.tensors.get_mut(tensor.index()) {
            (life.address, life.since) = (address, since);
        }
        true
    }

    /// Memory that was asked for was not given after all.
    pub fn forget(&mut self, tensor: TensorId) {
        self.take_back(tensor);
        if let Some(life) = self.tensors.get_mut(tensor.index()) {
            *life = Life::default();
        }
    }

    /// `cudaFreeAsync`.
    pub fn release(&mut self, tensor: TensorId) {
        let address = self.address(Place::Device(tensor));
        self.addresses.release(address);
    }

    /// `cudaFree`.
    pub fn take_back(&mut self, tensor: TensorId) {
        let address = self.address(Place::Device(tensor));
        self.addresses.take_back(address);
    }
}

/// What the allocators see: events are done when that is certain.
struct Certain<'j, 'p> {
    judge: &'j mut Judge<'p>,
    thread: ThreadId,
}

impl memory::Device for Certain<'_, '_> {
    type Event = Stamp;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.judge.memory.addresses.give(bytes, self.judge.memory.capacity)
    }

    /// `cudaFree` waits for the device, though no document promises that.
    fn free(&mut self, address: u64) {
        self.judge.memory.addresses.take_back(address);
        self.judge.learn_device(self.thread);
    }

    fn record(&mut self, stream: u32) -> Stamp {
        match self.judge.order.enqueue(StreamId(stream)) {
            Ok(Enqueued::Live(_)) => self.judge.live(StreamId(stream), self.thread),
            Ok(Enqueued::Captured(..)) | Err(_) => Clocks::at(Clocks::START),
        }
    }

    fn is_done(&mut self, event: Stamp) -> bool {
        let known = self.judge.threads.get(self.thread).map_or(Clocks::START, |thread| thread.documented);
        self.judge.clocks.is_before(event.lane, event.seq, Clocks::at(known))
    }

    fn wait(&mut self, event: Stamp) {
        self.judge.threads.learn(&mut self.judge.clocks, self.thread, &[event], true);
    }
}

impl Judge<'_> {
    fn with_allocator<T>(
        &mut self,
        thread: ThreadId,
        what: impl FnOnce(&mut Allocator<Stamp>, &mut Certain<'_, '_>) -> T,
    ) -> T {
        let mut allocator = std::mem::take(&mut self.memory.allocator);
        let result = what(&mut allocator, &mut Certain { judge: self, thread });
        allocator.take_changes();
        self.memory.allocator = allocator;
        result
    }

    fn with_pinned<T>(
        &mut self,
        thread: ThreadId,
        what: impl FnOnce(&mut PinnedCache<Stamp, u64>, &mut Certain<'_, '_>) -> T,
    ) -> T {
        let mut pinned = std::mem::take(&mut self.memory.pinned);
        let result = what(&mut pinned, &mut Certain { judge: self, thread });
        self.memory.pinned = pinned;
        result
    }

    pub(super) fn alloc(&mut self, thread: ThreadId, tensor: TensorId, stream: StreamId) -> Result<(), Refusal> {
        let bytes = self.program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
        let capture = self.order.capturing(stream);
        let pool = capture.and_then(|graph| self.program.graphs.get(graph.index())).map_or(0, |graph| graph.pool);
        let capturing = self.order.is_capturing();
        let mut outcome = self
            .with_allocator(thread, |allocator, device| allocator.allocate(device, bytes, stream.0, pool, capturing));
        if outcome.is_err() && self.memory.allocator.has_cached() {
            self.order.check_unsafe(thread)?;
            outcome = self.with_allocator(thread, |allocator, device| {
                allocator.empty_cache(device, capturing);
                allocator.allocate(device, bytes, stream.0, pool, capturing)
            });
        }
        let address = outcome.map_err(|error| Refusal::Pytorch("torch.OutOfMemoryError", error.to_string()))?.address;
        let since = self.issued;
        if let Some(life) = self.memory.life_mut(Place::Device(tensor)) {
            *life = Life { address, since, pool, stream: Some(stream), ..Life::default() };
        }
        self.suspect(tensor);
        Ok(())
    }

    pub(super) fn free(&mut self, thread: ThreadId, tensor: TensorId) {
        let address = self.memory.address(Place::Device(tensor));
        self.note_unprotected(thread, address);
        let capturing = self.order.is_capturing();
        self.with_allocator(thread, |allocator, device| allocator.free(device, address, capturing));
        self.memory.end(Place::Device(tensor), self.operation, true);
    }

    /// A block is freed that the allocator protects from some streams: what of its uses is by others?
    fn note_unprotected(&mut self, thread: ThreadId, address: u64) {
        let Some(block) = self.memory.allocator.block(address).filter(|block| !block.stream_uses.is_empty()) else {
            return;
        };
        let known = self.threads.get(thread).map_or(Clocks::START, |thread| thread.clock);
        let is_open = |access: &&Access| {
            let lane = access.lane;
            let by_other = |stream: StreamId| stream.0 != block.stream && !block.stream_uses.contains(&stream.0);
            self.lanes.stream(lane).is_some_and(by_other) && !self.clocks.is_before(lane, access.seq, Clocks::at(known))
        };
        let cells = self.accesses.cells(block.address, block.address + block.bytes);
        let uses: Vec<Access> =
            cells.flat_map(|cell| cell.reads.iter().chain(&cell.write)).filter(is_open).copied().collect();
        if !uses.is_empty() {
            let (bytes, stream, pool, small) = (block.bytes, block.stream, block.pool, block.small);
            if self.memory.unprotected.len() >= MOST_UNPROTECTED {
                self.memory.unprotected.remove(0);
            }
            self.memory.unprotected.push(Unprotected { bytes, stream, pool, small, uses });
        }
    }

    /// A tensor has got a block: it may be one that is still in use.
    fn suspect(&mut self, tensor: TensorId) {
        let Some(block) = self.memory.allocator.block(self.memory.address(Place::Device(tensor))) else { return };
        let fits = |it: &&Unprotected| {
            it.stream == block.stream && it.pool == block.pool && it.small == block.small && it.bytes >= block.bytes
        };
        let uses: Vec<Access> = self.memory.unprotected.iter().filter(fits).flat_map(|it| it.uses.clone()).collect();
        if !uses.is_empty() {
            self.memory.suspects.insert(tensor, uses);
        }
    }

    pub(super) fn empty_cache(&mut self, thread: ThreadId) {
        let capturing = self.order.is_capturing();
        self.with_allocator(thread, |allocator, device| allocator.empty_cache(device, capturing));
    }

    pub(super) fn host_alloc(&mut self, thread: ThreadId, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()) else { return };
        let capturing = self.order.is_capturing();
        if info.memory == HostMemory::Pinned && !raw {
            let bytes = info.bytes;
            let address = self.with_pinned(thread, |cache, device| cache.take(device, bytes, capturing));
            if let (Some(address), Some(life)) = (address, self.memory.life_mut(Place::Host(buffer))) {
                life.address = address;
            }
        }
        let since = self.issued;
        if let Some(life) = self.memory.life_mut(Place::Host(buffer)) {
            life.since = since;
        }
        if info.fill.is_some() && !raw {
            self.host_access(thread, &Region { place: Place::Host(buffer), offset: 0, bytes: info.bytes }, true);
        }
    }

    pub(super) fn host_free(&mut self, thread: ThreadId, buffer: BufferId, raw: bool) {
        let Some(info) = self.program.buffers.get(buffer.index()) else { return };
        let (bytes, place) = (info.bytes, Place::Host(buffer));
        let mut is_up_for_reuse = true;
        if info.memory == HostMemory::Pinned && !raw {
            let address = self.memory.address(place);
            let capturing = self.order.is_capturing();
            is_up_for_reuse = !self.memory.pinned.is_captured(buffer.0);
            self.with_pinned(thread, |cache, device| cache.give_back(device, buffer.0, bytes, address, capturing));
        }
        if raw {
            self.relies_on_free(thread, place, bytes);
        }
        self.memory.end(place, self.operation, is_up_for_reuse);
    }
}
