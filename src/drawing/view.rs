//! What part of the time is seen, how time becomes x, and the history of views.

use crate::time::{Interval, Ns};

/// The shortest view, so that one nanosecond is never more than a few pixels.
const SHORTEST: i64 = 200;

/// The part of the time that is seen. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// In nanoseconds of the recording.
    pub interval: Interval,
}

impl View {
    /// Sees `interval`, or a little more if it is shorter than can be seen.
    pub fn new(interval: Interval) -> Self {
        let missing = SHORTEST - interval.dur().0;
        if missing <= 0 {
            return Self { interval };
        }
        let start = interval.start - Ns(missing / 2);
        Self { interval: Interval::new(start, start + Ns(SHORTEST)) }
    }

    /// Sees all of `extent` and a little room after it.
    pub fn fit(extent: Interval) -> Self {
        Self::new(Interval::new(extent.start, extent.end + extent.dur().scale(0.02)))
    }

    /// Shows `factor` times more detail (less, if below 1), while `at` stays where it is on the screen.
    pub fn zoom(self, factor: f64, at: Ns) -> Self {
        if !(factor.is_finite() && factor > 0.0) {
            return self;
        }
        let dur = ((self.interval.dur().0 as f64 / factor).min(1e17) as i64).max(SHORTEST);
        let share = (at - self.interval.start).0 as f64 / self.interval.dur().0.max(1) as f64;
        let start = at - Ns((dur as f64 * share).round() as i64);
        Self { interval: Interval::new(start, start + Ns(dur)) }
    }

    /// Moves by `by`; positive shows what is later.
    pub fn pan(self, by: Ns) -> Self {
        Self { interval: Interval::new(self.interval.start + by, self.interval.end + by) }
    }

    /// The nearest view that shows no more than `extent` and a tenth of it on either side.
    pub fn clamp(self, extent: Interval) -> Self {
        let room = extent.dur().scale(0.1);
        let outer = Interval::new(extent.start - room, extent.end + room);
        if self.interval.dur() >= outer.dur() {
            return Self::new(outer);
        }
        if self.interval.start < outer.start {
            return self.pan(outer.start - self.interval.start);
        }
        self.pan((outer.end - self.interval.end).min(Ns::ZERO))
    }

    /// The transform that spreads this view from `left` over `width` points.
    pub fn scale(self, left: f32, width: f32) -> TimeScale {
        let dur = self.interval.dur().0.max(1) as f64;
        TimeScale { start: self.interval.start, left, points_per_ns: f64::from(width.max(1.0)) / dur }
    }
}

/// Between time and x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    start: Ns,
    left: f32,
    points_per_ns: f64,
}

impl TimeScale {
    /// Where `at` is drawn.
    pub fn x(&self, at: Ns) -> f32 {
        self.left + ((at - self.start).0 as f64 * self.points_per_ns) as f32
    }

    /// The time at `x`, rounded to the nanosecond.
    pub fn time(&self, x: f32) -> Ns {
        self.start + Ns((f64::from(x - self.left) / self.points_per_ns).round() as i64)
    }

    /// How wide `dur` is.
    pub fn width(&self, dur: Ns) -> f32 {
        (dur.0 as f64 * self.points_per_ns) as f32
    }

    /// How long `width` points are, in nanoseconds and their fractions.
    pub fn ns(&self, width: f32) -> f64 {
        f64::from(width) / self.points_per_ns
    }
}

/// What changed a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewChange {
    /// Part of a drag or a scroll: consecutive ones are one step of the history.
    Pan,
    /// Part of a turn of the wheel: consecutive ones are one step too.
    Zoom,
    /// A step of its own, such as fitting or going to a bubble.
    Jump,
}

/// The current view, with undo and redo.
#[derive(Clone, Debug)]
pub struct ViewHistory {
    current: View,
    past: Vec<View>,
    future: Vec<View>,
    last: Option<ViewChange>,
}

impl ViewHistory {
    /// Steps kept.
    const KEPT: usize = 200;

    /// Begins at `view`.
    pub fn new(view: View) -> Self {
        Self { current: view, past: Vec::new(), future: Vec::new(), last: None }
    }

    /// The view that is seen.
    pub fn current(&self) -> View {
        self.current
    }

    /// Sees `view` from now on. What had been undone is forgotten.
    pub fn set(&mut self, view: View, change: ViewChange) {
        if view == self.current {
            return;
        }
        if change == ViewChange::Jump || self.last != Some(change) {
            self.past.push(self.current);
            let surplus = self.past.len().saturating_sub(Self::KEPT);
            self.past.drain(..surplus);
        }
        self.future.clear();
        self.last = Some(change);
        self.current = view;
    }

    /// Ends a gesture: the next pan or zoom is a step of its own.
    pub fn end_gesture(&mut self) {
        self.last = None;
    }

    /// Back to the view before; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(view) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.current, view));
        self.last = None;
        true
    }

    /// Forward again; whether there was anything undone.
    pub fn redo(&mut self) -> bool {
        let Some(view) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.current, view));
        self.last = None;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn view(start: i64, end: i64) -> View {
        View::new(Interval::new(Ns(start), Ns(end)))
    }

    #[test]
    fn consecutive_pans_are_one_step() {
        let mut history = ViewHistory::new(view(0, 1000));
        for _ in 0..5 {
            history.set(history.current().pan(Ns(10)), ViewChange::Pan);
        }
        history.set(history.current().zoom(2.0, Ns(50)), ViewChange::Zoom);
        assert!(history.undo());
        assert_eq!(history.current(), view(50, 1050));
        assert!(history.undo());
        assert_eq!(history.current(), view(0, 1000));
        assert!(!history.undo());
        assert!(history.redo());
        assert_eq!(history.current(), view(50, 1050));
    }

    #[test]
    fn a_view_is_never_empty() {
        assert!(view(5, 5).interval.dur() > Ns::ZERO);
        assert!(view(0, 1000).zoom(1e30, Ns(500)).interval.dur() > Ns::ZERO);
        assert_eq!(view(0, 1000).zoom(f64::NAN, Ns(500)), view(0, 1000));
    }

    proptest! {
        #[test]
        fn zoom_keeps_the_point_under_the_pointer(start in -10_000i64..10_000, dur in 1000i64..1_000_000, share in 0.0f64..1.0, factor in 0.1f64..10.0) {
            let before = view(start, start + dur);
            let at = Ns(start + (dur as f64 * share) as i64);
            let after = before.zoom(factor, at);
            let (a, b) = (before.scale(0.0, 1000.0).x(at), after.scale(0.0, 1000.0).x(at));
            prop_assert!((a - b).abs() <= 1000.0 / after.interval.dur().0 as f32 + 0.01);
        }

        #[test]
        fn clamping_stays_near_the_recording(start in -10_000_000i64..10_000_000, dur in 1i64..10_000_000) {
            let extent = Interval::new(Ns(0), Ns(1_000_000));
            let seen = view(start, start + dur).clamp(extent).interval;
            prop_assert!(seen.start >= Ns(-100_000) && seen.end <= Ns(1_100_000));
        }

        #[test]
        fn x_and_time_are_inverse(at in 0i64..1_000_000) {
            let scale = view(0, 1_000_000).scale(150.0, 1100.0);
            prop_assert!((scale.time(scale.x(Ns(at))).0 - at).abs() <= 100);
        }
    }
}
