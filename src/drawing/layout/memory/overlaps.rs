//! Finds, among many stretches of time that may overlap, those that touch an interval.

use crate::time::{Interval, Ns};

/// Groups of that many share one end; groups of groups one more.
const FAN: usize = 16;

/// Stretches by start, with the latest end of each group of them, so that those long past are stepped over together.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    starts: Vec<Ns>,
    /// Which stretch it was, as it was given.
    ids: Vec<u32>,
    /// `levels[0]` are the ends themselves; each further level has the latest of [`FAN`] of the one below.
    levels: Vec<Vec<Ns>>,
}

impl Overlaps {
    /// Of stretches in any order; empty ones are left out.
    pub(super) fn new(stretches: impl IntoIterator<Item = (Ns, Ns)>) -> Self {
        let all = (0u32..).zip(stretches).filter(|(_, (start, end))| start < end);
        let mut sorted: Vec<(Ns, Ns, u32)> = all.map(|(id, (start, end))| (start, end, id)).collect();
        sorted.sort_by_key(|it| it.0);
        let mut level: Vec<Ns> = sorted.iter().map(|it| it.1).collect();
        let mut levels = Vec::new();
        while level.len() > 1 {
            let above = level.chunks(FAN).map(|group| group.iter().copied().max().unwrap_or_default()).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        let (starts, ids) = sorted.iter().map(|it| (it.0, it.2)).unzip();
        Self { starts, ids, levels }
    }

    /// Those that share time with `within`, by start.
    pub(super) fn within(&self, within: Interval) -> Vec<usize> {
        let until = self.starts.partition_point(|&start| start < within.end);
        let mut found = Vec::new();
        let mut at = 0;
        while at < until {
            match self.past(at, within.start) {
                0 => {
                    found.extend(self.ids.get(at).map(|&id| id as usize));
                    at += 1;
                }
                some => at += some,
            }
        }
        found
    }

    /// How many from `at` on, a whole group of them, have ended by `time`; 0 when the first has not.
    fn past(&self, at: usize, time: Ns) -> usize {
        let mut past = 0;
        let mut width = 1;
        for ends in &self.levels {
            let is_past = at.is_multiple_of(width) && ends.get(at / width).is_some_and(|&end| end <= time);
            if !is_past {
                break;
            }
            past = width;
            width *= FAN;
        }
        past
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn those_that_touch_the_interval_are_found_and_no_others(
            stretches in prop::collection::vec((0i64..500, -3i64..200), 0..300), start in 0i64..600, dur in 1i64..100,
        ) {
            let all: Vec<(Ns, Ns)> = stretches.iter().map(|&(start, dur)| (Ns(start), Ns(start + dur))).collect();
            let within = Interval::new(Ns(start), Ns(start + dur));
            let mut found = Overlaps::new(all.iter().copied()).within(within);
            prop_assert!(found.windows(2).all(|pair| all[pair[0]].0 <= all[pair[1]].0));
            found.sort_unstable();
            let touches = |it: &(Ns, Ns)| it.0 < it.1 && it.0 < within.end && it.1 > within.start;
            let expected: Vec<usize> = (0..all.len()).filter(|&i| touches(&all[i])).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
