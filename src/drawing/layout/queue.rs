//! The launch queue's lane: its depth as an area of steps.

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::view::TimeScale;
use super::{Metrics, Options, Prepared};
use crate::text::Key;
use crate::time::Interval;

pub(super) fn draw(
    prepared: &Prepared,
    options: &Options<'_>,
    scale: TimeScale,
    inner: Rect,
    metrics: Metrics,
    out: &mut Vec<Drawable>,
) {
    let queue = &prepared.queue;
    let full = options.queue_max.max(queue.max()).max(1);
    let base = inner.bottom();
    let height = |depth: u32| base - inner.h * depth as f32 / full as f32;
    let view = options.view.interval;
    let columns = (inner.w / options.pixel.max(0.1)) as usize;
    let mut points = vec![Point::new(inner.x, height(queue.value(view.start)))];
    if queue.count(view) <= columns {
        points.extend(queue.steps(view).map(|(at, depth)| Point::new(scale.x(at), height(depth))));
    } else {
        let mut hint = 0;
        for column in 0..columns {
            let (left, right) = (column as f32 * options.pixel, (column + 1) as f32 * options.pixel);
            let within = Interval::new(scale.time(inner.x + left), scale.time(inner.x + right));
            push_step(&mut points, Point::new(inner.x + left, height(queue.peak_from(&mut hint, within))));
        }
    }
    let (fill, edge) = (options.theme.queue, options.theme.queue_edge);
    out.push(Drawable::Steps { points, right: inner.right(), base, fill, edge });
    let label = options.lang.fill(Key::QueueMax, &[&queue.max().to_string()]);
    let size = 9.0 * metrics.scale;
    let right = inner.right() - 6.0 * metrics.scale;
    let margin = 3.0 * metrics.scale;
    let w = fonts::width(&label, size, Weight::Regular) + 2.0 * margin;
    let pad = Rect::new(right + margin - w, inner.y, w, size + margin);
    out.push(Drawable::Box { rect: pad, radius: 2.0, fill: options.theme.lane.with_alpha(0.85), outline: None });
    out.push(Drawable::Text(Text {
        at: Point::new(right, inner.y + size),
        anchor: Anchor::End,
        size,
        weight: Weight::Regular,
        color: options.theme.muted,
        text: label.into(),
    }));
}

/// Adds a step unless the line runs on at the same height.
fn push_step(points: &mut Vec<Point>, point: Point) {
    if points.last().is_none_or(|last| last.y != point.y) {
        points.push(point);
    }
}
