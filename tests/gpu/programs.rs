//! The programs that the model is held against, run on this GPU: what it takes, beside what another H200 once took.

use streamscope::recording::{Instrument, Recording};
use streamscope::scenario::{Knobs, Scenario};

use super::running::{run_on, told};
use super::{Check, measure, runs};
use super::{acceptance, faults};

pub const CHECKS: &[Check] = &[("programs: this GPU beside a known one", all)];

/// The spans of a traced run, and the wall time of those that nobody watched.
fn on_gpu(scenario: &Scenario, knobs: &Knobs) -> Recording {
    let mut recording = measure(scenario, knobs, &runs(5, Instrument::Stamps));
    if let Some(median) = recording.measured.as_ref().and_then(|measured| measured.median()) {
        recording.wall.end = median;
    }
    recording
}

fn all() -> String {
    run_on(on_gpu);
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for (name, program) in acceptance::ALL.iter().chain(faults::ALL) {
        lines.push(format!("{}:", name.replace('_', " ")));
        if std::panic::catch_unwind(program).is_err() {
            failed.push(*name);
        }
        lines.extend(told().into_iter().map(|line| format!("  {line}")));
    }
    assert!(failed.is_empty(), "what must be so is not: {failed:?}\n{}", lines.join("\n"));
    lines.join("\n")
}
