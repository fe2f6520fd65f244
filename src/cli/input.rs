//! What a command works on: scenarios, knobs, profiles and recordings, by name or path.

use std::path::Path;

use super::arguments::Setting;
use super::outcome::Failure;
use crate::file::read_text;
use crate::model;
use crate::profile::{self, Profile};
use crate::program::{self, Program};
use crate::recording::{self, Recording};
use crate::scenario::{self, Knobs, Scenario};
use crate::time::Ns;

/// A preset by name, or a scenario from a file.
pub(super) fn scenario(name: &str) -> Result<Scenario, Failure> {
    match scenario::preset(name) {
        Some(preset) => preset.scenario().map_err(Failure::input),
        None if Path::new(name).exists() => scenario::open(Path::new(name)).map_err(Failure::input),
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
    pub scenario: Scenario,
    pub knobs: Knobs,
    pub program: Program,
    pub profile: Profile,
}

impl Ready {
    pub fn new(name: &str, setting: &Setting) -> Result<Self, Failure> {
        let mut scenario = scenario(name)?;
        if let Some(host) = setting.host {
            scenario.host = host;
        }
        let knobs = knobs(&scenario, &setting.knobs)?;
        let profile = profile(&setting.profile, &setting.what_if)?;
        let program = lower(name, &scenario, &knobs)?;
        executor(&setting.on)?;
        Ok(Self { scenario, knobs, program, profile })
    }

    /// Runs it on the model.
    pub fn run(&self) -> Result<Recording, Failure> {
        model::run(&self.scenario, &self.knobs, &self.program, &self.profile, &mut |_| true).map_err(Failure::input)
    }
}

/// Lowers a scenario; an error names the file.
pub(super) fn lower(name: &str, scenario: &Scenario, knobs: &Knobs) -> Result<Program, Failure> {
    program::lower(scenario, knobs).map_err(|error| Failure::input(format!("{name}: {error}")))
}

/// The number of the GPU that `--on` names; `None` for the model.
pub(super) fn gpu_number(on: &str) -> Result<Option<u32>, Failure> {
    let number = on.strip_prefix("gpu:").map(str::parse::<u32>);
    match (on, number) {
        ("model", _) => Ok(None),
        ("gpu", _) => Ok(Some(0)),
        (_, Some(Ok(number))) => Ok(Some(number)),
        _ => Err(Failure::input(format!("--on: `{on}` is not an executor; use model, gpu or gpu:N"))),
    }
}

/// Only the model runs scenarios yet; a GPU is looked for, so that the reason is the right one.
pub(super) fn executor(on: &str) -> Result<(), Failure> {
    match gpu_number(on)? {
        None => Ok(()),
        Some(_) => crate::gpu::devices().map(drop).map_err(Failure::machine),
    }
}

/// A recording: read from a file that is one, or made by running a scenario.
pub(super) fn recorded(name: &str, setting: &Setting) -> Result<Recording, Failure> {
    let path = Path::new(name);
    if scenario::preset(name).is_none() && path.exists() {
        let text = read_text(path, recording::LIMIT_MIB).map_err(Failure::input)?;
        let is_recording = text.chars().take(200).collect::<String>().contains("streamscope_recording");
        if is_recording {
            return recording::parse(name, &text).map_err(Failure::input);
        }
    }
    Ready::new(name, setting)?.run()
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
