//! Segments and memory blocks, and which free block serves a request.

use std::collections::{BTreeMap, BTreeSet};

/// Sizes are rounded up to this (PyTorch, `c10/cuda/CUDACachingAllocator.cpp`: `kMinBlockSize`).
const MIN_BLOCK: u64 = 512;
/// Requests up to this come from the pool of small blocks (`kSmallSize`).
const SMALL: u64 = 1 << 20;
/// Segment for small blocks (`kSmallBuffer`).
const SMALL_SEGMENT: u64 = 2 << 20;
/// Requests below this share a segment of [`LARGE_SEGMENT`] (`kMinLargeAlloc`).
const MIN_LARGE: u64 = 10 << 20;
/// Segment for medium blocks (`kLargeBuffer`).
const LARGE_SEGMENT: u64 = 20 << 20;
/// Larger requests get a segment of their own, rounded up to this (`kRoundLarge`).
const ROUND_LARGE: u64 = 2 << 20;

/// A piece of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Device address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// The stream that it is bound to: only requests of that stream reuse it.
    pub stream: u32,
    /// Private pool, 0 for the ordinary one.
    pub pool: u32,
    /// Address of the segment that it is a piece of.
    pub segment: u64,
    /// Whether that is a segment for small blocks.
    pub small: bool,
    /// Whether it belongs to a tensor or waits for another stream.
    pub taken: bool,
    /// Other streams that use it.
    pub stream_uses: Vec<u32>,
}

/// Rounds a request as PyTorch does.
pub(super) fn rounded(bytes: u64) -> u64 {
    bytes.max(1).div_ceil(MIN_BLOCK) * MIN_BLOCK
}

/// Size of the segment that a rounded request would need.
pub(super) fn segment_bytes(rounded: u64) -> u64 {
    match rounded {
        small if small <= SMALL => SMALL_SEGMENT,
        medium if medium < MIN_LARGE => LARGE_SEGMENT,
        large => large.div_ceil(ROUND_LARGE) * ROUND_LARGE,
    }
}

/// All blocks by address, and the free ones by who may have them.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    by_address: BTreeMap<u64, Block>,
    /// `(pool, small, stream)` → `(bytes, address)` of free blocks.
    free: BTreeMap<(u32, bool, u32), BTreeSet<(u64, u64)>>,
    /// Private pools that no graph uses any more.
    released: BTreeSet<u32>,
}

impl Blocks {
    pub fn get(&self, address: u64) -> Option<&Block> {
        self.by_address.get(&address)
    }

    pub fn get_mut(&mut self, address: u64) -> Option<&mut Block> {
        self.by_address.get_mut(&address)
    }

    /// A new segment as one free block.
    pub fn add_segment(&mut self, address: u64, bytes: u64, stream: u32, pool: u32) {
        let small = bytes <= SMALL_SEGMENT;
        let (segment, taken) = (address, false);
        let block = Block { address, bytes, stream, pool, segment, small, taken, stream_uses: Vec::new() };
        self.by_address.insert(address, block);
        self.free.entry((pool, small, stream)).or_default().insert((bytes, address));
    }

    /// Takes the smallest free block that fits, splitting off what is left over.
    pub fn take(&mut self, rounded: u64, stream: u32, pool: u32) -> Option<u64> {
        let small = rounded <= SMALL;
        let key = (pool, small, stream);
        let found = self.free.get(&key)?.range((rounded, 0)..).next().copied()?;
        self.free.get_mut(&key)?.remove(&found);
        let (bytes, address) = found;
        let rest = bytes - rounded;
        let splits = if small { rest >= MIN_BLOCK } else { rest > SMALL };
        let block = self.by_address.get_mut(&address)?;
        block.taken = true;
        if splits {
            block.bytes = rounded;
            let tail = Block { address: address + rounded, bytes: rest, taken: false, ..block.clone() };
            self.free.entry(key).or_default().insert((rest, tail.address));
            self.by_address.insert(tail.address, tail);
        }
        Some(address)
    }

    /// Gives a block back and merges it with free neighbours of its segment.
    pub fn give_back(&mut self, address: u64) {
        let Some(mut block) = self.by_address.remove(&address) else { return };
        let key = (block.pool, block.small, block.stream);
        let free = self.free.entry(key).or_default();
        let before = self.by_address.range(..address).next_back().map(|(_, before)| before.clone());
        if let Some(before) = before.filter(|before| !before.taken && before.segment == block.segment) {
            free.remove(&(before.bytes, before.address));
            self.by_address.remove(&before.address);
            block.address = before.address;
            block.bytes += before.bytes;
        }
        let after = self.by_address.get(&(block.address + block.bytes)).cloned();
        if let Some(after) = after.filter(|after| !after.taken && after.segment == block.segment) {
            free.remove(&(after.bytes, after.address));
            self.by_address.remove(&after.address);
            block.bytes += after.bytes;
        }
        block.taken = false;
        block.stream_uses.clear();
        free.insert((block.bytes, block.address));
        self.by_address.insert(block.address, block);
    }

    /// Whether there is a segment that [`Self::release_free_segments`] would remove.
    pub fn has_free_segment(&self) -> bool {
        !self.free_segments().is_empty()
    }

    /// The blocks of a private pool become those of a pool of nobody, whose free segments go with the ordinary ones.
    pub fn release_pool(&mut self, pool: u32) {
        self.released.insert(pool);
    }

    fn free_segments(&self) -> Vec<(u64, u64)> {
        let whole = |block: &Block, next: Option<&Block>| {
            !block.taken
                && (block.pool == 0 || self.released.contains(&block.pool))
                && block.address == block.segment
                && next.is_none_or(|next| next.segment != block.segment)
        };
        let mut blocks = self.by_address.values().peekable();
        let mut free = Vec::new();
        while let Some(block) = blocks.next() {
            if whole(block, blocks.peek().copied()) {
                free.push((block.address, block.bytes));
            }
        }
        free
    }

    /// Removes the segments that are wholly free, but for those of private pools that a graph may use; returns their addresses
    /// and sizes.
    pub fn release_free_segments(&mut self) -> Vec<(u64, u64)> {
        let released = self.free_segments();
        for (address, bytes) in &released {
            self.by_address.remove(address);
            self.free.values_mut().for_each(|free| {
                free.remove(&(*bytes, *address));
            });
        }
        released
    }
}
