//! What calls of this machine take, learned as runs go on.

use crate::profile::{HostOp, Profile};
use crate::program::{Action, effects};
use crate::time::Ns;

/// Weight of the latest call in what calls take.
const LEARNING: f64 = 1.0 / 16.0;
/// The same for cold calls, which are few.
const LEARNING_COLD: f64 = 0.5;

/// What the last CUDA call of each PyTorch operation takes on this machine. It starts with what the profile says and learns
/// from run to run, so that an operation as a whole takes what was measured of PyTorch.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct OwnCalls {
    /// In µs, by operation; `None` before its first.
    usual_us: Vec<Option<f64>>,
    /// What calls take in addition after a pause, in µs, by operation.
    cold_us: Vec<f64>,
}

impl Default for OwnCalls {
    fn default() -> Self {
        Self { usual_us: vec![None; HostOp::ALL.len()], cold_us: vec![0.0; HostOp::ALL.len()] }
    }
}

impl OwnCalls {
    /// For `action`, the last call of `op`.
    pub fn of(&mut self, profile: &Profile, action: &Action, op: HostOp) -> Ns {
        let start = || effects::own_call_us(&profile.calls, action, op);
        Ns::from_us(self.usual_us.get_mut(op as usize).map_or(0.0, |known| *known.get_or_insert_with(start)))
    }

    /// What is left to emulate of `cold`, the time that PyTorch takes in addition after a pause: this machine's own calls are
    /// cold too.
    pub fn rest_of_cold(&self, op: HostOp, cold: Ns) -> Ns {
        let own = self.cold_us.get(op as usize).copied().unwrap_or(0.0);
        (cold - Ns::from_us(own)).max(Ns::ZERO)
    }

    /// A call took `dur`. One that was held up by a full queue says nothing.
    pub fn learn(&mut self, op: HostOp, dur: Ns) {
        if let Some(Some(known)) = self.usual_us.get_mut(op as usize)
            && dur.us() < 4.0 * *known + 4.0
        {
            *known += (dur.us() - *known) * LEARNING;
        }
    }

    /// A call after a pause took `dur`.
    pub fn learn_cold(&mut self, op: HostOp, dur: Ns) {
        let usual = self.usual_us.get(op as usize).copied().flatten();
        if let (Some(usual), Some(cold)) = (usual, self.cold_us.get_mut(op as usize)) {
            *cold += ((dur.us() - usual).max(0.0) - *cold) * LEARNING_COLD;
        }
    }
}
