//! Where calls failed: a mark in the lane of the host thread, at any zoom.

use super::super::drawable::{Drawable, Point, Rect};
use super::super::theme::Rgba;
use super::super::view::TimeScale;
use super::{LaneMetrics, Options, Prepared};
use crate::recording::{Correlation, Lane, Origin, Recording};
use crate::time::{Interval, Ns};

/// Errors that are marked at most.
const MOST: usize = 500;
/// Half the size of a mark.
const HALF: f32 = 6.0;
/// Marks that are nearer than that are drawn as one.
const APART: f32 = 13.0;

/// An error of the run in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorMark {
    /// The lane of the host thread that met it: index into the recording's lanes.
    pub lane: usize,
    /// The call that failed; of one that took no time, the moment after the call before it.
    pub time: Interval,
}

/// The marks of the first errors, in their order; `None` where the thread has no lane.
pub(super) fn marks(recording: &Recording) -> Vec<Option<ErrorMark>> {
    let origins: Vec<&Origin> = recording.errors.iter().take(MOST).map(|error| &error.at).collect();
    let operations = recording.operations_of(&origins);
    let mark = |(origin, operation): (&&Origin, Option<Correlation>)| {
        let track = recording.host_threads().find(|(_, track)| track.host_thread() == Some(origin.thread.into()));
        let (lane, spans) = recording.lanes_of(track?.0).next()?;
        Some(ErrorMark { lane, time: operation.map_or(Interval::default(), |it| time(spans, it)) })
    };
    origins.iter().zip(operations).map(mark).collect()
}

fn time(lane: &Lane, operation: Correlation) -> Interval {
    let so_far = |it: &Correlation| *it != Correlation::NONE && *it <= operation;
    let last = lane.spans.correlations().iter().rposition(so_far).and_then(|last| lane.spans.get(last));
    match last {
        Some(span) if span.correlation == operation => Interval::new(span.start, span.end.max(span.start + Ns(1))),
        Some(before) => Interval::new(before.end, before.end + Ns(1)),
        None => Interval::new(Ns::ZERO, Ns(1)),
    }
}

/// The marks of a lane: a line through it at the start of the call, a frame around the call, and a cross.
pub(super) fn draw(
    prepared: &Prepared,
    lane: usize,
    options: &Options<'_>,
    scale: TimeScale,
    rect: Rect,
    metrics: LaneMetrics,
    out: &mut Vec<Drawable>,
) {
    let (color, ink) = (options.theme.alert, options.theme.background);
    let seen = prepared.errors.iter().flatten().filter(|mark| mark.lane == lane);
    let mut before = f32::NEG_INFINITY;
    for mark in seen.filter(|mark| options.view.interval.overlaps(mark.time)) {
        let [left, right] = [mark.time.start, mark.time.end].map(|at| scale.x(at).clamp(rect.x, rect.right()));
        if left - before < 1.0 {
            continue;
        }
        if right - left >= 3.0 {
            let frame = rect.columns(left, right);
            out.push(Drawable::Box { rect: frame, radius: 0.0, fill: color.with_alpha(0.22), outline: Some(color) });
        }
        let (from, to) = (Point::new(left, rect.y), Point::new(left, rect.bottom()));
        out.push(Drawable::Line { from, to, width: 1.5 * metrics.scale, color });
        if left - before >= APART * metrics.scale {
            cross(flag(rect, left, metrics), color, ink, metrics.scale, out);
            before = left;
        }
    }
}

/// A white cross on a red ground.
fn cross(rect: Rect, color: Rgba, ink: Rgba, scale: f32, out: &mut Vec<Drawable>) {
    out.push(Drawable::Box { rect, radius: 3.0 * scale, fill: color, outline: None });
    let arm = rect.inset(0.28 * rect.w);
    for [from, to] in [
        [Point::new(arm.x, arm.y), Point::new(arm.right(), arm.bottom())],
        [Point::new(arm.x, arm.bottom()), Point::new(arm.right(), arm.y)],
    ] {
        out.push(Drawable::Line { from, to, width: 1.8 * scale, color: ink });
    }
}

/// The ground of the cross: at the upper edge of the lane, within it.
fn flag(rect: Rect, x: f32, metrics: LaneMetrics) -> Rect {
    let half = HALF * metrics.scale;
    let x = x.clamp(rect.x + half, (rect.right() - half).max(rect.x + half));
    Rect::new(x - half, rect.y + 1.0, 2.0 * half, (2.0 * half).min(rect.h))
}

/// The error whose cross is at `point`.
pub(super) fn hit(
    prepared: &Prepared,
    lane: usize,
    rect: Rect,
    metrics: LaneMetrics,
    scale: TimeScale,
    point: Point,
) -> Option<usize> {
    let marks = prepared.errors.iter().enumerate();
    let at = |(error, mark): (usize, &Option<ErrorMark>)| {
        let mark = mark.as_ref().filter(|mark| mark.lane == lane)?;
        flag(rect, scale.x(mark.time.start), metrics).contains(point).then_some(error)
    };
    marks.filter_map(at).next()
}

/// Where the cross of an error is.
pub(super) fn place(mark: ErrorMark, rect: Rect, metrics: LaneMetrics, scale: TimeScale) -> Option<Rect> {
    let x = scale.x(mark.time.start);
    (rect.x..=rect.right()).contains(&x).then(|| flag(rect, x, metrics))
}
