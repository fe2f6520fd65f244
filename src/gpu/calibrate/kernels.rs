//! Kernel times by shape, each run as the executor runs it: by a kernel of our own, which stamps, or by cuBLAS, between events.

use std::cell::Cell;

use cudarc::driver::sys::CUdevice_attribute;

use super::super::driver::{self, Answer, Blas, Code, DeviceMemory, Function, Gemm, LaunchShape};
use super::super::kernels::{Argument, SCRATCH_BYTES};
use super::super::plans::{self, Launch};
use super::super::slots::{self, Slot};
use super::bench::Bench;
use super::figures::{Figures, median};
use crate::kernel::{Dtype, Elementwise, Grid, Kernel};
use crate::profile::{Catalogue, CatalogueEntry, Profile};

/// Rows of a step that decodes, in the buckets of captured graphs.
const DECODE_ROWS: [u64; 5] = [1, 2, 4, 8, 16];

pub(super) fn measure(bench: &Bench<'_>, base: &Profile, figures: &mut Figures<'_>) -> Catalogue {
    let floor_us = figures.number("kernels.floor_us", base.kernels.floor_us, || empty_us(bench));
    let lab = Lab::new(bench, floor_us);
    let mut entries = Vec::new();
    let decoding = DECODE_ROWS.into_iter().flat_map(decode_shapes).map(|kernel| entry_of(base, &kernel));
    for before in base.kernels.entries.iter().cloned().chain(decoding) {
        let known = |entry: &CatalogueEntry| {
            (&entry.family, entry.dtype, entry.dims) == (&before.family, before.dtype, before.dims)
        };
        if entries.iter().any(known) {
            continue;
        }
        entries.push(measured(&lab, base, before, figures));
    }
    let tflops = figures.number("kernels.tflops", base.kernels.tflops, || Ok(tflops(&entries)));
    Catalogue {
        measured: format!(
            "from the start of the first block to the end of the last by stamps in the kernel, the median of several back \
             to back; {}",
            if bench.session.has_blas {
                "products of cuBLAS between events, less what those add"
            } else {
                "products by kernels of our own, since there is no cuBLAS"
            }
        ),
        instrument_us: 0.0,
        floor_us,
        tflops,
        entries,
    }
}

/// What a decoding step does besides its products, for `rows` rows of the presets' width.
fn decode_shapes(rows: u64) -> [Kernel; 4] {
    const WIDTH: u64 = 2048;
    let elementwise = |function, elements| Kernel::Elementwise { function, elements, dtype: Dtype::F32 };
    [
        Kernel::LayerNorm { rows, cols: WIDTH },
        elementwise(Elementwise::Add, rows * WIDTH),
        elementwise(Elementwise::Clone, rows * WIDTH),
        elementwise(Elementwise::Gelu, rows * 4 * WIDTH),
    ]
}

/// What the other machine is thought to take for a shape that it has no entry for.
fn entry_of(base: &Profile, kernel: &Kernel) -> CatalogueEntry {
    let cost = base.kernel_cost(kernel);
    CatalogueEntry {
        family: kernel.family().to_owned(),
        dtype: kernel.dtype(),
        dims: kernel.dims(),
        us: cost.dur.us() + base.kernels.instrument_us * f64::from(cost.kernels),
        kernels: cost.kernels,
        grid: cost.grid,
    }
}

/// An entry of the catalogue as this machine has it.
fn measured(lab: &Lab<'_>, base: &Profile, before: CatalogueEntry, figures: &mut Figures<'_>) -> CatalogueEntry {
    // Without what the instrument of the other machine added, since ours adds nothing.
    let kernels = f64::from(before.kernels);
    let base_us = (before.us - base.kernels.instrument_us * kernels).max(base.kernels.floor_us);
    let kernel = kernel_of(&before);
    let mut shape = None;
    let us = figures.number(&name(&before), base_us, || {
        let timing = lab.time(&kernel.ok_or(Code(801))?)?;
        shape = Some((timing.grid, timing.kernels));
        Ok(timing.us)
    });
    let (grid, kernels) = shape.unwrap_or((None, None));
    CatalogueEntry { us, kernels: kernels.unwrap_or(before.kernels), grid: grid.unwrap_or(before.grid), ..before }
}

