//! The executor's own kernels: their PTX, and how a kernel of the catalogue is launched. No part of the driver is needed.
//!
//! The sources stand in `kernels/`, with what each entry point takes.

use crate::kernel::{Dtype, Elementwise, Grid, Kernel};
use crate::profile::Gpu;

/// A PTX file and its entry points.
pub(super) struct Module {
    /// Its text.
    pub ptx: &'static str,
    /// What can be launched from it.
    pub entries: &'static [&'static str],
}

/// All kernels. Products have a file for each element type, so that the driver compiles only what is launched.
pub(super) const MODULES: &[Module] = &[
    Module {
        ptx: include_str!("../../kernels/elementwise.ptx"),
        entries: &[
            "fill_f32",
            "fill_f16",
            "fill_bf16",
            "fill_i64",
            "fill_u8",
            "add_f32",
            "add_f16",
            "add_bf16",
            "add_i64",
            "add_u8",
            "scale_shift_f32",
            "scale_shift_f16",
            "scale_shift_bf16",
            "scale_shift_i64",
            "scale_shift_u8",
            "copy_f32",
            "copy_f16",
            "copy_bf16",
            "copy_i64",
            "copy_u8",
            "gelu_f32",
            "gelu_f16",
            "gelu_bf16",
        ],
    },
    Module {
        ptx: include_str!("../../kernels/gemm_f32.ptx"),
        entries: &["matmul_f32", "matmul_f32_small", "linear_f32", "linear_f32_small"],
    },
    Module {
        ptx: include_str!("../../kernels/gemm_f16.ptx"),
        entries: &["matmul_f16", "matmul_f16_small", "linear_f16", "linear_f16_small"],
    },
    Module {
        ptx: include_str!("../../kernels/gemm_bf16.ptx"),
        entries: &["matmul_bf16", "matmul_bf16_small", "linear_bf16", "linear_bf16_small"],
    },
    Module {
        ptx: include_str!("../../kernels/gemv.ptx"),
        entries: &[
            "gemv_f32",
            "gemv_f16",
            "gemv_bf16",
            "gemv_f32_long",
            "gemv_f16_long",
            "gemv_bf16_long",
            "linear_rows_f32",
            "linear_rows_f16",
            "linear_rows_bf16",
        ],
    },
    Module { ptx: include_str!("../../kernels/rows.ptx"), entries: &["layer_norm_f32", "softmax_f32"] },
    Module { ptx: include_str!("../../kernels/sum.ptx"), entries: &["sum_f32", "sum_f16", "sum_bf16", "sum_i64"] },
    Module { ptx: include_str!("../../kernels/timed.ptx"), entries: &["timed", "timed_cycles"] },
    Module {
        ptx: include_str!("../../kernels/instruments.ptx"),
        entries: &["tick", "collect", "echo", "hold", "empty", "bandwidth"],
    },
];

/// Size of what [`Argument::Scratch`] points to: `{ double sum; unsigned ticket, pad; }`, zeroed before its first use.
pub(super) const SCRATCH_BYTES: u64 = 16;

/// A launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Entry point, one of [`MODULES`].
    pub entry: &'static str,
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block. Above 48 KB the entry point needs its attribute raised first.
    pub shared_bytes: u32,
    /// All parameters but the last, which is the pointer to the stamps.
    pub arguments: Vec<Argument>,
}

/// A parameter of an entry point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Argument {
    /// Address of an operand that is read.
    Read(usize),
    /// Address of an operand that is written.
    Write(usize),
    /// A number.
    U32(u32),
    /// A number.
    U64(u64),
    /// A number.
    F64(f64),
    /// No address.
    Null,
    /// Address of [`SCRATCH_BYTES`] bytes that no other launch under way uses.
    Scratch,
}

/// What none of these kernels does, as it stands in "the GPU executor does not support …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unsupported {
    /// No variant for the element type.
    #[error("`{kernel}` of {}", dtype.id())]
    ElementType {
        /// The kernel.
        kernel: String,
        /// The type.
        dtype: Dtype,
    },
    /// An operand is missing or too small.
    #[error("`{kernel}` when its {role} {number} has {bytes} bytes, fewer than {needed}")]
    Operand {
        /// The kernel.
        kernel: String,
        /// `operand` or `result`.
        role: &'static str,
        /// Which, counted from 1.
        number: usize,
        /// Its size, 0 when it is missing.
        bytes: u64,
        /// The size that the kernel reads or writes.
        needed: u64,
    },
    /// More results than the kernel writes.
    #[error("`{kernel}` with {count} results, more than {most}")]
    Results {
        /// The kernel.
        kernel: String,
        /// How many are wanted.
        count: usize,
        /// How many it writes.
        most: usize,
    },
    /// A dimension that does not fit its type or the grid.
    #[error("`{kernel}` with a dimension of {dim}, more than {most}")]
    Dimension {
        /// The kernel.
        kernel: String,
        /// The dimension.
        dim: u64,
        /// The largest one.
        most: u64,
    },
}

