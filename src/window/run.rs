//! One run, with everything that a picture of it needs.

use std::sync::Arc;

use super::captured::Captured;
use super::judged::Judged;
use crate::analysis::Analysis;
use crate::analysis::hazard;
use crate::drawing::Prepared;
use crate::model::{self, ModelError};
use crate::profile::Profile;
use crate::program::{self, LowerError, Program};
use crate::recording::{Correlation, Library, ReadError, Recording, Span};
use crate::scenario::{Knobs, Scenario};

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) scenario: Arc<Scenario>,
    pub(super) knobs: Knobs,
    pub(super) profile: Arc<Profile>,
    /// Where a recording of it is looked for before the model runs it.
    pub(super) recorded: Option<Arc<Library>>,
}

/// What ran, worked out and ready to be drawn. It is never run again to be shown.
#[derive(Debug)]
pub(super) struct Run {
    /// What happened.
    pub(super) recording: Recording,
    /// What it means.
    pub(super) analysis: Analysis,
    /// What drawing looks up in each frame.
    pub(super) prepared: Prepared,
    /// Whether its program keeps in order what has to be; `None` where there is no program to judge.
    pub(super) judged: Option<Judged>,
    /// The graphs that it captures.
    pub(super) captured: Captured,
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunFailure {
    /// The scenario cannot be lowered with these knobs.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The model came to no end.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The recording of it cannot be read.
    #[error(transparent)]
    Recording(#[from] ReadError),
}

impl Run {
    /// Shows the recording of a job, or runs it on the model. `watch` is told which part is done (0–1) and says whether to go
    /// on.
    pub(super) fn new(job: &Job, watch: &mut dyn FnMut(f32) -> bool) -> Result<Self, RunFailure> {
        let Job { scenario, knobs, profile, recorded } = job;
        if let Some(recording) = recorded.as_ref().and_then(|library| library.find(scenario, knobs)) {
            return Ok(Self::of(recording?));
        }
        let program = program::lower(scenario, knobs)?;
        let recording = model::run(scenario, knobs, &program, profile, watch)?;
        Ok(Self::of_program(recording, Some(&program)))
    }

    /// Works out what there is to say about a recording.
    pub(super) fn of(recording: Recording) -> Self {
        let scenario = recording.scenario.as_ref();
        let program = scenario.and_then(|scenario| program::lower(scenario, &recording.knobs).ok());
        Self::of_program(recording, program.as_ref())
    }

    fn of_program(recording: Recording, program: Option<&Program>) -> Self {
        let analysis = Analysis::new(&recording);
        let prepared = Prepared::with_bubbles(&recording, &analysis.bubbles);
        let judge = |program| Judged::new(&recording, &prepared, hazard::judge_run(program, &recording));
        let judged = program.map(judge);
        let captured = program.map(Captured::new).unwrap_or_default();
        Self { recording, analysis, prepared, judged, captured }
    }

    /// A span by its place.
    pub(super) fn span(&self, lane: usize, span: usize) -> Option<&Span> {
        self.recording.lanes.get(lane)?.spans.get(span)
    }

    /// The call of the host that belongs to the operation.
    pub(super) fn host_call(&self, correlation: Correlation) -> Option<&Span> {
        let links = self.prepared.linked(correlation);
        let spans = links.iter().filter_map(|link| {
            let lane = self.recording.lanes.get(link.lane as usize)?;
            matches!(lane.kind, crate::recording::LaneKind::HostThread { .. })
                .then(|| lane.spans.get(link.span as usize))?
        });
        spans.min_by_key(|span| span.start)
    }
}