/// Such as `kernels.entries.add f32 2048×1×1`.
fn name(entry: &CatalogueEntry) -> String {
    let [a, b, c] = entry.dims;
    format!("kernels.entries.{} {} {a}×{b}×{c}", entry.family, entry.dtype.id())
}

/// The kernel that an entry stands for.
fn kernel_of(entry: &CatalogueEntry) -> Option<Kernel> {
    let [a, b, c] = entry.dims;
    let dtype = entry.dtype;
    let elementwise = |function| Kernel::Elementwise { function, elements: a, dtype };
    Some(match entry.family.as_str() {
        "matmul" => Kernel::Matmul { m: a, k: b, n: c, dtype },
        "linear" => Kernel::Linear { m: a, k: b, n: c, dtype },
        "layer_norm" => Kernel::LayerNorm { rows: a, cols: b },
        "softmax" => Kernel::Softmax { rows: a, cols: b },
        "sum" => Kernel::Sum { elements: a, dtype },
        "add" => elementwise(Elementwise::Add),
        "scalar" => elementwise(Elementwise::MulScalar(1.0001)),
        "gelu" => elementwise(Elementwise::Gelu),
        "clone" => elementwise(Elementwise::Clone),
        "fill" => elementwise(Elementwise::Fill(1.0)),
        _ => return None,
    })
}

/// Elements of the operands and of the result.
fn operands(kernel: &Kernel) -> (Vec<u64>, u64) {
    match *kernel {
        Kernel::Matmul { m, k, n, .. } | Kernel::Linear { m, k, n, .. } => (vec![m * k, k * n], m * n),
        Kernel::LayerNorm { rows, cols } | Kernel::Softmax { rows, cols } => (vec![rows * cols], rows * cols),
        Kernel::Sum { elements, .. } => (vec![elements], 1),
        Kernel::Elementwise { function, elements, .. } => match function {
            Elementwise::Add => (vec![elements; 2], elements),
            Elementwise::Fill(_) => (Vec::new(), elements),
            Elementwise::AddScalar(_) | Elementwise::MulScalar(_) => (vec![elements], elements),
            Elementwise::Gelu | Elementwise::Clone => (vec![elements], elements),
        },
        Kernel::Timed { .. } => (Vec::new(), 0),
    }
}

/// The rate of the largest product of `f32`, in TFLOP/s.
fn tflops(entries: &[CatalogueEntry]) -> f64 {
    let flops = |entry: &CatalogueEntry| kernel_of(entry).map_or(0.0, |kernel| kernel.work().flops);
    let products = entries.iter().filter(|entry| {
        entry.dtype == Dtype::F32 && (entry.family == "matmul" || entry.family == "linear") && entry.us > 0.0
    });
    let largest = products.max_by(|a, b| flops(a).total_cmp(&flops(b)));
    largest.map_or(f64::NAN, |entry| flops(entry) / entry.us / 1e6)
}

/// From the first start to the last end, in µs.
pub(super) fn span_us(blocks: &[Slot]) -> f64 {
    let start = blocks.iter().map(|block| block.start).min().unwrap_or(0);
    let end = blocks.iter().map(|block| block.end()).max().unwrap_or(0);
    end.saturating_sub(start) as f64 / 1e3
}

fn empty_us(bench: &Bench<'_>) -> Answer<f64> {
    const KERNELS: u64 = 200;
    bench.gap_us(KERNELS - 1, |_| Ok(()))?;
    Ok(median(bench.stamps(KERNELS)?.into_iter().map(|slot| span_us(&[slot])).collect()))
}

