//! Where a recording comes from: said on every picture.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::scenario::HostOverhead;
use crate::text::{Key, Lang, Localized};

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

/// Between the name of a GPU and the version of its driver in [`Source::device`].
const DRIVER: &str = ", driver ";

/// Who produced a recording, and on what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Who.
    pub executor: Executor,
    /// The machine: `NVIDIA H200, driver 580`, or the name of the imported file. `None` for the model.
    pub device: Option<String>,
    /// The profile of the model, with what was changed in it: `H200 profile, sms=66`.
    pub profile: Option<Localized>,
    /// How host overhead came about: `PyTorch host costs`, or none.
    pub host: Option<String>,
}

impl Source {
    /// How the host overhead of a program comes about.
    pub fn host_of(program: &Program) -> Option<String> {
        match program.host {
            HostOverhead::Pytorch => Some("PyTorch host costs".to_owned()),
            HostOverhead::Cuda => None,
        }
    }

    /// The line that stands on every picture: `model · H200 profile`, `measured · NVIDIA H200, driver 580`,
    /// `imported · name`.
    pub fn line(&self, lang: Lang) -> String {
        let word = lang.text(match self.executor {
            Executor::Model => Key::SourceModel,
            Executor::Gpu => Key::SourceMeasured,
            Executor::Import => Key::SourceImported,
        });
        let host = self.host.as_ref().map(|_| {
            lang.text(match self.executor {
                // A GPU run spends it in a busy wait.
                Executor::Gpu => Key::SourceHostEmulated,
                Executor::Model | Executor::Import => Key::SourceHost,
            })
        });
        let profile = self.profile.as_ref().map(|profile| profile.get(lang));
        let device = self.device.as_ref().map(|device| match device.split_once(DRIVER) {
            Some((gpu, version)) => lang.fill(Key::SourceDevice, &[gpu, version]),
            None => device.clone(),
        });
        let names = device.as_deref().into_iter().chain(profile);
        std::iter::once(word).chain(names).chain(host).collect::<Vec<_>>().join(" · ")
    }
}

/// The line in English.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line(Lang::En))
    }
}
