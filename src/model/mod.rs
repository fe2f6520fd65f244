//! The model of a GPU: a discrete-event simulation in integer nanoseconds, with the parts that the machine has.
//!
//! A host thread makes calls that cost what the [`Profile`] says; the GPU works off streams, copy engines and SMs; memory has
//! contents. What waits for what comes from [`crate::program::order`], what an operation does from
//! [`crate::program::effects`]. The same program and profile always give the same recording.

mod allocations;
mod contents;
mod device;
mod engines;
mod graphs;
mod host;
mod memory;
mod recorder;
mod sms;
mod task;

use std::collections::BTreeMap;

use crate::profile::Profile;
use crate::program::{Operation, Program};
use crate::recording::{Built, Executor, Origin, Recording, RunError, Source};
use crate::scenario::{Knobs, Scenario};
use crate::time::{Interval, Ns};
use device::Device;
use host::{Failure, Host};
use recorder::Recorder;

/// Why a run came to no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
}

/// Runs `program`. `watch` is told from time to time which part of the operations is done (0–1) and says whether to go on.
///
/// # Errors
/// [`ModelError`] when `watch` said no.
pub fn run(
    scenario: &Scenario,
    knobs: &Knobs,
    program: &Program,
    profile: &Profile,
    watch: &mut dyn FnMut(f32) -> bool,
) -> Result<Recording, ModelError> {
    let device = Device::new(program, profile, Recorder::new(program));
    let mut host = Host::new(program, profile, device);
    let mut errors = Vec::new();
    let mut origin = Ns::ZERO;
    let count = program.operations.len();
    let mut index = 0;
    let mut done = true;
    while let Some(operation) = program.operations.get(index) {
        if index == program.measured_from {
            origin = host.now;
            host.allocator.reset_peaks();
        }
        if index % 4096 == 0 && !watch(index as f32 / count.max(1) as f32) {
            return Err(ModelError::Cancelled);
        }
        if host.is_skipped(operation, done) {
            done = false;
            index += 1;
            continue;
        }
        match host.run(index, operation) {
            Ok(()) => {
                done = true;
                index += 1;
            }
            Err(failure) => {
                done = false;
                errors.push(run_error(program, operation, failure));
                index = program.after_error(index);
            }
        }
    }
    Ok(recording(scenario, knobs, host, origin, errors))
}

fn run_error(program: &Program, operation: &Operation, failure: Failure) -> RunError {
    let at = Origin::of(program, operation);
    match failure {
        Failure::Cuda(error) => RunError::of_cuda(error, at),
        Failure::Pytorch(class, text) => RunError::of_pytorch(class, text, at),
    }
}

fn recording(scenario: &Scenario, knobs: &Knobs, host: Host<'_>, origin: Ns, errors: Vec<RunError>) -> Recording {
    let (program, profile) = (host.program, host.profile);
    let mut values: BTreeMap<String, Option<f64>> = BTreeMap::new();
    for (report, value) in program.reports.iter().zip(&host.values) {
        values.insert(report.name.clone(), *value);
    }
    let memory = host.allocator.usage().into();
    let wall = Interval::new(Ns::ZERO, host.now - origin);
    let Built { lanes, names, origins } = host.device.recorder.finish(origin);
    Recording {
        source: Source {
            executor: Executor::Model,
            device: None,
            profile: Some(profile.caption()),
            host: Source::host_of(program),
        },
        scenario: Some(scenario.clone()),
        knobs: knobs.clone(),
        wall,
        names,
        lanes,
        origins,
        values,
        errors,
        memory,
        measured: None,
    }
}
