//! Sums over a sorted row of stretches: how much time of each kind lies before any of them.

use crate::time::{Interval, Ns};

/// How much time of each key lies before each stretch. The sums for one stretch lie together in memory.
#[derive(Clone, Debug)]
pub(super) struct Tallies<K> {
    /// Those that occur, in the order of all.
    keys: Vec<K>,
    before: Vec<Ns>,
}

impl<K> Default for Tallies<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), before: Vec::new() }
    }
}

impl<K: Copy + PartialEq> Tallies<K> {
    /// Of the stretches that `stretches` gives twice, each cut into times with a key out of `all`.
    pub(super) fn new<S, P>(all: impl IntoIterator<Item = K>, stretches: impl Fn() -> S) -> Self
    where
        S: Iterator<Item = P>,
        P: IntoIterator<Item = (Ns, K)>,
    {
        let all: Vec<K> = all.into_iter().collect();
        let mut found = vec![false; all.len()];
        for (_, key) in stretches().flatten().filter(|(dur, _)| *dur > Ns::ZERO) {
            if let Some((slot, _)) = found.iter_mut().zip(&all).find(|(_, it)| **it == key) {
                *slot = true;
            }
        }
        let keys: Vec<K> = all.into_iter().zip(found).filter(|(_, found)| *found).map(|(key, _)| key).collect();
        let mut sums = vec![Ns::ZERO; keys.len()];
        let mut before = sums.clone();
        for stretch in stretches() {
            for (dur, key) in stretch {
                if let Some((sum, _)) = sums.iter_mut().zip(&keys).find(|(_, it)| **it == key) {
                    *sum += dur;
                }
            }
            before.extend_from_slice(&sums);
        }
        Self { keys, before }
    }

    /// Gives `take` the times of each key before `at`, where the stretch `index` is the first that ends after that; of its `parts` only
    /// what lies before `at` counts.
    pub(super) fn until(
        &self,
        index: usize,
        parts: impl IntoIterator<Item = (Interval, K)>,
        at: Ns,
        mut take: impl FnMut(K, Ns),
    ) {
        let width = self.keys.len();
        let before = self.before.get(index * width..(index + 1) * width).unwrap_or_default();
        self.keys.iter().zip(before).for_each(|(key, time)| take(*key, *time));
        for (part, key) in parts {
            take(key, (part.end.min(at) - part.start).max(Ns::ZERO));
        }
    }
}
