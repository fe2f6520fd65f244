//! Accesses and the conflicts that they meet: of which class, and which edge is missing.

use super::super::accesses::{Access, By};
use super::super::clocks::{LaneId, Stamp};
use super::super::{Class, Conflict, Missing, MissingEnd, MissingKind, findings};
use super::Scene;
use crate::program::{Place, StreamId};

impl Scene<'_> {
    /// An access meets earlier ones that touch bytes of its own, and one of each pair writes.
    pub(super) fn meet(&mut self, earlier: &[Access], stamp: Stamp, access: &Access) {
        for first in earlier {
            if !self.course.clocks.is_before(first.lane, first.seq, stamp) {
                self.conflict(first, access);
            } else if !self.course.clocks.is_documented_before(first.lane, first.seq, stamp) {
                self.report(Class::Fragile, first, access);
            }
        }
    }

    /// Work touches a tensor that has been given back, by another name or from another thread.
    pub(super) fn use_after_free(&mut self, lane: LaneId, place: Place) {
        let Some(life) = self.memory.lives.get(place).filter(|life| life.is_up_for_reuse) else { return };
        let Some(ended) = life.ended_by else { return };
        let (object, to) = (MissingEnd::memory(self.program, place), self.lane_end(lane));
        let missing = Missing::new(MissingKind::Keep, object, to);
        let pair = [(ended, None), (self.operation, None)];
        self.findings.add(self.program, Class::Reuse, pair, place, Conflict::FreeUse, missing);
    }

    /// The first access to a tensor whose block others may still be using.
    pub(super) fn meet_suspects(&mut self, stamp: Stamp, second: &Access) {
        let Place::Device(tensor) = second.place else { return };
        for first in self.memory.take_suspects(tensor) {
            if (first.writes || second.writes) && !self.course.clocks.is_before(first.lane, first.seq, stamp) {
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
        let pool = self.memory.lives.pool(first);
        pool != 0 && pool == self.memory.lives.pool(second)
    }

    pub(super) fn report(&mut self, class: Class, first: &Access, second: &Access) {
        if !self.findings.is_news(first, second) {
            return;
        }
        let missing = self.missing(class, first, second);
        let pair = findings::pair(first, second);
        self.findings.add(self.program, class, pair, first.place, findings::what(first, second), missing);
    }

    fn lane_end(&self, lane: LaneId) -> MissingEnd {
        let lanes = &self.course.lanes;
        match lanes.thread(lane) {
            Some(thread) => MissingEnd::thread(self.program, thread),
            None => MissingEnd::stream(self.program, lanes.stream(lane).unwrap_or(StreamId::LEGACY)),
        }
    }

    fn missing(&self, class: Class, first: &Access, second: &Access) -> Missing {
        let (from, to) = (self.lane_end(first.lane), self.lane_end(second.lane));
        let stream = self.course.lanes.stream(first.lane);
        let home = self.memory.lives.get(first.place).and_then(|life| life.stream);
        match class {
            Class::Reuse if first.by != By::Lifetime && home.is_some() && home != stream => {
                Missing::new(MissingKind::RecordStream, MissingEnd::memory(self.program, first.place), from)
            }
            _ if second.by == By::Host => Missing::new(MissingKind::Sync, from, to),
            // One stream, two threads: the second has to wait until the first has issued its work.
            _ if stream == self.course.lanes.stream(second.lane) => {
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
}
