//! A line of steps that can be asked for its highest value within an interval.

use crate::time::{Interval, Ns};

/// Steps over time, and the maxima over pairs, pairs of pairs and so on.
#[derive(Clone, Debug)]
pub(super) struct Peaks<V> {
    times: Vec<Ns>,
    /// `levels[0]` are the values themselves; each further level halves the number.
    levels: Vec<Vec<V>>,
}

impl<V: Copy + Default + Ord> Peaks<V> {
    /// From steps sorted by time: the value changes to `.1` at `.0`.
    pub(super) fn new(steps: &[(Ns, V)]) -> Self {
        let times = steps.iter().map(|step| step.0).collect();
        let mut level: Vec<V> = steps.iter().map(|step| step.1).collect();
        let mut levels = Vec::new();
        while level.len() > 1 {
            let above = level.chunks(2).map(|pair| pair.iter().copied().max().unwrap_or_default()).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        Self { times, levels }
    }

    /// The highest value.
    pub(super) fn max(&self) -> V {
        self.levels.last().and_then(|top| top.first()).copied().unwrap_or_default()
    }

    /// Whether there are no steps.
    pub(super) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Number of steps inside `within`.
    pub(super) fn count(&self, within: Interval) -> usize {
        self.index(within.end).saturating_sub(self.index(within.start))
    }

    /// The value at `at`: zero before the first step.
    pub(super) fn value(&self, at: Ns) -> V {
        self.step_at(at).map(|(_, _, value)| value).unwrap_or_default()
    }

    /// The last step that is not after `at`: its number, when it is, and the value from there on.
    pub(super) fn step_at(&self, at: Ns) -> Option<(usize, Ns, V)> {
        let last = self.times.partition_point(|&time| time <= at).checked_sub(1)?;
        Some((last, *self.times.get(last)?, *self.levels.first()?.get(last)?))
    }

    /// The steps inside `within`.
    pub(super) fn steps(&self, within: Interval) -> impl Iterator<Item = (Ns, V)> + '_ {
        let (from, to) = (self.index(within.start), self.index(within.end));
        let times = self.times.get(from..to).unwrap_or_default();
        let values = self.levels.first().and_then(|values| values.get(from..to)).unwrap_or_default();
        times.iter().copied().zip(values.iter().copied())
    }

    /// The highest value within `within`, the one it begins with included.
    #[cfg(test)]
    fn peak(&self, within: Interval) -> V {
        self.peak_from(&mut 0, within)
    }

    /// The same where `hint` is at most the number of steps before `within`, which it becomes: fast for one interval after another.
    pub(super) fn peak_from(&self, hint: &mut usize, within: Interval) -> V {
        let mut from = self.leap(*hint, within.start);
        *hint = from;
        let mut to = self.leap(from, within.end);
        let values = self.levels.first().map_or(&[][..], Vec::as_slice);
        let begins = if self.times.get(from) == Some(&within.start) { None } else { from.checked_sub(1) };
        let mut peak = begins.and_then(|before| values.get(before).copied()).unwrap_or_default();
        for level in &self.levels {
            if from >= to {
                break;
            }
            if from % 2 == 1 {
                peak = peak.max(level.get(from).copied().unwrap_or_default());
                from += 1;
            }
            if to % 2 == 1 && from < to {
                to -= 1;
                peak = peak.max(level.get(to).copied().unwrap_or_default());
            }
            from /= 2;
            to /= 2;
        }
        peak
    }

    /// [`Self::index`], known to be at least `from`: leaps of doubling length, then a binary search.
    fn leap(&self, from: usize, at: Ns) -> usize {
        let (mut low, mut leap) = (from, 1);
        while self.times.get(low + leap - 1).is_some_and(|&time| time < at) {
            low += leap;
            leap *= 2;
        }
        let high = (low + leap).min(self.times.len());
        low + self.times.get(low..high).map_or(0, |times| times.partition_point(|&time| time < at))
    }

    fn index(&self, at: Ns) -> usize {
        self.times.partition_point(|&time| time < at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::steps;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_peak_is_that_of_all_values_inside(
            steps in steps(), start in 0i64..200, dur in 1i64..80,
        ) {
            let peaks = Peaks::new(&steps);
            let brute = (start..start + dur).map(|at| peaks.value(Ns(at))).max().unwrap();
            let inside = steps.iter().filter(|s| s.0 >= Ns(start) && s.0 < Ns(start + dur)).map(|s| s.1).max();
            prop_assert_eq!(peaks.peak(Interval::new(Ns(start), Ns(start + dur))), brute.max(inside.unwrap_or(0)));
        }
    }
}
