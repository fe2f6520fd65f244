//! Ranges of bytes that do not overlap, each with the access that stands for it.

use std::collections::BTreeMap;

use super::Access;

/// Ranges of bytes that do not overlap, each with the access that stands for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    /// By their starts; with their ends.
    ranges: BTreeMap<u64, (u64, Access)>,
}

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges that share bytes with `start..end`, whole.
    pub fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, &Access)> {
        let before = self.ranges.range(..start).next_back().filter(|(_, (to, _))| *to > start);
        let inside = self.ranges.range(start..end);
        before.into_iter().chain(inside).map(|(from, (to, access))| (*from, *to, access))
    }

    /// What of `start..end` is in no range.
    pub fn gaps(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut gaps = Vec::new();
        let mut at = start;
        for (from, to, _) in self.overlapping(start, end) {
            if from > at {
                gaps.push((at, from));
            }
            at = to;
        }
        if at < end {
            gaps.push((at, end));
        }
        gaps
    }

    /// Takes `start..end` out of all ranges.
    pub fn cut(&mut self, start: u64, end: u64) {
        let met: Vec<(u64, u64, Access)> =
            self.overlapping(start, end).map(|(from, to, access)| (from, to, *access)).collect();
        for (from, to, access) in met {
            self.ranges.remove(&from);
            if from < start {
                self.ranges.insert(from, (start, access));
            }
            if to > end {
                self.ranges.insert(end, (to, access));
            }
        }
    }

    /// `access` stands for `start..end` from now on.
    pub fn set(&mut self, start: u64, end: u64, access: Access) {
        self.cut(start, end);
        self.ranges.insert(start, (end, access));
    }
}
