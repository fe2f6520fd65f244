//! What a command works on: scenarios, knobs, profiles and recordings, by name or path.

use std::path::Path;
use std::time::Duration;

use super::arguments::Setting;
use super::outcome::{Failure, tell};
use super::progress::Progress;
use crate::file::read_text;
use crate::gpu::RunOptions;
use crate::profile::{self, Profile};
use crate::program::{self, Program};
use crate::recording::{self, Recording};
use crate::scenario::{self, Knobs, Scenario, SourceText};
use crate::text::Lang;
use crate::time::Ns;
use crate::trace;
use crate::worker::{self, Client, Job, Patience, Target};

/// A preset by name, or a scenario from a file, with its text.
pub(super) fn scenario(name: &str) -> Result<(Scenario, SourceText), Failure> {
    match scenario::preset(name) {
        Some(preset) => preset.scenario().map(|scenario| (scenario, preset.source_text())).map_err(Failure::input),
        None if Path::new(name).exists() => match is_recording(Path::new(name)) {
            true => Err(Failure::input(format!(
                "{name} is a recording, and what is run is a scenario; `streamscope figure {name} -o OUT.svg` draws it"
            ))),
            false => scenario::open_with_text(Path::new(name)).map_err(Failure::input),
        },
        None => {
            let names: Vec<&str> = scenario::presets().iter().map(|preset| preset.name).collect();
            let names = names.join(", ");
            Err(Failure::input(format!("`{name}` is neither a file nor a preset; presets are {names}")))
        }
    }
}

/// The defaults, with `KNOB=VALUE` texts applied.
pub(super) fn knobs(scenario: &Scenario, settings: &[String]) -> Result<Knobs, Failure> {
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for setting in settings {
        let (id, value) = pair(setting, "--set", "KNOB=VALUE")?;
        knobs.set_text(&scenario.knobs, id, value).map_err(|error| Failure::input(format!("--set: {error}")))?;
    }
    Ok(knobs)
}

/// A profile with `KEY=VALUE` texts applied.
pub(super) fn profile(name: &str, what_if: &[String]) -> Result<Profile, Failure> {
    let mut profile = profile::open(name).map_err(Failure::input)?;
    for change in what_if {
        let (key, value) = pair(change, "--what-if", "KEY=VALUE")?;
        let number =
            value.parse().map_err(|_| Failure::input(format!("--what-if: `{value}` in `{change}` is not a number")))?;
        profile.what_if(key, number).map_err(Failure::input)?;
    }
    Ok(profile)
}

fn pair<'a>(text: &'a str, option: &str, form: &str) -> Result<(&'a str, &'a str), Failure> {
    text.split_once('=').ok_or_else(|| Failure::input(format!("{option}: `{text}` is not of the form {form}")))
}

/// A scenario ready to run.
pub(super) struct Ready {
    source: SourceText,
    job: Job,
    /// The process that runs it; without one, this.
    worker: Option<Client>,
}

impl Ready {
    /// `runs` is the number of runs of a GPU that are not watched.
    pub fn new(name: &str, setting: &Setting, runs: Option<u32>) -> Result<Self, Failure> {
        let (mut scenario, source) = scenario(name)?;
        if let Some(host) = setting.host {
            scenario.host = host;
        }
        let knobs = knobs(&scenario, &setting.knobs)?;
        let profile = profile(&setting.profile, &setting.what_if)?;
        let on = target(setting, runs)?;
        let worker = match (&setting.worker, on) {
            (None, Target::Model) => None,
            // A GPU gets a process of its own, since a fault there may end the process.
            (command, _) => Some(worker(command.as_deref(), setting.patience)?),
        };
        Ok(Self { source, job: Job { scenario, knobs, profile, on }, worker })
    }

    /// Whether each run is one of the model.
    pub fn is_on_model(&self) -> bool {
        self.job.on == Target::Model
    }

    /// Runs it; a terminal sees how far it is.
    pub fn run(&mut self) -> Result<Recording, Failure> {
        let mut progress = Progress::new();
        let mut watch = |part: f32| {
            progress.show(part);
            true
        };
        let placed = |failure, pointer: Option<&str>| match failure {
            Failure::Input(sentence) => Failure::Input(format!("{}: {sentence}", self.source.place_or_file(pointer))),
            Failure::Machine(_) => failure,
        };
        match &mut self.worker {
            None => self.job.run_here(&mut watch).map_err(|error| {
                let failure = if error.is_machine() { Failure::machine(&error) } else { Failure::input(&error) };
                placed(failure, error.pointer())
            }),
            Some(worker) => {
                worker.run(&self.job, &mut watch).map_err(|error| placed(Failure::worker(&error), error.pointer()))
            }
        }
    }
}