/// How long a shape takes, and how it is launched.
struct Timing {
    us: f64,
    /// None where the library does not tell.
    grid: Option<Grid>,
    /// None where a library cannot be captured.
    kernels: Option<u32>,
}

/// What kernels are timed with.
struct Lab<'b> {
    bench: &'b Bench<'b>,
    blas: Answer<Blas>,
    /// What events add to the time of a kernel between them.
    events_us: Answer<f64>,
}

impl<'b> Lab<'b> {
    fn new(bench: &'b Bench<'b>, floor_us: f64) -> Self {
        let blas = if bench.session.has_blas { Blas::new(&bench.stream) } else { Err(Code(801)) };
        let events_us = bench.event_pair_us(100, |stream| bench.empty(stream, Some(0))).map(|us| us - floor_us);
        Self { bench, blas, events_us }
    }

    fn time(&self, kernel: &Kernel) -> Answer<Timing> {
        let (reads, written) = operands(kernel);
        let bytes = |elements: u64| elements * kernel.dtype().bytes();
        let sizes: Vec<u64> = reads.iter().map(|elements| bytes(*elements)).collect();
        let refused = |_| Code(801);
        let session = self.bench.session;
        let launch = Launch::of(session, kernel, &sizes, &[bytes(written)], session.has_blas, "").map_err(refused)?;
        let operand = |(place, bytes): (usize, &u64)| -> Answer<Vec<DeviceMemory>> {
            (0..self.copies(kernel, place, *bytes)?).map(|_| self.ones(*bytes, kernel.dtype())).collect()
        };
        let operands = sizes.iter().enumerate().map(operand).collect::<Answer<Vec<_>>>()?;
        let result = DeviceMemory::zeroed(bytes(written))?;
        self.bench.settle()?;
        let read = |place: usize, turn: u64| {
            let copies: &[DeviceMemory] = operands.get(place).map_or(&[], Vec::as_slice);
            copies.get(turn as usize % copies.len().max(1)).map_or(0, DeviceMemory::address)
        };
        let timing = match &launch {
            Launch::Library(gemm) => self.library(gemm, &read, result.address()),
            Launch::Own { function, shape, arguments } => {
                self.own(*function, shape, arguments, &read, result.address())
            }
        };
        // Before the memory goes, also after an error.
        self.bench.settle()?;
        timing
    }

    /// How many copies of an operand take turns. A model has more weights than the L2 cache holds, so that each comes from memory
    /// by the time that it is read again; everything else was just written or read.
    fn copies(&self, kernel: &Kernel, place: usize, bytes: u64) -> Answer<u64> {
        const MOST: u64 = 32;
        if place != 1 || !matches!(kernel, Kernel::Linear { .. }) {
            return Ok(1);
        }
        let l2_bytes = self.bench.session.context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?;
        Ok((2 * u64::from(l2_bytes)).div_ceil(bytes.max(1)).clamp(1, MOST))
    }

    /// As scenarios fill their tensors.
    fn ones(&self, bytes: u64, dtype: Dtype) -> Answer<DeviceMemory> {
        let memory = DeviceMemory::zeroed(bytes)?;
        let word = match dtype {
            Dtype::F32 => 0x3f80_0000,
            Dtype::F16 => 0x3c00_3c00,
            Dtype::Bf16 => 0x3f80_3f80,
            Dtype::I64 | Dtype::U8 => 0,
        };
        driver::fill(memory.address(), word, bytes, &self.bench.stream)?;
        Ok(memory)
    }

