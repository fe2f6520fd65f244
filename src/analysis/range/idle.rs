//! Idle time of the GPU by cause, for any stretch of time.

use super::super::Bubbles;
use crate::recording::Cause;
use crate::time::{Interval, Ns};

/// Bubbles that are summed up in advance.
const BLOCK: usize = 64;

/// A time for each cause, in the order of [`Cause::ALL`].
pub(super) type ByCause = [Ns; Cause::ALL.len()];

/// What all bubbles of the GPU before each block of them come to.
#[derive(Clone, Debug, Default)]
pub(super) struct IdleSums(Vec<ByCause>);

impl IdleSums {
    pub fn new(bubbles: &Bubbles) -> Self {
        let mut sum = ByCause::default();
        let sums = bubbles.gpu.chunks(BLOCK).map(|block| {
            let before = sum;
            block
                .iter()
                .flat_map(|bubble| bubbles.stages(bubble))
                .for_each(|stage| add(&mut sum, stage.cause, stage.dur));
            before
        });
        Self(sums.collect())
    }

    /// Idle time within `it`. Of a bubble that `it` cuts, the stages follow each other from its start.
    pub fn within(&self, bubbles: &Bubbles, it: Interval) -> ByCause {
        let (mut time, before) = (self.until(bubbles, it.end), self.until(bubbles, it.start));
        time.iter_mut().zip(before).for_each(|(time, before)| *time -= before);
        time
    }

    fn until(&self, bubbles: &Bubbles, at: Ns) -> ByCause {
        let begun = bubbles.gpu.partition_point(|bubble| bubble.interval.start < at);
        let block = begun.saturating_sub(1) / BLOCK;
        let mut sum = self.0.get(block).copied().unwrap_or_default();
        for bubble in bubbles.gpu.get(block * BLOCK..begun).unwrap_or_default() {
            let mut left = bubble.interval.end.min(at) - bubble.interval.start;
            for stage in bubbles.stages(bubble) {
                add(&mut sum, stage.cause, stage.dur.min(left));
                left -= stage.dur.min(left);
            }
        }
        sum
    }
}

fn add(sum: &mut ByCause, cause: Cause, dur: Ns) {
    if let Some(time) = sum.get_mut(cause as usize) {
        *time += dur;
    }
}
