//! Every kernel against plain loops, with fresh random numbers.

use streamscope::gpu;
use streamscope::kernel::{Dtype, Elementwise, Grid, Kernel};
use streamscope::time::Ns;

use super::Check;
use super::reference::{self, Random, close};

pub const CHECKS: &[Check] = &[
    ("kernels: products", products),
    ("kernels: elementwise", elementwise),
    ("kernels: rows and sums", rows_and_sums),
    ("kernels: timed", timed),
];

/// How far a result may be off, relative to its size.
const RELATIVE: f64 = 1e-3;

fn bytes(values: &[f32], dtype: Dtype) -> Vec<u8> {
    match dtype {
        Dtype::F32 => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Dtype::F16 => values.iter().flat_map(|value| reference::f16_bits(*value).to_le_bytes()).collect(),
        Dtype::Bf16 => values.iter().flat_map(|value| reference::bf16_bits(*value).to_le_bytes()).collect(),
        Dtype::I64 => values.iter().flat_map(|value| (*value as i64).to_le_bytes()).collect(),
        Dtype::U8 => values.iter().map(|value| *value as u8).collect(),
    }
}

fn values(bytes: &[u8], dtype: Dtype) -> Vec<f32> {
    let short = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
    match dtype {
        Dtype::F32 => bytes.chunks_exact(4).map(|it| f32::from_le_bytes(it.try_into().unwrap())).collect(),
        Dtype::F16 => bytes.chunks_exact(2).map(|it| reference::f16_value(short(it))).collect(),
        Dtype::Bf16 => bytes.chunks_exact(2).map(|it| reference::bf16_value(short(it))).collect(),
        Dtype::I64 => bytes.chunks_exact(8).map(|it| i64::from_le_bytes(it.try_into().unwrap()) as f32).collect(),
        Dtype::U8 => bytes.iter().map(|it| f32::from(*it)).collect(),
    }
}

/// Numbers as an element type holds them.
fn held(values_: &[f32], dtype: Dtype) -> Vec<f32> {
    values(&bytes(values_, dtype), dtype)
}

/// What rounding the result to its type may add to the error of the sum.
fn tolerance(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::F32 | Dtype::I64 | Dtype::U8 => RELATIVE,
        Dtype::F16 => RELATIVE + 2f64.powi(-11),
        Dtype::Bf16 => RELATIVE + 2f64.powi(-8),
    }
}

fn compute(kernel: &Kernel, reads: &[&[f32]], elements: usize, library: bool) -> Vec<f32> {
    let dtype = kernel.dtype();
    let operands: Vec<Vec<u8>> = reads.iter().map(|read| bytes(read, dtype)).collect();
    let results = gpu::compute(0, kernel, &operands, &[elements as u64 * dtype.bytes()], library);
    values(&results.unwrap_or_else(|error| panic!("{kernel:?}: {error}"))[0], dtype)
}

fn products() -> String {
    let seed = reference::fresh_seed();
    let mut random = Random::new(seed);
    let mut count = 0;
    for dtype in [Dtype::F32, Dtype::F16, Dtype::Bf16] {
        for (m, k, n) in
            [(1, 64, 130), (1, 5000, 67), (1, 4096, 33), (3, 100, 70), (16, 257, 65), (33, 130, 129), (200, 300, 210)]
        {
            // Positive operands: a sum near 0 would make the relative error one of the reference.
            let a = held(&random.uniform(m * k, 0.1, 1.0), dtype);
            let b = held(&random.uniform(k * n, 0.1, 1.0), dtype);
            let (wide_m, wide_k, wide_n) = (m as u64, k as u64, n as u64);
            let matmul = Kernel::Matmul { m: wide_m, k: wide_k, n: wide_n, dtype };
            let linear = Kernel::Linear { m: wide_m, k: wide_k, n: wide_n, dtype };
            for library in [false, true] {
                for (kernel, expected) in
                    [(matmul, reference::matmul(&a, &b, m, k, n)), (linear, reference::linear(&a, &b, m, k, n))]
                {
                    let found = compute(&kernel, &[&a, &b], m * n, library);
                    let verdict = close(&found, &expected, tolerance(dtype));
                    verdict.unwrap_or_else(|miss| panic!("{kernel:?}, cuBLAS {library}, seed {seed}: {miss}"));
                    count += 1;
                }
            }
        }
    }
    format!("{count} products, own and cuBLAS, relative error below {RELATIVE} and the rounding of the type")
}