/// How `kernel` is launched on `gpu`, when it reads and writes operands of these sizes in bytes.
pub(super) fn plan(kernel: &Kernel, reads: &[u64], writes: &[u64], gpu: &Gpu) -> Result<Plan, Unsupported> {
    let request = Request { kernel, reads, writes };
    match *kernel {
        Kernel::Matmul { m, k, n, .. } => request.product("matmul", [m, k, n], gpu),
        Kernel::Linear { m, k, n, .. } => match m {
            1 => request.gemv(k, n),
            2..=16 => request.linear_rows([m, k, n]),
            _ => request.product("linear", [m, k, n], gpu),
        },
        Kernel::LayerNorm { rows, cols } => request.by_rows("layer_norm", rows, cols, 128),
        Kernel::Softmax { rows, cols } => {
            request.by_rows("softmax", rows, cols, (cols.div_ceil(4).min(1024) as u32).next_multiple_of(32).max(32))
        }
        Kernel::Elementwise { function, elements, .. } => request.elementwise(function, elements),
        Kernel::Sum { elements, .. } => request.sum(elements, gpu),
        Kernel::Timed { dur, grid } => request.timed(dur.0.max(0) as f64, &grid, gpu),
    }
}

/// Largest grid in its first dimension, and in the second (CUDA C++ Programming Guide, "Technical Specifications").
const MOST_BLOCKS: u64 = i32::MAX as u64;
const MOST_BLOCKS_Y: u64 = 65_535;

struct Request<'a> {
    kernel: &'a Kernel,
    reads: &'a [u64],
    writes: &'a [u64],
}

