//! The machine's own GPU: the executor that runs a program on it and measures.

mod device;
mod error;
mod kernels;

pub use device::{DeviceInfo, devices};
pub use error::GpuError;

use crate::profile::Profile;
use crate::program::Program;
use crate::recording::{Instrument, Recording};
use crate::scenario::{Knobs, Scenario};

/// How a program is to be run on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunOptions {
    /// Number of the device, as [`devices`] counts.
    pub device: u32,
    /// Number of runs without an instrument, besides one to warm up and one that is traced.
    pub runs: u32,
    /// How the traced run is watched.
    pub instrument: Instrument,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { device: 0, runs: 5, instrument: Instrument::Stamps }
    }
}

/// Runs `program` on a GPU: once to warm up, then without an instrument, then traced. The host time of PyTorch operations
/// comes from `profile` and is spent in a busy wait. `watch` is told which part is done (0–1) and says whether to go on.
///
/// # Errors
/// [`GpuError`] when there is no GPU, when `watch` said no, or when the program holds something that the executor does not do.
pub fn run(
    _scenario: &Scenario,
    _knobs: &Knobs,
    _program: &Program,
    _profile: &Profile,
    options: &RunOptions,
    _watch: &mut dyn FnMut(f32) -> bool,
) -> Result<Recording, GpuError> {
    let count = devices()?.len();
    if options.device as usize >= count {
        return Err(GpuError::NoSuchDevice { index: options.device, count });
    }
    Err(GpuError::Unsupported { what: "everything".to_owned(), at: String::new() })
}
