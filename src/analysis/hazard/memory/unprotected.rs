//! Freed blocks that streams may still use of which the allocator does not know.

use std::collections::VecDeque;

use super::super::accesses::Access;
use super::super::clocks::Clocks;
use super::super::course::Course;
use crate::memory::Block;
use crate::program::{StreamId, ThreadId};

/// Blocks in use without protection that are remembered: the latest stand for those before them.
const MAX_UNPROTECTED: usize = 64;

/// Uses of a freed block by streams that the allocator does not know of. Whether the block is reused while they last depends on
/// when the streams that it does know of are done, so it may be.
#[derive(Clone, Debug)]
struct InUse {
    bytes: u64,
    stream: u32,
    pool: u32,
    small: bool,
    uses: Vec<Access>,
}

/// Uses of freed blocks that no `record_stream` protects, though one protects the block from another stream.
#[derive(Debug, Default)]
pub(super) struct Unprotected(VecDeque<InUse>);

impl Unprotected {
    /// A block is freed that the allocator protects from some streams: what of its uses is by others?
    pub fn note(&mut self, block: &Block, mut uses: Vec<Access>, course: &Course, thread: ThreadId) {
        let known = Clocks::at(course.known(thread).clock);
        uses.retain(|access| {
            let by_other = |stream: StreamId| stream.0 != block.stream && !block.stream_uses.contains(&stream.0);
            let is_by_other = course.lanes.stream(access.lane).is_some_and(by_other);
            is_by_other && !course.clocks.is_before(access.lane, access.seq, known)
        });
        if uses.is_empty() {
            return;
        }
        if self.0.len() >= MAX_UNPROTECTED {
            self.0.pop_front();
        }
        self.0.push_back(InUse {
            bytes: block.bytes,
            stream: block.stream,
            pool: block.pool,
            small: block.small,
            uses,
        });
    }

    /// The uses of blocks that `block` may be one of.
    pub fn of(&self, block: &Block) -> Vec<Access> {
        let fits = |it: &&InUse| {
            it.stream == block.stream && it.pool == block.pool && it.small == block.small && it.bytes >= block.bytes
        };
        self.0.iter().filter(fits).flat_map(|it| it.uses.iter().copied()).collect()
    }
}
