//! The launch queue's lane: its depth as an area of steps.

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::theme::Rgba;
use super::super::view::TimeScale;
use super::{LaneMetrics, Options, Prepared, steps};
use crate::text::Key;

pub(super) fn draw(
    prepared: &Prepared,
    options: &Options<'_>,
    scale: TimeScale,
    inner: Rect,
    metrics: LaneMetrics,
    out: &mut Vec<Drawable>,
) {
    let queue = &prepared.queue;
    let full = options.queue_max.max(queue.max()).max(1);
    let base = inner.bottom();
    let height = |depth: u32| base - inner.h * depth as f32 / full as f32;
    let points = steps::line(queue, options, scale, inner, height);
    let (fill, edge) = (options.theme.queue, options.theme.queue_edge);
    out.push(Drawable::Steps { points, right: inner.right(), base, fill, edge });
    let label = options.lang.fill(Key::QueueMax, &[&queue.max().to_string()]);
    corner(&[(label, options.theme.muted)], options, inner, metrics, out);
}

/// Short texts side by side in the right upper corner, on a pad that lets little of the line through.
pub(super) fn corner(
    texts: &[(String, Rgba)],
    options: &Options<'_>,
    inner: Rect,
    metrics: LaneMetrics,
    out: &mut Vec<Drawable>,
) {
    let size = 9.0 * metrics.scale;
    let margin = 3.0 * metrics.scale;
    let mut right = inner.right() - 6.0 * metrics.scale;
    for (text, color) in texts.iter().rev() {
        let w = fonts::width(text, size, Weight::Regular) + 2.0 * margin;
        let rect = Rect::new(right + margin - w, inner.y, w, size + margin);
        out.push(Drawable::Box { rect, radius: 2.0, fill: options.theme.lane.with_alpha(0.85), outline: None });
        let at = Point::new(right, inner.y + size);
        let (anchor, weight, text) = (Anchor::End, Weight::Regular, text.as_str().into());
        out.push(Drawable::Text(Text { at, anchor, size, weight, color: *color, text }));
        right -= w + margin;
    }
}
