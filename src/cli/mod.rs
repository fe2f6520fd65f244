//! The command line. Without a subcommand, the window.
//!
//! Exit: 0 done; 1 findings (`check`, `validate`); 2 the input is wrong; 3 the machine cannot. Results go to standard output,
//! errors as one sentence to standard error.

mod advise;
mod arguments;
mod calibrate;
mod check;
mod figure;
mod help;
mod input;
mod list;
mod outcome;
mod progress;
mod run;
mod validate;

use std::process::ExitCode;

use clap::Parser;

use crate::scenario;
#[cfg(feature = "window")]
use crate::window;
use crate::worker;
use arguments::{Arguments, Command};
use outcome::{Failure, Finished, print_json};

/// Carries out the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match execute(arguments) {
        Ok(Finished::Done) => ExitCode::SUCCESS,
        Ok(Finished::Findings) => ExitCode::from(1),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code())
        }
    }
}

fn execute(arguments: Arguments) -> Result<Finished, Failure> {
    match arguments.command {
        None => open_window(arguments),
        Some(Command::List { json }) => list::list(json),
        Some(Command::Schema) => print_json(&scenario::schema()),
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::Advise(options)) => advise::advise(&options),
        Some(Command::Check(options)) => check::check(&options),
        Some(Command::Figure(options)) => figure::figure(&options),
        Some(Command::Validate(options)) => validate::validate(&options),
        Some(Command::Worker) => worker::serve().map_err(Failure::machine).map(|()| Finished::Done),
        Some(Command::Compare { .. }) => Err(later("`streamscope compare`")),
        Some(Command::Import { .. }) => Err(later("reading other programs' traces")),
        Some(Command::Calibrate(options)) => calibrate::calibrate(&options),
    }
}

/// Something that the command line has a place for and this version does not do.
fn later(what: &str) -> Failure {
    Failure::input(format!("{what} is not part of this version of Streamscope yet"))
}

#[cfg(feature = "window")]
fn open_window(arguments: Arguments) -> Result<Finished, Failure> {
    let Arguments { file, profile, worker, .. } = arguments;
    if let Some(file) = file.as_ref().filter(|file| !input::is_recorded(file)) {
        input::scenario(file)?;
    }
    let worker = worker.as_deref().map(input::worker_command).transpose()?;
    window::run(window::Start::of_user(file, profile, worker)).map_err(|error| match error {
        window::WindowError::Display(_) => Failure::machine(error),
        window::WindowError::Profile(_) | window::WindowError::Scenario(_) => Failure::input(error),
    })?;
    Ok(Finished::Done)
}

#[cfg(not(feature = "window"))]
fn open_window(_: Arguments) -> Result<Finished, Failure> {
    Err(Failure::machine(
        "this Streamscope was built without the feature `window`; `cargo build --release` builds it with its window, and \
         `streamscope --help` lists what this one does",
    ))
}
