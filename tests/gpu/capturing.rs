//! What may stand in a capture: the driver's answers beside the model's.

use super::captures::{cases, outcome};
use super::running::{scenario, small};
use super::{Check, look};
use serde_json::json;
use streamscope::gpu::{self, GpuError, RunOptions};
use streamscope::profile::shipped;
use streamscope::program::lower;
use streamscope::scenario::Knobs;

pub const CHECKS: &[Check] = &[("captures: error codes", error_codes), ("captures: a cancel within", cancelled)];

/// A long pause in a capture, and somebody who says no as soon as a part is done: the next run finds a device that works.
fn cancelled() -> String {
    let pause = json!({"work": {"dur_us": 1e5}});
    let capture = json!({"capture": {"graph": "g", "body": [small("N", 1.0), pause, small("N", 1.0)]}});
    let scenario = scenario("cuda", &[capture], &[json!({"replay": {"graph": "g"}})]);
    let knobs = Knobs::default();
    let program = lower(&scenario, &knobs).unwrap();
    let profile = shipped("h200").unwrap();
    let stopped =
        gpu::run(&scenario, &knobs, &program, &profile, &RunOptions::default(), &mut |part| part == 0.0).unwrap_err();
    assert_eq!(stopped, GpuError::Cancelled);
    assert_eq!(outcome(&look(&scenario)), (Vec::new(), 2));
    "cancelled between two nodes, and run again".to_owned()
}

fn error_codes() -> String {
    let mut differ = Vec::new();
    let cases = cases();
    for case in &cases {
        let found = outcome(&look(&case.scenario));
        if found != case.expected {
            differ.push(format!("{}: model {:?}, GPU {found:?}", case.name, case.expected));
        }
    }
    assert!(differ.is_empty(), "{} of {} differ\n{}", differ.len(), cases.len(), differ.join("\n"));
    format!("{} captures, each with the codes and nodes of the model", cases.len())
}
