//! What a recording means: bubbles and their causes, and one set of numbers for picture, table and JSON.

mod activity;
mod bubble;
pub mod graph;
pub mod hazard;
mod metrics;
mod queue;
mod sentence;
mod summary;

pub use bubble::{Bubble, Bubbles, Place, Stage, bubbles, gpu_busy, gpu_span};
pub use metrics::{Blocked, LaunchMetrics, Metrics, StreamMetrics};
pub use queue::{QueueDepth, queue_depth};
pub use sentence::{cause_key, sentence, verdict};
pub use summary::{Summary, summary};

use crate::recording::Recording;

/// Everything that is worked out from a recording, once.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Where the GPU and its streams were idle, and why.
    pub bubbles: Bubbles,
    /// The numbers.
    pub metrics: Metrics,
    /// Depth of the launch queue over time.
    pub queue: QueueDepth,
}

impl Analysis {
    /// Works everything out.
    pub fn new(recording: &Recording) -> Self {
        let bubbles = bubbles(recording);
        let queue = queue_depth(recording);
        let metrics = Metrics::new(recording, &bubbles, &queue);
        Self { bubbles, metrics, queue }
    }
}
