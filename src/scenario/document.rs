//! The top level of a scenario file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::statement::BodyKey;
use super::value::is_default;
use super::{FirstView, Knob, KnobValue, Knobs, LaneKind, Number, Statement};
use crate::text::Localized;

/// The version that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// A scenario: what to run, and what can be switched in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the file format, 1.
    pub streamscope: u32,
    /// Identifier, such as `implicit-sync`.
    pub name: String,
    /// What it is called in the window.
    pub title: Localized,
    /// Chapter of the course, such as `1.3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// What it shows, in a sentence or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Localized>,
    /// Where host time above the CUDA calls comes from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host: HostOverhead,
    /// How the device differs from the profile's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub device: Device,
    /// The lanes that its picture is about; the others are folded. Without them, all are open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<LaneKind>,
    /// The part of the time that is seen first; without it, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<FirstView>,
    /// What can be switched.
    #[serde(default)]
    pub knobs: Vec<Knob>,
    /// Runs unmeasured and ends in a device synchronization.
    #[serde(default)]
    pub setup: Vec<Statement>,
    /// Runs measured.
    pub program: Vec<Statement>,
    /// Measured figures that the model is held against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

impl Scenario {
    /// Whether both run the same with the same knobs: what is only said about them may differ.
    pub fn runs_like(&self, other: &Self) -> bool {
        let Self {
            streamscope: _,
            name: _,
            title: _,
            chapter: _,
            about: _,
            lanes: _,
            view: _,
            host,
            device,
            knobs,
            setup,
            program,
            references: _,
        } = self;
        *host == other.host
            && *device == other.device
            && run_alike(setup, &other.setup)
            && run_alike(program, &other.program)
            && knobs.iter().map(Knob::silent).eq(other.knobs.iter().map(Knob::silent))
    }

    /// The knobs with a reference's setting applied; what does not fit keeps its default, and `check` lets none of that in.
    pub fn knobs_of(&self, reference: &Reference) -> Knobs {
        let mut knobs = Knobs::defaults(&self.knobs);
        for (id, value) in &reference.knobs {
            let _fits = knobs.set(&self.knobs, id, value.clone());
        }
        knobs
    }

    /// The settings that are compared with a measurement: the defaults, and what the references name; each once.
    pub fn compared_settings(&self) -> Vec<Knobs> {
        let mut settings = vec![Knobs::defaults(&self.knobs)];
        for reference in &self.references {
            let knobs = self.knobs_of(reference);
            if !settings.contains(&knobs) {
                settings.push(knobs);
            }
        }
        settings
    }
}

/// Whether both lists run the same: what people call reported values may differ.
fn run_alike(ours: &[Statement], theirs: &[Statement]) -> bool {
    ours == theirs || silent(ours.to_vec()) == silent(theirs.to_vec())
}

fn silent(mut statements: Vec<Statement>) -> Vec<Statement> {
    for statement in &mut statements {
        if let Statement::Report(report) = statement {
            (report.label, report.unit) = (None, None);
        }
        for key in BodyKey::ALL {
            if let Some(body) = statement.body_mut(key) {
                *body = silent(std::mem::take(body));
            }
        }
    }
    statements
}

/// Where host time above the CUDA calls comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum HostOverhead {
    /// Only the CUDA calls themselves, as in a C++ program.
    Cuda,
    /// What PyTorch spends on each operation in Python, dispatcher and ATen.
    #[default]
    Pytorch,
}

/// How the device differs from the one that the profile describes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Memory that the process may have, in bytes, as with `torch.cuda.set_per_process_memory_fraction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<Number>,
    /// `CUDA_DEVICE_MAX_CONNECTIONS`: streams that share a connection hand their work over one after the other. Without it
    /// each stream has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Number>,
    /// `CUDA_SCALE_LAUNCH_QUEUES`: factor on the depth of the launch queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_scale: Option<Number>,
}

/// A figure measured elsewhere, for one setting of the knobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The setting; knobs not named keep their defaults.
    #[serde(default)]
    pub knobs: BTreeMap<String, KnobValue>,
    /// One of the values that the scenario reports.
    pub metric: String,
    /// The figure, in the unit that the metric's name ends with.
    pub measured: f64,
    /// Smallest and largest figure seen, where the measurement was repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<[f64; 2]>,
    /// Where the figure comes from.
    pub source: String,
}
