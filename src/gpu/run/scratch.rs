//! Memory of kernels that need some of their own, such as sums over blocks.

use std::collections::HashMap;

use super::super::driver::{Code, DeviceMemory};
use super::super::kernels::{Argument, SCRATCH_BYTES};
use super::super::plans::{Launch, Plans};
use crate::program::Program;

/// Memory of kernels that need some of their own.
#[derive(Debug)]
pub(super) struct Scratch {
    memory: DeviceMemory,
    /// By the index of the operation, where its part begins.
    places: HashMap<usize, u64>,
}

impl Scratch {
    pub fn new(program: &Program, plans: &Plans) -> Result<Self, Code> {
        let mut places = HashMap::new();
        for index in 0..program.operations.len() {
            if let Some(Launch::Own { arguments, .. }) = plans.launch(index)
                && arguments.contains(&Argument::Scratch)
            {
                places.insert(index, places.len() as u64 * SCRATCH_BYTES);
            }
        }
        Ok(Self { memory: DeviceMemory::zeroed(places.len().max(1) as u64 * SCRATCH_BYTES)?, places })
    }

    /// The address of the part of the operation at `index`.
    pub fn address(&self, index: usize) -> u64 {
        self.memory.address() + self.places.get(&index).copied().unwrap_or(0)
    }
}
