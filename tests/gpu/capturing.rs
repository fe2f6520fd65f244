//! What may stand in a capture: the driver's answers beside the model's, as a table.

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
    let shown = |(codes, nodes): &(Vec<u32>, usize)| {
        let codes: Vec<String> = codes.iter().map(u32::to_string).collect();
        format!("{:<16} {nodes} nodes", if codes.is_empty() { "ok".to_owned() } else { codes.join(" ") })
    };
    let mut table = vec![format!("{:<62} {:<25} {}", "", "model", "GPU")];
    let mut differ = 0;
    let cases = cases();
    for case in &cases {
        let found = outcome(&look(&case.scenario));
        let is_same = found == case.expected;
        differ += usize::from(!is_same);
        let mark = if is_same { "" } else { "   DIFFERS" };
        table.push(format!("{:<62} {:<25} {}{mark}", case.name, shown(&case.expected), shown(&found)));
    }
    let table = table.join("\n");
    assert!(differ == 0, "{differ} of {} differ\n{table}", cases.len());
    table
}
