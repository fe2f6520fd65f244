//! What one machine costs: calls, latencies, copies, SM limits, host time by PyTorch operation, and kernels by shape.
//!
//! Every figure was measured apart from any scenario. A profile is a JSON file; the shipped ones are in `assets/profiles`.

mod calls;
mod catalogue;
mod copies;
mod curve;
mod file;
mod gpu;
mod layout;
mod pytorch;
mod speed;
mod what_if;

use serde::{Deserialize, Serialize};

use crate::text::{Key, Localized};

pub use calls::{Calls, Latencies};
pub use catalogue::{Catalogue, CatalogueEntry, KernelCost};
pub use copies::Copies;
pub use curve::Curve;
pub use file::{ProfileError, SHIPPED, open, shipped};
pub use gpu::{Gpu, SmRoom};
pub use pytorch::{HostOp, Layers, Pytorch};
pub use speed::Speed;
pub use what_if::WhatIfError;

/// The measured costs of one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Identifier, such as `h200`.
    pub name: String,
    /// What pictures say: `H200 profile`.
    pub title: Localized,
    /// How and when the figures were measured.
    pub measured: String,
    /// The GPU and its limits.
    pub gpu: Gpu,
    /// Host time of CUDA calls.
    pub calls: Calls,
    /// Times between one thing and the next.
    pub latencies: Latencies,
    /// Copies and host memory.
    pub copies: Copies,
    /// Host time of PyTorch operations.
    pub pytorch: Pytorch,
    /// Kernel times by shape.
    pub kernels: Catalogue,
    /// Factors that "what if" has put on its parts.
    #[serde(default, skip_serializing_if = "Speed::is_usual")]
    pub speed: Speed,
    /// The calls as they were when the host time of PyTorch's operations was measured, where "what if" has changed them since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_before: Option<Box<Calls>>,
    /// What was changed by "what if", as shown: `sms=66`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Profile {
    /// The calls that the host time of PyTorch's operations includes.
    pub fn measured_calls(&self) -> &Calls {
        self.calls_before.as_deref().unwrap_or(&self.calls)
    }

    /// What pictures say, with what was changed: `H200 profile, sms=66`.
    pub fn caption(&self) -> Localized {
        match self.changes.as_slice() {
            [] => self.title.clone(),
            changes => {
                Localized::each(|lang| lang.fill(Key::ProfileChanged, &[self.title.get(lang), &lang.list(changes)]))
            }
        }
    }
}
