//! The allocator itself: requests, releases, other streams, and giving memory back
//! (PyTorch, `c10/cuda/CUDACachingAllocator.cpp`).

use std::collections::{BTreeMap, VecDeque};

use super::pool::{Block, Blocks, rounded, segment_bytes};

/// What the allocator needs of a device.
pub trait Device {
    /// Stands for the work of a stream at one moment.
    type Event: Copy;

    /// `cudaMalloc`: an address, or `None` when memory is short.
    fn malloc(&mut self, bytes: u64) -> Option<u64>;
    /// `cudaFree`.
    fn free(&mut self, address: u64);
    /// `cudaEventRecord` on a stream.
    fn record(&mut self, stream: u32) -> Self::Event;
    /// `cudaEventQuery`: whether the work is done.
    fn is_done(&mut self, event: Self::Event) -> bool;
    /// `cudaEventSynchronize`.
    fn wait(&mut self, event: Self::Event);
}

/// Memory is short even after everything cached was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("CUDA out of memory. Tried to allocate {bytes} bytes.")]
pub struct OutOfMemory {
    /// What was asked for.
    pub bytes: u64,
}

/// A request served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Device address.
    pub address: u64,
    /// Size of the segment that had to be asked for from the driver, if any.
    pub new_segment: Option<u64>,
}

/// What the allocator has held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes in blocks that belong to tensors, or wait for other streams.
    pub allocated: u64,
    /// Most of that at once.
    pub peak: u64,
    /// Bytes in segments.
    pub reserved: u64,
    /// Most of that at once.
    pub peak_reserved: u64,
    /// Requests to the driver.
    pub mallocs: u64,
    /// Most freed blocks that waited for other streams at once.
    pub peak_waiting: u64,
}

/// Something that became of a segment or a memory block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The driver gave a segment.
    Segment {
        /// Its address.
        address: u64,
        /// Its size.
        bytes: u64,
        /// The stream that it is bound to.
        stream: u32,
        /// Its private pool, 0 for the ordinary one.
        pool: u32,
    },
    /// A segment went back to the driver.
    SegmentGone {
        /// Its address.
        address: u64,
    },
    /// A block belongs to a tensor.
    Taken {
        /// Its address.
        address: u64,
        /// Its size.
        bytes: u64,
    },
    /// The tensor is gone, and other streams may still use the block.
    Waits {
        /// Its address.
        address: u64,
        /// Those streams; none while a capture puts off asking them.
        streams: Vec<u32>,
    },
    /// The block may be used again.
    Free {
        /// Its address.
        address: u64,
    },
}

/// The caching allocator.
#[derive(Clone, Debug)]
pub struct Allocator<E> {
    blocks: Blocks,
    /// Freed blocks and the events they wait for, in order for each stream: a slow head holds back those behind it.
    waiting: BTreeMap<u32, VecDeque<(E, u64)>>,
    /// For each waiting block, how many events are still open.
    open_events: BTreeMap<u64, u32>,
    /// Freed during a capture, when events must not be asked.
    deferred: Vec<u64>,
    usage: Usage,
    changes: Vec<Change>,
}

impl<E> Default for Allocator<E> {
    fn default() -> Self {
        Self {
            blocks: Blocks::default(),
            waiting: BTreeMap::new(),
            open_events: BTreeMap::new(),
            deferred: Vec::new(),
            usage: Usage::default(),
            changes: Vec::new(),
        }
    }
}

impl<E: Copy> Allocator<E> {
    /// Serves a request of `stream` from `pool` (0 for the ordinary one). During a capture no event is asked.
    ///
    /// # Errors
    /// [`OutOfMemory`] when the driver refuses. PyTorch then waits for what is [outstanding](Self::outstanding), gives back
    /// what is cached by [`Self::empty_cache`], and asks once more.
    pub fn allocate<D: Device<Event = E>>(
        &mut self,
        device: &mut D,
        bytes: u64,
        stream: u32,
        pool: u32,
        capturing: bool,
    ) -> Result<Outcome, OutOfMemory> {
        if !capturing {
            self.insert_deferred(device);
            self.process_events(device);
        }
        let size = rounded(bytes);
        let (address, new_segment) = match self.blocks.take(size, stream, pool) {
            Some(address) => (address, None),
            None => {
                let segment = segment_bytes(size);
                let address = device.malloc(segment).ok_or(OutOfMemory { bytes })?;
                self.add_segment(address, segment, stream, pool);
                (self.blocks.take(size, stream, pool).ok_or(OutOfMemory { bytes })?, Some(segment))
            }
        };
        let bytes = self.blocks.get(address).map_or(0, |block| block.bytes);
        self.usage.allocated += bytes;
        self.changes.push(Change::Taken { address, bytes });
        self.usage.peak = self.usage.peak.max(self.usage.allocated);
        Ok(Outcome { address, new_segment })
    }

