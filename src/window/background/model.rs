//! The model's thread: runs a scenario or finds its recording, reads recordings and traces; the verdict follows.

use std::path::PathBuf;
use std::sync::Arc;

use super::read_file;
use super::run_failure::RunFailure;
use super::thread::{BackgroundThread, Tell, Watch};
use crate::advice::{Advised, advise};
use crate::model;
use crate::profile::Profile;
use crate::program;
use crate::recording::Library;
use crate::scenario::{Knobs, Scenario};
use crate::window::shown_run::verdict::Judged;
use crate::window::shown_run::{FreshRun, ShownRun};

/// The window's end of the thread.
pub(in crate::window) type ModelThread = BackgroundThread<ModelRequest, ModelNews>;

/// What is wanted.
#[derive(Clone, Debug)]
pub(in crate::window) struct WantedRun {
    pub(in crate::window) scenario: Arc<Scenario>,
    pub(in crate::window) knobs: Knobs,
    pub(in crate::window) profile: Arc<Profile>,
    /// Where a recording of it is looked for before the model runs it.
    pub(in crate::window) recorded: Option<Arc<Library>>,
}

/// What the thread of the model is asked for.
#[derive(Clone, Debug)]
pub(in crate::window) enum ModelRequest {
    /// To run a scenario, or find its recording.
    Run(WantedRun),
    /// To read a recording or a trace.
    Read(PathBuf),
}

/// What comes of a job: first what ran, then the verdict on that same run, then advice.
#[derive(Debug)]
pub(in crate::window) enum ModelNews {
    /// It ran, or why it did not.
    Ran(Result<Arc<ShownRun>, RunFailure>),
    /// Whether its program keeps in order what has to be.
    Judged(Arc<ShownRun>, Judged),
    /// What would make it faster.
    Advised(Arc<ShownRun>, Advised),
}

/// Does what is asked for: the picture does not wait for the verdict.
pub(in crate::window) fn carry_out(request: &ModelRequest, watch: Watch<'_>, tell: Tell<'_, ModelNews>) {
    let fresh = match request {
        ModelRequest::Run(job) => run_or_find(job, watch),
        ModelRequest::Read(path) => {
            read_file::read(path).map(|(recording, left_out)| FreshRun::of(recording, left_out, watch))
        }
    };
    match fresh {
        Err(failure) => tell(ModelNews::Ran(Err(failure))),
        Ok(fresh) => {
            tell(ModelNews::Ran(Ok(Arc::clone(&fresh.run))));
            if let Some(judged) = fresh.judge(watch) {
                let is_advised = judged.is_advised(&fresh.run);
                tell(ModelNews::Judged(Arc::clone(&fresh.run), judged));
                if let ModelRequest::Run(WantedRun { scenario, knobs, profile, .. }) = request
                    && is_advised
                    && let Ok(advised) = advise(scenario, knobs, profile, &mut || watch(1.0))
                {
                    tell(ModelNews::Advised(fresh.run, advised));
                }
            }
        }
    }
}

/// Shows the recording of a job, or runs it on the model. `watch` is told which part is done (0–1) and says whether to go
/// on.
fn run_or_find(job: &WantedRun, watch: Watch<'_>) -> Result<FreshRun, RunFailure> {
    let WantedRun { scenario, knobs, profile, recorded } = job;
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

    fn job() -> WantedRun {
        let scenario = Arc::new(preset("record-stream").unwrap().scenario().unwrap());
        let knobs = Knobs::defaults(&scenario.knobs);
        WantedRun { scenario, knobs, profile: Arc::new(profile::shipped("h200").unwrap()), recorded: None }
    }

    #[test]
    fn the_verdict_follows_the_run_that_it_is_about() {
        let mut news = Vec::new();
        carry_out(&ModelRequest::Run(job()), &mut |_| true, &mut |it| news.push(it));
        let [ModelNews::Ran(Ok(ran)), ModelNews::Judged(of, judged)] = news.as_slice() else { panic!("{news:?}") };
        assert!(Arc::ptr_eq(ran, of) && ran.has_program);
        assert_eq!(judged.hazards, 2);
    }

    #[test]
    fn a_run_that_nobody_waits_for_any_more_is_not_judged() {
        let told = std::cell::Cell::new(0);
        carry_out(&ModelRequest::Run(job()), &mut |_| told.get() == 0, &mut |_| told.set(told.get() + 1));
        assert_eq!(told.get(), 1);
    }
}
