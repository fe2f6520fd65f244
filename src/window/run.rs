//! One run, with everything that a picture of it needs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::captured::Captured;
use super::judged::Judged;
use super::thread::{Tell, Watch};
use super::viewing;
use crate::analysis::Analysis;
use crate::drawing::Prepared;
use crate::model::{self, ModelError};
use crate::profile::Profile;
use crate::program::{self, LowerError, Program};
use crate::recording::{Correlation, Library, ReadError, Recording, Span};
use crate::scenario::{Knobs, Scenario};
use crate::trace::TraceError;

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) scenario: Arc<Scenario>,
    pub(super) knobs: Knobs,
    pub(super) profile: Arc<Profile>,
    /// Where a recording of it is looked for before the model runs it.
    pub(super) recorded: Option<Arc<Library>>,
}

/// What the thread of the model is asked for.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// To run a scenario, or find its recording.
    Run(Job),
    /// To read a recording or a trace.
    Read(PathBuf),
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
    /// The graphs that it captures.
    pub(super) captured: Captured,
    /// Whether there is a program to judge, so that a verdict follows.
    pub(super) has_program: bool,
    /// What of an imported trace has no place in the picture.
    pub(super) left_out: Option<String>,
}

/// A run whose program has not been judged yet: it can be shown while that is done.
#[derive(Debug)]
pub(super) struct Fresh {
    /// What is shown.
    pub(super) run: Arc<Run>,
    program: Option<Program>,
}

/// What comes of a job: first what ran, then the verdict on that same run.
#[derive(Debug)]
pub(super) enum News {
    /// It ran, or why it did not.
    Ran(Result<Arc<Run>, RunFailure>),
    /// Whether its program keeps in order what has to be.
    Judged(Arc<Run>, Judged),
}

/// A program of so many operations takes its time to be judged.
const LARGE: usize = 20_000;
/// How long a large one has to stay before it is judged: who drags a slider wants pictures, and a verdict holds up the next.
const SETTLE: Duration = Duration::from_millis(150);

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunFailure {
    /// The scenario cannot be lowered with these knobs.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The model came to no end.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The recording of it, or one that is to be shown, cannot be read.
    #[error(transparent)]
    Recording(#[from] ReadError),
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl RunFailure {
    /// What part of the scenario is at fault, as a JSON pointer, where that is known.
    pub(super) fn pointer(&self) -> Option<&str> {
        match self {
            Self::Lower(error) => error.pointer(),
            Self::Model(_) | Self::Recording(_) | Self::Trace(_) => None,
        }
    }
}

impl Fresh {
    /// Works out what there is to say about a recording. When `watch` says that nobody waits for it, there is less.
    pub(super) fn of(recording: Recording, left_out: Option<String>, watch: Watch<'_>) -> Self {
        let scenario = recording.scenario.as_ref();
        let lower = |scenario| program::lower_watched(scenario, &recording.knobs, &mut || watch(1.0)).ok();
        let program = scenario.and_then(lower);
        Self::of_program(recording, program, left_out)
    }

    fn of_program(recording: Recording, program: Option<Program>, left_out: Option<String>) -> Self {
        let analysis = Analysis::new(&recording);
        let prepared = Prepared::with_bubbles(&recording, &analysis.bubbles);
        let captured = program.as_ref().map(Captured::new).unwrap_or_default();
        let run = Run { recording, analysis, prepared, captured, has_program: program.is_some(), left_out };
        Self { run: Arc::new(run), program }
    }

    /// Judges it; `None` when there is nothing to judge, or `watch` says that nobody waits for it any more.
    pub(super) fn judge(&self, watch: Watch<'_>) -> Option<Judged> {
        let Run { recording, analysis, prepared, .. } = &*self.run;
        let program = self.program.as_ref()?;
        let settled = Instant::now() + if recording.origins.entries.len() > LARGE { SETTLE } else { Duration::ZERO };
        while watch(1.0) {
            if Instant::now() >= settled {
                let verdict = analysis.judge(program, recording, &mut || watch(1.0)).ok()??;
                return Some(Judged::new(recording, prepared, verdict));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

/// Does what is asked for: the picture does not wait for the verdict.
pub(super) fn carry_out(request: &Request, watch: Watch<'_>, tell: Tell<'_, News>) {
    let fresh = match request {
        Request::Run(job) => Run::fresh(job, watch),
        Request::Read(path) => viewing::read(path).map(|(recording, left_out)| Fresh::of(recording, left_out, watch)),
    };
    match fresh {
        Err(failure) => tell(News::Ran(Err(failure))),
        Ok(fresh) => {
            tell(News::Ran(Ok(Arc::clone(&fresh.run))));
            if let Some(judged) = fresh.judge(watch) {
                tell(News::Judged(fresh.run, judged));
            }
        }
    }
}

impl Run {
    /// Shows the recording of a job, or runs it on the model. `watch` is told which part is done (0–1) and says whether to go
    /// on.
    pub(super) fn fresh(job: &Job, watch: Watch<'_>) -> Result<Fresh, RunFailure> {
        let Job { scenario, knobs, profile, recorded } = job;
        if let Some(recording) = recorded.as_ref().and_then(|library| library.find(scenario, knobs)) {
            return Ok(Fresh::of(recording?, None, watch));
        }
        let program = program::lower_watched(scenario, knobs, &mut || watch(0.0))?;
        let recording = model::run(scenario, knobs, &program, profile, watch)?;
        Ok(Fresh::of_program(recording, Some(program), None))
    }

    /// A span by its place.
    pub(super) fn span(&self, lane: usize, span: usize) -> Option<Span> {
        self.recording.lanes.get(lane)?.spans.get(span)
    }

    /// The call of the host that belongs to the operation.
    pub(super) fn host_call(&self, correlation: Correlation) -> Option<Span> {
        let links = self.prepared.linked(correlation);
        let spans = links.iter().filter_map(|link| {
            self.recording.track_of(link.lane as usize)?.host_thread()?;
            self.span(link.lane as usize, link.span as usize)
        });
        spans.min_by_key(|span| span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;
    use crate::scenario::preset;

    fn job() -> Job {
        let scenario = Arc::new(preset("record-stream").unwrap().scenario().unwrap());
        let knobs = Knobs::defaults(&scenario.knobs);
        Job { scenario, knobs, profile: Arc::new(profile::shipped("h200").unwrap()), recorded: None }
    }

    #[test]
    fn the_verdict_follows_the_run_that_it_is_about() {
        let mut news = Vec::new();
        carry_out(&Request::Run(job()), &mut |_| true, &mut |it| news.push(it));
        let [News::Ran(Ok(ran)), News::Judged(of, judged)] = news.as_slice() else { panic!("{news:?}") };
        assert!(Arc::ptr_eq(ran, of) && ran.has_program);
        assert_eq!(judged.hazards, 2);
    }

    #[test]
    fn a_run_that_nobody_waits_for_any_more_is_not_judged() {
        let told = std::cell::Cell::new(0);
        carry_out(&Request::Run(job()), &mut |_| told.get() == 0, &mut |_| told.set(told.get() + 1));
        assert_eq!(told.get(), 1);
    }
}
