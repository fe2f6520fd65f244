//! The launch queue's lane: its depth as an area of steps, on a scale that is the same for all runs.

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::theme::Rgba;
use super::super::view::TimeScale;
use super::peaks::Peaks;
use super::rows::PlacedRow;
use super::{LaneMetrics, Options, Prepared, steps};
use crate::text::Key;
use crate::time::{Interval, Ns};

/// A full lane: about as many launches wait before the driver lets the host wait too (measured; no document says it).
const FULL: u32 = 1024;

/// Depth of the launch queue over time.
#[derive(Clone, Debug)]
pub(super) struct Depth {
    pub(super) steps: Peaks<u32>,
    /// Depth times nanoseconds before each step.
    before: Vec<f64>,
}

impl Depth {
    /// From steps sorted by time: the depth changes to `.1` at `.0`.
    pub(super) fn new(steps: &[(Ns, u32)]) -> Self {
        let mut before = Vec::with_capacity(steps.len());
        let mut sum = 0.0;
        for (i, (at, _)) in steps.iter().enumerate() {
            if let Some((from, depth)) = i.checked_sub(1).and_then(|last| steps.get(last)) {
                sum += (*at - *from).0 as f64 * f64::from(*depth);
            }
            before.push(sum);
        }
        Self { steps: Peaks::new(steps), before }
    }

    /// How many operations waited within `within`, in the mean over its time.
    fn mean(&self, within: Interval) -> f64 {
        let dur = within.dur().0;
        if dur == 0 {
            return self.steps.value(within.start).into();
        }
        (self.until(within.end) - self.until(within.start)) / dur as f64
    }

    /// Depth times nanoseconds before `at`.
    fn until(&self, at: Ns) -> f64 {
        let Some((last, since, depth)) = self.steps.step_at(at) else { return 0.0 };
        self.before.get(last).copied().unwrap_or(0.0) + (at - since).0 as f64 * f64::from(depth)
    }
}

pub(super) fn draw(
    prepared: &Prepared,
    options: &Options<'_>,
    scale: TimeScale,
    placed: &PlacedRow,
    out: &mut Vec<Drawable>,
) {
    let PlacedRow { inner, metrics, .. } = *placed;
    let depth = &prepared.queue;
    let base = inner.bottom();
    let height = |waiting: f64| base - inner.h * share(waiting);
    let points = steps::line(
        &depth.steps,
        options,
        scale,
        inner,
        |waiting| height(waiting.into()),
        |within| height(depth.mean(within)),
    );
    let (fill, edge) = (options.theme.queue, options.theme.queue_edge);
    out.push(Drawable::Steps { points, right: inner.right(), base, fill, edge });
    if placed.is_folded {
        return;
    }
    let label = options.lang.fill(Key::QueueScale, &[&depth.steps.max().to_string(), &FULL.to_string()]);
    corner(&[(label, options.theme.muted)], options, inner, metrics, out);
}

/// Which part of the lane so many waiting operations fill: each doubling is a step, so that one is not like none, nor like a thousand.
fn share(waiting: f64) -> f32 {
    (waiting.ln_1p() / f64::from(FULL).ln_1p()).clamp(0.0, 1.0) as f32
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

#[cfg(test)]
mod tests {
    use super::super::testing::steps;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mean_is_that_of_each_nanosecond(
            steps in steps(), start in 0i64..200, dur in 1i64..80,
        ) {
            let depth = Depth::new(&steps);
            let sum: u32 = (start..start + dur).map(|at| depth.steps.value(Ns(at))).sum();
            let mean = depth.mean(Interval::new(Ns(start), Ns(start + dur)));
            prop_assert!((mean - f64::from(sum) / dur as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn one_waiting_launch_is_low_and_a_full_queue_full() {
        assert_eq!(share(0.0), 0.0);
        assert!((0.05..0.15).contains(&share(1.0)));
        assert!((0.5..0.7).contains(&share(68.0)));
        assert_eq!(share(f64::from(FULL)), 1.0);
        assert_eq!(share(4000.0), 1.0);
    }
}
