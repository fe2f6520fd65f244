//! Host time of PyTorch operations: how much of it passes above the CUDA calls. Both executors ask here; the model lets the
//! time pass, the GPU executor spends it in a busy wait.

use super::effects;
use super::{Operation, Program};
use crate::profile::Profile;
use crate::scenario::HostOverhead;
use crate::time::Ns;

/// What has to be remembered from one operation to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostTime {
    /// Host time of calls since the last operation that carries a PyTorch operation's total.
    carried: Ns,
    /// Return of the last call that gave the GPU something to do.
    last_launch: Ns,
}

impl HostTime {
    /// Time above the CUDA call of `operation` when its own call takes `own_call` of the total that was measured (see
    /// [`effects::own_call_us`]). Zero where no host overhead is asked for.
    pub fn above(&mut self, program: &Program, profile: &Profile, operation: &Operation, own_call: Ns) -> Ns {
        let Some(op) = operation.host.filter(|_| program.host == HostOverhead::Pytorch) else { return Ns::ZERO };
        let total = Ns::from_us(profile.pytorch.us(op));
        let above = (total - self.carried - own_call).max(Ns::ZERO);
        self.carried = Ns::ZERO;
        profile.speed.of_host(above)
    }

    /// What is added to that because the thread has not launched anything for a while.
    pub fn cold(&self, program: &Program, profile: &Profile, operation: &Operation, now: Ns) -> Ns {
        let launches = || operation.host.is_some() && effects::enqueues(&operation.action).is_some();
        if program.host != HostOverhead::Pytorch || !launches() {
            return Ns::ZERO;
        }
        profile.speed.of_host(Ns::from_us(profile.pytorch.cold_us.saturating((now - self.last_launch).us())))
    }

    /// A call without a PyTorch operation of its own took `dur` where that was measured: it counts towards the next one's total.
    pub fn carry(&mut self, dur: Ns) {
        self.carried += dur;
    }

    /// From here on time counts from `zero`, as it was counted before.
    pub fn count_from(&mut self, zero: Ns) {
        self.last_launch -= zero;
    }

    /// A call that gave the GPU something to do returned at `now`.
    pub fn launched(&mut self, now: Ns) {
        self.last_launch = now;
    }
}
