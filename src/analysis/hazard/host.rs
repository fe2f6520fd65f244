//! The host threads of the program: what each knows to be over, and whose turn it is.

use std::ops::Range;

use super::clocks::{Clocks, LaneId, Stamp};
use crate::program::{Program, SignalId, ThreadId};

/// A host thread on its way through the program.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    range: Range<usize>,
    pub index: usize,
    pub started: bool,
    /// Whether the operation before was carried out.
    pub before: bool,
    /// All that is over for certain.
    pub clock: u32,
    /// The same without what no document promises.
    pub documented: u32,
}

impl Thread {
    pub fn is_over(&self) -> bool {
        self.started && !self.range.contains(&self.index)
    }
}

/// All threads, and the signals between them.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pub threads: Vec<Thread>,
    /// What was over when each signal was given.
    signals: Vec<Option<(u32, u32)>>,
    /// The lane of the main thread; those of the others follow.
    first_lane: LaneId,
}

impl Threads {
    pub fn new(program: &Program, first_lane: LaneId) -> Self {
        let thread = |(number, thread): (usize, &crate::program::HostThread)| Thread {
            range: thread.operations.clone(),
            index: thread.operations.start,
            started: number == 0,
            before: true,
            clock: Clocks::START,
            documented: Clocks::START,
        };
        Self {
            threads: program.threads.iter().enumerate().map(thread).collect(),
            signals: vec![None; program.signals.len()],
            first_lane,
        }
    }

    pub fn get(&self, thread: ThreadId) -> Option<&Thread> {
        self.threads.get(thread.index())
    }

    pub fn get_mut(&mut self, thread: ThreadId) -> Option<&mut Thread> {
        self.threads.get_mut(thread.index())
    }

    /// The lane of a thread.
    pub fn lane(&self, thread: ThreadId) -> LaneId {
        self.first_lane + thread.0
    }

    /// The thread knows that all these points are over; `documented` says whether a document promises it.
    pub fn learn(&mut self, clocks: &mut Clocks, thread: ThreadId, points: &[Stamp], documented: bool) {
        let Some(thread) = self.threads.get_mut(thread.index()) else { return };
        let mut all = points.to_vec();
        all.push(Clocks::knowing(thread.clock, thread.documented));
        let joined = clocks.join_both(&all);
        thread.clock = joined.0;
        if documented {
            thread.documented = joined.1;
        }
    }

    /// The thread does something that others may be ordered with. Returns its point of time.
    pub fn step(&mut self, clocks: &mut Clocks, thread: ThreadId) -> Stamp {
        let lane = self.lane(thread);
        let seq = clocks.next(lane);
        let known = self.threads.get(thread.index()).map(|thread| (thread.clock, thread.documented));
        let (base, documented) = known.unwrap_or((Clocks::START, Clocks::START));
        let stamp = Stamp { base, documented, lane, seq };
        self.learn(clocks, thread, &[stamp], true);
        stamp
    }

    pub fn start(&mut self, by: ThreadId, thread: ThreadId) {
        let Some((clock, documented)) = self.get(by).map(|by| (by.clock, by.documented)) else { return };
        if let Some(thread) = self.get_mut(thread) {
            (thread.clock, thread.documented, thread.started) = (clock, documented, true);
        }
    }

    /// Joins a thread that is over; `false` while it is not.
    pub fn join(&mut self, clocks: &mut Clocks, by: ThreadId, thread: ThreadId) -> bool {
        match self.get(thread) {
            Some(other) if !other.is_over() => false,
            Some(_) => {
                // To return is a step: whatever it issued, it had issued by then.
                self.step(clocks, thread);
                if let Some((clock, documented)) = self.get(thread).map(|other| (other.clock, other.documented)) {
                    self.know(clocks, by, clock, documented);
                }
                true
            }
            None => true,
        }
    }

    pub fn give(&mut self, signal: SignalId, by: ThreadId) {
        let known = self.get(by).map(|by| (by.clock, by.documented));
        if let Some(given) = self.signals.get_mut(signal.index())
            && given.is_none()
        {
            *given = known;
        }
    }

    /// Takes a signal up; `false` while it has not been given.
    pub fn take_up(&mut self, clocks: &mut Clocks, signal: SignalId, by: ThreadId) -> bool {
        let Some((clock, documented)) = self.signals.get(signal.index()).copied().flatten() else { return false };
        self.know(clocks, by, clock, documented);
        true
    }

    fn know(&mut self, clocks: &mut Clocks, by: ThreadId, clock: u32, documented: u32) {
        let Some(thread) = self.threads.get_mut(by.index()) else { return };
        thread.clock = clocks.join(&[Clocks::at(thread.clock), Clocks::at(clock)]);
        thread.documented = clocks.join(&[Clocks::at(thread.documented), Clocks::at(documented)]);
    }
}
