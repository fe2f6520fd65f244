//! `streamscope validate`: the model beside what was measured.

mod measure;
mod row;

use std::path::Path;

use super::arguments::ValidateOptions;
use super::input;
use super::outcome::{Failure, Finished, print, print_json};
use crate::model;
use crate::profile::Profile;
use crate::program;
use crate::recording::{self, Library, Recording};
use crate::scenario::{Knobs, Scenario, presets};
use row::{Row, median_error, rows, shown};

/// The median error of the total time over all recordings may be this at most.
const MEDIAN_ERROR: f64 = 0.10;

/// A setting of a scenario, with a recording of it if there is one.
struct Case {
    scenario: Scenario,
    knobs: Knobs,
    recording: Option<Recording>,
}

pub(super) fn validate(options: &ValidateOptions) -> Result<Finished, Failure> {
    let profile = input::profile(&options.profile, &[])?;
    let device = options.on.as_deref().map(input::gpu).transpose()?.flatten();
    let mut missed = Vec::new();
    let cases = match (&options.against, device) {
        (Some(folder), _) => of_folder(folder)?,
        (None, Some(device)) => {
            let mut run = measure::on_gpu(device, options, &profile)?;
            measure::all(settings()?, &mut run, options.save.as_deref(), &mut missed)?
        }
        (None, None) if options.save.is_some() => {
            return Err(Failure::input("--save writes what a GPU measured: add `--on gpu`"));
        }
        (None, None) => of_library(settings()?, &recording::shipped())?,
    };
    let mut found: Vec<Row> = Vec::new();
    for case in &cases {
        found.extend(rows(case, &run_model(case, &profile)?));
    }
    if options.json {
        print_json(&found)?;
    } else {
        print(&shown(&found))?;
    }
    if !missed.is_empty() {
        let (missed, all) = (missed.len(), missed.len() + cases.len());
        return Err(Failure::machine(format!(
            "{missed} of {all} settings did not run on the GPU: the reasons are above"
        )));
    }
    let is_close = median_error(&found).is_none_or(|error| error <= MEDIAN_ERROR);
    Ok(if is_close && found.iter().all(|row| row.ok) { Finished::Done } else { Finished::Findings })
}

fn run_model(case: &Case, profile: &Profile) -> Result<Recording, Failure> {
    let Case { scenario, knobs, .. } = case;
    let failed = |error: &dyn std::error::Error| Failure::input(format!("{}: {error}", scenario.name));
    let program = program::lower(scenario, knobs).map_err(|error| failed(&error))?;
    model::run(scenario, knobs, &program, profile, &mut |_| true).map_err(|error| failed(&error))
}

/// Every setting of every preset that is compared with a measurement.
fn settings() -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for preset in presets() {
        let scenario = preset.scenario().map_err(Failure::input)?;
        let settings = scenario.compared_settings();
        cases.extend(settings.into_iter().map(|knobs| Case { scenario: scenario.clone(), knobs, recording: None }));
    }
    Ok(cases)
}

fn of_library(mut cases: Vec<Case>, library: &Library) -> Result<Vec<Case>, Failure> {
    for case in &mut cases {
        case.recording = library.find(&case.scenario, &case.knobs).transpose().map_err(Failure::input)?;
    }
    Ok(cases)
}

/// The recordings of a folder, whatever their scenarios are.
fn of_folder(folder: &Path) -> Result<Vec<Case>, Failure> {
    let library = Library::folder(folder).map_err(Failure::input)?;
    let mut cases = Vec::new();
    for (name, opened) in library.names().zip(library.recordings()) {
        let recording = opened.map_err(Failure::input)?;
        let at = folder.join(name);
        let Some(scenario) = recording.scenario.clone().filter(|_| recording.measured.is_some()) else {
            return Err(Failure::input(format!(
                "{}: a recording of {}, not of a scenario on a GPU; take it out of the folder",
                at.display(),
                recording.source
            )));
        };
        cases.push(Case { scenario, knobs: recording.knobs.clone(), recording: Some(recording) });
    }
    if cases.is_empty() {
        let at = folder.display();
        return Err(Failure::input(format!(
            "{at}: there are no recordings in this folder; `streamscope validate --on gpu --save {at}` makes them"
        )));
    }
    Ok(cases)
}
