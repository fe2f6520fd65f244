//! Accesses and the conflicts that they meet: of which class, and which edge is missing.

use super::super::accesses::{Access, By};
use super::super::clocks::{Clocks, LaneId, Stamp};
use super::super::{Class, Conflict, Missing, MissingEnd, MissingKind, findings};
use super::Judge;
use crate::program::{Place, Region, StreamId, ThreadId};

impl Judge<'_> {
    /// A host thread touches its own memory.
    pub fn host_access(&mut self, thread: ThreadId, region: &Region, writes: bool) {
        let stamp = self.threads.step(&mut self.clocks, thread);
        let range = self.memory.range(region);
        self.access(stamp, range, region.place, writes, By::Host, (self.operation, None));
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
        self.issued += 1;
        let (lane, seq) = (stamp.lane, stamp.seq);
        let access = Access { lane, seq, at: self.issued, operation, replay, place, start, end, writes, by };
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        self.accesses.make(start, end, access, |first| met.push(*first));
        for first in &met {
            if !self.clocks.is_before(first.lane, first.seq, stamp) {
                self.conflict(first, &access);
            } else if !self.clocks.is_documented_before(first.lane, first.seq, stamp) {
                self.report(Class::Fragile, first, &access);
            }
        }
        self.met = met;
        access
    }

    /// Work touches a tensor that has been given back, by another name or from another thread.
    pub(super) fn use_after_free(&mut self, lane: LaneId, place: Place) {
        let Some(life) = self.memory.life(place).filter(|life| life.is_up_for_reuse) else { return };
        let Some(ended) = life.ended_by else { return };
        let (object, to) = (MissingEnd::memory(self.program, place), self.lane_end(lane));
        let missing = Missing::new(MissingKind::Keep, object, to);
        let pair = [(ended, None), (self.operation, None)];
        self.findings.add(self.program, Class::Reuse, pair, place, Conflict::FreeUse, missing);
    }

    /// The first access to a tensor whose block others may still be using.
    pub(super) fn meet_suspects(&mut self, stamp: Stamp, second: &Access) {
        let Place::Device(tensor) = second.place else { return };
        for first in self.memory.suspects.remove(&tensor).into_iter().flatten() {
            if (first.writes || second.writes) && !self.clocks.is_before(first.lane, first.seq, stamp) {
                self.conflict(&first, second);
            }
        }
    }

    fn conflict(&mut self, first: &Access, second: &Access) {
        let class = match findings::class(first, second) {
            // The source of a staged copy has been read when the call returns, as far as anybody has seen.
            Class::HostWar if first.by == By::Staged => Class::Fragile,
            Class::Reuse if self.share_a_pool(first.place, second.place) => Class::Pool,
            class => class,
        };
        self.report(class, first, second);
    }

    fn share_a_pool(&self, first: Place, second: Place) -> bool {
        let pool = |place| self.memory.life(place).map_or(0, |life| life.pool);
        pool(first) != 0 && pool(first) == pool(second)
    }

    pub fn report(&mut self, class: Class, first: &Access, second: &Access) {
        if self.graphs.is_uncaptured(first.operation, second.operation) || !self.findings.is_news(first, second.lane) {
            return;
        }
        let missing = self.missing(class, first, second);
        let pair = findings::pair(first, second);
        self.findings.add(self.program, class, pair, first.place, findings::what(first, second), missing);
    }

    fn lane_end(&self, lane: LaneId) -> MissingEnd {
        match self.lanes.thread(lane) {
            Some(thread) => MissingEnd::thread(self.program, thread),
            None => MissingEnd::stream(self.program, self.lanes.stream(lane).unwrap_or(StreamId::LEGACY)),
        }
    }

    fn missing(&self, class: Class, first: &Access, second: &Access) -> Missing {
        let (from, to) = (self.lane_end(first.lane), self.lane_end(second.lane));
        let stream = self.lanes.stream(first.lane);
        let home = self.memory.life(first.place).and_then(|life| life.stream);
        match class {
            Class::Reuse if first.by != By::Lifetime && home.is_some() && home != stream => {
                Missing::new(MissingKind::RecordStream, MissingEnd::memory(self.program, first.place), from)
            }
            _ if second.by == By::Host => Missing::new(MissingKind::Sync, from, to),
            // One stream, two threads: the second has to wait until the first has issued its work.
            _ if stream == self.lanes.stream(second.lane) => {
                let thread = |operation: u32| self.program.thread_of(operation as usize);
                let end = |operation: u32| MissingEnd::thread(self.program, thread(operation));
                Missing::new(MissingKind::Sync, end(first.operation), end(second.operation))
            }
            // The thread that issues the second has to wait for the one that made the first.
            _ if first.by == By::Host => {
                let issuer = self.program.thread_of(second.operation as usize);
                Missing::new(MissingKind::Sync, from, MissingEnd::thread(self.program, issuer))
            }
            _ => Missing::new(MissingKind::Wait, from, to),
        }
    }

    /// Memory is given back by a call that waits for the device, though no document promises that.
    pub fn relies_on_free(&mut self, thread: ThreadId, place: Place, bytes: u64) {
        let Some(documented) = self.threads.get(thread).map(|thread| Clocks::at(thread.documented)) else { return };
        let (start, end) = self.memory.range(&Region { place, offset: 0, bytes });
        let touched = |access: &&Access| !self.clocks.is_before(access.lane, access.seq, documented);
        let cells = self.accesses.cells(start, end);
        let pending: Vec<Access> =
            cells.flat_map(|cell| cell.reads.iter().chain(&cell.write)).filter(touched).copied().collect();
        let lane = self.threads.lane(thread);
        let free = |first: &Access| Access {
            lane,
            seq: 0,
            at: self.issued,
            operation: self.operation,
            replay: None,
            place: first.place,
            start,
            end,
            writes: true,
            by: By::Host,
        };
        let second: Vec<Access> = pending.iter().map(free).collect();
        for (first, second) in pending.iter().zip(&second).filter(|(first, _)| first.lane != lane) {
            self.report(Class::Fragile, first, second);
        }
        self.learn_device(thread);
    }
}
