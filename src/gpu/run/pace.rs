//! The pace of the host thread: the clock that it reads, and the time that PyTorch spends above the driver, in a busy wait.

use std::cell::Cell;
use std::time::Instant;

use super::{InnerCall, OwnCalls};
use crate::profile::Profile;
use crate::program::effects::{self, Returns};
use crate::program::host_time::HostTime;
use crate::program::{Action, Operation, Program};
use crate::recording::SpanKind;
use crate::scenario::HostOverhead;
use crate::time::Ns;

/// A call that PyTorch takes so much longer for after a pause says nothing about the usual ones.
const COLD: Ns = Ns(5_000);
/// Time between two messages on how far a run is.
const BETWEEN: Ns = Ns(50_000_000);

/// The pace of the host thread.
pub(super) struct Pace<'a> {
    program: &'a Program,
    profile: &'a Profile,
    host_time: HostTime,
    /// What calls of this machine take, by PyTorch operation, learned as the run goes on.
    own_calls: &'a mut OwnCalls,
    base: Instant,
    /// When the latest operation ended.
    last_exit: Ns,
    /// When somebody was told last how far the run is.
    told: Ns,
    /// When the call that queues the work of this operation was made and returned, where there are marks.
    queued: Cell<Option<(Ns, Ns)>>,
    /// Calls within operations, from the start of the measured part.
    inner: Vec<InnerCall>,
}

/// When the layers above the driver began and the driver was entered, and what of the former was due to a pause before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entered {
    pub start: Ns,
    pub enter: Ns,
    cold: Ns,
    /// Number of calls within operations so far.
    inner: usize,
}

impl<'a> Pace<'a> {
    pub fn new(program: &'a Program, profile: &'a Profile, own_calls: &'a mut OwnCalls) -> Self {
        Self {
            program,
            profile,
            host_time: HostTime::default(),
            own_calls,
            base: Instant::now(),
            last_exit: Ns::ZERO,
            told: Ns::ZERO,
            queued: Cell::new(None),
            inner: Vec::new(),
        }
    }

    /// Time since the start of the measured part, or before it of the run.
    pub fn now(&self) -> Ns {
        Ns(i64::try_from(self.base.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }

    /// What [`Self::now`] counts from.
    pub fn base(&self) -> Instant {
        self.base
    }

    /// What happens from here until [`Self::count_from_here`] is no pause of the program.
    pub fn interrupt(&mut self) {
        self.host_time.count_from(self.now());
    }

    /// From here on time counts from zero.
    pub fn count_from_here(&mut self) {
        self.base = Instant::now();
        self.inner.clear();
        (self.last_exit, self.told) = (Ns::ZERO, Ns::ZERO);
    }

    /// A busy wait, as the interpreter would keep the thread busy. Returns when it was over.
    pub fn wait_until(&self, until: Ns) -> Ns {
        loop {
            let now = self.now();
            if now >= until {
                return now;
            }
            std::hint::spin_loop();
        }
    }

    /// Spends the layers above the driver before an operation.
    pub fn enter(&mut self, operation: &Operation) -> Entered {
        // The clock is read once an operation: it begins when the one before it has ended.
        let (start, inner) = (self.last_exit, self.inner.len());
        let Some(op) = operation.host.filter(|_| self.program.host == HostOverhead::Pytorch) else {
            return Entered { start, enter: start, cold: Ns::ZERO, inner };
        };
        let own_call = self.own_calls.of(self.profile, &operation.action, op);
        let cold = self.host_time.cold(self.program, self.profile, operation, start);
        let above = self.host_time.above(self.program, self.profile, operation, own_call)
            + self.own_calls.rest_of_cold(op, cold);
        let enter = if above > Ns::ZERO { self.wait_until(start + above) } else { start };
        Entered { start, enter, cold, inner }
    }

    /// An operation is over. Returns when that was.
    pub fn exit(&mut self) -> Ns {
        self.last_exit = self.now();
        self.last_exit
    }

    /// What the call took that was entered then and is over counts towards the PyTorch operation's total, now or at the next such
    /// operation. One of a `traced` run says nothing of usual ones.
    pub fn account(&mut self, operation: &Operation, entered: Entered, traced: bool) {
        if self.program.host != HostOverhead::Pytorch {
            return;
        }
        let took = self.last_exit - entered.enter;
        if effects::enqueues(&operation.action).is_some() {
            self.host_time.launched(self.last_exit);
        }
        if effects::returns(&operation.action, self.profile.copies.staging_bytes) != Returns::AtOnce {
            return;
        }
        match operation.host {
            // What a traced run's calls take includes its marks.
            Some(_) if traced => {}
            Some(op) if entered.cold > COLD => self.own_calls.learn_cold(op, took),
            Some(op) => self.own_calls.learn(op, took),
            // Work of the host's own is no part of a PyTorch operation.
            None if is_own_work(&operation.action) => {}
            None => {
                let inner = self.inner.get(entered.inner..).unwrap_or_default();
                let driver: Ns = inner.iter().map(|call| call.end - call.start).sum();
                self.host_time.carry(took - driver);
            }
        }
    }

    /// Whether it is time to tell how far the run is, before the operation at `index`. Telling takes time, so a short measured
    /// part is left alone; and so does reading the clock, so the launch path, which is not `timed`, does that now and then only.
    pub fn is_due(&self, index: usize, timed: bool) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.program.operations.get(before));
        let waited = || {
            before.is_some_and(|Operation { action, .. }| {
                matches!(action, Action::Work { .. })
                    || effects::returns(action, self.profile.copies.staging_bytes) != Returns::AtOnce
            })
        };
        let since_told = if timed {
            self.last_exit - self.told
        } else if index.is_multiple_of(64) || waited() {
            self.now() - self.told
        } else {
            Ns::ZERO
        };
        index == 0 || since_told > BETWEEN
    }

    /// Something within the operation at `operation` began at `start` and is over.
    pub fn note(&mut self, operation: usize, name: &'static str, kind: SpanKind, start: Ns) {
        let end = self.now();
        self.inner.push(InnerCall { operation, name, kind, start, end });
    }

    /// All calls within operations of the measured part.
    pub fn take_inner(&mut self) -> Vec<InnerCall> {
        std::mem::take(&mut self.inner)
    }

    /// Somebody has been told how far the run is.
    pub fn told(&mut self) {
        self.told = self.now();
        self.last_exit = self.told;
    }

    /// The call that queues the work of this operation was made and returned then.
    pub fn set_queued(&self, made: Ns, returned: Ns) {
        self.queued.set(Some((made, returned)));
    }

    /// When that was, if there was one.
    pub fn take_queued(&self) -> Option<(Ns, Ns)> {
        self.queued.take()
    }
}

fn is_own_work(action: &Action) -> bool {
    matches!(action, Action::Work { .. } | Action::ReadHost { .. } | Action::WriteHost { .. })
}
