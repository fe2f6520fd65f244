//! The model's thread: runs a scenario or finds its recording, reads recordings and traces; the verdict follows.

use std::path::PathBuf;
use std::sync::Arc;

use super::read_file;
use super::thread::{Tell, Thread, Watch};
use crate::model::{self, ModelError};
use crate::profile::Profile;
use crate::program::{self, LowerError};
use crate::recording::{Library, ReadError};
use crate::scenario::{Knobs, Scenario};
use crate::trace::TraceError;
use crate::window::shown_run::verdict::Judged;
use crate::window::shown_run::{FreshRun, ShownRun};

/// The window's end of the thread.
pub(in crate::window) type ModelThread = Thread<Request, News>;

/// What is wanted.
#[derive(Clone, Debug)]
pub(in crate::window) struct Job {
    pub(in crate::window) scenario: Arc<Scenario>,
    pub(in crate::window) knobs: Knobs,
    pub(in crate::window) profile: Arc<Profile>,
    /// Where a recording of it is looked for before the model runs it.
    pub(in crate::window) recorded: Option<Arc<Library>>,
}

/// What the thread of the model is asked for.
#[derive(Clone, Debug)]
pub(in crate::window) enum Request {
    /// To run a scenario, or find its recording.
    Run(Job),
    /// To read a recording or a trace.
    Read(PathBuf),
}

/// What comes of a job: first what ran, then the verdict on that same run.
#[derive(Debug)]
pub(in crate::window) enum News {
    /// It ran, or why it did not.
    Ran(Result<Arc<ShownRun>, RunFailure>),
    /// Whether its program keeps in order what has to be.
    Judged(Arc<ShownRun>, Judged),
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub(in crate::window) enum RunFailure {
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
    pub(in crate::window) fn pointer(&self) -> Option<&str> {
        match self {
            Self::Lower(error) => error.pointer(),
            Self::Model(_) | Self::Recording(_) | Self::Trace(_) => None,
        }
    }
}

/// Does what is asked for: the picture does not wait for the verdict.
pub(in crate::window) fn carry_out(request: &Request, watch: Watch<'_>, tell: Tell<'_, News>) {
    let fresh = match request {
        Request::Run(job) => run_or_find(job, watch),
        Request::Read(path) => {
            read_file::read(path).map(|(recording, left_out)| FreshRun::of(recording, left_out, watch))
        }
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

/// Shows the recording of a job, or runs it on the model. `watch` is told which part is done (0–1) and says whether to go
/// on.
fn run_or_find(job: &Job, watch: Watch<'_>) -> Result<FreshRun, RunFailure> {
    let Job { scenario, knobs, profile, recorded } = job;
    if let Some(recording) = recorded.as_ref().and_then(|library| library.find(scenario, knobs)) {
        return Ok(FreshRun::of(recording?, None, watch));
    }
    let program = program::lower_watched(scenario, knobs, &mut || watch(0.0))?;
    let recording = model::run(scenario, knobs, &program, profile, watch)?;
    Ok(FreshRun::of_program(recording, Some(program), None))
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
