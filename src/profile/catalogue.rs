//! Kernel times by shape: what was measured, and what follows for shapes in between.

use serde::{Deserialize, Serialize};

use super::Profile;
use crate::kernel::{Dtype, Grid, Kernel};
use crate::time::Ns;

/// Kernel times of one machine.
///
/// Libraries choose different kernels by shape, so a roofline alone cannot predict them: measured shapes come first, and a
/// shape in between is scaled from its nearest neighbour by the work that it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// How the times were measured.
    pub measured: String,
    /// What the measuring instrument adds to the time between the first block's start and the last one's end, in µs.
    /// CUPTI's records hold the front end's share of a launch; stamps inside the kernel do not.
    pub instrument_us: f64,
    /// Shortest time between first start and last end, in µs.
    pub floor_us: f64,
    /// Arithmetic rate for shapes that nothing measured is near to, in TFLOP/s.
    pub tflops: f64,
    /// One entry a shape.
    pub entries: Vec<CatalogueEntry>,
}

/// One measured shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueEntry {
    /// As [`Kernel::family`].
    pub family: String,
    /// Element type.
    #[serde(default)]
    pub dtype: Dtype,
    /// As [`Kernel::dims`].
    pub dims: [u64; 3],
    /// Time of all its kernels together.
    pub us: f64,
    /// Number of kernels that the library launches for it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub kernels: u32,
    /// The blocks of the longest of them.
    pub grid: Grid,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// What a kernel costs on a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelCost {
    /// From the start of its first block to the end of its last, alone on an idle GPU.
    pub dur: Ns,
    /// Its blocks.
    pub grid: Grid,
    /// Kernels that the library launches for it, one behind the other.
    pub kernels: u32,
    /// Memory bandwidth that it uses alone, in bytes per ns.
    pub bandwidth: f64,
}

impl Profile {
    /// What `kernel` costs on this machine.
    pub fn kernel_cost(&self, kernel: &Kernel) -> KernelCost {
        if let Kernel::Timed { dur, grid } = *kernel {
            return KernelCost { dur: self.speed.of_kernel(dur), grid, kernels: 1, bandwidth: 0.0 };
        }
        let work = kernel.work();
        let (us, grid, kernels) = match self.kernels.nearest(kernel) {
            Some(entry) => (entry.us * scale(entry, kernel), scaled_grid(entry, kernel), entry.kernels),
            None => (self.roofline_us(kernel), Grid::elementwise(kernel.dims().iter().product()), 1),
        };
        let us = (us - self.kernels.instrument_us * f64::from(kernels)).max(self.kernels.floor_us);
        let dur = Ns::from_us(us);
        // The memory is as much faster as the kernels are, so what each asks of it stays the same part.
        let bandwidth = work.bytes / dur.0.max(1) as f64;
        KernelCost { dur: self.speed.of_kernel(dur), grid, kernels, bandwidth }
    }

    fn roofline_us(&self, kernel: &Kernel) -> f64 {
        let work = kernel.work();
        let bytes_per_us = self.gpu.bandwidth.at(f64::from(self.gpu.sms)) * 1e3;
        (work.flops / (self.kernels.tflops * 1e6)).max(work.bytes / bytes_per_us.max(1.0)) + self.kernels.instrument_us
    }
}

impl Catalogue {
    /// The measured shape of the same family and type that is nearest, by the ratios of its dimensions.
    fn nearest(&self, kernel: &Kernel) -> Option<&CatalogueEntry> {
        let (family, dtype, dims) = (kernel.family(), kernel.dtype(), kernel.dims());
        let distance = |entry: &CatalogueEntry| -> f64 {
            entry.dims.iter().zip(dims).map(|(&a, b)| (a.max(1) as f64 / b.max(1) as f64).ln().abs()).sum()
        };
        let same = self.entries.iter().filter(|entry| entry.family == family && entry.dtype == dtype);
        same.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

/// How much longer than `entry` the same family takes for `kernel`: in proportion to the bytes where they bound both, to the
/// arithmetic where that does. A matrix of few rows costs what reading its weights costs.
fn scale(entry: &CatalogueEntry, kernel: &Kernel) -> f64 {
    let measured = with_dims(kernel, entry.dims).work();
    let wanted = kernel.work();
    (wanted.bytes / measured.bytes.max(1.0)).max(wanted.flops / measured.flops.max(1.0)).max(f64::MIN_POSITIVE)
}

fn scaled_grid(entry: &CatalogueEntry, kernel: &Kernel) -> Grid {
    match kernel {
        Kernel::Elementwise { elements, .. } => {
            let Grid { threads, registers, shared_bytes, .. } = entry.grid;
            Grid { threads, registers, shared_bytes, ..Grid::elementwise(*elements) }
        }
        _ => {
            let share: f64 =
                kernel.dims().iter().product::<u64>() as f64 / entry.dims.iter().product::<u64>().max(1) as f64;
            let blocks = (f64::from(entry.grid.blocks) * share.clamp(1.0 / 64.0, 64.0)).round().max(1.0);
            Grid { blocks: if share == 1.0 { entry.grid.blocks } else { blocks as u32 }, ..entry.grid }
        }
    }
}

fn with_dims(kernel: &Kernel, dims: [u64; 3]) -> Kernel {
    let [a, b, c] = dims;
    match *kernel {
        Kernel::Matmul { dtype, .. } => Kernel::Matmul { m: a, k: b, n: c, dtype },
        Kernel::Linear { dtype, .. } => Kernel::Linear { m: a, k: b, n: c, dtype },
        Kernel::LayerNorm { .. } => Kernel::LayerNorm { rows: a, cols: b },
        Kernel::Softmax { .. } => Kernel::Softmax { rows: a, cols: b },
        Kernel::Elementwise { function, dtype, .. } => Kernel::Elementwise { function, elements: a, dtype },
        Kernel::Sum { dtype, .. } => Kernel::Sum { elements: a, dtype },
        Kernel::Timed { dur, grid } => Kernel::Timed { dur, grid },
    }
}
