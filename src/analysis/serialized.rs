//! The serialized form of a program: every operation is over before the next one is issued, and no memory is used twice. What it
//! reports is what the order of the program means; a program without hazards reports just that.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model;
use crate::profile;
use crate::program::walk::Cancelled;
use crate::program::{Action, Operation, Program, VariableId};
use crate::recording::{Executor, Recording};

/// A larger program is not run a second time.
const MAX_OPERATIONS: usize = 100_000;
/// Memory for all tensors beside each other.
const ROOM_BYTES: u64 = 1 << 50;

/// A value that a run reported, and that its program does not mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrongValue {
    /// Its name.
    pub name: String,
    /// What was reported.
    pub value: f64,
    /// What the serialized form of the program reports.
    pub meant: f64,
}

/// The values of a run that are not what the order of its program means, as far as that is known: of programs of one host thread,
/// and of values that follow from data alone.
///
/// # Errors
/// [`Cancelled`] when `goes_on` said no.
pub(super) fn wrong_values(
    program: &Program,
    recording: &Recording,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<WrongValue>, Cancelled> {
    let of_data = data_reports(program);
    let is_small = program.operations.len() <= MAX_OPERATIONS && program.threads.len() <= 1;
    let (Some(scenario), Some(profile)) = (&recording.scenario, profile::shipped("h200").ok()) else {
        return Ok(Vec::new());
    };
    if of_data.is_empty() || !is_small {
        return Ok(Vec::new());
    }
    let serialized = serialized(program);
    let meant = model::run(scenario, &recording.knobs, &serialized, &profile, &mut |_| goes_on());
    let meant = meant.map_err(|_| Cancelled)?;
    if !meant.errors.is_empty() {
        return Ok(Vec::new());
    }
    let wrong = |name: &&str| {
        let known = |values: &BTreeMap<String, Option<f64>>| values.get(*name).copied().flatten();
        let (value, meant) = (known(&recording.values)?, known(&meant.values)?);
        let name = (*name).to_owned();
        (!is_same(value, meant, recording.source.executor)).then_some(WrongValue { name, value, meant })
    };
    Ok(of_data.iter().filter_map(wrong).collect())
}

/// A GPU rounds to single precision, and adds up in an order of its own.
fn is_same(value: f64, meant: f64, executor: Executor) -> bool {
    let share = if executor == Executor::Model { 1e-9 } else { 1e-2 };
    (value - meant).abs() <= share * value.abs().max(meant.abs())
}

/// The reports that follow from what the host has read in its memory, and from no times and no answers of events.
fn data_reports(program: &Program) -> Vec<&str> {
    let (mut of_data, mut others) = (BTreeSet::new(), BTreeSet::new());
    for operation in &program.operations {
        if let Action::ReadHost { into, .. } = operation.action {
            of_data.extend(into);
        } else if let Action::Clock { into } | Action::Elapsed { into, .. } = operation.action {
            others.insert(into);
        } else if let Action::Query { into, .. } | Action::QueryStream { into, .. } = operation.action {
            others.extend(into);
        }
    }
    let is_data = |variable: &VariableId| of_data.contains(variable) && !others.contains(variable);
    let reports = program.reports.iter();
    let reports = reports.filter(|report| !report.variables.is_empty() && report.variables.values().all(is_data));
    reports.map(|report| report.name.as_str()).collect()
}

/// The host waits for the device after each operation, where no capture is open; nothing is given back.
fn serialized(program: &Program) -> Program {
    let mut operations: Vec<Operation> = Vec::with_capacity(2 * program.operations.len());
    let mut measured_from = 0;
    let mut open_captures = 0_u32;
    for (index, operation) in program.operations.iter().enumerate() {
        if index == program.measured_from {
            measured_from = operations.len();
        }
        if gives_back(&operation.action) {
            continue;
        }
        if matches!(operation.action, Action::BeginCapture { .. }) {
            open_captures += 1;
        } else if matches!(operation.action, Action::EndCapture { .. }) {
            open_captures = open_captures.saturating_sub(1);
        }
        operations.push(*operation);
        if open_captures == 0 {
            operations.push(Operation { action: Action::SyncDevice, host: None, ..*operation });
        }
    }
    let mut serialized = Program { measured_from, operations, ..program.clone() };
    serialized.device.memory_bytes = Some(ROOM_BYTES);
    let end = serialized.operations.len();
    if let Some(thread) = serialized.threads.first_mut() {
        thread.operations = 0..end;
    }
    serialized
}

fn gives_back(action: &Action) -> bool {
    matches!(action, Action::Free { .. } | Action::RawFree { .. } | Action::FreeAsync { .. } | Action::HostFree { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::hazard;
    use crate::program::lower;
    use crate::scenario::{Knobs, open, presets};

    #[test]
    fn a_program_without_hazards_reports_what_its_serialized_form_reports() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let cases =
            files.filter(|path| path.extension().is_some_and(|it| it == "json")).map(|path| open(&path).unwrap());
        let profile = profile::shipped("h200").unwrap();
        let mut compared = 0;
        for scenario in presets().iter().map(|preset| preset.scenario().unwrap()).chain(cases) {
            let knobs = Knobs::defaults(&scenario.knobs);
            let program = lower(&scenario, &knobs).unwrap();
            let recording = model::run(&scenario, &knobs, &program, &profile, &mut |_| true).unwrap();
            if recording.errors.is_empty() && hazard::judge(&program).hazards.is_empty() {
                compared += data_reports(&program).len();
                let wrong = wrong_values(&program, &recording, &mut || true).unwrap();
                assert_eq!(wrong, [], "{}", scenario.name);
            }
        }
        assert!(compared > 5, "{compared} values are hardly a test");
    }
}