impl Request<'_> {
    /// The entry point of a family for the kernel's element type.
    fn entry(&self, family: &str, suffix: &str) -> Result<&'static str, Unsupported> {
        let dtype = self.kernel.dtype();
        let wanted = format!("{family}_{}{suffix}", dtype.id());
        let mut known = MODULES.iter().flat_map(|module| module.entries);
        known
            .find(|entry| **entry == wanted)
            .copied()
            .ok_or_else(|| Unsupported::ElementType { kernel: self.kernel.label(), dtype })
    }

    /// Holds the operands against what the kernel reads and writes, in elements.
    fn check(&self, reads: &[[u64; 2]], write: [u64; 2]) -> Result<(), Unsupported> {
        let needed = |[rows, cols]: [u64; 2]| rows.saturating_mul(cols).saturating_mul(self.kernel.dtype().bytes());
        let fits = |role, index: usize, sizes: &[u64], needed: u64| match sizes.get(index).copied() {
            Some(bytes) if bytes >= needed => Ok(()),
            found => Err(Unsupported::Operand {
                kernel: self.kernel.label(),
                role,
                number: index + 1,
                bytes: found.unwrap_or(0),
                needed,
            }),
        };
        for (index, &shape) in reads.iter().enumerate() {
            fits("operand", index, self.reads, needed(shape))?;
        }
        fits("result", 0, self.writes, needed(write))?;
        self.at_most(1)
    }

    fn at_most(&self, most: usize) -> Result<(), Unsupported> {
        match self.writes.len() {
            count if count > most => Err(Unsupported::Results { kernel: self.kernel.label(), count, most }),
            _ => Ok(()),
        }
    }

    fn dim(&self, dim: u64, most: u64) -> Result<u32, Unsupported> {
        match u32::try_from(dim) {
            Ok(fits) if dim <= most => Ok(fits),
            _ => Err(Unsupported::Dimension { kernel: self.kernel.label(), dim, most }),
        }
    }

    /// Tiles of 128 × 128, or of 64 × 64 when the large ones would leave SMs without work.
    fn product(&self, family: &str, [m, k, n]: [u64; 3], gpu: &Gpu) -> Result<Plan, Unsupported> {
        let tiles = |side: u64| m.div_ceil(side).saturating_mul(n.div_ceil(side));
        let (suffix, side, threads) = match tiles(128) {
            few if few < u64::from(gpu.sms) => ("_small", 64, 128),
            _ => ("", 128, 256),
        };
        let entry = self.entry(family, suffix)?;
        self.check(&[[m, k], [k, n]], [m, n])?;
        let dims = [self.dim(m, MOST_BLOCKS_Y * side)?, self.dim(k, MOST_BLOCKS)?, self.dim(n, MOST_BLOCKS)?];
        let grid = [n.div_ceil(side).max(1) as u32, m.div_ceil(side).max(1) as u32, 1];
        let mut arguments = vec![Argument::Read(0), Argument::Read(1), Argument::Write(0)];
        arguments.extend(dims.map(Argument::U32));
        Ok(Plan { entry, grid, threads, shared_bytes: 0, arguments })
    }

    /// One row: a warp for each row of the weight, or a block where rows are long.
    fn gemv(&self, k: u64, n: u64) -> Result<Plan, Unsupported> {
        let long = k >= 4096;
        let entry = self.entry("gemv", if long { "_long" } else { "" })?;
        self.check(&[[1, k], [n, k]], [1, n])?;
        let dims = [self.dim(k, MOST_BLOCKS)?, self.dim(n, MOST_BLOCKS)?];
        let blocks = if long { n } else { n.div_ceil(4) };
        let mut arguments = vec![Argument::Read(0), Argument::Read(1), Argument::Write(0)];
        arguments.extend(dims.map(Argument::U32));
        Ok(Plan { entry, grid: [blocks.max(1) as u32, 1, 1], threads: 128, shared_bytes: 0, arguments })
    }

    fn linear_rows(&self, [m, k, n]: [u64; 3]) -> Result<Plan, Unsupported> {
        let entry = self.entry("linear_rows", "")?;
        self.check(&[[m, k], [n, k]], [m, n])?;
        let dims = [self.dim(m, 16)?, self.dim(k, MOST_BLOCKS)?, self.dim(n, MOST_BLOCKS)?];
        let mut arguments = vec![Argument::Read(0), Argument::Read(1), Argument::Write(0)];
        arguments.extend(dims.map(Argument::U32));
        Ok(Plan { entry, grid: [n.div_ceil(4).max(1) as u32, 1, 1], threads: 128, shared_bytes: 0, arguments })
    }

    /// A block a row.
    fn by_rows(&self, family: &str, rows: u64, cols: u64, threads: u32) -> Result<Plan, Unsupported> {
        let entry = self.entry(family, "")?;
        self.check(&[[rows, cols]], [rows, cols])?;
        let dims = [self.dim(rows, MOST_BLOCKS)?, self.dim(cols, MOST_BLOCKS)?];
        let mut arguments = vec![Argument::Read(0), Argument::Write(0)];
        arguments.extend(dims.map(Argument::U32));
        Ok(Plan { entry, grid: [dims[0].max(1), 1, 1], threads, shared_bytes: 0, arguments })
    }

    fn elementwise(&self, function: Elementwise, elements: u64) -> Result<Plan, Unsupported> {
        use Argument::{F64, Read, U64, Write};
        let n = U64(elements);
        let (family, operands, arguments) = match function {
            Elementwise::Fill(value) => ("fill", 0, vec![Write(0), F64(value), n]),
            Elementwise::Add => ("add", 2, vec![Read(0), Read(1), Write(0), n]),
            Elementwise::AddScalar(by) => ("scale_shift", 1, vec![Read(0), Write(0), n, F64(1.0), F64(by)]),
            // Adding -0 changes no number, not even -0.
            Elementwise::MulScalar(by) => ("scale_shift", 1, vec![Read(0), Write(0), n, F64(by), F64(-0.0)]),
            Elementwise::Gelu => ("gelu", 1, vec![Read(0), Write(0), n]),
            Elementwise::Clone => ("copy", 1, vec![Read(0), Write(0), n]),
        };
        let entry = self.entry(family, "")?;
        self.check(&vec![[1, elements]; operands], [1, elements])?;
        let Grid { blocks, threads, .. } = Grid::elementwise(elements);
        let grid = [blocks.min(MOST_BLOCKS as u32), 1, 1];
        Ok(Plan { entry, grid, threads, shared_bytes: 0, arguments })
    }

    /// As many blocks as are resident at once: each adds its part to one number in turn.
    fn sum(&self, elements: u64, gpu: &Gpu) -> Result<Plan, Unsupported> {
        let entry = self.entry("sum", "")?;
        self.check(&[[1, elements]], [1, 1])?;
        let blocks = elements.div_ceil(4096).clamp(1, u64::from(gpu.sms.max(1)) * 4) as u32;
        let arguments = vec![Argument::Read(0), Argument::Write(0), Argument::U64(elements), Argument::Scratch];
        Ok(Plan { entry, grid: [blocks, 1, 1], threads: 512, shared_bytes: 0, arguments })
    }

    /// Every block spins for its share of `dur_ns`: the waves come one behind the other, and the copy of the first operand into
    /// the results takes the rest.
    fn timed(&self, dur_ns: f64, grid: &Grid, gpu: &Gpu) -> Result<Plan, Unsupported> {
        self.at_most(TIMED_RESULTS)?;
        let copied: u64 = if self.reads.is_empty() { 0 } else { self.writes.iter().sum() };
        let spin_ns = ((dur_ns - copy_ns(copied, grid, gpu)) / f64::from(gpu.waves(grid))).max(0.0);
        let mut arguments = vec![Argument::U64(spin_ns.round() as u64)];
        arguments.extend(match self.reads.first() {
            Some(&bytes) => [Argument::Read(0), Argument::U64(bytes)],
            None => [Argument::Null, Argument::U64(0)],
        });
        arguments.extend((0..TIMED_RESULTS).flat_map(|index| match self.writes.get(index) {
            Some(&bytes) => [Argument::Write(index), Argument::U64(bytes)],
            None => [Argument::Null, Argument::U64(0)],
        }));
        let shared_bytes = shared_bytes(grid, gpu);
        Ok(Plan { entry: "timed", grid: [grid.blocks, 1, 1], threads: grid.threads, shared_bytes, arguments })
    }
}

