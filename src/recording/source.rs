//! Where a recording comes from: said on every picture.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who produced a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Executor {
    /// The built-in model of a GPU.
    Model,
    /// A GPU.
    Gpu,
    /// Another program, whose trace was read.
    Import,
}

/// Who produced a recording, and on what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Who.
    pub executor: Executor,
    /// The machine: `NVIDIA H200, driver 580`, or the name of the imported file. `None` for the model.
    pub device: Option<String>,
    /// The profile of the model, with what was changed in it: `H200 profile, sms=66`.
    pub profile: Option<String>,
    /// How host overhead came about: `PyTorch host costs`, or none.
    pub host: Option<String>,
}

/// The line that stands on every picture: `model · H200 profile`, `measured · NVIDIA H200, driver 580`, `imported · name`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.executor {
            Executor::Model => "model",
            Executor::Gpu => "measured",
            Executor::Import => "imported",
        };
        f.write_str(word)?;
        for part in [&self.device, &self.profile, &self.host].into_iter().flatten() {
            write!(f, " · {part}")?;
        }
        Ok(())
    }
}
