//! From a cause of idle time to the bubbles that it made.

use super::ShownRun;
use crate::analysis::Bubble;
use crate::drawing::Hit;
use crate::recording::{Cause, TrackKind};
use crate::time::Ns;

/// Of many bubbles, only so many are led to.
const MOST: usize = 1000;

impl ShownRun {
    /// Where the whole GPU idled because of `cause`, most time first: the bubbles of the streams whose work ended that.
    pub(in crate::window) fn idle_because(&self, cause: Cause) -> Vec<Hit> {
        let bubbles = &self.analysis.bubbles;
        let timed = bubbles.gpu.iter().map(|bubble| (bubbles.time(bubble, cause), bubble));
        let mut found: Vec<(Ns, &Bubble)> = timed.filter(|(time, _)| *time > Ns::ZERO).collect();
        found.sort_by_key(|(time, bubble)| (std::cmp::Reverse(*time), bubble.interval.start));
        found.into_iter().take(MOST).filter_map(|(_, bubble)| self.in_a_stream(bubble)).collect()
    }

    /// The bubble of a stream that `of_gpu` is a part of: of the stream whose work ended it, if that had one.
    fn in_a_stream(&self, of_gpu: &Bubble) -> Option<Hit> {
        let is_stream = |lane: &usize| {
            self.recording.track_of(*lane).is_some_and(|track| matches!(track.kind, TrackKind::Stream { .. }))
        };
        let ended = self.prepared.linked(of_gpu.next).iter().map(|link| link.lane as usize);
        let others = 0..self.recording.lanes.len();
        ended.chain(others).filter(is_stream).find_map(|lane| {
            let bubbles = self.prepared.bubbles(lane);
            let bubble = bubbles.partition_point(|it| it.interval.end <= of_gpu.interval.start);
            let overlaps = bubbles.get(bubble).is_some_and(|it| it.interval.overlaps(of_gpu.interval));
            overlaps.then_some(Hit::Bubble { lane, bubble })
        })
    }
}
