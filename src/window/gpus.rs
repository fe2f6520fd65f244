//! The GPUs that scenarios can run on, and the thread that asks them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judged::Judged;
use super::run::{Fresh, Job, Run};
use super::thread::{Tell, Thread, Watch};
use crate::gpu::{DeviceInfo, RunOptions};
use crate::recording::Recording;
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
pub(super) enum Question {
    /// Which GPUs there are.
    Devices,
    /// What a scenario does on the GPU of that number.
    Run(Job, u32),
}

/// What it answers.
#[derive(Debug)]
pub(super) enum Answer {
    /// The GPUs, or why there are none.
    Devices(Result<Vec<DeviceInfo>, String>),
    /// What ran, or why it did not.
    Run(Result<Arc<Run>, String>),
    /// Whether the program of what ran keeps in order what has to be.
    Judged(Arc<Run>, Judged),
}

/// The window's end of the thread.
pub(super) type GpuThread = Thread<Question, Answer>;

/// Answers a question.
pub(super) fn answer(gpus: &mut dyn Gpus, question: Question, watch: Watch<'_>, tell: Tell<'_, Answer>) {
    match question {
        Question::Devices => tell(Answer::Devices(gpus.devices())),
        Question::Run(job, device) => match run(gpus, &job, device, watch) {
            Err(sentence) => tell(Answer::Run(Err(sentence))),
            Ok(fresh) => {
                tell(Answer::Run(Ok(Arc::clone(&fresh.run))));
                if let Some(judged) = fresh.judge(watch) {
                    tell(Answer::Judged(fresh.run, judged));
                }
            }
        },
    }
}

fn run(gpus: &mut dyn Gpus, job: &Job, device: u32, watch: Watch<'_>) -> Result<Fresh, String> {
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
    Ok(Fresh::of(recording, None, watch))
}

/// What is known of the GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Found {
    /// Nobody looks for any.
    #[default]
    NotAsked,
    /// They are being looked for.
    Asked,
    /// There are these.
    Devices(Vec<DeviceInfo>),
    /// There are none: why.
    Nothing(String),
}

impl Found {
    /// The GPUs; none before the answer.
    pub(super) fn devices(&self) -> &[DeviceInfo] {
        match self {
            Self::Devices(devices) => devices,
            Self::NotAsked | Self::Asked | Self::Nothing(_) => &[],
        }
    }

    /// The GPU of that number.
    pub(super) fn device(&self, index: u32) -> Option<&DeviceInfo> {
        self.devices().iter().find(|device| device.index == index)
    }
}
