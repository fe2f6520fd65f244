//! The pace of the host thread: the time that PyTorch spends above the driver, in a busy wait, and when each call was made.

use super::{CallTimes, Failure, Run};
use crate::program::{Action, Operation, effects};
use crate::scenario::HostOverhead;
use crate::time::Ns;

/// A call that PyTorch takes so much longer for after a pause says nothing about the usual ones.
const COLD: Ns = Ns(5_000);

impl Run<'_> {
    /// Carries out an operation with the host time that it has above the driver, and notes when.
    pub(super) fn timed(&mut self, index: usize, operation: &Operation, measuring: bool) -> Result<(), Failure> {
        let pytorch = self.program.host == HostOverhead::Pytorch;
        // The clock is read once an operation: it begins when the one before it has ended.
        let start = self.last_exit;
        let (mut above, mut cold) = (Ns::ZERO, Ns::ZERO);
        if let Some(op) = operation.host.filter(|_| pytorch) {
            let own_call = self.own_calls.of(self.profile, &operation.action, op);
            cold = self.host_time.cold(self.program, self.profile, operation, start);
            above = self.host_time.above(self.program, self.profile, operation, own_call)
                + self.own_calls.rest_of_cold(op, cold);
        }
        let enter = if above > Ns::ZERO { self.wait_until(start + above) } else { start };
        let inner = self.outcome.inner.len();
        let result = self.execute(index, operation);
        let exit = self.now();
        self.last_exit = exit;
        if pytorch {
            self.account(operation, enter, exit, inner, cold);
        }
        if measuring && let Some(place) = self.outcome.calls.get_mut(index - self.program.measured_from) {
            let queued = self.queued.take().unwrap_or((enter, exit));
            *place = Some(CallTimes { start, enter, queued, exit });
        }
        result
    }

    /// What the call took counts towards the PyTorch operation's total, now or at the next such operation.
    fn account(&mut self, operation: &Operation, enter: Ns, exit: Ns, inner: usize, cold: Ns) {
        if effects::enqueues(&operation.action).is_some() {
            self.host_time.launched(exit);
        }
        let returns = effects::returns(&operation.action, self.profile.copies.staging_bytes);
        if returns != effects::Returns::AtOnce {
            return;
        }
        match operation.host {
            // What a traced run's calls take includes its marks.
            Some(_) if self.slots.is_some() => {}
            Some(op) if cold > COLD => self.own_calls.learn_cold(op, exit - enter),
            Some(op) => self.own_calls.learn(op, exit - enter),
            // Work of the host's own is no part of a PyTorch operation.
            None if matches!(
                operation.action,
                Action::Work { .. } | Action::ReadHost { .. } | Action::WriteHost { .. }
            ) => {}
            None => {
                let calls = self.outcome.inner.get(inner..).unwrap_or_default();
                let driver: Ns = calls.iter().map(|call| call.end - call.start).sum();
                self.host_time.carry(exit - enter - driver);
            }
        }
    }

    /// A busy wait, as the interpreter would keep the thread busy. Returns when it was over.
    pub(super) fn wait_until(&self, until: Ns) -> Ns {
        loop {
            let now = self.now();
            if now >= until {
                return now;
            }
            std::hint::spin_loop();
        }
    }
}
