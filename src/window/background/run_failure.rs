//! Why there is no run.

use crate::model::ModelError;
use crate::program::LowerError;
use crate::recording::ReadError;
use crate::trace::TraceError;

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub(in crate::window) enum RunFailure {
    /// The scenario cannot be lowered with these knobs.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The model came to no end.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The recording of it, or one that is to be shown, cannot be read.
    #[error(transparent)]
    Recording(#[from] ReadError),
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl RunFailure {
    /// What part of the scenario is at fault, as a JSON pointer, where that is known.
    pub(in crate::window) fn pointer(&self) -> Option<&str> {
        match self {
            Self::Lower(error) => error.pointer(),
            Self::Model(_) | Self::Recording(_) | Self::Trace(_) => None,
        }
    }
}
