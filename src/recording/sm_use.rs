//! Which part of a GPU's SMs a run used.

use serde::{Deserialize, Serialize};

use crate::time::Ns;

/// SMs that had at least one block, summed over the time in which kernels ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmUse {
    /// Time that each SM had a block, of all SMs together.
    pub sm_time: Ns,
    /// Time in which kernels ran.
    pub kernel_time: Ns,
    /// How many SMs the GPU has.
    pub sms: u32,
}

impl SmUse {
    /// The mean part of the SMs that had a block while kernels ran, 0–1; `None` where none ran.
    pub fn share(&self) -> Option<f64> {
        let most = self.kernel_time.0 as f64 * f64::from(self.sms);
        (most > 0.0).then(|| self.sm_time.0 as f64 / most)
    }
}