/// How many results `timed` writes.
const TIMED_RESULTS: usize = 4;

/// Registers of `timed`, held by its launch bounds: as many as leave an SM all its threads.
const TIMED_REGISTERS: u32 = 32;

/// How long `timed` copies, in ns, as an estimate: a round trip to memory, and then the slower of two limits, the bandwidth
/// that the busy SMs get, and the 32 bytes that each resident thread has on their way.
fn copy_ns(bytes: u64, grid: &Grid, gpu: &Gpu) -> f64 {
    const ROUND_TRIP_NS: f64 = 700.0;
    const UNDER_WAY_BYTES: f64 = 32.0;
    if bytes == 0 {
        return 0.0;
    }
    let bytes = bytes as f64;
    let blocks = f64::from(grid.blocks).max(1.0);
    let resident = blocks.min(f64::from(gpu.blocks_per_sm(grid)) * f64::from(gpu.sms)) * f64::from(grid.threads.max(1));
    // GB/s are bytes per ns; each byte is read and written.
    let bandwidth = gpu.bandwidth.saturating(blocks.min(f64::from(gpu.sms))).max(1.0);
    ROUND_TRIP_NS + (2.0 * bytes / bandwidth).max(bytes * ROUND_TRIP_NS / (resident * UNDER_WAY_BYTES))
}

