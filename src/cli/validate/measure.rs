//! Runs every setting on a GPU, and keeps the recordings.

use std::fs;
use std::path::Path;

use super::Case;
use crate::cli::arguments::ValidateOptions;
use crate::cli::input;
use crate::cli::outcome::{Failure, tell};
use crate::file;
use crate::gpu::{GpuError, RunOptions};
use crate::profile::Profile;
use crate::recording::{self, Recording, file_name};
use crate::scenario::{Knobs, Scenario};
use crate::worker::{Job, Target, WorkerError};

/// Runs a scenario with its knobs so on a GPU.
pub(super) type RunOnGpu<'a> = dyn FnMut(&Scenario, &Knobs) -> Result<Recording, Failure> + 'a;

/// Runs scenarios on the GPU of that number. The error says that there is none.
pub(super) fn on_gpu<'a>(
    device: u32,
    options: &ValidateOptions,
    profile: &'a Profile,
) -> Result<impl FnMut(&Scenario, &Knobs) -> Result<Recording, Failure> + 'a, Failure> {
    let failed = |error: WorkerError| Failure::worker(&error);
    let mut worker = input::worker(options.worker.as_deref(), options.patience)?;
    let count = worker.devices().map_err(failed)?.len();
    if device as usize >= count {
        return Err(Failure::machine(GpuError::NoSuchDevice { index: device, count }));
    }
    let usual = RunOptions::default();
    let on = Target::Gpu(RunOptions { device, runs: options.runs.unwrap_or(usual.runs), ..usual });
    Ok(move |scenario: &Scenario, knobs: &Knobs| {
        let job = Job { scenario: scenario.clone(), knobs: knobs.clone(), profile: profile.clone(), on };
        worker.run(&job, &mut |_| true).map_err(failed)
    })
}

/// Runs every case with `run`, says on standard error how it goes, and writes each recording into `folder` as soon as it is
/// there. A case that cannot be run goes to `missed`; the others go on, because a GPU's time is dear.
pub(super) fn all(
    cases: Vec<Case>,
    run: &mut RunOnGpu<'_>,
    folder: Option<&Path>,
    missed: &mut Vec<Case>,
) -> Result<Vec<Case>, Failure> {
    if let Some(folder) = folder {
        let refused = |source| Failure::input(file::WriteError { path: folder.to_owned(), source });
        fs::create_dir_all(folder).map_err(refused)?;
    }
    let count = cases.len();
    let mut measured = Vec::new();
    for (i, case) in cases.into_iter().enumerate() {
        let name = file_name(&case.scenario, &case.knobs);
        let part = format!("{}/{count} {}", i + 1, name.trim_end_matches(".json.gz"));
        match run(&case.scenario, &case.knobs) {
            Ok(recording) => {
                if let Some(folder) = folder {
                    recording::write(&recording, &folder.join(&name)).map_err(Failure::input)?;
                }
                let median = recording.measured.as_ref().and_then(recording::Measured::median);
                tell(&format!("{part}: {}", median.unwrap_or(recording.wall.dur())));
                measured.push(Case { recording: Some(recording), ..case });
            }
            Err(Failure::Input(sentence) | Failure::Machine(sentence)) => {
                tell(&format!("{part}: {sentence}"));
                missed.push(case);
            }
        }
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::validate::{of_folder, settings};
    use crate::recording::{Executor, Instrument, Measured, Source};
    use crate::{model, profile, program};

    #[test]
    fn each_setting_is_kept_where_it_is_found_again_and_a_failure_stops_nothing() {
        let profile = profile::shipped("h200").unwrap();
        let mut run = |scenario: &Scenario, knobs: &Knobs| {
            if scenario.name == "pipeline" {
                return Err(Failure::machine("no room"));
            }
            let program = program::lower(scenario, knobs).unwrap();
            let mut recording = model::run(scenario, knobs, &program, &profile, &mut |_| true).unwrap();
            recording.source = Source { executor: Executor::Gpu, device: None, profile: None, host: None };
            recording.measured = Some(Measured {
                date: "2026-11-30".to_owned(),
                instrument: Some(Instrument::Events),
                untraced: vec![recording.wall.dur()],
                clock_error: Some(recording.wall.start),
                ..Measured::default()
            });
            Ok(recording)
        };
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new");
        let mut missed = Vec::new();
        let measured = all(settings().unwrap(), &mut run, Some(&folder), &mut missed).unwrap();
        assert!(missed.len() > 1 && missed.iter().all(|case| case.scenario.name == "pipeline"));
        assert_eq!(measured.len() + missed.len(), settings().unwrap().len());
        let library = recording::Library::folder(&folder).unwrap();
        for case in &measured {
            assert_eq!(library.find(&case.scenario, &case.knobs).unwrap().unwrap(), case.recording.clone().unwrap());
        }
        assert_eq!(of_folder(&folder).ok().unwrap().len(), measured.len());
    }
}
