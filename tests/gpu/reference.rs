//! What each kernel must compute, in plain loops and f64, and fresh inputs to try it on.

use std::time::{SystemTime, UNIX_EPOCH};

/// A seed that is another each time; a failing test prints it.
pub fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// Random numbers (SplitMix64).
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `n` numbers from `low` up to, not including, `high`.
    pub fn uniform(&mut self, n: usize, low: f32, high: f32) -> Vec<f32> {
        (0..n)
            .map(|_| low + (self.bits() >> 40) as f32 / (1 << 24) as f32 * (high - low))
            .map(|x| if x < high { x } else { low })
            .collect()
    }
}

/// `a[m, k] @ b[k, n]`.
pub fn matmul(a: &[f32], b: &[f32], m: usize, k: usize, n: usize) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        (0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[i * n + column])).sum::<f64>() as f32
    };
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

/// `x[m, k] @ w[n, k]` transposed.
pub fn linear(x: &[f32], w: &[f32], m: usize, k: usize, n: usize) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        (0..k).map(|i| f64::from(x[row * k + i]) * f64::from(w[column * k + i])).sum::<f64>() as f32
    };
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

/// By rows, without an affine part, eps 1e-5.
pub fn layer_norm(x: &[f32], rows: usize, cols: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(x.len());
    for row in x.chunks(cols).take(rows) {
        let mean = sum(row) / cols as f64;
        let variance = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / cols as f64;
        out.extend(row.iter().map(|x| ((f64::from(*x) - mean) / (variance + 1e-5).sqrt()) as f32));
    }
    out
}

/// By rows.
pub fn softmax(x: &[f32], rows: usize, cols: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(x.len());
    for row in x.chunks(cols).take(rows) {
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f64> = row.iter().map(|x| f64::from(x - most).exp()).collect();
        let total: f64 = powers.iter().sum();
        out.extend(powers.iter().map(|power| (power / total) as f32));
    }
    out
}

/// Of all elements.
pub fn sum(x: &[f32]) -> f64 {
    x.iter().copied().map(f64::from).sum()
}

/// Of whole numbers, which wrap around.
pub fn sum_i64(x: &[i64]) -> i64 {
    x.iter().fold(0, |sum: i64, x| sum.wrapping_add(*x))
}

/// `x * scale + shift`.
pub fn scale_shift(x: &[f32], scale: f64, shift: f64) -> Vec<f32> {
    x.iter().map(|x| (f64::from(*x) * scale + shift) as f32).collect()
}

/// `a + b`.
pub fn add(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// `x` times the normal distribution function of `x`.
pub fn gelu(x: &[f32]) -> Vec<f32> {
    x.iter().map(|x| f64::from(*x)).map(|x| (0.5 * x * (1.0 + erf(x / 2f64.sqrt()))) as f32).collect()
}

/// Error function: its Maclaurin series (DLMF 7.6.1), beyond 5 what is left is below 2e-12.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut power, mut total) = (x, x);
    for n in 1..200 {
        power *= -x * x / f64::from(n);
        total += power / f64::from(2 * n + 1);
    }
    total * std::f64::consts::FRAC_2_SQRT_PI
}

/// What a timed kernel leaves in a result of `n` bytes or elements.
pub fn timed<T: Copy>(operand: &[T], n: usize) -> Vec<T> {
    operand.iter().copied().cycle().take(n).collect()
}

/// A number as binary16, to the nearest, ties to even.
pub fn f16_bits(x: f32) -> u16 {
    let sign = (x.to_bits() >> 16 & 0x8000) as u16;
    let x = f64::from(x).abs();
    if x.is_nan() {
        return 0x7fff;
    }
    // In units of the last place: 2^-24 below 2^-14, and 11 bits from the first one above. Both are exact in f64.
    let exponent = (x.log2().floor() as i32).clamp(-14, 16);
    let units = (x / 2f64.powi(exponent - 10)).round_ties_even();
    let bits = units + f64::from(exponent + 14) * 1024.0;
    sign | if x > 0.0 { bits.min(f64::from(0x7c00)) as u16 } else { 0 }
}

/// The number that binary16 bits stand for.
pub fn f16_value(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(bits & 0x3ff);
    sign * match bits >> 10 & 0x1f {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        exponent => (1024.0 + fraction) * 2f32.powi(i32::from(exponent) - 25),
    }
}

/// A number as bfloat16, to the nearest, ties to even.
pub fn bf16_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        return 0x7fff;
    }
    ((u64::from(bits) + 0x7fff + u64::from(bits >> 16 & 1)) >> 16) as u16
}

/// The number that bfloat16 bits stand for.
pub fn bf16_value(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Whether all are within `relative` of the largest expected magnitude; otherwise what is furthest off.
pub fn close(found: &[f32], expected: &[f32], relative: f64) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} elements instead of {}", found.len(), expected.len()));
    }
    let largest = expected.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max);
    let off = |at: usize| (f64::from(found[at]) - f64::from(expected[at])).abs();
    let inside = |at: &usize| off(*at) <= relative * largest;
    match (0..found.len()).filter(|at| !inside(at)).max_by(|a, b| off(*a).total_cmp(&off(*b))) {
        None => Ok(()),
        Some(at) => Err(format!("element {at} is {} instead of {}", found[at], expected[at])),
    }
}
