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
use crate::program::{Action, Operation, Program};
use crate::recording::{Executor, MemoryUse, Origin, OriginEntry, Origins, Recording, RunError, Source};
use crate::scenario::{HostOverhead, Knobs, Scenario};
use crate::time::{Interval, Ns};
use device::Device;
use host::{Failure, Host};
use recorder::Recorder;

/// Most tasks of the GPU in one run, graph nodes of every replay included.
const MAX_TASKS: usize = 8_000_000;

/// Why a run came to no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The replays of graphs add up to too much.
    #[error("the replays of this program run more than {MAX_TASKS} graph nodes; lower a loop count")]
    TooLarge,
}

/// Runs `program`. `watch` is told from time to time which part of the operations is done (0–1) and says whether to go on.
///
/// # Errors
/// [`ModelError`] when `watch` said no, or the replays of graphs add up to too much.
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
    while let Some(operation) = program.operations.get(index) {
        if index == program.measured_from {
            origin = host.now;
            host.allocator.reset_peaks();
        }
        if index % 4096 == 0 && !watch(index as f32 / count.max(1) as f32) {
            return Err(ModelError::Cancelled);
        }
        if host.device.task_count() > MAX_TASKS {
            return Err(ModelError::TooLarge);
        }
        match host.run(index, operation) {
            Ok(()) => index += 1,
            Err(failure) => {
                errors.push(run_error(program, operation, failure));
                index = after_error(program, index);
            }
        }
    }
    Ok(recording(scenario, knobs, host, origin, errors))
}

/// Where the thread goes on: after a CUDA error at the next operation; an exception of PyTorch ends the capture it is raised
/// in, and then the thread, of which only the final synchronization is left.
fn after_error(program: &Program, index: usize) -> usize {
    let next = index + 1;
    if program.host == HostOverhead::Cuda {
        return next;
    }
    let rest = program.operations.get(next..).unwrap_or_default();
    let ends = |operation: &Operation| matches!(operation.action, Action::EndCapture { .. });
    let begins = |operation: &Operation| matches!(operation.action, Action::BeginCapture { .. });
    let end = rest.iter().position(ends);
    match end.filter(|end| !rest.iter().take(*end).any(begins)) {
        Some(end) => next + end,
        None => program.operations.len().saturating_sub(1).max(next),
    }
}

fn run_error(program: &Program, operation: &Operation, failure: Failure) -> RunError {
    let (path, iteration) = program.origin(operation);
    let at = Origin {
        path: path.to_owned(),
        iter: iteration.to_vec(),
        thread: 0,
        label: program.label(operation.label).to_owned(),
    };
    match failure {
        Failure::Cuda(error) => {
            RunError { code: Some(error.code()), name: error.name().to_owned(), text: error.text().to_owned(), at }
        }
        Failure::Pytorch(name, text) => RunError { code: None, name: name.to_owned(), text, at },
    }
}

fn recording(scenario: &Scenario, knobs: &Knobs, host: Host<'_>, origin: Ns, errors: Vec<RunError>) -> Recording {
    let (program, profile) = (host.program, host.profile);
    let mut values: BTreeMap<String, Option<f64>> = BTreeMap::new();
    for (report, value) in program.reports.iter().zip(&host.values) {
        values.insert(report.name.clone(), *value);
    }
    let usage = host.allocator.usage();
    let wall = Interval::new(Ns::ZERO, host.now - origin);
    let (lanes, mut names) = host.device.recorder.into_lanes(program, origin);
    let origins = origins(program, &mut names);
    Recording {
        source: Source {
            executor: Executor::Model,
            device: None,
            profile: Some(profile.caption()),
            host: match program.host {
                HostOverhead::Pytorch => Some("PyTorch host costs".to_owned()),
                HostOverhead::Cuda => None,
            },
        },
        scenario: Some(scenario.clone()),
        knobs: knobs.clone(),
        wall,
        names,
        lanes,
        origins,
        values,
        errors,
        memory: MemoryUse {
            peak_bytes: usage.peak,
            reserved_bytes: usage.peak_reserved,
            raw_allocs: usage.mallocs,
            blocks_waiting: usage.peak_waiting,
        },
        measured: None,
    }
}

/// One origin for each measured operation; its correlation is its number, counted from 1.
fn origins(program: &Program, names: &mut Vec<String>) -> Origins {
    let first = names.len() as u32;
    names.extend(program.labels.iter().cloned());
    let measured = program.operations.get(program.measured_from..).unwrap_or_default();
    let entry = |operation: &Operation| OriginEntry {
        path: operation.path,
        iter: operation.iteration,
        thread: 0,
        label: crate::recording::NameId(first + operation.label.0),
    };
    Origins {
        paths: program.paths.clone(),
        iters: program.iterations.clone(),
        entries: std::iter::once(OriginEntry::default()).chain(measured.iter().map(entry)).collect(),
    }
}
