//! What a recording means: bubbles and their causes, and one set of numbers for picture, table and JSON.

mod activity;
mod bubble;
pub mod graph;
pub mod hazard;
mod limit;
mod metrics;
mod outcome;
pub mod path;
mod queue;
mod range;
mod sentence;
mod serialized;
mod summary;
mod verdict;
mod waited_for;

pub use bubble::{Bubble, Bubbles, Place, Stage, bubbles, gpu_busy, gpu_span};
pub use limit::{Limit, Part, limit};
pub use metrics::{Blocked, LaunchMetrics, Metrics, StreamMetrics};
pub use outcome::{Culprit, Failed, Found, Outcome, OutcomeId, error_cause, sentence as outcome_sentence};
pub use path::CriticalPath;
pub use queue::QueueDepth;
pub use range::{RangeMetrics, TrackShare};
pub use sentence::{cause_key, sentence};
pub use serialized::WrongValue;
pub use summary::{Summary, summary};
pub use verdict::verdict;
pub use waited_for::waited_for;

use std::sync::OnceLock;

use crate::program::walk::Cancelled;
use crate::program::{Program, lower};
use crate::recording::Recording;
use crate::time::Interval;
use activity::Hosts;
use hazard::Verdict;
use range::Ranges;

/// Everything that is worked out from a recording, once.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Where the GPU and its streams were idle, and why.
    pub bubbles: Bubbles,
    /// The numbers.
    pub metrics: Metrics,
    /// Depth of the launch queue over time.
    pub queue: QueueDepth,
    path: OnceLock<CriticalPath>,
    /// What is said of the program and of its run, once that has been asked; `None` where there is no program.
    judged: OnceLock<Option<Judged>>,
    /// What the numbers of any stretch of time are made of, once some have been asked for.
    ranges: OnceLock<Ranges>,
}

/// Whether the program keeps in order what has to be, and what its run came to.
#[derive(Clone, Debug)]
struct Judged {
    verdict: Verdict,
    outcome: Outcome,
}

impl Analysis {
    /// Works everything out but the verdict, which a picture does not wait for.
    pub fn new(recording: &Recording) -> Self {
        let hosts = Hosts::new(recording);
        let bubbles = bubble::bubbles_of(recording, &hosts);
        let launches = queue::launches(recording);
        let queue = queue::depth(&launches);
        let metrics = Metrics::new(recording, &hosts, &bubbles, &launches, &queue);
        let (path, judged, ranges) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { bubbles, metrics, queue, path, judged, ranges }
    }

    /// What the wall time was spent on, worked out when it is asked for first.
    pub fn path(&self, recording: &Recording) -> &CriticalPath {
        self.path.get_or_init(|| CriticalPath::new(recording))
    }

    /// The numbers of a stretch of time.
    pub fn range(&self, recording: &Recording, interval: Interval) -> RangeMetrics {
        let ranges = self.ranges.get_or_init(|| Ranges::new(recording, &self.bubbles, &self.queue));
        ranges.within(&self.bubbles, &self.queue, interval)
    }

    /// The hazards of what was run, worked out when they are asked for first; `None` where the recording has no program, as an
    /// imported trace.
    pub fn verdict(&self, recording: &Recording) -> Option<&Verdict> {
        self.judged(recording).map(|judged| &judged.verdict)
    }

    /// What the run came to, worked out as the hazards are.
    pub fn outcome(&self, recording: &Recording) -> Option<&Outcome> {
        self.judged(recording).map(|judged| &judged.outcome)
    }

    fn judged(&self, recording: &Recording) -> Option<&Judged> {
        let judged = || {
            let program = lower(recording.scenario.as_ref()?, &recording.knobs).ok()?;
            Judged::new(&program, recording, &mut || true).ok()
        };
        self.judged.get_or_init(judged).as_ref()
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
    ) -> Result<Option<(&Verdict, &Outcome)>, Cancelled> {
        if self.judged.get().is_none() {
            let judged = Judged::new(program, recording, goes_on)?;
            self.judged.get_or_init(|| Some(judged));
        }
        Ok(self.judged(recording).map(|judged| (&judged.verdict, &judged.outcome)))
    }
}

impl Judged {
    fn new(program: &Program, recording: &Recording, goes_on: &mut dyn FnMut() -> bool) -> Result<Self, Cancelled> {
        let mut verdict = hazard::judge_run_while(program, recording, goes_on)?;
        let outcome = Outcome::of(program, recording, &mut verdict, goes_on)?;
        Ok(Self { verdict, outcome })
    }
}
