//! A grid: how many blocks, and what each block needs of an SM.

use serde::{Deserialize, Serialize};

/// The blocks of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Number of blocks.
    pub blocks: u32,
    /// Threads in each.
    pub threads: u32,
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of shared memory of each block.
    pub shared_bytes: u32,
}

impl Grid {
    /// PyTorch's elementwise kernels: 128 threads with 8 elements each (`aten/src/ATen/native/cuda/thread_constants.h`).
    pub fn elementwise(elements: u64) -> Self {
        let blocks = u32::try_from(elements.div_ceil(1024).max(1)).unwrap_or(u32::MAX);
        Self { blocks, threads: 128, registers: 32, shared_bytes: 0 }
    }
}