    fn add_segment(&mut self, address: u64, segment: u64, stream: u32, pool: u32) {
        self.blocks.add_segment(address, segment, stream, pool);
        self.changes.push(Change::Segment { address, bytes: segment, stream, pool });
        self.usage.mallocs += 1;
        self.usage.reserved += segment;
        self.usage.peak_reserved = self.usage.peak_reserved.max(self.usage.reserved);
    }

    /// The events that freed blocks still wait for.
    pub fn outstanding(&self) -> impl Iterator<Item = E> {
        self.waiting.values().flatten().map(|(event, _)| *event)
    }

    /// Whether [`Self::empty_cache`] would give anything back once what is outstanding is done.
    pub fn has_cached(&self) -> bool {
        !self.waiting.is_empty() || !self.deferred.is_empty() || self.blocks.has_free_segment()
    }

    /// The last reference to the block at `address` is gone. Without other streams it is free at once for its own stream;
    /// with them, events recorded *now* stand between it and the next request.
    pub fn free<D: Device<Event = E>>(&mut self, device: &mut D, address: u64, capturing: bool) {
        let Some(block) = self.blocks.get(address) else { return };
        if block.stream_uses.is_empty() {
            self.give_back(address);
        } else if capturing {
            self.deferred.push(address);
            self.changes.push(Change::Waits { address, streams: Vec::new() });
        } else {
            self.insert_events(device, address);
        }
    }

    /// `record_stream`: the block is in use on `stream` too. No event is recorded before it is freed.
    pub fn record_stream(&mut self, address: u64, stream: u32) {
        if let Some(block) = self.blocks.get_mut(address)
            && block.stream != stream
            && !block.stream_uses.contains(&stream)
        {
            block.stream_uses.push(stream);
        }
    }

    /// `empty_cache`: waits for what is outstanding and gives wholly free segments back. Returns how many. Blocks that were
    /// freed during a capture are among them unless one is still under way.
    pub fn empty_cache<D: Device<Event = E>>(&mut self, device: &mut D, capturing: bool) -> usize {
        if !capturing {
            self.insert_deferred(device);
        }
        let waiting = std::mem::take(&mut self.waiting);
        for (event, address) in waiting.into_values().flatten() {
            device.wait(event);
            self.event_done(address);
        }
        let released = self.blocks.release_free_segments();
        for (address, bytes) in &released {
            device.free(*address);
            self.changes.push(Change::SegmentGone { address: *address });
            self.usage.reserved = self.usage.reserved.saturating_sub(*bytes);
        }
        released.len()
    }

    /// The last graph of a private pool is gone: its free segments may be given back with the others.
    pub fn release_pool(&mut self, pool: u32) {
        self.blocks.release_pool(pool);
    }

