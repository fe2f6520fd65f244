//! `streamscope check`: whether scenarios are valid, and which errors their run meets.

use serde::Serialize;
use serde_json::Value;

use super::arguments::CheckOptions;
use super::input;
use super::outcome::{Failure, Finished, print, print_json};
use crate::model;
use crate::profile::Profile;
use crate::recording::RunError;
use crate::scenario::{Knob, KnobValue, Knobs, Scenario};

/// Most settings that `--all` tries for one scenario.
const MAX_SETTINGS: usize = 256;

#[derive(Serialize)]
struct Checked {
    file: String,
    valid: bool,
    /// Not judged yet.
    hazards: Option<Vec<Value>>,
    errors: Vec<Found>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    /// The file is wrong.
    Invalid { text: String },
    /// The run meets an error of CUDA or PyTorch.
    Run { knobs: Knobs, error: RunError },
}

pub(super) fn check(options: &CheckOptions) -> Result<Finished, Failure> {
    let profile = input::profile("h200", &[])?;
    let checked: Vec<Checked> = options.scenarios.iter().map(|name| check_one(name, options, &profile)).collect();
    let invalid: Vec<&str> = checked.iter().flat_map(|checked| &checked.errors).filter_map(Found::invalid).collect();
    if options.json {
        print_json(&checked)?;
    } else {
        print(&checked.iter().map(Checked::shown).collect::<String>())?;
    }
    match invalid.as_slice() {
        [] => Ok(Finished::Done),
        texts => Err(Failure::input(texts.join("\nstreamscope: "))),
    }
}

fn check_one(name: &str, options: &CheckOptions, profile: &Profile) -> Checked {
    let mut errors = Vec::new();
    if let Err(failure) = run_all(name, options, profile, &mut errors) {
        let (Failure::Input(text) | Failure::Machine(text)) = failure;
        errors.push(Found::Invalid { text });
    }
    let valid = errors.iter().all(|error| error.invalid().is_none());
    Checked { file: name.to_owned(), valid, hazards: None, errors }
}

fn run_all(name: &str, options: &CheckOptions, profile: &Profile, errors: &mut Vec<Found>) -> Result<(), Failure> {
    let scenario = input::scenario(name)?;
    let first = input::knobs(&scenario, &options.knobs)?;
    let settings = if options.all { all_settings(&scenario, &first) } else { vec![first] };
    for knobs in settings {
        let program = input::lower(name, &scenario, &knobs)?;
        let recording = model::run(&scenario, &knobs, &program, profile, &mut |_| true).map_err(Failure::input)?;
        errors.extend(recording.errors.into_iter().map(|error| Found::Run { knobs: knobs.clone(), error }));
    }
    Ok(())
}

/// Every combination of toggles and choices; numbers stay as they are.
fn all_settings(scenario: &Scenario, first: &Knobs) -> Vec<Knobs> {
    let mut settings = vec![first.clone()];
    for knob in &scenario.knobs {
        let values: Vec<KnobValue> = match knob {
            Knob::Toggle { .. } => vec![KnobValue::Toggle(false), KnobValue::Toggle(true)],
            Knob::Choice { options, .. } => options.iter().map(|o| KnobValue::Choice(o.id.clone())).collect(),
            Knob::Number { .. } => continue,
        };
        let with = |setting: &Knobs, value: &KnobValue| {
            let mut setting = setting.clone();
            setting.0.insert(knob.id().to_owned(), value.clone());
            setting
        };
        settings = settings.iter().flat_map(|setting| values.iter().map(|value| with(setting, value))).collect();
        settings.truncate(MAX_SETTINGS);
    }
    settings
}

impl Found {
    fn invalid(&self) -> Option<&str> {
        match self {
            Self::Invalid { text } => Some(text),
            Self::Run { .. } => None,
        }
    }
}

impl Checked {
    fn shown(&self) -> String {
        let mut text =
            format!("{}: {}\n", self.file, if self.valid { "valid; hazards are not judged yet" } else { "not valid" });
        for error in &self.errors {
            if let Found::Run { error, .. } = error {
                let code = error.code.map_or_else(String::new, |code| format!(" ({code})"));
                text.push_str(&format!("  {}{code} at {}: {}\n", error.name, error.at.path, error.text));
            }
        }
        text
    }
}
