//! One run of the model, with everything that a picture of it needs.

use crate::analysis::Analysis;
use crate::drawing::Prepared;
use crate::model::{self, ModelError};
use crate::profile::Profile;
use crate::program::{self, LowerError};
use crate::recording::{Correlation, Recording, Span};
use crate::scenario::{Knobs, Scenario};

/// What ran, worked out and ready to be drawn. It is never run again to be shown.
#[derive(Debug)]
pub(super) struct Run {
    /// What happened.
    pub(super) recording: Recording,
    /// What it means.
    pub(super) analysis: Analysis,
    /// What drawing looks up in each frame.
    pub(super) prepared: Prepared,
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
}

impl Run {
    /// Runs `scenario` on the model. `watch` is told which part is done (0–1) and says whether to go on.
    pub(super) fn new(
        scenario: &Scenario,
        knobs: &Knobs,
        profile: &Profile,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Result<Self, RunFailure> {
        let program = program::lower(scenario, knobs)?;
        let recording = model::run(scenario, knobs, &program, profile, watch)?;
        let analysis = Analysis::new(&recording);
        let prepared = Prepared::with_bubbles(&recording, &analysis.bubbles);
        Ok(Self { recording, analysis, prepared })
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
