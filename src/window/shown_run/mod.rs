//! One run, with everything that a picture of it needs.

pub(in crate::window) mod captured_graphs;
mod idle;
pub(in crate::window) mod neighbours;
pub(in crate::window) mod verdict;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::analysis::Analysis;
use crate::drawing::Prepared;
use crate::program::{self, Program};
use crate::recording::{Correlation, Recording, Span};
use crate::text::Localized;
use captured_graphs::CapturedGraphs;
use verdict::Judged;

/// What ran, worked out and ready to be drawn. It is never run again to be shown.
#[derive(Debug)]
pub(in crate::window) struct ShownRun {
    /// What happened.
    pub(in crate::window) recording: Recording,
    /// What it means.
    pub(in crate::window) analysis: Analysis,
    /// What drawing looks up in each frame.
    pub(in crate::window) prepared: Prepared,
    /// The graphs that it captures.
    pub(in crate::window) captured: CapturedGraphs,
    /// Whether there is a program to judge, so that a verdict follows.
    pub(in crate::window) has_program: bool,
    /// What of an imported trace has no place in the picture.
    pub(in crate::window) left_out: Option<Localized>,
}

/// A run whose program has not been judged yet: it can be shown while that is done.
#[derive(Debug)]
pub(in crate::window) struct FreshRun {
    /// What is shown.
    pub(in crate::window) run: Arc<ShownRun>,
    program: Option<Program>,
}

/// A program of so many operations takes its time to be judged.
const MANY_OPERATIONS: usize = 20_000;
/// How long a large one has to stay before it is judged: who drags a slider wants pictures, and a verdict holds up the next.
const SETTLE: Duration = Duration::from_millis(150);

impl FreshRun {
    /// Works out what there is to say about a recording. When `watch` says that nobody waits for it, there is less.
    pub(in crate::window) fn of(
        recording: Recording,
        left_out: Option<Localized>,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Self {
        let scenario = recording.scenario.as_ref();
        let lower = |scenario| program::lower_watched(scenario, &recording.knobs, &mut || watch(1.0)).ok();
        let program = scenario.and_then(lower);
        Self::of_program(recording, program, left_out)
    }

    /// The same, of a program that is known already.
    pub(in crate::window) fn of_program(
        recording: Recording,
        program: Option<Program>,
        left_out: Option<Localized>,
    ) -> Self {
        let analysis = Analysis::new(&recording);
        let prepared = Prepared::of_analysed(&recording, &analysis);
        let captured = program.as_ref().map(CapturedGraphs::new).unwrap_or_default();
        let run = ShownRun { recording, analysis, prepared, captured, has_program: program.is_some(), left_out };
        Self { run: Arc::new(run), program }
    }

    /// Judges it; `None` when there is nothing to judge, or `watch` says that nobody waits for it any more.
    pub(in crate::window) fn judge(&self, watch: &mut dyn FnMut(f32) -> bool) -> Option<Judged> {
        let ShownRun { recording, analysis, prepared, .. } = &*self.run;
        let program = self.program.as_ref()?;
        let settled =
            Instant::now() + if recording.origins.entries.len() > MANY_OPERATIONS { SETTLE } else { Duration::ZERO };
        while watch(1.0) {
            if Instant::now() >= settled {
                let (verdict, outcome) = analysis.judge(program, recording, &mut || watch(1.0)).ok()??;
                return Some(Judged::new(recording, prepared, verdict, outcome));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl ShownRun {
    /// A span by its place.
    pub(in crate::window) fn span(&self, lane: usize, span: usize) -> Option<Span> {
        self.recording.lanes.get(lane)?.spans.get(span)
    }

    /// The call of the host that belongs to the operation.
    pub(in crate::window) fn host_call(&self, correlation: Correlation) -> Option<Span> {
        let links = self.prepared.linked(correlation);
        let spans = links.iter().filter_map(|link| {
            self.recording.track_of(link.lane as usize)?.host_thread()?;
            self.span(link.lane as usize, link.span as usize)
        });
        spans.min_by_key(|span| span.start)
    }
}