    /// What has changed since this was asked last.
    pub fn take_changes(&mut self) -> std::vec::Drain<'_, Change> {
        self.changes.drain(..)
    }

    /// The block at `address`.
    pub fn block(&self, address: u64) -> Option<&Block> {
        self.blocks.get(address)
    }

    /// What has been held so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Forgets the peaks, as at the start of the measured part.
    pub fn reset_peaks(&mut self) {
        self.usage.peak = self.usage.allocated;
        self.usage.peak_reserved = self.usage.reserved;
        self.usage.mallocs = 0;
        self.usage.peak_waiting = self.open_events.len() as u64;
    }

    fn insert_deferred<D: Device<Event = E>>(&mut self, device: &mut D) {
        for address in std::mem::take(&mut self.deferred) {
            self.insert_events(device, address);
        }
    }

    fn insert_events<D: Device<Event = E>>(&mut self, device: &mut D, address: u64) {
        let Some(block) = self.blocks.get_mut(address) else { return };
        let streams = std::mem::take(&mut block.stream_uses);
        self.open_events.insert(address, streams.len() as u32);
        self.changes.push(Change::Waits { address, streams: streams.clone() });
        for stream in streams {
            let event = device.record(stream);
            self.waiting.entry(stream).or_default().push_back((event, address));
        }
        self.usage.peak_waiting = self.usage.peak_waiting.max(self.open_events.len() as u64);
    }

    fn process_events<D: Device<Event = E>>(&mut self, device: &mut D) {
        let mut done = Vec::new();
        for queue in self.waiting.values_mut() {
            while let Some((event, address)) = queue.front().copied() {
                if !device.is_done(event) {
                    break;
                }
                queue.pop_front();
                done.push(address);
            }
        }
        done.into_iter().for_each(|address| self.event_done(address));
    }

    fn event_done(&mut self, address: u64) {
        let Some(open) = self.open_events.get_mut(&address) else { return };
        *open = open.saturating_sub(1);
        if *open == 0 {
            self.open_events.remove(&address);
            self.give_back(address);
        }
    }

    fn give_back(&mut self, address: u64) {
        let bytes = self.blocks.get(address).map_or(0, |block| block.bytes);
        self.usage.allocated = self.usage.allocated.saturating_sub(bytes);
        self.changes.push(Change::Free { address });
        self.blocks.give_back(address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A device whose events are done when the test says so.
    #[derive(Default)]
    struct Fake {
        next: u64,
        done: bool,
    }

    impl Device for Fake {
        type Event = u32;

        fn malloc(&mut self, bytes: u64) -> Option<u64> {
            self.next += 1 << 32;
            Some(self.next - bytes)
        }

        fn free(&mut self, _address: u64) {}

        fn record(&mut self, stream: u32) -> u32 {
            stream
        }

        fn is_done(&mut self, _event: u32) -> bool {
            self.done
        }

        fn wait(&mut self, _event: u32) {}
    }

    #[test]
    fn a_block_in_use_on_another_stream_is_reused_only_when_that_is_done() {
        let (mut device, mut allocator) = (Fake::default(), Allocator::default());
        let size = 16 << 20;
        let allocate = |allocator: &mut Allocator<u32>, device: &mut Fake, stream| {
            allocator.allocate(device, size, stream, 0, false).unwrap().address
        };
        let x = allocate(&mut allocator, &mut device, 0);
        allocator.record_stream(x, 1);
        allocator.free(&mut device, x, false);
        assert_ne!(allocate(&mut allocator, &mut device, 0), x);
        device.done = true;
        assert_eq!(allocate(&mut allocator, &mut device, 0), x);
        allocator.free(&mut device, x, false);
        assert_ne!(allocate(&mut allocator, &mut device, 1), x, "a free block stays with its own stream");
        assert_eq!(allocate(&mut allocator, &mut device, 0), x);
    }

    proptest! {
        #[test]
        fn no_two_live_blocks_share_a_byte(
            steps in prop::collection::vec((any::<bool>(), 1u64..40_000_000, 0u32..3, 0u32..2), 1..80),
        ) {
            let (mut device, mut allocator) = (Fake::default(), Allocator::default());
            let mut live: Vec<(u64, u64)> = Vec::new();
            for (frees, bytes, stream, pool) in steps {
                if frees && !live.is_empty() {
                    let (address, _) = live.swap_remove(bytes as usize % live.len());
                    allocator.free(&mut device, address, false);
                    continue;
                }
                let address = allocator.allocate(&mut device, bytes, stream, pool, false).unwrap().address;
                let block = allocator.block(address).unwrap();
                prop_assert!(block.bytes >= bytes && block.stream == stream && block.pool == pool);
                prop_assert!(live.iter().all(|(from, to)| address + bytes <= *from || *to <= address));
                live.push((address, address + bytes));
            }
            let held = allocator.usage().allocated;
            prop_assert!(held >= live.iter().map(|(from, to)| to - from).sum::<u64>());
            for (address, _) in live {
                allocator.free(&mut device, address, false);
            }
            prop_assert_eq!(allocator.usage().allocated, 0);
        }
    }
}
