//! Where tensors and buffers lie in the worst case: a block that waits for other streams is reused only when it is certain that
//! those are done, and one that waits for nobody at once.

mod given;
mod lives;
mod unprotected;

use std::collections::HashMap;

use super::accesses::Access;
use super::clocks::Stamp;
use super::course::Course;
use crate::memory::{Allocator, OutOfMemory, PinnedCache};
use crate::program::{BufferId, Place, Program, StreamId, TensorId, ThreadId};
use given::{Certain, Given};
pub(super) use lives::{Life, Lives};
use unprotected::Unprotected;

/// Memory of the program.
#[derive(Debug)]
pub(super) struct Memory {
    pub lives: Lives,
    given: Given,
    allocator: Allocator<Stamp>,
    pinned: PinnedCache<Stamp, u64>,
    unprotected: Unprotected,
    /// For a tensor whose block may be one that others still use, those uses.
    suspects: HashMap<TensorId, Vec<Access>>,
}

impl Memory {
    pub fn new(program: &Program) -> Self {
        Self {
            lives: Lives::new(program),
            given: Given::new(program.device.memory_bytes.unwrap_or(u64::MAX)),
            allocator: Allocator::default(),
            pinned: PinnedCache::default(),
            unprotected: Unprotected::default(),
            suspects: HashMap::new(),
        }
    }

    /// `cudaMalloc` and its like, after access number `since`. Returns whether there was room.
    pub fn give(&mut self, tensor: TensorId, bytes: u64, since: u32) -> bool {
        let Some(address) = self.given.give(bytes) else { return false };
        self.lives.begin(Place::Device(tensor), Life { address, since, ..Life::default() });
        true
    }

    /// Memory that was asked for was not given after all.
    pub fn forget(&mut self, tensor: TensorId) {
        self.take_back(tensor);
        self.lives.begin(Place::Device(tensor), Life::default());
    }

    /// `cudaFreeAsync`.
    pub fn release(&mut self, tensor: TensorId) {
        self.given.release(self.lives.address(Place::Device(tensor)));
    }

    /// `cudaFree`.
    pub fn take_back(&mut self, tensor: TensorId) {
        self.given.take_back(self.lives.address(Place::Device(tensor)));
    }

    /// What `what` does with the caching allocator while `thread` acts.
    fn with_allocator<T>(
        &mut self,
        course: &mut Course,
        thread: ThreadId,
        what: impl FnOnce(&mut Allocator<Stamp>, &mut Certain<'_>) -> T,
    ) -> T {
        let Self { allocator, given, .. } = self;
        let result = what(allocator, &mut Certain { course, given, thread });
        allocator.take_changes();
        result
    }

    /// A tensor of `bytes` gets a block of the caching allocator, bound to `stream`, from the private pool `pool`; `since` is the
    /// number of the latest access.
    ///
    /// # Errors
    /// When there is no room.
    pub fn allocate(
        &mut self,
        course: &mut Course,
        thread: ThreadId,
        (tensor, bytes): (TensorId, u64),
        (stream, pool): (StreamId, u32),
        since: u32,
    ) -> Result<(), OutOfMemory> {
        let capturing = course.order.is_capturing();
        let allocated = self.with_allocator(course, thread, |allocator, device| {
            allocator.allocate(device, bytes, stream.0, pool, capturing)
        })?;
        let address = allocated.address;
        let life = Life { address, since, pool, stream: Some(stream), ..Life::default() };
        self.lives.begin(Place::Device(tensor), life);
        if let Some(block) = self.allocator.block(address) {
            let uses = self.unprotected.of(block);
            if !uses.is_empty() {
                self.suspects.insert(tensor, uses);
            }
        }
        Ok(())
    }

    /// Whether the caching allocator holds memory that nobody uses.
    pub fn has_cached(&self) -> bool {
        self.allocator.has_cached()
    }

    /// Uses of the block of a tensor that may still be under way, once.
    pub fn take_suspects(&mut self, tensor: TensorId) -> Vec<Access> {
        self.suspects.remove(&tensor).unwrap_or_default()
    }

    /// The block of a tensor is freed. `uses` are those of its bytes.
    pub fn free<'a>(
        &mut self,
        course: &mut Course,
        thread: ThreadId,
        tensor: TensorId,
        uses: impl FnOnce(u64, u64) -> Vec<Access> + 'a,
    ) {
        let address = self.lives.address(Place::Device(tensor));
        if let Some(block) = self.allocator.block(address).filter(|block| !block.stream_uses.is_empty()) {
            let uses = uses(block.address, block.address + block.bytes);
            self.unprotected.note(block, uses, course, thread);
        }
        let capturing = course.order.is_capturing();
        self.with_allocator(course, thread, |allocator, device| allocator.free(device, address, capturing));
    }

    /// Another stream uses the block of a tensor too.
    pub fn record_stream(&mut self, tensor: TensorId, stream: StreamId) {
        self.allocator.record_stream(self.lives.address(Place::Device(tensor)), stream.0);
    }

    /// Cached memory goes back to the driver.
    pub fn empty_cache(&mut self, course: &mut Course, thread: ThreadId) {
        let capturing = course.order.is_capturing();
        self.with_allocator(course, thread, |allocator, device| allocator.empty_cache(device, capturing));
    }

    /// A buffer of `bytes` gets page-locked memory from the cache.
    pub fn take_pinned(&mut self, course: &mut Course, thread: ThreadId, buffer: BufferId, bytes: u64) {
        let capturing = course.order.is_capturing();
        let Self { pinned, given, lives, .. } = self;
        let address = pinned.take(&mut Certain { course, given, thread }, bytes, capturing);
        if let (Some(address), Some(life)) = (address, lives.get_mut(Place::Host(buffer))) {
            life.address = address;
        }
    }

    /// A buffer of `bytes` goes back into the cache of page-locked memory. Returns whether others may get it.
    pub fn give_pinned_back(&mut self, course: &mut Course, thread: ThreadId, buffer: BufferId, bytes: u64) -> bool {
        let capturing = course.order.is_capturing();
        let address = self.lives.address(Place::Host(buffer));
        let Self { pinned, given, .. } = self;
        let is_up_for_reuse = !pinned.is_captured(buffer.0);
        pinned.give_back(&mut Certain { course, given, thread }, buffer.0, bytes, address, capturing);
        is_up_for_reuse
    }

    /// Work on `stream` uses page-locked memory after its call has returned, or at any replay if it was `captured`.
    pub fn uses_pinned(&mut self, buffer: BufferId, stream: StreamId, captured: bool) {
        self.pinned.used(buffer.0, stream.0, captured);
    }
}
