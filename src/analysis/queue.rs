//! Launches, and the launch queue: how many operations wait to be started.

use crate::recording::{Correlation, Recording};
use crate::time::Ns;

/// Depth of the launch queue over time: it changes to `.1` at `.0` and stays there until the next step.
pub type QueueDepth = Vec<(Ns, u32)>;

/// When each operation was handed to the GPU and when its work began there, over all streams. A graph launch is one operation.
pub(super) fn launches(recording: &Recording) -> Vec<(Ns, Ns)> {
    let mut all: Vec<(Correlation, Ns, Ns)> = Vec::new();
    for (_, row) in recording.streams().flat_map(|(track, _)| recording.lanes_of(track)) {
        let times = row.spans.starts().iter().zip(row.spans.calls());
        let spans = times.zip(row.spans.correlations()).zip(row.spans.kinds());
        // What was launched before a trace began has no launch in it.
        let launched =
            spans.filter(|((_, correlation), kind)| kind.is_gpu_busy() && **correlation != Correlation::NONE);
        for (((start, call), correlation), _) in launched {
            let is_same = |last: &&(Correlation, Ns, Ns)| last.0 == *correlation;
            if all.last().filter(is_same).is_none() {
                all.push((*correlation, *start, *call));
            }
        }
    }
    // Branches of a graph run on several lanes.
    all.sort();
    all.dedup_by_key(|launch| launch.0);
    all.into_iter().map(|(_, start, call)| (call, start)).collect()
}

/// Operations handed to the GPU and not yet started, over all streams.
pub(super) fn depth(launches: &[(Ns, Ns)]) -> QueueDepth {
    let waiting = launches.iter().filter(|(call, start)| call < start);
    let mut steps: Vec<(Ns, i32)> = waiting.flat_map(|(call, start)| [(*call, 1), (*start, -1)]).collect();
    steps.sort_unstable();
    let mut depth = 0;
    let mut points: QueueDepth = Vec::new();
    for (at, change) in steps {
        depth += change;
        let value = u32::try_from(depth).unwrap_or(0);
        match points.last_mut() {
            Some(last) if last.0 == at => last.1 = value,
            _ => points.push((at, value)),
        }
    }
    points
}
