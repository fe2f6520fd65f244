//! Factors on the speed of a machine's parts.

use serde::{Deserialize, Serialize};

use crate::time::Ns;

/// How fast parts of the machine are, against what was measured: 1 unless "what if" says otherwise. They reach what a scenario
/// states itself, such as the duration of a kernel, as well as what the profile holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speed {
    /// Kernels, with the memory bandwidth that they use.
    pub kernels: f64,
    /// Host threads: PyTorch, CUDA calls and work of their own. How soon the GPU answers is no part of it.
    pub host: f64,
}

impl Default for Speed {
    fn default() -> Self {
        Self { kernels: 1.0, host: 1.0 }
    }
}

impl Speed {
    /// Whether nothing was changed.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The time that a kernel takes which was measured, or is said, to take `dur`.
    pub fn of_kernel(&self, dur: Ns) -> Ns {
        dur.scale(1.0 / self.kernels)
    }

    /// The time that a host thread takes for what was measured, or is said, to take `dur`.
    pub fn of_host(&self, dur: Ns) -> Ns {
        if self.host == 1.0 { dur } else { dur.scale(1.0 / self.host) }
    }
}
