//! How much of any stretch of time something fills.

use crate::time::{Interval, Ns, union};

/// Stretches that neither touch nor overlap, with the time that those before each fill.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    stretches: Vec<Interval>,
    before: Vec<Ns>,
}

impl Filled {
    /// What `intervals` fill, each moment once.
    pub fn new(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let stretches = union(intervals.into_iter().collect());
        let mut sum = Ns::ZERO;
        let before = |stretch: &Interval| {
            let before = sum;
            sum += stretch.dur();
            before
        };
        Self { before: stretches.iter().map(before).collect(), stretches }
    }

    /// How much of `it` is filled.
    pub fn within(&self, it: Interval) -> Ns {
        self.until(it.end) - self.until(it.start)
    }

    fn until(&self, at: Ns) -> Ns {
        let begun = self.stretches.partition_point(|stretch| stretch.start < at);
        let last = begun.checked_sub(1).and_then(|last| self.stretches.get(last).zip(self.before.get(last)));
        last.map_or(Ns::ZERO, |(stretch, before)| *before + (stretch.end.min(at) - stretch.start))
    }
}
