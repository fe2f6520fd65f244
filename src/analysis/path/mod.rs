//! The critical path: what the wall time was spent on, walked back from the end of the run.
//!
//! At each moment it follows the one thing that everything after it waited for: a host thread, or work on the GPU. Where a host
//! thread waited, the path goes on with what it waited for; where work began, with what released it: its call, the work before it,
//! another stream, or whoever held the units that it needs. On the model that is known exactly; of a measurement it follows from
//! times, and what lies within the error of the clocks is unknown.

mod links;
mod spent;
mod walk;

use std::collections::BTreeMap;

pub use spent::Spent;

use crate::recording::{Executor, Recording};
use crate::time::{Interval, Ns};

/// A stretch of the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// When.
    pub interval: Interval,
    /// What the time was spent on.
    pub spent: Spent,
    /// The span that was under way, by the index of its lane and its own there; `None` between two.
    pub at: Option<(u32, u32)>,
}

/// What the wall time was spent on, from zero to its end without a gap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// In the order of time; none is empty.
    pub segments: Vec<Segment>,
    /// Whether it is known what everything waited for, as on the model, rather than worked out from times.
    pub is_exact: bool,
}

impl CriticalPath {
    /// The critical path of a recording.
    pub fn new(recording: &Recording) -> Self {
        let is_exact = recording.source.executor == Executor::Model;
        Self { segments: walk::back(recording, is_exact), is_exact }
    }

    /// How much of the wall time was spent on each; all together are the wall time.
    pub fn by_stage(&self) -> BTreeMap<Spent, Ns> {
        let mut stages = BTreeMap::new();
        for segment in &self.segments {
            *stages.entry(segment.spent).or_insert(Ns::ZERO) += segment.interval.dur();
        }
        stages
    }
}
