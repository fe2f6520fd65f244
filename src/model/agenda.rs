//! What is to happen on the GPU, in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::engines::CopyEnd;
use super::sms::SmEvent;
use super::task::TaskId;
use crate::time::Ns;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happening {
    Ready(TaskId),
    Done(TaskId),
    Sm(SmEvent),
    Copy(CopyEnd),
}

/// Everything that is scheduled.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    heap: BinaryHeap<Reverse<(Ns, u32, Happening)>>,
    /// Breaks ties in the order of scheduling, so that a run is deterministic.
    scheduled: u32,
}

impl Agenda {
    pub fn add(&mut self, at: Ns, what: Happening) {
        self.scheduled = self.scheduled.wrapping_add(1);
        self.heap.push(Reverse((at, self.scheduled, what)));
    }

    /// When the next thing happens.
    pub fn next(&self) -> Option<Ns> {
        self.heap.peek().map(|Reverse((at, _, _))| *at)
    }

    pub fn take(&mut self) -> Option<(Ns, Happening)> {
        self.heap.pop().map(|Reverse((at, _, what))| (at, what))
    }
}
