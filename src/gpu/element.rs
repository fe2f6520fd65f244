//! Elements of tensors and buffers, as numbers and as bytes.

use crate::kernel::Dtype;

/// An element as a number.
pub(super) fn value(element: &[u8], dtype: Dtype) -> f64 {
    let word = element.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    match dtype {
        Dtype::F32 => f64::from(f32::from_bits(word as u32)),
        Dtype::Bf16 => f64::from(f32::from_bits((word as u32) << 16)),
        Dtype::F16 => half(word as u16),
        Dtype::I64 => word as i64 as f64,
        Dtype::U8 => word as f64,
    }
}

/// A number as an element, its bytes first to last.
pub(super) fn bits(value: f64, dtype: Dtype) -> [u8; 8] {
    match dtype {
        Dtype::F32 => u64::from((value as f32).to_bits()),
        Dtype::Bf16 => u64::from((value as f32).to_bits().wrapping_add(0x8000) >> 16),
        Dtype::F16 => u64::from(to_half(value)),
        Dtype::I64 => value as i64 as u64,
        Dtype::U8 => u64::from(value as u8),
    }
    .to_le_bytes()
}

/// The 32 bits that, repeated, fill memory with elements of `value`; `None` where they are 64 bits of two different halves.
pub(super) fn word(value: f64, dtype: Dtype) -> Option<u32> {
    let [a, b, c, d, e, f, g, h] = bits(value, dtype);
    let word = |bytes| u32::from_le_bytes(bytes);
    match dtype {
        Dtype::U8 => Some(word([a; 4])),
        Dtype::F16 | Dtype::Bf16 => Some(word([a, b, a, b])),
        Dtype::F32 => Some(word([a, b, c, d])),
        Dtype::I64 => Some(word([a, b, c, d])).filter(|low| *low == word([e, f, g, h])),
    }
}

/// A number of IEEE 754 binary16.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// The nearest number of IEEE 754 binary16, or infinity beyond the largest.
fn to_half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if size.is_nan() {
        return 0x7e00;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = if size < 2f64.powi(-14) { -14 } else { size.log2().floor() as i32 };
    let steps = (size / 2f64.powi(exponent - 10)).round() as u16;
    let carried = (exponent + 14) as u16 * 1024;
    sign | (carried + steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_read_and_written_as_itself() {
        for bits in 0..=u16::MAX {
            let value = half(bits);
            if !value.is_nan() {
                assert_eq!(to_half(value), bits, "{bits:#06x} is {value}");
            }
        }
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
    }

    #[test]
    fn a_word_repeats_the_element() {
        for dtype in [Dtype::F32, Dtype::F16, Dtype::Bf16, Dtype::I64, Dtype::U8] {
            for number in [0.0, 1.0, 2.0, 200.0, -1.0] {
                let element = bits(number, dtype);
                let element = &element[..dtype.bytes() as usize];
                match word(number, dtype) {
                    Some(word) => {
                        let memory = [word.to_le_bytes(), word.to_le_bytes()].concat();
                        assert!(memory.chunks(element.len()).all(|found| found == element), "{number} {}", dtype.id());
                    }
                    None => assert!(dtype == Dtype::I64 && number > 0.0, "{number} {}", dtype.id()),
                }
            }
        }
    }
}
