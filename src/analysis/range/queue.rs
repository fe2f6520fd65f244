//! How deep the launch queue was, for any stretch of time.

use super::super::QueueDepth;
use crate::time::{Interval, Ns};

/// Steps whose greatest depth is known in advance.
const BLOCK: usize = 64;

/// What is summed up of a queue.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueSums {
    /// Depth times nanoseconds before each step.
    areas: Vec<i64>,
    /// The greatest depth of each block of steps.
    peaks: Vec<u32>,
}

impl QueueSums {
    pub fn new(queue: &QueueDepth) -> Self {
        let mut area = 0_i64;
        let mut last = (Ns::ZERO, 0_u32);
        let areas = queue.iter().map(|step| {
            area = area.saturating_add(area_of(last.1, step.0 - last.0));
            last = *step;
            area
        });
        let peak = |block: &[(Ns, u32)]| block.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        Self { areas: areas.collect(), peaks: queue.chunks(BLOCK).map(peak).collect() }
    }

    /// Depth times nanoseconds within `it`: over its length, this is the mean depth.
    pub fn area(&self, queue: &QueueDepth, it: Interval) -> i64 {
        self.area_until(queue, it.end) - self.area_until(queue, it.start)
    }

    /// The greatest depth within `it`, the one that it begins with included.
    pub fn peak(&self, queue: &QueueDepth, it: Interval) -> u32 {
        let at = |time: Ns| queue.partition_point(|(step, _)| *step < time);
        let begun = queue.partition_point(|(step, _)| *step <= it.start);
        let begins_with = begun.checked_sub(1).and_then(|last| queue.get(last)).map_or(0, |(_, depth)| *depth);
        let (mut peak, end) = (if it.dur() > Ns::ZERO { begins_with } else { 0 }, at(it.end));
        let mut index = at(it.start);
        while index < end {
            if index.is_multiple_of(BLOCK) && index + BLOCK <= end {
                peak = peak.max(self.peaks.get(index / BLOCK).copied().unwrap_or(0));
                index += BLOCK;
            } else {
                peak = peak.max(queue.get(index).map_or(0, |(_, depth)| *depth));
                index += 1;
            }
        }
        peak
    }

    fn area_until(&self, queue: &QueueDepth, at: Ns) -> i64 {
        let begun = queue.partition_point(|(step, _)| *step < at);
        let last = begun.checked_sub(1).and_then(|last| queue.get(last).zip(self.areas.get(last)));
        last.map_or(0, |((step, depth), area)| area.saturating_add(area_of(*depth, at - *step)))
    }
}

fn area_of(depth: u32, dur: Ns) -> i64 {
    i64::from(depth).saturating_mul(dur.0)
}
