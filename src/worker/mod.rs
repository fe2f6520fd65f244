//! Running a scenario in a process of its own, so that a GPU that hangs or faults never takes the window with it.
//!
//! [`serve()`] is that process: `streamscope worker`, which takes messages from standard input and answers on standard output.
//! [`Client`] starts it, or any command that leads to one such as `ssh gpubox streamscope worker`, and stops it when it says
//! nothing for too long. Both end in [`Job::run_here`], so a job gives the same recording wherever it runs.

mod client;
mod command;
mod error;
pub mod frame;
mod job;
mod message;
mod process;
mod serve;
mod tail;

pub use client::{Client, Patience};
pub use command::{Command, CommandError};
pub use error::WorkerError;
pub use job::{Failure, Job, Target};
pub use message::{FromWorker, PROTOCOL, ToWorker, VERSION};
pub use serve::serve;
