//! What kernels cost, each worked out once.

use crate::profile::{KernelCost, Profile};
use crate::program::{KernelId, Program};

/// The cost of each kernel of a program that has been launched.
pub(super) struct KernelCosts(Vec<Option<KernelCost>>);

impl KernelCosts {
    pub fn new(program: &Program) -> Self {
        Self(vec![None; program.kernels.len()])
    }

    /// The cost of a kernel; `None` where there is no such.
    pub fn of(&mut self, program: &Program, profile: &Profile, kernel: KernelId) -> Option<KernelCost> {
        let known = self.0.get_mut(kernel.index())?;
        let kernel = program.kernels.get(kernel.index())?;
        Some(*known.get_or_insert_with(|| profile.kernel_cost(kernel)))
    }
}
