//! `streamscope check`: whether scenarios are valid, which hazards their programs have, and which errors their run meets.

use serde::Serialize;

use super::arguments::CheckOptions;
use super::input;
use super::outcome::{Failure, Finished, print, print_json};
use crate::analysis::hazard::{self, Hazard};
use crate::model;
use crate::profile::Profile;
use crate::recording::RunError;
use crate::scenario::{Knob, KnobValue, Knobs, Scenario};
use crate::text::Lang;

/// Most settings that `--all` tries for one scenario.
const MAX_SETTINGS: usize = 256;

#[derive(Serialize)]
struct Checked {
    file: String,
    valid: bool,
    /// Number of settings that were tried.
    settings: usize,
    hazards: Vec<FoundHazard>,
    /// What only works by undocumented behaviour.
    fragile: Vec<FoundHazard>,
    errors: Vec<Found>,
}

/// A hazard, and the first setting that has it.
#[derive(Serialize)]
struct FoundHazard {
    knobs: Knobs,
    #[serde(flatten)]
    hazard: Hazard,
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
    if options.json {
        print_json(&checked)?;
    } else {
        print(&checked.iter().map(Checked::shown).collect::<String>())?;
    }
    let invalid: Vec<&str> = checked.iter().flat_map(|checked| &checked.errors).filter_map(Found::invalid).collect();
    let finds = |checked: &Checked| !checked.hazards.is_empty() || (options.strict && !checked.fragile.is_empty());
    match invalid.as_slice() {
        [] if checked.iter().any(finds) => Ok(Finished::Findings),
        [] => Ok(Finished::Done),
        texts => Err(Failure::input(texts.join("\nstreamscope: "))),
    }
}

fn check_one(name: &str, options: &CheckOptions, profile: &Profile) -> Checked {
    let mut checked = Checked {
        file: name.to_owned(),
        valid: true,
        settings: 0,
        hazards: Vec::new(),
        fragile: Vec::new(),
        errors: Vec::new(),
    };
    if let Err(failure) = run_all(name, options, profile, &mut checked) {
        let (Failure::Input(text) | Failure::Machine(text)) = failure;
        checked.valid = false;
        checked.errors.push(Found::Invalid { text });
    }
    checked
}

fn run_all(name: &str, options: &CheckOptions, profile: &Profile, checked: &mut Checked) -> Result<(), Failure> {
    let (scenario, source) = input::scenario(name)?;
    let first = input::knobs(&scenario, &options.knobs)?;
    let settings = if options.all { all_settings(&scenario, &first, &options.knobs) } else { vec![first] };
    for knobs in settings {
        let program = input::lower(&source, &scenario, &knobs)?;
        let recording = model::run(&scenario, &knobs, &program, profile, &mut |_| true).map_err(Failure::input)?;
        let verdict = hazard::judge_run(&program, &recording);
        checked.settings += 1;
        add(&mut checked.hazards, &knobs, verdict.hazards);
        add(&mut checked.fragile, &knobs, verdict.fragile);
        checked.errors.extend(
            recording.errors.into_iter().map(|error| Found::Run { knobs: knobs.clone(), error: error.in_english() }),
        );
    }
    Ok(())
}

/// Adds what no setting before had.
fn add(known: &mut Vec<FoundHazard>, knobs: &Knobs, hazards: Vec<Hazard>) {
    for hazard in hazards {
        let is_same = |known: &FoundHazard| {
            let known = &known.hazard;
            known.class == hazard.class
                && known.object == hazard.object
                && known.first.path == hazard.first.path
                && known.second.path == hazard.second.path
        };
        if !known.iter().any(is_same) {
            known.push(FoundHazard { knobs: knobs.clone(), hazard });
        }
    }
}

/// Every combination of toggles and choices; numbers stay as they are, and so does what `set` names.
fn all_settings(scenario: &Scenario, first: &Knobs, set: &[String]) -> Vec<Knobs> {
    let mut settings = vec![first.clone()];
    let is_set = |knob: &&Knob| set.iter().any(|it| it.split_once('=').is_some_and(|(id, _)| id.trim() == knob.id()));
    for knob in scenario.knobs.iter().filter(|knob| !is_set(knob)) {
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
        let found = match (self.valid, self.hazards.len(), self.fragile.len()) {
            (false, ..) => "not valid".to_owned(),
            (true, 0, 0) => "no hazards".to_owned(),
            (true, 0, _) => "no hazards, but it relies on what no document promises".to_owned(),
            (true, 1, _) => "1 hazard".to_owned(),
            (true, count, _) => format!("{count} hazards"),
        };
        let mut text = format!("{}: {found}", self.file);
        if self.settings > 1 {
            text.push_str(&format!(" in {} settings", self.settings));
        }
        text.push('\n');
        for FoundHazard { knobs, hazard } in self.hazards.iter().chain(&self.fragile) {
            let knobs: Vec<String> = knobs.0.iter().map(|(id, value)| format!("{id}={value}")).collect();
            text.push_str(&format!("  {}", hazard::short(hazard)));
            if !knobs.is_empty() {
                text.push_str(&format!("   with {}", knobs.join(" ")));
            }
            text.push_str(&format!("\n    {}\n", hazard::explain(hazard, Lang::En)));
            text.push_str(&format!("    at {} and {}\n", hazard.first.path, hazard.second.path));
        }
        for error in &self.errors {
            if let Found::Run { error, .. } = error {
                let code = error.code.map_or_else(String::new, |code| format!(" ({code})"));
                text.push_str(&format!("  {}{code} at {}: {}\n", error.name, error.at.path, error.text));
            }
        }
        text
    }
}
