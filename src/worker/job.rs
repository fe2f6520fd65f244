//! What is to be run, and running it in this process.

use serde::{Deserialize, Serialize};

use crate::gpu::{self, GpuError};
use crate::model::{self, ModelError};
use crate::profile::Profile;
use crate::program::{self, LowerError};
use crate::recording::Recording;
use crate::scenario::{Knobs, Scenario};

/// One run: everything that a recording depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The document.
    pub scenario: Scenario,
    /// The values of its knobs.
    pub knobs: Knobs,
    /// The costs of the model, and of the host time that a GPU run emulates.
    pub profile: Profile,
    /// What runs it.
    pub on: Target,
}

/// What runs a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The model.
    Model,
    /// A GPU of the machine that the process runs on.
    Gpu(gpu::RunOptions),
}

/// Why a job gave no recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The scenario cannot be lowered with these knobs.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The model came to no end.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The GPU cannot.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl Failure {
    /// Whether the machine is at fault, not the scenario.
    pub fn is_machine(&self) -> bool {
        match self {
            Self::Lower(_) | Self::Model(_) | Self::Gpu(GpuError::Unsupported { .. } | GpuError::Cancelled) => false,
            Self::Gpu(
                GpuError::NotBuilt
                | GpuError::NoDriver
                | GpuError::Driver { .. }
                | GpuError::NoSuchDevice { .. }
                | GpuError::Sticky { .. },
            ) => true,
        }
    }

    /// What part of the scenario is at fault, as a JSON pointer, where that is known.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Lower(error) => error.pointer(),
            Self::Gpu(GpuError::Unsupported { at, .. }) => Some(at),
            Self::Model(_) | Self::Gpu(_) => None,
        }
    }

    /// Whether nothing works on the GPU any more until this process ends.
    pub fn is_sticky(&self) -> bool {
        matches!(self, Self::Gpu(GpuError::Sticky { .. }))
    }
}

impl Job {
    /// Lowers the scenario and runs it in this process. `watch` is told which part is done (0–1) and says whether to go on.
    ///
    /// # Errors
    /// When the scenario cannot be lowered or run, or `watch` said no.
    pub fn run_here(&self, watch: &mut dyn FnMut(f32) -> bool) -> Result<Recording, Failure> {
        let Self { scenario, knobs, profile, on } = self;
        let program = program::lower_watched(scenario, knobs, &mut || watch(0.0))?;
        Ok(match on {
            Target::Model => model::run(scenario, knobs, &program, profile, watch)?,
            Target::Gpu(options) => gpu::run(scenario, knobs, &program, profile, options, watch)?,
        })
    }
}
