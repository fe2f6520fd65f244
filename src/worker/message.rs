//! What a worker is told and what it says. Each request has a number, which the answers to it repeat.

use serde::{Deserialize, Serialize};

use super::Job;
use crate::gpu::DeviceInfo;
use crate::recording::Recording;

/// The version of this program: a job and a recording are only understood by the same one.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Changes with the messages, where the version of the program does not.
pub const PROTOCOL: u32 = 1;

/// To the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToWorker {
    /// The first message. It is answered by [`FromWorker::Hello`].
    Hello {
        /// [`VERSION`] of the other end.
        version: String,
        /// [`PROTOCOL`] of the other end.
        protocol: u32,
    },
    /// What GPUs are there? Answered by [`FromWorker::Devices`] or [`FromWorker::Failed`].
    Devices {
        /// Of the request.
        number: u64,
    },
    /// Run this. Answered by any [`FromWorker::Progress`], then [`FromWorker::Done`] or [`FromWorker::Failed`].
    Run {
        /// Of the request; higher than any before.
        number: u64,
        /// What to run.
        job: Box<Job>,
    },
    /// Give up on this run and on those before. What is over is not affected.
    Cancel {
        /// Of the run.
        number: u64,
    },
}

/// From the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromWorker {
    /// It is there.
    Hello {
        /// [`VERSION`] of the worker.
        version: String,
        /// [`PROTOCOL`] of the worker.
        protocol: u32,
    },
    /// The GPUs of the worker's machine.
    Devices {
        /// Of the request.
        number: u64,
        /// In the driver's order.
        devices: Vec<DeviceInfo>,
    },
    /// A run goes on.
    Progress {
        /// Of the run.
        number: u64,
        /// Which part is done, 0–1.
        part: f32,
    },
    /// A run is over.
    Done {
        /// Of the run.
        number: u64,
        /// What happened.
        recording: Box<Recording>,
    },
    /// A request came to nothing.
    Failed {
        /// Of the request.
        number: u64,
        /// Why, and what to do.
        sentence: String,
        /// What part of the scenario is at fault, as a JSON pointer, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        /// Whether the worker's machine is at fault, not the scenario.
        machine: bool,
        /// Whether the worker ends now, because nothing would work any more.
        sticky: bool,
    },
}

impl FromWorker {
    /// The request that this answers.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Hello { .. } => None,
            Self::Devices { number, .. }
            | Self::Progress { number, .. }
            | Self::Done { number, .. }
            | Self::Failed { number, .. } => Some(*number),
        }
    }
}