/// Dynamic shared memory of a timed block. The registers of a kernel cannot be chosen at launch, so a grid that is to be
/// limited by them is limited by shared memory instead: the least of which one block more than [`Gpu::blocks_per_sm`] does not
/// fit. The approximation: beside such a grid there is less shared memory free, and more registers, than the grid asks for.
fn shared_bytes(grid: &Grid, gpu: &Gpu) -> u32 {
    // Shared memory is given out in units of 128 bytes (CUDA occupancy calculator, cc 8.0 and later).
    const UNIT: u32 = 128;
    let most = gpu.blocks_per_sm(grid);
    if gpu.blocks_per_sm(&Grid { registers: TIMED_REGISTERS, ..*grid }) <= most {
        return grid.shared_bytes;
    }
    let reserved = gpu.shared_reserved_per_block;
    let least = (gpu.shared_bytes_per_sm / (most + 1) + 1).saturating_sub(reserved).next_multiple_of(UNIT);
    let largest = (gpu.shared_bytes_per_sm / most).saturating_sub(reserved);
    grid.shared_bytes.max(least.min(largest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time::Ns;

    fn h200() -> Gpu {
        crate::profile::shipped("h200").unwrap().gpu
    }

    const DTYPES: [Dtype; 5] = [Dtype::F32, Dtype::F16, Dtype::Bf16, Dtype::I64, Dtype::U8];

    fn grid(blocks: u32, threads: u32, registers: u32, shared_bytes: u32) -> Grid {
        Grid { blocks, threads, registers, shared_bytes }
    }

    /// The types of an entry point's parameters, from the PTX.
    fn parameters(entry: &str) -> Option<Vec<&'static str>> {
        let head = format!(".visible .entry {entry}(");
        let text = MODULES.iter().find_map(|module| module.ptx.split_once(&head))?.1;
        let list = text.split_once(')')?.0;
        Some(list.split(".param .").skip(1).filter_map(|parameter| parameter.split_whitespace().next()).collect())
    }

    /// Kernels of every family and type, with operands of any size.
    fn planned() -> Vec<Plan> {
        let gpu = h200();
        let mut kernels = vec![
            Kernel::LayerNorm { rows: 8, cols: 2048 },
            Kernel::Softmax { rows: 8, cols: 2048 },
            Kernel::Timed { dur: Ns(1000), grid: grid(1, 128, 32, 0) },
        ];
        for dtype in DTYPES {
            for (m, k, n) in [(1, 64, 64), (1, 8192, 64), (8, 64, 64), (64, 64, 64), (8192, 64, 8192)] {
                kernels.push(Kernel::Matmul { m, k, n, dtype });
                kernels.push(Kernel::Linear { m, k, n, dtype });
            }
            for function in [
                Elementwise::Add,
                Elementwise::AddScalar(1.0),
                Elementwise::MulScalar(2.0),
                Elementwise::Gelu,
                Elementwise::Clone,
                Elementwise::Fill(1.0),
            ] {
                kernels.push(Kernel::Elementwise { function, elements: 1000, dtype });
            }
            kernels.push(Kernel::Sum { elements: 1000, dtype });
        }
        let large = 1 << 40;
        kernels.iter().filter_map(|kernel| plan(kernel, &[large, large], &[large], &gpu).ok()).collect()
    }

    #[test]
    fn the_list_of_entry_points_is_that_of_the_ptx() {
        for module in MODULES {
            let there: Vec<&str> = module
                .ptx
                .lines()
                .filter_map(|line| line.strip_prefix(".visible .entry ")?.split('(').next())
                .collect();
            let mut listed = module.entries.to_vec();
            let mut found = there;
            listed.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, listed);
        }
    }

    #[test]
    fn a_launch_passes_what_its_entry_point_takes() {
        let plans = planned();
        for plan in &plans {
            let passed: Vec<&str> = plan
                .arguments
                .iter()
                .map(|argument| match argument {
                    Argument::U32(_) => "u32",
                    Argument::F64(_) => "f64",
                    Argument::Read(_) | Argument::Write(_) | Argument::Null | Argument::Scratch | Argument::U64(_) => {
                        "u64"
                    }
                })
                .chain(["u64"])
                .collect();
            assert_eq!(Some(passed), parameters(plan.entry), "{}", plan.entry);
        }
        let reached = |entry: &str| plans.iter().any(|plan| plan.entry == entry);
        let tools = ["timed_cycles", "tick", "collect", "echo", "hold", "empty", "bandwidth"];
        for entry in MODULES.iter().flat_map(|module| module.entries) {
            assert!(reached(entry) != tools.contains(entry), "{entry} is launched by no kernel of the catalogue");
        }
    }

    #[test]
    fn the_rows_decide_who_multiplies() {
        let gpu = h200();
        let entry = |kernel| plan(&kernel, &[1 << 40, 1 << 40], &[1 << 40], &gpu).map(|plan| (plan.entry, plan.grid));
        let linear = |m, k, n| entry(Kernel::Linear { m, k, n, dtype: Dtype::F32 });
        assert_eq!(linear(1, 2048, 6144), Ok(("gemv_f32", [1536, 1, 1])));
        assert_eq!(linear(1, 8192, 2048), Ok(("gemv_f32_long", [2048, 1, 1])));
        assert_eq!(linear(16, 2048, 2049), Ok(("linear_rows_f32", [513, 1, 1])));
        assert_eq!(linear(17, 2048, 2049), Ok(("linear_f32_small", [33, 1, 1])));
        assert_eq!(linear(4096, 512, 2049), Ok(("linear_f32", [17, 32, 1])));
        let matmul = |m, k, n| entry(Kernel::Matmul { m, k, n, dtype: Dtype::Bf16 });
        assert_eq!(matmul(1, 1024, 1024), Ok(("matmul_bf16_small", [16, 1, 1])));
        assert_eq!(matmul(1024, 1024, 1024), Ok(("matmul_bf16_small", [16, 16, 1])));
        assert_eq!(matmul(4096, 4096, 4096), Ok(("matmul_bf16", [32, 32, 1])));
    }

    #[test]
    fn what_no_kernel_does_is_said_in_words() {
        let gpu = h200();
        let said = |kernel, reads: &[u64], writes: &[u64]| match plan(&kernel, reads, writes, &gpu) {
            Ok(plan) => plan.entry.to_owned(),
            Err(reason) => reason.to_string(),
        };
        let gelu = |dtype| Kernel::Elementwise { function: Elementwise::Gelu, elements: 4, dtype };
        assert_eq!(said(gelu(Dtype::I64), &[32], &[32]), "`gelu` of i64");
        assert_eq!(said(gelu(Dtype::F16), &[8], &[8]), "gelu_f16");
        assert_eq!(said(gelu(Dtype::F32), &[16], &[8]), "`gelu` when its result 1 has 8 bytes, fewer than 16");
        let add = Kernel::Elementwise { function: Elementwise::Add, elements: 4, dtype: Dtype::U8 };
        assert_eq!(said(add, &[4], &[4]), "`add` when its operand 2 has 0 bytes, fewer than 4");
        assert_eq!(said(add, &[4, 4], &[4, 4]), "`add` with 2 results, more than 1");
        let timed = Kernel::Timed { dur: Ns(1000), grid: grid(1, 32, 32, 0) };
        assert_eq!(said(timed, &[4], &[4; 5]), "`kernel 1.00 µs` with 5 results, more than 4");
        let wide = Kernel::Softmax { rows: 1, cols: 1 << 31 };
        assert_eq!(
            said(wide, &[u64::MAX], &[u64::MAX]),
            "`softmax 1×2147483648` with a dimension of 2147483648, more than 2147483647"
        );
    }

    #[test]
    fn a_timed_grid_spends_its_time_wave_by_wave() {
        let gpu = h200();
        let spin = |dur, grid, reads: &[u64], writes: &[u64]| {
            plan(&Kernel::Timed { dur: Ns(dur), grid }, reads, writes, &gpu).unwrap().arguments[0]
        };
        // 16 blocks of 128 threads fill an SM, so 132 × 16 are one wave.
        assert_eq!(spin(9000, grid(2112, 128, 32, 0), &[], &[]), Argument::U64(9000));
        assert_eq!(spin(9000, grid(2113, 128, 32, 0), &[], &[]), Argument::U64(4500));
        // Nothing is copied without a source; what is copied takes time out of the spin, never more than there is.
        assert_eq!(spin(9000, grid(1, 128, 32, 0), &[], &[4096]), Argument::U64(9000));
        let Argument::U64(left) = spin(9000, grid(1, 128, 32, 0), &[4096], &[4096]) else { panic!("a number") };
        assert!(0 < left && left < 9000, "{left}");
        assert_eq!(spin(9000, grid(1, 128, 32, 0), &[1 << 30], &[1 << 30]), Argument::U64(0));
        assert_eq!(spin(-5, grid(1, 128, 32, 0), &[], &[]), Argument::U64(0));
    }

    proptest! {
        #[test]
        fn as_many_timed_blocks_fit_as_the_grid_allows(
            threads in 1u32..=1024, registers in 1u32..=255, shared in 0u32..=232_448,
        ) {
            let gpu = h200();
            let asked = grid(1000, threads, registers, shared);
            let planned = plan(&Kernel::Timed { dur: Ns(1000), grid: asked }, &[], &[], &gpu).unwrap();
            let launched = grid(1000, threads, TIMED_REGISTERS, planned.shared_bytes);
            prop_assert!(planned.shared_bytes >= shared);
            prop_assert!(planned.shared_bytes <= gpu.shared_bytes_per_sm - gpu.shared_reserved_per_block);
            prop_assert_eq!(gpu.blocks_per_sm(&launched), gpu.blocks_per_sm(&asked));
        }
    }
}
