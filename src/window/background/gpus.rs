//! The GPUs that scenarios can run on, and the thread that asks them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::model::WantedRun;
use super::thread::{BackgroundThread, Tell, Watch};
use crate::gpu::{DeviceInfo, RunOptions};
use crate::recording::Recording;
use crate::window::shown_run::verdict::Judged;
use crate::window::shown_run::{FreshRun, ShownRun};
use crate::worker::{self, Client};

/// How long a setting has to stay before a GPU runs it: who drags a slider does not want every value measured.
const SETTLE: Duration = Duration::from_millis(150);

/// GPUs that the window can run scenarios on: those that a worker has. Errors are sentences, which the window shows.
pub trait Gpus: Send {
    /// Which there are.
    ///
    /// # Errors
    /// Why there are none.
    fn devices(&mut self) -> Result<Vec<DeviceInfo>, String>;

    /// Runs a scenario. `watch` is told which part is done (0–1) and says whether to go on.
    ///
    /// # Errors
    /// Why there is no recording.
    fn run(&mut self, job: &worker::Job, watch: &mut dyn FnMut(f32) -> bool) -> Result<Recording, String>;
}

impl Gpus for Client {
    fn devices(&mut self) -> Result<Vec<DeviceInfo>, String> {
        Self::devices(self).map_err(|error| error.to_string())
    }

    fn run(&mut self, job: &worker::Job, watch: &mut dyn FnMut(f32) -> bool) -> Result<Recording, String> {
        Self::run(self, job, watch).map_err(|error| error.to_string())
    }
}

/// What the thread is asked.
#[derive(Debug)]
pub(in crate::window) enum GpuQuestion {
    /// Which GPUs there are.
    Devices,
    /// What a scenario does on the GPU of that number.
    Run(WantedRun, u32),
}

/// What it answers.
#[derive(Debug)]
pub(in crate::window) enum GpuAnswer {
    /// The GPUs, or why there are none.
    Devices(Result<Vec<DeviceInfo>, String>),
    /// What ran, or why it did not.
    Run(Result<Arc<ShownRun>, String>),
    /// Whether the program of what ran keeps in order what has to be.
    Judged(Arc<ShownRun>, Judged),
}

/// The window's end of the thread.
pub(in crate::window) type GpuThread = BackgroundThread<GpuQuestion, GpuAnswer>;

/// Answers a question.
pub(in crate::window) fn answer(
    gpus: &mut dyn Gpus,
    question: GpuQuestion,
    watch: Watch<'_>,
    tell: Tell<'_, GpuAnswer>,
) {
    match question {
        GpuQuestion::Devices => tell(GpuAnswer::Devices(gpus.devices())),
        GpuQuestion::Run(job, device) => match run(gpus, &job, device, watch) {
            Err(sentence) => tell(GpuAnswer::Run(Err(sentence))),
            Ok(fresh) => {
                tell(GpuAnswer::Run(Ok(Arc::clone(&fresh.run))));
                if let Some(judged) = fresh.judge(watch) {
                    tell(GpuAnswer::Judged(fresh.run, judged));
                }
            }
        },
    }
}

fn run(gpus: &mut dyn Gpus, job: &WantedRun, device: u32, watch: Watch<'_>) -> Result<FreshRun, String> {
    let settled = Instant::now() + SETTLE;
    while Instant::now() < settled {
        if !watch(0.0) {
            // Another setting is wanted, and nobody reads this.
            return Err(String::new());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let job = worker::Job {
        scenario: job.scenario.as_ref().clone(),
        knobs: job.knobs.clone(),
        profile: job.profile.as_ref().clone(),
        on: worker::Target::Gpu(RunOptions { device, ..RunOptions::default() }),
    };
    let recording = gpus.run(&job, watch)?;
    Ok(FreshRun::of(recording, None, watch))
}