    fn own(
        &self,
        function: Function,
        shape: &LaunchShape,
        planned: &[Argument],
        reads: &dyn Fn(usize, u64) -> u64,
        write: u64,
    ) -> Answer<Timing> {
        const WARM: u64 = 3;
        const LAUNCHES: u64 = 12;
        let blocks = shape.grid.iter().fold(1_u32, |blocks, side| blocks.saturating_mul(*side));
        let scratch = DeviceMemory::zeroed(SCRATCH_BYTES)?;
        let stamps = DeviceMemory::zeroed(LAUNCHES * u64::from(blocks) * slots::BYTES)?;
        for launch in 0..WARM + LAUNCHES {
            let mut arguments = plans::arguments(planned, |place| reads(place, launch), |_| write, scratch.address());
            let place = launch.saturating_sub(WARM);
            arguments.push(stamps.address() + place * u64::from(blocks) * slots::BYTES);
            function.launch(shape, &self.bench.stream, &mut arguments)?;
        }
        self.bench.stream.synchronize()?;
        let mut written = vec![Slot::default(); (LAUNCHES * u64::from(blocks)) as usize];
        stamps.read(0, &mut written)?;
        let us = median(written.chunks_exact(blocks.max(1) as usize).map(span_us).collect());
        let (registers, shared_bytes) = function.needs()?;
        let shared_bytes = shared_bytes + shape.shared_bytes;
        Ok(Timing {
            us,
            grid: Some(Grid { blocks, threads: shape.threads, registers, shared_bytes }),
            kernels: Some(1),
        })
    }

    fn library(&self, gemm: &Gemm, reads: &dyn Fn(usize, u64) -> u64, write: u64) -> Answer<Timing> {
        let blas = self.blas.as_ref().map_err(|code| *code)?;
        let turn = Cell::new(0);
        let product = || {
            turn.set(turn.get() + 1);
            blas.gemm(&self.bench.stream, gemm, reads(0, turn.get()), reads(1, turn.get()), write)
        };
        let events_us = self.events_us?;
        // The first call of a shape loads its kernels, which may wait for the device: not behind a held stream.
        for _ in 0..3 {
            product()?;
        }
        self.bench.settle()?;
        let us = self.bench.event_pair_us(9, |_| product())? - events_us;
        // A graph of the call has a node for each of its kernels.
        let graph = self.bench.capture(product);
        let nodes = graph.and_then(|graph| graph.node_count()).ok();
        let kernels = nodes.and_then(|nodes| u32::try_from(nodes).ok()).filter(|kernels| *kernels > 0);
        Ok(Timing { us, grid: None, kernels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::shipped;

    #[test]
    fn each_entry_of_a_shipped_catalogue_can_be_run() {
        let base = shipped("h200").unwrap();
        for entry in &base.kernels.entries {
            let kernel = kernel_of(entry).unwrap_or_else(|| panic!("no kernel for {}", entry.family));
            assert_eq!((kernel.family(), kernel.dtype(), kernel.dims()), (&*entry.family, entry.dtype, entry.dims));
            let (reads, written) = operands(&kernel);
            let bytes = |elements: u64| elements * entry.dtype.bytes();
            let sizes: Vec<u64> = reads.into_iter().map(bytes).collect();
            let plan = super::super::super::kernels::plan(&kernel, &sizes, &[bytes(written)], &base.gpu);
            assert!(plan.is_ok(), "{}: {plan:?}", kernel.label());
        }
    }

    #[test]
    fn the_largest_product_gives_the_rate() {
        let entry = |family: &str, side: u64, us: f64| CatalogueEntry {
            family: family.to_owned(),
            dtype: Dtype::F32,
            dims: [side; 3],
            us,
            kernels: 1,
            grid: Grid::elementwise(1),
        };
        let entries = [entry("matmul", 1000, 100.0), entry("linear", 2000, 400.0), entry("matmul", 10, 0.001)];
        assert!((tflops(&entries) - 40.0).abs() < 1e-9);
        assert!(tflops(&[]).is_nan());
    }

    #[test]
    fn a_kernel_lasts_from_its_first_start_to_its_last_end() {
        let slot = Slot::of_test;
        assert_eq!(span_us(&[slot(2000, 3000), slot(1000, 2500), slot(1500, 4000)]), 3.0);
        assert_eq!(span_us(&[]), 0.0);
    }
}
