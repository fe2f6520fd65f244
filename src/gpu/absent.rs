//! What stands in for the GPU executor in a build without the feature `gpu`: its interface, and one answer.

mod error;
mod interface;

pub use error::GpuError;
pub use interface::{Calibration, DeviceInfo, Kept, RunOptions};

use crate::profile::Profile;
use crate::program::Program;
use crate::recording::Recording;
use crate::scenario::{Knobs, Scenario};

/// The GPUs that this build can use.
///
/// # Errors
/// Always [`GpuError::NotBuilt`].
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    Err(GpuError::NotBuilt)
}

/// Would run `program` on a GPU.
///
/// # Errors
/// Always [`GpuError::NotBuilt`].
pub fn run(
    _scenario: &Scenario,
    _knobs: &Knobs,
    _program: &Program,
    _profile: &Profile,
    _options: &RunOptions,
    _watch: &mut dyn FnMut(f32) -> bool,
) -> Result<Recording, GpuError> {
    Err(GpuError::NotBuilt)
}

/// Would measure a GPU.
///
/// # Errors
/// Always [`GpuError::NotBuilt`].
pub fn calibrate(
    _device: u32,
    _base: &Profile,
    _watch: &mut dyn FnMut(&str, f32) -> bool,
) -> Result<Calibration, GpuError> {
    Err(GpuError::NotBuilt)
}

/// Whether a program has left a GPU unusable: none was ever used.
pub fn is_broken() -> bool {
    false
}
