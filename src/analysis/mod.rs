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
pub use queue::QueueDepth;
pub use sentence::{cause_key, sentence, verdict};
pub use summary::{Summary, summary};

use std::sync::OnceLock;

use crate::program::Program;
use crate::program::walk::Cancelled;
use crate::recording::Recording;
use activity::Hosts;
use hazard::Verdict;

/// Everything that is worked out from a recording, once.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Where the GPU and its streams were idle, and why.
    pub bubbles: Bubbles,
    /// The numbers.
    pub metrics: Metrics,
    /// Depth of the launch queue over time.
    pub queue: QueueDepth,
    /// Whether the program keeps in order what has to be, once that has been asked; `None` where there is no program.
    verdict: OnceLock<Option<Verdict>>,
}

impl Analysis {
    /// Works everything out but the verdict, which a picture does not wait for.
    pub fn new(recording: &Recording) -> Self {
        let hosts = Hosts::new(recording);
        let bubbles = bubble::bubbles_of(recording, &hosts);
        let launches = queue::launches(recording);
        let queue = queue::depth(&launches);
        let metrics = Metrics::new(recording, &hosts, &bubbles, &launches, &queue);
        Self { bubbles, metrics, queue, verdict: OnceLock::new() }
    }

    /// The hazards of what was run, worked out when they are asked for first; `None` where the recording has no program, as an
    /// imported trace.
    pub fn verdict(&self, recording: &Recording) -> Option<&Verdict> {
        self.verdict.get_or_init(|| hazard::of_recording(recording)).as_ref()
    }

    /// The same where the program is at hand, as long as `goes_on` says that somebody still waits for it.
    ///
    /// # Errors
    /// [`Cancelled`] when nobody does.
    pub fn judge(
        &self,
        program: &Program,
        recording: &Recording,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<&Verdict>, Cancelled> {
        if self.verdict.get().is_none() {
            let verdict = hazard::judge_run_while(program, recording, goes_on)?;
            self.verdict.get_or_init(|| Some(verdict));
        }
        Ok(self.verdict(recording))
    }
}
