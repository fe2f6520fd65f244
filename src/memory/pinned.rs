//! The cache of page-locked host memory: blocks of powers of two, never split, reused only when the copies that went through
//! them are done (PyTorch, `aten/src/ATen/core/CachingHostAllocator.h`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Device;

/// The cache. `B` is what stands for a block.
#[derive(Clone, Debug)]
pub struct PinnedCache<E, B> {
    /// Free blocks with their sizes; the one freed last is the first to be reused.
    free: Vec<(u64, B)>,
    /// Freed blocks and the events that they wait for, in the order of their release: a slow head holds back those behind it.
    waiting: VecDeque<(VecDeque<E>, u64, B)>,
    /// Streams on which each buffer was used since it was made.
    uses: BTreeMap<u32, Vec<u32>>,
    /// Buffers that a graph may use at any time.
    captured: BTreeSet<u32>,
    /// Blocks that are never reused.
    kept: Vec<B>,
}

impl<E, B> Default for PinnedCache<E, B> {
    fn default() -> Self {
        Self {
            free: Vec::new(),
            waiting: VecDeque::new(),
            uses: BTreeMap::new(),
            captured: BTreeSet::new(),
            kept: Vec::new(),
        }
    }
}

/// Size of the block for a request.
pub fn pinned_block_bytes(bytes: u64) -> u64 {
    bytes.next_power_of_two()
}

impl<E: Copy, B> PinnedCache<E, B> {
    /// A copy goes through the buffer on `stream`, and its call returns before it is done; or it was captured.
    pub fn used(&mut self, buffer: u32, stream: u32, captured: bool) {
        if captured {
            self.captured.insert(buffer);
            return;
        }
        let streams = self.uses.entry(buffer).or_default();
        if !streams.contains(&stream) {
            streams.push(stream);
        }
    }

    /// Whether a graph holds a copy through the buffer.
    pub fn is_captured(&self, buffer: u32) -> bool {
        self.captured.contains(&buffer)
    }

    /// A free block for a request. During a capture no event is asked.
    pub fn take<D: Device<Event = E>>(&mut self, device: &mut D, bytes: u64, capturing: bool) -> Option<B> {
        if !capturing {
            self.process_events(device);
        }
        let size = pinned_block_bytes(bytes);
        let index = self.free.iter().rposition(|(free, _)| *free == size)?;
        Some(self.free.remove(index).1)
    }

    /// The last reference to the buffer is gone. Events recorded *now* stand between its block and the next request. A block
    /// that a graph uses is kept for good, and so, to be safe, is one that would need an event during a capture.
    pub fn give_back<D: Device<Event = E>>(
        &mut self,
        device: &mut D,
        buffer: u32,
        bytes: u64,
        block: B,
        capturing: bool,
    ) {
        let size = pinned_block_bytes(bytes);
        match self.uses.remove(&buffer) {
            _ if self.captured.contains(&buffer) => self.kept.push(block),
            None => self.free.push((size, block)),
            Some(_) if capturing => self.kept.push(block),
            Some(streams) => {
                let events = streams.into_iter().map(|stream| device.record(stream)).collect();
                self.waiting.push_back((events, size, block));
            }
        }
    }

    fn process_events<D: Device<Event = E>>(&mut self, device: &mut D) {
        while let Some((events, _, _)) = self.waiting.front_mut() {
            while let Some(event) = events.front() {
                if !device.is_done(*event) {
                    return;
                }
                events.pop_front();
            }
            if let Some((_, size, block)) = self.waiting.pop_front() {
                self.free.push((size, block));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device whose events, numbered by their streams, are done when the test says so.
    #[derive(Default)]
    struct Fake {
        done: Vec<u32>,
    }

    impl Device for Fake {
        type Event = u32;

        fn malloc(&mut self, _bytes: u64) -> Option<u64> {
            None
        }

        fn free(&mut self, _address: u64) {}

        fn record(&mut self, stream: u32) -> u32 {
            stream
        }

        fn is_done(&mut self, event: u32) -> bool {
            self.done.contains(&event)
        }

        fn wait(&mut self, _event: u32) {}
    }

    #[test]
    fn a_block_comes_back_when_all_streams_that_used_it_are_done() {
        let (mut device, mut cache) = (Fake::default(), PinnedCache::default());
        cache.used(0, 7, false);
        cache.used(0, 8, false);
        cache.give_back(&mut device, 0, 1000, "used", false);
        cache.give_back(&mut device, 1, 600, "unused", false);
        assert_eq!(cache.take(&mut device, 513, false), Some("unused"), "1024 bytes serve what needs more than 512");
        assert_eq!(cache.take(&mut device, 1024, false), None);
        device.done = vec![8];
        assert_eq!(cache.take(&mut device, 1024, false), None);
        device.done = vec![7, 8];
        assert_eq!(cache.take(&mut device, 1024, true), None, "no event is asked during a capture");
        assert_eq!(cache.take(&mut device, 1025, false), None);
        assert_eq!(cache.take(&mut device, 1024, false), Some("used"));
    }

    #[test]
    fn what_a_graph_copies_never_comes_back() {
        let (mut device, mut cache) = (Fake::default(), PinnedCache::default());
        cache.used(0, 7, true);
        cache.give_back(&mut device, 0, 1000, (), false);
        assert_eq!(cache.take(&mut device, 1000, false), None);
    }
}
