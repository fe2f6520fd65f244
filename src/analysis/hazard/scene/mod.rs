//! What a program has come to at the operation under way: which work follows which, who touched which bytes last, where they lie,
//! and what has been found.

mod lifetimes;
mod meet;

use super::accesses::{Access, Accesses, By};
use super::clocks::Stamp;
use super::course::Course;
use super::findings::Findings;
use super::memory::Memory;
use crate::program::{Place, Program, Region, ThreadId};

/// What a program has come to.
#[derive(Debug)]
pub(super) struct Scene<'p> {
    pub program: &'p Program,
    pub course: Course,
    pub memory: Memory,
    pub accesses: Accesses,
    pub findings: Findings,
    /// Index of the operation under way.
    pub operation: u32,
    met: Vec<Access>,
}

impl<'p> Scene<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            course: Course::new(program),
            memory: Memory::new(program),
            accesses: Accesses::default(),
            findings: Findings::default(),
            operation: 0,
            met: Vec::new(),
        }
    }

    /// A host thread touches its own memory.
    pub fn host_access(&mut self, thread: ThreadId, region: &Region, writes: bool) {
        let stamp = self.course.step(thread);
        let range = self.memory.lives.range(region);
        self.access(stamp, range, region.place, writes, By::Host, (self.operation, None));
    }

    /// Work on a stream touches memory.
    pub fn stream_access(&mut self, stamp: Stamp, region: &Region, writes: bool, by: By) {
        // What has been staged is read by the host, and only from there by the GPU.
        let by = if writes && by != By::Lifetime { By::Stream } else { by };
        if by != By::Lifetime {
            self.use_after_free(stamp.lane, region.place);
        }
        let range = self.memory.lives.range(region);
        let second = self.access(stamp, range, region.place, writes, by, (self.operation, None));
        self.meet_suspects(stamp, &second);
        if writes && let Some(life) = self.memory.lives.get_mut(region.place) {
            life.is_filled = true;
        }
    }

    /// One access; conflicts are reported.
    pub fn access(
        &mut self,
        stamp: Stamp,
        (start, end): (u64, u64),
        place: Place,
        writes: bool,
        by: By,
        (operation, replay): (u32, Option<u32>),
    ) -> Access {
        let at = self.accesses.next();
        let (lane, seq) = (stamp.lane, stamp.seq);
        let access = Access { lane, seq, at, operation, replay, place, start, end, writes, by };
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        self.accesses.make(access, &mut met);
        self.meet(&met, stamp, &access);
        self.met = met;
        access
    }
}
