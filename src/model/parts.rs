//! Regions whose bytes do not all hold the same value: what copies and elementwise kernels make of each part.

use super::contents::Contents;
use crate::kernel::Kernel;

/// Most parts that are followed; of more, the mean is.
const MOST: usize = 256;

/// Values of stretches of a region, `(first byte, end, value)` from its start; in order and without gaps.
pub(super) type Parts = Vec<(u64, u64, f64)>;

/// The parts of a region, `None` where it is all one or has too many.
pub(super) fn parts(contents: &Contents, (start, end): (u64, u64)) -> Option<Parts> {
    if contents.is_one(start, end) {
        return None;
    }
    let parts: Parts = contents.pieces(start, end).take(MOST + 1).collect();
    ((2..=MOST).contains(&parts.len()))
        .then(|| parts.iter().map(|(a, b, value)| (a - start, b - start, *value)).collect())
}

/// What an elementwise `kernel` makes of operands of `bytes` bytes each, part by part; `None` where they are all of one value or the
/// kernel is of another kind.
pub(super) fn computed(kernel: &Kernel, contents: &Contents, operands: &[(u64, u64)]) -> Option<Parts> {
    let bytes = operands.first().map(|(start, end)| end - start)?;
    let is_alike = operands.iter().all(|(start, end)| end - start == bytes);
    if !matches!(kernel, Kernel::Elementwise { .. }) || !is_alike {
        return None;
    }
    let each: Vec<Option<Parts>> = operands.iter().map(|range| parts(contents, *range)).collect();
    if each.iter().all(Option::is_none) {
        return None;
    }
    let mut cuts: Vec<u64> = each.iter().flatten().flatten().map(|(start, _, _)| *start).collect();
    cuts.push(bytes);
    cuts.sort_unstable();
    cuts.dedup();
    let stretches = cuts.windows(2).filter_map(|cut| match cut {
        [from, to] => Some((*from, *to)),
        _ => None,
    });
    let value = |(from, to): (u64, u64)| {
        let values: Vec<f64> = operands.iter().map(|(start, _)| contents.mean(start + from, start + to)).collect();
        (from, to, kernel.compute(&values))
    };
    Some(stretches.map(value).collect())
}