/// Lowers a scenario; an error names the file, line and column.
pub(super) fn lower(source: &SourceText, scenario: &Scenario, knobs: &Knobs) -> Result<Program, Failure> {
    program::lower(scenario, knobs)
        .map_err(|error| Failure::input(format!("{}: {error}", source.place_or_file(error.pointer()))))
}

/// Number of the GPU that `--on` names; `None` for the model.
pub(super) fn gpu(on: &str) -> Result<Option<u32>, Failure> {
    match (on, on.strip_prefix("gpu:").map(str::parse)) {
        ("model", _) => Ok(None),
        ("gpu", _) => Ok(Some(0)),
        (_, Some(Ok(device))) => Ok(Some(device)),
        _ => Err(Failure::input(format!("--on: `{on}` is not an executor; use model, gpu or gpu:N"))),
    }
}

fn target(setting: &Setting, runs: Option<u32>) -> Result<Target, Failure> {
    match gpu(&setting.on)? {
        Some(device) => {
            let usual = RunOptions::default();
            let (runs, instrument) = (runs.unwrap_or(usual.runs), setting.instrument.unwrap_or(usual.instrument));
            Ok(Target::Gpu(RunOptions { device, runs, instrument }))
        }
        None if setting.instrument.is_some() => {
            Err(Failure::input("--instrument says how a GPU is watched, and the model needs none; add `--on gpu`"))
        }
        None => Ok(Target::Model),
    }
}

/// What `--worker` says.
pub(super) fn worker_command(text: &str) -> Result<worker::Command, Failure> {
    worker::Command::written(text).map_err(|error| Failure::input(format!("--worker: {error}")))
}

/// The worker that a command leads to, or one of this program; it counts as hung after so many seconds without a word.
pub(super) fn worker(command: Option<&str>, patience: Option<u32>) -> Result<Client, Failure> {
    let command = match command {
        Some(text) => worker_command(text)?,
        None => worker::Command::this_program().map_err(Failure::machine)?,
    };
    let patience = patience.map(|seconds| Duration::from_secs(seconds.into()));
    let patience = patience.map_or_else(Patience::default, |both| Patience { start: both, silence: both });
    Ok(Client::new(command).with_patience(patience))
}

/// A recording: read from a file that is one, or made by running a scenario.
pub(super) fn recorded(name: &str, setting: &Setting) -> Result<Recording, Failure> {
    let path = Path::new(name);
    if scenario::preset(name).is_none() && path.exists() {
        let text = read_text(path, recording::LIMIT_MIB).map_err(Failure::input)?;
        if starts_as_recording(&text) {
            if setting.says_how_to_run() {
                return Err(Failure::input(format!(
                    "{name} is a recording: it is drawn as it ran; leave out what says how to run"
                )));
            }
            return recording::parse(name, &text).map_err(Failure::input);
        }
        if trace::is_trace(&text) {
            let imported = trace::parse(name, &text).map_err(Failure::input)?;
            if let Some(left_out) = imported.left_out() {
                tell(&format!("{name}: {}", left_out.get(Lang::En)));
            }
            return Ok(imported.recording);
        }
    }
    Ready::new(name, setting, None)?.run()
}

/// Whether a name leads to what is shown as it ran: a recording, or another program's trace.
#[cfg(feature = "window")]
pub(super) fn is_recorded(name: &str) -> bool {
    let read = || read_text(Path::new(name), recording::LIMIT_MIB);
    scenario::preset(name).is_none() && read().is_ok_and(|text| starts_as_recording(&text) || trace::is_trace(&text))
}

fn starts_as_recording(text: &str) -> bool {
    text.chars().take(200).collect::<String>().contains("streamscope_recording")
}

/// Whether a file is a recording; one that cannot be read is none.
fn is_recording(path: &Path) -> bool {
    read_text(path, recording::LIMIT_MIB).is_ok_and(|text| starts_as_recording(&text))
}

/// A time such as `1.2ms`, `300 us`, `5µs`, `250ns`; without a unit, µs.
pub(super) fn time(text: &str) -> Result<Ns, Failure> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ns" => Some(1e-3),
        "us" | "µs" | "μs" | "" => Some(1.0),
        "ms" => Some(1e3),
        "s" => Some(1e6),
        _ => None,
    };
    match (number.parse::<f64>(), factor) {
        (Ok(value), Some(factor)) if value.is_finite() => Ok(Ns::from_us(value * factor)),
        _ => Err(Failure::input(format!("`{text}` is not a time; write one such as 250us or 1.2ms"))),
    }
}
