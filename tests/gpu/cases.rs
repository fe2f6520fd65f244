//! The public cases on this GPU: error codes must be those of the table; what else the table says is told beside it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::cases::{Case, cases, errors, holds};
use super::{Check, runs};
use streamscope::analysis::hazard;
use streamscope::gpu::{self, GpuError};
use streamscope::profile::shipped;
use streamscope::program::lower;
use streamscope::recording::Instrument;

pub const CHECKS: &[Check] = &[("cases: the public ones", all)];

/// What became of one case: a line of the table, and whether it is as it must be.
fn line(case: &Case) -> (String, bool) {
    let (scenario, knobs) = case.open();
    let program = lower(&scenario, &knobs).unwrap();
    let profile = shipped("h200").unwrap();
    let name = format!("{} {}", case.name, case.knobs);
    let recording = match gpu::run(&scenario, &knobs, &program, &profile, &runs(1, Instrument::Stamps), &mut |_| true) {
        Ok(recording) => recording,
        Err(GpuError::Unsupported { what, .. }) => return (format!("{name:<40} not run: {what}"), true),
        Err(error) => return (format!("{name:<40} {error}"), false),
    };
    let verdict = hazard::judge_run(&program, &recording);
    let is_same = errors(&recording) == case.errors();
    let untrue = |claim: &&str| {
        !claim.starts_with("errors")
            && !catch_unwind(AssertUnwindSafe(|| holds(claim, &recording, &verdict))).unwrap_or(false)
    };
    let differs: Vec<&str> = case.claims().filter(untrue).collect();
    let codes = if is_same { String::new() } else { format!(" ERRORS {} for {}", errors(&recording), case.errors()) };
    let rest = if differs.is_empty() { "as the model".to_owned() } else { format!("differs: {}", differs.join("; ")) };
    (format!("{name:<40}{codes} {rest}"), is_same)
}

fn all() -> String {
    // What breaks the GPU's context ends this process's use of it.
    let breaks = |case: &Case| case.errors().contains("700");
    let lines: Vec<(String, bool)> = cases().iter().filter(|case| !breaks(case)).map(line).collect();
    let table = lines.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n");
    assert!(lines.iter().all(|(_, same)| *same), "error codes differ\n{table}");
    table
}
