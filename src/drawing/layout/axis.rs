//! The time axis: ticks at 1, 2 or 5 of a power of ten, all in one unit.

use super::super::drawable::{Anchor, Drawable, Point, Text, Weight};
use super::super::theme::Theme;
use super::super::view::{TimeScale, View};
use super::LaneMetrics;
use crate::time::Ns;

/// A marked time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    /// When.
    pub at: Ns,
    /// Its number; the first one that is seen has the unit too. Where numbers would be long, the first is whole and the others say how
    /// much later they are.
    pub label: String,
}

/// A number with more characters is not read at a glance.
const LONGEST: usize = 7;

/// Ticks in `view`, at most `most` of them but for the ends.
pub fn ticks(view: View, most: usize) -> Vec<Tick> {
    let step = tick_step(view.interval.dur(), most);
    let (unit, ns_per_unit) = unit(view.interval.dur());
    let digits = digits(step, ns_per_unit);
    let first = view.interval.start.0.div_euclid(step.0) + i64::from(view.interval.start.0.rem_euclid(step.0) > 0);
    let last = view.interval.end.0.div_euclid(step.0);
    let with_unit = if (first..=last).contains(&0) { 0 } else { first };
    let at = |i: i64| Ns(i.saturating_mul(step.0));
    let number =
        |at: Ns| if at == Ns::ZERO { "0".to_owned() } else { format!("{:.digits$}", at.0 as f64 / ns_per_unit as f64) };
    if number(at(first)).len().max(number(at(last)).len()) > LONGEST {
        let offset = |i: i64| format!("+{}", number(at(i) - at(first)));
        let label = |i: i64| match i - first {
            0 => whole(at(first), step),
            1 => format!("{} {unit}", offset(i)),
            _ => offset(i),
        };
        return (first..=last).map(|i| Tick { at: at(i), label: label(i) }).collect();
    }
    let label = |i: i64| if i == with_unit { format!("{} {unit}", number(at(i))) } else { number(at(i)) };
    (first..=last).map(|i| Tick { at: at(i), label: label(i) }).collect()
}

/// `at`, a multiple of `step`, to the last digit, in a unit in which it is short.
fn whole(at: Ns, step: Ns) -> String {
    let (unit, ns_per_unit) = unit(Ns(at.0.saturating_abs()));
    let digits = digits(step, ns_per_unit);
    format!("{:.digits$} {unit}", at.0 as f64 / ns_per_unit as f64)
}

/// The shortest step of 1, 2 or 5 times a power of ten that gives at most `most` ticks within `dur`.
pub fn tick_step(dur: Ns, most: usize) -> Ns {
    let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
    let mut power: i64 = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if dur.0 / step <= most {
                return Ns(step);
            }
        }
        power = power.saturating_mul(10);
    }
}

/// The unit in which `dur` is read well, and its length in nanoseconds.
fn unit(dur: Ns) -> (&'static str, i64) {
    match dur.0 {
        d if d < 2_000 => ("ns", 1),
        d if d < 2_000_000 => ("µs", 1_000),
        d if d < 2_000_000_000 => ("ms", 1_000_000),
        _ => ("s", 1_000_000_000),
    }
}

/// Digits after the point that tell one step from the next.
fn digits(step: Ns, ns_per_unit: i64) -> usize {
    let mut digits = 0;
    let mut parts = ns_per_unit;
    while step.0 % parts != 0 {
        parts /= 10;
        digits += 1;
    }
    digits
}

/// The axis below `y`.
pub(super) fn draw(
    view: View,
    scale: TimeScale,
    left: f32,
    right: f32,
    y: f32,
    theme: &Theme,
    m: LaneMetrics,
) -> Vec<Drawable> {
    let most = ((right - left) / (96.0 * m.scale)).max(2.0) as usize;
    let mut drawables = Vec::new();
    for tick in ticks(view, most) {
        let x = scale.x(tick.at).clamp(left, right);
        let top = y + 2.0 * m.scale;
        drawables.push(Drawable::Line {
            from: Point::new(x, top),
            to: Point::new(x, top + 4.0 * m.scale),
            width: 1.0,
            color: theme.tick,
        });
        drawables.push(Drawable::Text(Text {
            at: Point::new(x, top + 17.0 * m.scale),
            anchor: Anchor::Middle,
            size: 10.5 * m.scale,
            weight: Weight::Regular,
            color: theme.muted,
            text: tick.label.into(),
        }));
    }
    drawables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Interval;
    use proptest::prelude::*;

    fn labels(start: i64, end: i64, most: usize) -> Vec<String> {
        ticks(View::new(Interval::new(Ns(start), Ns(end))), most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_share_one_unit() {
        assert_eq!(labels(0, 450_000, 10), ["0 µs", "50", "100", "150", "200", "250", "300", "350", "400", "450"]);
        assert_eq!(labels(0, 10_080_000, 6), ["0 ms", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-500, 500, 5), ["-400", "-200", "0 ns", "200", "400"]);
        assert_eq!(labels(10_000_100, 10_004_000, 8)[..3], ["10000.5 µs", "10001.0", "10001.5"]);
    }

    #[test]
    fn deep_down_the_first_tick_is_the_base_of_the_others() {
        assert_eq!(labels(102_736_700, 102_737_500, 4), ["102.7368 ms", "+200 ns", "+400", "+600"]);
        assert_eq!(labels(3_000_000_100, 3_000_004_000, 8)[..3], ["3.0000005 s", "+0.5 µs", "+1.0"]);
    }

    proptest! {
        #[test]
        fn never_too_many_and_never_none(start in -1_000_000_000i64..1_000_000_000, dur in 200i64..100_000_000_000, most in 2usize..20) {
            let found = ticks(View::new(Interval::new(Ns(start), Ns(start + dur))), most);
            prop_assert!(found.len() <= most + 1);
            prop_assert!(!found.is_empty());
            let unique: std::collections::HashSet<&str> = found.iter().map(|tick| tick.label.as_str()).collect();
            prop_assert_eq!(unique.len(), found.len());
        }
    }
}
