//! The model of a GPU: a discrete-event simulation in integer nanoseconds, with the parts that the machine has.
//!
//! A host thread makes calls that cost what the [`Profile`] says; the GPU works off streams, copy engines and SMs; memory has
//! contents. What waits for what comes from [`crate::program::order`], what an operation does from
//! [`crate::program::effects`]. The same program and profile always give the same recording.

mod agenda;
mod call;
mod calls;
mod contents;
mod costs;
mod device;
mod engines;
mod graph;
mod host;
mod memory;
mod names;
mod parts;
mod pulse;
mod recorder;
mod results;
mod sms;
mod step;
mod storage;
mod submission;
mod task;
mod tasks;
mod thread;
mod threads;
mod turns;
mod values;

use std::collections::BTreeMap;

use crate::profile::Profile;
use crate::program::Program;
use crate::recording::{Built, Executor, Recording, Source};
use crate::scenario::{Knobs, Scenario};
use crate::time::{Interval, Ns};
use device::Device;
use host::Host;
use pulse::Pulse;
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
    let mut host = Host::new(program, profile, device, Pulse::new(watch));
    host.go()?;
    Ok(recording(scenario, knobs, host))
}

fn recording(scenario: &Scenario, knobs: &Knobs, host: Host<'_>) -> Recording {
    let (program, profile) = (host.program, host.profile);
    let mut values: BTreeMap<String, Option<f64>> = BTreeMap::new();
    for (report, value) in program.reports.iter().zip(&host.results.reported) {
        values.insert(report.name.clone(), *value);
    }
    let memory = host.storage.allocator.usage().into();
    let origin = host.origin;
    let end = host.returned();
    let sm_use = host.gpu.device.sm_use();
    let Built { tracks, lanes, names, origins, memory_map } = host.gpu.device.recorder.finish(origin, end);
    Recording {
        source: Source {
            executor: Executor::Model,
            device: None,
            profile: Some(profile.caption()),
            host: Source::host_of(program),
        },
        scenario: Some(scenario.clone()),
        knobs: knobs.clone(),
        wall: Interval::new(Ns::ZERO, end - origin),
        names,
        tracks,
        lanes,
        origins,
        values,
        errors: host.results.errors,
        memory,
        memory_map,
        sm_use: Some(sm_use),
        measured: None,
    }
}
