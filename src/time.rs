//! Time as integer nanoseconds, and half-open intervals with their algebra.
//!
//! Everything in Streamscope counts from the start of the measured part of a run. Floating point enters only where a
//! number is printed or a pixel is placed.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in time or a length of time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Ns(pub i64);

impl Ns {
    /// The start of the measured part, or no time at all.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const MAX: Self = Self(i64::MAX);

    /// Rounds microseconds to whole nanoseconds; what is not a number becomes zero.
    pub fn from_us(us: f64) -> Self {
        Self((us * 1e3).round() as i64)
    }

    /// This time in microseconds.
    pub fn us(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// `self` scaled by `factor`, rounded to whole nanoseconds.
    pub fn scale(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as i64)
    }
}

impl Add for Ns {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Ns {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Ns {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Ns {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Ns {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// Prints a length with three significant digits and the unit that a reader would choose: `850 ns`, `26.0 µs`, `1.49 ms`.
impl fmt::Display for Ns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        let (value, unit) = match ns.abs() {
            a if a < 1e3 => (ns, "ns"),
            a if a < 999_500.0 => (ns / 1e3, "µs"),
            a if a < 999_500_000.0 => (ns / 1e6, "ms"),
            _ => (ns / 1e9, "s"),
        };
        let digits = match value.abs() {
            _ if unit == "ns" => 0,
            v if v < 9.995 => 2,
            v if v < 99.95 => 1,
            _ => 0,
        };
        write!(f, "{value:.digits$} {unit}")
    }
}

/// The time from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// First nanosecond inside.
    pub start: Ns,
    /// First nanosecond after.
    pub end: Ns,
}

impl Interval {
    /// The interval from `start` to `end`; an `end` before `start` gives an empty one at `start`.
    pub fn new(start: Ns, end: Ns) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Length, never negative.
    pub fn dur(self) -> Ns {
        self.end - self.start
    }

    /// Whether `at` lies inside.
    pub fn contains(self, at: Ns) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether the two share any time.
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The time that both share, empty at the later start if none.
    pub fn intersect(self, other: Self) -> Self {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }

    /// The shortest interval that holds both.
    pub fn hull(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Joins intervals, in any order, into sorted ones that neither touch nor overlap. Empty ones vanish.
pub fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.retain(|i| i.start < i.end);
    intervals.sort_unstable_by_key(|i| i.start);
    let mut joined: Vec<Interval> = Vec::new();
    for next in intervals {
        match joined.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => joined.push(next),
        }
    }
    joined
}

/// Total length of sorted, disjoint intervals.
pub fn total(joined: &[Interval]) -> Ns {
    joined.iter().map(|i| i.dur()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(start: i64, end: i64) -> Interval {
        Interval::new(Ns(start), Ns(end))
    }

    #[test]
    fn a_length_is_printed_in_the_unit_a_reader_would_choose() {
        let shown = |ns| Ns(ns).to_string();
        assert_eq!(shown(850), "850 ns");
        assert_eq!(shown(26_000), "26.0 µs");
        assert_eq!(shown(1_490_000), "1.49 ms");
        assert_eq!(shown(999_700), "1.00 ms");
        assert_eq!(shown(-26_000), "-26.0 µs");
    }

    proptest! {
        #[test]
        fn a_union_holds_each_moment_once(parts in prop::collection::vec((0i64..1000, 0i64..100), 0..40)) {
            let joined = union(parts.iter().map(|&(s, d)| interval(s, s + d)).collect());
            let held = |at: i64| parts.iter().any(|&(s, d)| interval(s, s + d).contains(Ns(at)));
            prop_assert_eq!(total(&joined).0, (0..1100).filter(|at| held(*at)).count() as i64);
            prop_assert!(joined.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
