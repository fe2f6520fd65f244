//! The limits of a GPU.

use serde::{Deserialize, Serialize};

use crate::kernel::Grid;

/// The limits of a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The name on the box.
    pub name: String,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Threads that an SM holds.
    pub threads_per_sm: u32,
    /// Blocks that an SM holds.
    pub blocks_per_sm: u32,
    /// Registers of an SM.
    pub registers_per_sm: u32,
    /// Bytes of shared memory of an SM.
    pub shared_bytes_per_sm: u32,
    /// Shared memory that the hardware takes for itself from each block.
    pub shared_reserved_per_block: u32,
    /// Grids that are resident at once (CUDA C++ Programming Guide, "Features and Technical Specifications").
    pub max_grids: u32,
    /// Operations that a stream holds, behind the one that runs, before a launch blocks.
    pub queue_depth: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// Memory bandwidth, in GB/s, against the number of busy SMs: `[sms, GB/s]`.
    pub bandwidth: super::Curve,
    /// Lowest number that a stream's priority can have.
    pub highest_priority: i32,
}

/// Room on an SM, or what a block takes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmRoom {
    /// Threads.
    pub threads: u32,
    /// Blocks.
    pub blocks: u32,
    /// Registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
}

impl SmRoom {
    /// Whether a block that takes `need` fits in.
    pub fn fits(&self, need: &Self) -> bool {
        self.threads >= need.threads
            && self.blocks >= need.blocks
            && self.registers >= need.registers
            && self.shared_bytes >= need.shared_bytes
    }

    /// Gives room to one block.
    pub fn take(&mut self, need: &Self) {
        self.threads = self.threads.saturating_sub(need.threads);
        self.blocks = self.blocks.saturating_sub(need.blocks);
        self.registers = self.registers.saturating_sub(need.registers);
        self.shared_bytes = self.shared_bytes.saturating_sub(need.shared_bytes);
    }

    /// Takes the room of `blocks` blocks back.
    pub fn give(&mut self, need: &Self, blocks: u32) {
        self.threads += need.threads * blocks;
        self.blocks += need.blocks * blocks;
        self.registers += need.registers * blocks;
        self.shared_bytes += need.shared_bytes * blocks;
    }
}

impl Gpu {
    /// What one block of `grid` takes of an SM.
    pub fn block_need(&self, grid: &Grid) -> SmRoom {
        let warps = grid.threads.div_ceil(32).max(1);
        SmRoom {
            threads: warps * 32,
            blocks: 1,
            // Registers are given out in units of 256 a warp (CUDA occupancy calculator, cc 7.0 and later).
            registers: (grid.registers * 32).next_multiple_of(256) * warps,
            shared_bytes: if grid.shared_bytes == 0 { 0 } else { grid.shared_bytes + self.shared_reserved_per_block },
        }
    }

    /// Whether a block of `grid` fits on an SM that has nothing else; the launch of any other grid is refused.
    pub fn has_room_for(&self, grid: &Grid) -> bool {
        self.most_blocks(grid) > 0
    }

    /// How many blocks of `grid` fit on one SM; at least 1, since a kernel that never fits cannot be launched.
    pub fn blocks_per_sm(&self, grid: &Grid) -> u32 {
        self.most_blocks(grid).max(1)
    }

    fn most_blocks(&self, grid: &Grid) -> u32 {
        let need = self.block_need(grid);
        let per = |capacity: u32, need: u32| capacity.checked_div(need).unwrap_or(u32::MAX);
        per(self.threads_per_sm, need.threads)
            .min(self.blocks_per_sm)
            .min(per(self.registers_per_sm, need.registers))
            .min(per(self.shared_bytes_per_sm, need.shared_bytes))
    }

    /// In how many waves `grid` runs alone.
    pub fn waves(&self, grid: &Grid) -> u32 {
        let at_once = u64::from(self.blocks_per_sm(grid)) * u64::from(self.sms.max(1));
        u32::try_from(u64::from(grid.blocks.max(1)).div_ceil(at_once)).unwrap_or(u32::MAX)
    }
}
