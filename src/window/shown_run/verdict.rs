//! The hazards of a run as the window shows them: a verdict, worked out once beside the run, and where its operations are.

use crate::analysis::hazard::{self, Hazard, Verdict};
use crate::analysis::{Outcome, OutcomeId};
use crate::document::Edit;
use crate::drawing::{HazardSpans, Prepared};
use crate::recording::{Executor, Recording};
use crate::window::shown_run::ShownRun;

/// How many hazards are listed at most, and how many fragile places.
const MAX_LISTED: usize = 40;

/// What a run's program was found to be.
#[derive(Debug)]
pub(in crate::window) struct Judged {
    /// How many hazards there are.
    pub(in crate::window) hazards: usize,
    /// How many places are right only by what no document promises.
    pub(in crate::window) fragile: usize,
    /// What the run came to.
    pub(in crate::window) outcome: Outcome,
    /// The first of them, hazards before fragile ones.
    pub(in crate::window) listed: Vec<ListedHazard>,
}

/// How far the judging of the run that is shown has come.
#[derive(Debug, Default)]
pub(in crate::window) enum Judging {
    /// There is no program to judge.
    #[default]
    Nothing,
    /// The verdict is on its way.
    Pending,
    /// It was given up.
    Stopped,
    /// It is known.
    Done(Judged),
}

/// One of them.
#[derive(Debug)]
pub(in crate::window) struct ListedHazard {
    pub(in crate::window) hazard: Hazard,
    /// Where its two operations are in the timeline; empty for what ran before it.
    pub(in crate::window) spans: HazardSpans,
    /// The edit that mends it, if one edge does.
    pub(in crate::window) fix: Option<Edit>,
}

impl Judged {
    /// Finds the operations of a verdict among the spans.
    pub(in crate::window) fn new(
        recording: &Recording,
        prepared: &Prepared,
        verdict: &Verdict,
        outcome: &Outcome,
    ) -> Self {
        let Verdict { hazards, fragile } = verdict;
        let first: Vec<Hazard> =
            hazards.iter().take(MAX_LISTED).chain(fragile.iter().take(MAX_LISTED)).cloned().collect();
        let spans = HazardSpans::find(recording, prepared, &first);
        let scenario = recording.scenario.as_ref();
        let listed = first.into_iter().zip(spans).map(|(hazard, spans)| ListedHazard {
            spans,
            fix: scenario.and_then(|scenario| hazard::fix(scenario, &hazard)),
            hazard,
        });
        Self { hazards: hazards.len(), fragile: fragile.len(), outcome: outcome.clone(), listed: listed.collect() }
    }

    /// Whether there is advice on a run: the model has run it, and nothing has to be mended first.
    pub(in crate::window) fn is_advised(&self, run: &ShownRun) -> bool {
        let is_right = matches!(self.outcome.id(), OutcomeId::Right | OutcomeId::Fragile);
        is_right && run.recording.source.executor == Executor::Model
    }

    /// Those that may have spoiled a run, and those that are only fragile; each with its place in the list.
    pub(in crate::window) fn parts(&self) -> [impl Iterator<Item = (usize, &ListedHazard)>; 2] {
        let at = self.hazards.min(MAX_LISTED);
        let of = |from: usize, to: usize| self.listed.iter().enumerate().skip(from).take(to - from);
        [of(0, at), of(at, self.listed.len().max(at))]
    }
}
