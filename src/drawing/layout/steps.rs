//! The line of a value that changes in steps, never more than one point a pixel.

use super::super::drawable::{Point, Rect};
use super::super::view::TimeScale;
use super::Options;
use super::peaks::Peaks;
use crate::time::Interval;

/// The corners of the line of `peaks` within `inner`, each value at `height`. Where steps are narrower than a pixel, the line is at
/// `folded` for all that lies within one.
pub(super) fn line<V: Copy + Default + Ord>(
    peaks: &Peaks<V>,
    options: &Options<'_>,
    scale: TimeScale,
    inner: Rect,
    height: impl Fn(V) -> f32,
    mut folded: impl FnMut(Interval) -> f32,
) -> Vec<Point> {
    let view = options.view.interval;
    let columns = (inner.w / options.pixel.max(0.1)) as usize;
    let mut points = vec![Point::new(inner.x, height(peaks.value(view.start)))];
    if peaks.count(view) <= columns {
        points.extend(peaks.steps(view).map(|(at, value)| Point::new(scale.x(at), height(value))));
        return points;
    }
    for column in 0..columns {
        let (left, right) = (column as f32 * options.pixel, (column + 1) as f32 * options.pixel);
        let within = Interval::new(scale.time(inner.x + left), scale.time(inner.x + right));
        push_step(&mut points, Point::new(inner.x + left, folded(within)));
    }
    points
}

/// Adds a step unless the line runs on at the same height.
fn push_step(points: &mut Vec<Point>, point: Point) {
    if points.last().is_none_or(|last| last.y != point.y) {
        points.push(point);
    }
}
