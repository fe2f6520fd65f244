//! How many bytes were held: what tensors have, within what was taken from the driver.

use super::super::super::drawable::Drawable;
use super::super::super::view::TimeScale;
use super::super::rows::PlacedRow;
use super::super::{Options, queue, steps};
use super::MapLane;
use crate::bytes::Bytes;
use crate::text::Key;

/// Room for the peaks in words, above the lines, and the part of the lane that the lines have at least.
const WORDS: f32 = 12.5;
const LEAST: f32 = 0.45;

/// Draws both lines.
pub(in super::super) fn draw(
    map: &MapLane,
    options: &Options<'_>,
    scale: TimeScale,
    placed: &PlacedRow,
    out: &mut Vec<Drawable>,
) {
    let (allocated, reserved) = map.peaks();
    let full = allocated.max(reserved).max(1) as f64;
    let inner = placed.inner;
    let base = inner.bottom();
    let right = scale.x(map.until).clamp(inner.x, inner.right());
    let words = if placed.is_folded { 0.0 } else { WORDS * placed.metrics.scale };
    let room = (inner.h - words).max(LEAST * inner.h);
    let height = |bytes: u64| base - room * (bytes as f64 / full) as f32;
    let theme = options.theme;
    let lines = [
        (&map.reserved, theme.muted.with_alpha(0.14), theme.muted),
        (&map.allocated, theme.queue.with_alpha(0.8), theme.accent),
    ];
    for (peaks, fill, edge) in lines {
        // Memory runs out at its peak, so of what is folded the most counts.
        let mut hint = 0;
        let most = |within| height(peaks.peak_from(&mut hint, within));
        let points = steps::line(peaks, options, scale, inner, height, most);
        out.push(Drawable::Steps { points, right, base, fill, edge });
    }
    if placed.is_folded {
        return;
    }
    let said = |key: Key, bytes: u64| options.lang.fill(key, &[&Bytes(bytes).to_string()]);
    let labels =
        [(said(Key::MemoryAllocated, allocated), theme.accent), (said(Key::MemoryReserved, reserved), theme.muted)];
    queue::corner(&labels, options, inner, placed.metrics, out);
}