fn elementwise() -> String {
    let seed = reference::fresh_seed();
    let mut random = Random::new(seed);
    let mut count = 0;
    for dtype in [Dtype::F32, Dtype::F16, Dtype::Bf16, Dtype::I64, Dtype::U8] {
        for n in [1_usize, 7, 1024, 100_003] {
            let (low, high) = if matches!(dtype, Dtype::U8 | Dtype::I64) { (1.0, 60.0) } else { (0.2, 3.0) };
            let a = held(&random.uniform(n, low, high), dtype);
            let b = held(&random.uniform(n, low, high), dtype);
            let kernel = |function| Kernel::Elementwise { function, elements: n as u64, dtype };
            let cases = [
                (kernel(Elementwise::Add), vec![&a, &b], reference::add(&a, &b)),
                (kernel(Elementwise::AddScalar(2.0)), vec![&a], reference::scale_shift(&a, 1.0, 2.0)),
                (kernel(Elementwise::MulScalar(3.0)), vec![&a], reference::scale_shift(&a, 3.0, 0.0)),
                (kernel(Elementwise::Clone), vec![&a], a.clone()),
                (kernel(Elementwise::Fill(5.0)), vec![], vec![5.0; n]),
                (kernel(Elementwise::Gelu), vec![&a], reference::gelu(&a)),
            ];
            for (kernel, reads, expected) in cases {
                if matches!(kernel, Kernel::Elementwise { function: Elementwise::Gelu, .. })
                    && matches!(dtype, Dtype::I64 | Dtype::U8)
                {
                    continue;
                }
                let reads: Vec<&[f32]> = reads.into_iter().map(Vec::as_slice).collect();
                let found = compute(&kernel, &reads, n, false);
                let verdict = close(&found, &expected, tolerance(dtype));
                verdict.unwrap_or_else(|miss| panic!("{kernel:?}, seed {seed}: {miss}"));
                count += 1;
            }
        }
    }
    format!("{count} results")
}

fn rows_and_sums() -> String {
    let seed = reference::fresh_seed();
    let mut random = Random::new(seed);
    for (rows, cols) in [(1, 2048), (5, 100), (64, 1), (16, 8192), (300, 333)] {
        let x = random.uniform(rows * cols, -2.0, 2.0);
        let (wide_rows, wide_cols) = (rows as u64, cols as u64);
        let norm = compute(&Kernel::LayerNorm { rows: wide_rows, cols: wide_cols }, &[&x], x.len(), false);
        // A normalized value near 0 has no relative error; beside 1 it has.
        let beside_one = |values: &[f32]| values.iter().map(|value| value + 10.0).collect::<Vec<_>>();
        let expected = beside_one(&reference::layer_norm(&x, rows, cols));
        close(&beside_one(&norm), &expected, RELATIVE)
            .unwrap_or_else(|miss| panic!("layer norm {rows}×{cols}, seed {seed}: {miss}"));
        let softmax = compute(&Kernel::Softmax { rows: wide_rows, cols: wide_cols }, &[&x], x.len(), false);
        close(&softmax, &reference::softmax(&x, rows, cols), RELATIVE)
            .unwrap_or_else(|miss| panic!("softmax {rows}×{cols}, seed {seed}: {miss}"));
    }
    for n in [1_usize, 1000, 1_000_003] {
        let x = random.uniform(n, 0.5, 1.5);
        let sum = compute(&Kernel::Sum { elements: n as u64, dtype: Dtype::F32 }, &[&x], 1, false);
        close(&sum, &[reference::sum(&x) as f32], RELATIVE)
            .unwrap_or_else(|miss| panic!("sum of {n}, seed {seed}: {miss}"));
    }
    let whole: Vec<f32> = random.uniform(5000, -100.0, 100.0).iter().map(|x| x.trunc()).collect();
    let expected = reference::sum_i64(&whole.iter().map(|x| *x as i64).collect::<Vec<_>>()) as f32;
    let sum = compute(&Kernel::Sum { elements: 5000, dtype: Dtype::I64 }, &[&whole], 1, false);
    assert_eq!(sum, [expected], "sum of integers, seed {seed}");
    "layer norm, softmax, sum".to_owned()
}

fn timed() -> String {
    let mut random = Random::new(reference::fresh_seed());
    let x = random.uniform(1000, -1.0, 1.0);
    let grid = Grid { blocks: 3, threads: 96, registers: 32, shared_bytes: 0 };
    let found = compute(&Kernel::Timed { dur: Ns(10_000), grid }, &[&x], 2500, false);
    assert_eq!(found, reference::timed(&x, 2500));
    "writes what it reads, over and over".to_owned()
}
