//! Streamscope on a GPU: what only hardware can show, as a table. Without a GPU everything is skipped, by name.
//!
//! `cargo test --release --test gpu -- [PART OF A NAME]…`; exit 1 when a check fails.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a check fails by panicking, also in what checks share")]
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

#[path = "outside/acceptance.rs"]
mod acceptance;
#[path = "outside/captures.rs"]
mod captures;
#[path = "gpu/capturing.rs"]
mod capturing;
#[expect(dead_code, reason = "the tests of the model use the rest")]
#[path = "outside/cases.rs"]
mod cases;
#[path = "gpu/cases.rs"]
mod cases_here;
#[path = "outside/faults.rs"]
mod faults;
#[path = "gpu/kernels.rs"]
mod kernels;
#[path = "gpu/looking.rs"]
mod looking;
#[path = "gpu/memory.rs"]
mod memory;
#[path = "gpu/presets.rs"]
mod presets;
#[path = "outside/programs.rs"]
mod programs;
#[path = "gpu/programs.rs"]
mod programs_here;
#[path = "gpu/reference.rs"]
mod reference;
#[path = "outside/running.rs"]
mod running;
#[path = "gpu/timing.rs"]
mod timing;
#[path = "gpu/workers.rs"]
mod workers;

use std::panic;
use std::process::ExitCode;
use std::time::Instant;

use streamscope::gpu::{self, RunOptions};
use streamscope::profile::shipped;
use streamscope::program::lower;
use streamscope::recording::{Instrument, Recording};
use streamscope::scenario::{Knobs, Scenario};

/// A check: its name, and what it found; it panics where something is wrong.
type Check = (&'static str, fn() -> String);

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let all = [
        kernels::CHECKS,
        timing::CHECKS,
        memory::CHECKS,
        capturing::CHECKS,
        cases_here::CHECKS,
        presets::CHECKS,
        programs_here::CHECKS,
        looking::CHECKS,
        workers::CHECKS,
    ];
    let checks: Vec<&Check> = all
        .into_iter()
        .flatten()
        .filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())))
        .collect();
    let devices = match gpu::devices() {
        Ok(devices) => devices,
        Err(error) => {
            for (name, _) in &checks {
                println!("skipped  {name}");
            }
            println!("{} GPU checks skipped: {error}", checks.len());
            return ExitCode::SUCCESS;
        }
    };
    println!("{} GPU checks on {}, driver {}", checks.len(), devices[0].name, devices[0].driver);
    let mut failed = 0;
    for (name, check) in checks {
        let start = Instant::now();
        let outcome = panic::catch_unwind(check);
        let took = start.elapsed().as_secs_f32();
        match outcome {
            Ok(found) => println!("ok       {name} ({took:.1} s){}", indented(&found)),
            Err(reason) => {
                failed += 1;
                let text = reason.downcast_ref::<String>().cloned();
                let text = text.or_else(|| reason.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                println!("FAILED   {name} ({took:.1} s){}", indented(&text.unwrap_or_default()));
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n         {line}")).collect()
}

/// Runs a scenario on the first GPU.
fn measure(scenario: &Scenario, knobs: &Knobs, options: &RunOptions) -> Recording {
    let program = lower(scenario, knobs).unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
    gpu::run(scenario, knobs, &program, &shipped("h200").unwrap(), options, &mut |_| true)
        .unwrap_or_else(|error| panic!("{}: {error}", scenario.name))
}

/// One traced run and one untraced.
fn look(scenario: &Scenario) -> Recording {
    measure(scenario, &Knobs::defaults(&scenario.knobs), &RunOptions { runs: 1, ..RunOptions::default() })
}

/// Stamps, so many untraced runs.
fn runs(runs: u32, instrument: Instrument) -> RunOptions {
    RunOptions { device: 0, runs, instrument }
}
