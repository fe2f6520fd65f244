//! The launch queue: how many operations wait to be started.

use crate::recording::{Correlation, Recording};
use crate::time::Ns;

/// Depth of the launch queue over time: it changes to `.1` at `.0` and stays there until the next step.
pub type QueueDepth = Vec<(Ns, u32)>;

/// Operations handed to the GPU and not yet started, over all streams. A graph launch counts once.
pub fn queue_depth(recording: &Recording) -> QueueDepth {
    let mut steps: Vec<(Ns, i32)> = Vec::new();
    for lane in recording.streams() {
        let mut last = Correlation::NONE;
        for span in lane.spans.iter().filter(|span| span.kind.is_gpu_busy()) {
            if span.correlation != last && span.call < span.start {
                steps.push((span.call, 1));
                steps.push((span.start, -1));
            }
            last = span.correlation;
        }
    }
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
