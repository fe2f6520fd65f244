//! The GPUs that scenarios can run on, and the thread that asks them.

use std::thread;
use std::time::{Duration, Instant};

use super::run::{Job, Run};
use super::worker::{Watch, Worker};
use crate::gpu::{self, DeviceInfo, RunOptions};
use crate::profile::Profile;
use crate::program;
use crate::recording::Recording;
use crate::scenario::{Knobs, Scenario};

/// How long a setting has to stay before a GPU runs it: who drags a slider does not want every value measured.
const SETTLE: Duration = Duration::from_millis(150);

/// GPUs that the window can run scenarios on. Errors are sentences, which the window shows.
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
    fn run(
        &mut self,
        scenario: &Scenario,
        knobs: &Knobs,
        profile: &Profile,
        options: &RunOptions,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Result<Recording, String>;
}

/// The GPUs of this machine, in this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisMachine;

impl Gpus for ThisMachine {
    fn devices(&mut self) -> Result<Vec<DeviceInfo>, String> {
        gpu::devices().map_err(|error| error.to_string())
    }

    fn run(
        &mut self,
        scenario: &Scenario,
        knobs: &Knobs,
        profile: &Profile,
        options: &RunOptions,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Result<Recording, String> {
        let program = program::lower(scenario, knobs).map_err(|error| error.to_string())?;
        gpu::run(scenario, knobs, &program, profile, options, watch).map_err(|error| error.to_string())
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
    Run(Result<Box<Run>, String>),
}

/// The window's end of the thread.
pub(super) type GpuWorker = Worker<Question, Answer>;

/// Answers a question.
pub(super) fn answer(gpus: &mut dyn Gpus, question: Question, watch: Watch<'_>) -> Answer {
    match question {
        Question::Devices => Answer::Devices(gpus.devices()),
        Question::Run(job, device) => Answer::Run(run(gpus, &job, device, watch)),
    }
}

fn run(gpus: &mut dyn Gpus, job: &Job, device: u32, watch: Watch<'_>) -> Result<Box<Run>, String> {
    let settled = Instant::now() + SETTLE;
    while Instant::now() < settled {
        if !watch(0.0) {
            // Another setting is wanted, and nobody reads this.
            return Err(String::new());
        }
        thread::sleep(Duration::from_millis(10));
    }
    let options = RunOptions { device, ..RunOptions::default() };
    let Job { scenario, knobs, profile, .. } = job;
    let recording = gpus.run(scenario, knobs, profile, &options, watch)?;
    Ok(Box::new(Run::of(recording)))
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
