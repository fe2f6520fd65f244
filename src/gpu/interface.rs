//! What others see of the GPU executor, whether this build has one or not.

use serde::{Deserialize, Serialize};

use crate::profile::Profile;
use crate::recording::Instrument;

/// How a program is to be run on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Number of the device, as [`devices`](super::devices) counts.
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

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Number of the device.
    pub index: u32,
    /// The name on the box, such as `NVIDIA H200`.
    pub name: String,
    /// Version of the driver, such as `580`, or the CUDA version that it speaks where the system does not tell.
    pub driver: String,
    /// Device memory in bytes.
    pub memory_bytes: u64,
}

/// What a calibration found.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The profile of this machine.
    pub profile: Profile,
    /// Figures that are those of the other profile, since the measurement made no sense.
    pub kept: Vec<Kept>,
}

/// A figure that was not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its path in the profile, such as `calls.launch_us` or `copies.d2d_us[4096]`.
    pub figure: String,
    /// What was wrong with the measurement.
    pub why: String,
}
