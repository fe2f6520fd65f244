//! Why a worker gave no answer.

use std::time::Duration;

use super::{PROTOCOL, VERSION};

/// Why a worker gave no answer. After any of these the next job finds a worker that works, if one can be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// The process cannot be started.
    #[error("the worker `{command}` cannot be started: {reason}")]
    Start {
        /// Its command.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// It did not say that it is there.
    #[error(
        "the worker `{command}` has not answered for {}, so it was stopped: nobody can type a password for it, so let `ssh` use a key{said}",
        seconds(patience)
    )]
    Unanswered {
        /// Its command.
        command: String,
        /// How long it was waited for.
        patience: Duration,
        /// What it wrote to standard error.
        said: String,
    },
    /// It says something else than a worker does.
    #[error(
        "`{command}` does not lead to a worker: {what}; end the command with `streamscope worker`, and let nothing else, such as a login script, write to standard output{said}"
    )]
    Nonsense {
        /// Its command.
        command: String,
        /// What it says.
        what: String,
        /// What it wrote to standard error.
        said: String,
    },
    /// It is another version of this program.
    #[error(
        "the worker `{command}` is Streamscope {version} (protocol {protocol}), and this is {VERSION} (protocol {PROTOCOL}): install the same on both machines"
    )]
    Version {
        /// Its command.
        command: String,
        /// Version of the worker.
        version: String,
        /// Protocol of the worker.
        protocol: u32,
    },
    /// The process ended before it answered.
    #[error("the worker `{command}` ended before it was done ({how}); the next run starts it again{said}")]
    Died {
        /// Its command.
        command: String,
        /// Its exit status or signal.
        how: String,
        /// What it wrote to standard error.
        said: String,
    },
    /// It said nothing for too long while a job ran.
    #[error(
        "the worker has said nothing for {}, so it was stopped; a program that gives no sign of life for so long, as a GPU within one kernel, counts as hung{said}",
        seconds(patience)
    )]
    Stalled {
        /// How long it was waited for.
        patience: Duration,
        /// What it wrote to standard error.
        said: String,
    },
    /// It says why it cannot.
    #[error("{sentence}")]
    Failed {
        /// Why, and what to do.
        sentence: String,
        /// What part of the scenario is at fault, as a JSON pointer, where that is known.
        at: Option<String>,
        /// Whether its machine is at fault, not the scenario.
        machine: bool,
    },
    /// The job was given up.
    #[error("the run was cancelled")]
    Cancelled,
}

impl WorkerError {
    /// Whether a machine is at fault, not the scenario.
    pub fn is_machine(&self) -> bool {
        match self {
            Self::Start { .. }
            | Self::Unanswered { .. }
            | Self::Nonsense { .. }
            | Self::Version { .. }
            | Self::Died { .. }
            | Self::Stalled { .. } => true,
            Self::Failed { machine, .. } => *machine,
            Self::Cancelled => false,
        }
    }

    /// What part of the scenario is at fault, as a JSON pointer, where that is known.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Failed { at, .. } => at.as_deref(),
            Self::Start { .. }
            | Self::Unanswered { .. }
            | Self::Nonsense { .. }
            | Self::Version { .. }
            | Self::Died { .. }
            | Self::Stalled { .. }
            | Self::Cancelled => None,
        }
    }

    /// The end of its sentence: what the process wrote to standard error, empty for nothing.
    pub fn said(&self) -> &str {
        match self {
            Self::Unanswered { said, .. }
            | Self::Nonsense { said, .. }
            | Self::Died { said, .. }
            | Self::Stalled { said, .. } => said,
            Self::Start { .. } | Self::Version { .. } | Self::Failed { .. } | Self::Cancelled => "",
        }
    }
}

fn seconds(patience: &Duration) -> String {
    format!("{} s", patience.as_secs_f64())
}
