//! What the caching allocator held over time: segments, and the memory blocks in them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::NameId;
use crate::memory::Change;
use crate::time::Ns;

/// Most blocks that are kept: a picture of all of them has to be drawn within a frame.
const MOST: usize = 20_000;

/// Segments and memory blocks of the measured part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryMap {
    /// By start.
    pub segments: Vec<Segment>,
    /// By start. Bytes of a segment that are in no block are cached: free for its stream.
    pub blocks: Vec<MemoryBlock>,
    /// From here on nothing was kept, since there was too much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Ns>,
}

/// Memory that the driver gave to the caching allocator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Device address.
    pub address: u64,
    /// Size.
    pub bytes: u64,
    /// The stream that may use it.
    pub stream: u32,
    /// Private pool of graphs, 0 for the ordinary one.
    pub pool: u32,
    /// When it came.
    pub start: Ns,
    /// When it went back.
    pub end: Ns,
}

/// A piece of a segment that is not free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryBlock {
    /// Device address.
    pub address: u64,
    /// Size.
    pub bytes: u64,
    /// When it came into this state.
    pub start: Ns,
    /// When it left it.
    pub end: Ns,
    /// The tensor that it belongs to, or belonged to.
    pub owner: NameId,
    /// `None` while it belongs to the tensor; then the streams that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Vec<u32>>,
}

impl MemoryMap {
    /// Whether nothing was held.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.blocks.is_empty() && self.until.is_none()
    }

    /// Bytes in blocks and bytes in segments after each change, in the order of time. What ends before it starts does not count.
    pub fn counters(&self) -> Vec<(Ns, u64, u64)> {
        let mut steps: Vec<(Ns, i128, i128)> = Vec::with_capacity(2 * (self.blocks.len() + self.segments.len()));
        for block in self.blocks.iter().filter(|block| block.start < block.end) {
            let bytes = i128::from(block.bytes);
            steps.extend([(block.start, bytes, 0), (block.end, -bytes, 0)]);
        }
        for segment in self.segments.iter().filter(|segment| segment.start < segment.end) {
            let bytes = i128::from(segment.bytes);
            steps.extend([(segment.start, 0, bytes), (segment.end, 0, -bytes)]);
        }
        steps.sort_unstable_by_key(|step| step.0);
        let bytes = |sum: i128| u64::try_from(sum.max(0)).unwrap_or(u64::MAX);
        let mut held = (0_i128, 0_i128);
        let at_once = steps.chunk_by(|a, b| a.0 == b.0);
        let sums = at_once.filter_map(|at_once| {
            for (_, blocks, segments) in at_once {
                held = (held.0 + blocks, held.1 + segments);
            }
            Some((at_once.first()?.0, bytes(held.0), bytes(held.1)))
        });
        sums.collect()
    }
}

/// Follows an allocator while a program runs.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    map: MemoryMap,
    segments: BTreeMap<u64, Segment>,
    blocks: BTreeMap<u64, MemoryBlock>,
}

impl Tracker {
    pub fn change(&mut self, at: Ns, change: Change) {
        if self.is_full() {
            return;
        }
        if self.map.blocks.len() >= MOST {
            self.map.until = Some(at);
            return;
        }
        self.follow(at, change);
    }

    fn follow(&mut self, at: Ns, change: Change) {
        match change {
            Change::Segment { address, bytes, stream, pool } => {
                self.segments.insert(address, Segment { address, bytes, stream, pool, start: at, end: at });
            }
            Change::SegmentGone { address } => {
                if let Some(segment) = self.segments.remove(&address) {
                    self.map.segments.push(Segment { end: at, ..segment });
                }
            }
            Change::Taken { address, bytes } => {
                let owner = NameId::default();
                self.blocks.insert(address, MemoryBlock { address, bytes, start: at, end: at, owner, waits_for: None });
            }
            Change::Waits { address, streams } => {
                if let Some(block) = self.close(at, address) {
                    self.blocks.insert(address, MemoryBlock { start: at, waits_for: Some(streams), ..block });
                }
            }
            Change::Free { address } => {
                self.close(at, address);
            }
        }
    }

    /// Whether nothing more is kept.
    pub fn is_full(&self) -> bool {
        self.map.until.is_some()
    }

    pub fn owner(&mut self, address: u64, owner: NameId) {
        if let Some(block) = self.blocks.get_mut(&address) {
            block.owner = owner;
        }
    }

    fn close(&mut self, at: Ns, address: u64) -> Option<MemoryBlock> {
        let block = self.blocks.remove(&address)?;
        self.map.blocks.push(MemoryBlock { end: at, ..block.clone() });
        Some(block)
    }

    /// What was held from `origin` on, which becomes time zero, until `end`.
    pub fn finish(mut self, origin: Ns, end: Ns) -> MemoryMap {
        let end = self.map.until.unwrap_or(end);
        for address in self.segments.keys().copied().collect::<Vec<_>>() {
            self.follow(end, Change::SegmentGone { address });
        }
        for address in self.blocks.keys().copied().collect::<Vec<_>>() {
            self.close(end, address);
        }
        let mut map = self.map;
        map.until = map.until.map(|until| until - origin);
        for (start, end) in map.segments.iter_mut().map(|segment| (&mut segment.start, &mut segment.end)) {
            (*start, *end) = ((*start - origin).max(Ns::ZERO), *end - origin);
        }
        for (start, end) in map.blocks.iter_mut().map(|block| (&mut block.start, &mut block.end)) {
            (*start, *end) = ((*start - origin).max(Ns::ZERO), *end - origin);
        }
        map.segments.retain(|segment| segment.end > Ns::ZERO);
        map.blocks.retain(|block| block.end > block.start);
        map.segments.sort_by_key(|segment| (segment.start, segment.address));
        map.blocks.sort_by_key(|block| (block.start, block.address));
        map
    }
}
