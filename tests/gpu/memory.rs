//! The caching allocator on real memory: what is reused too early is really overwritten.

use streamscope::recording::{Instrument, Recording};
use streamscope::scenario::{KnobValue, Knobs, preset};

use super::running::value;
use super::{Check, measure, runs};

pub const CHECKS: &[Check] = &[("memory: record_stream", record_stream)];

/// The experiment of lecture 3.4 with the toggles named in `on` set, and the others not.
fn experiment(on: &[&str]) -> Recording {
    let scenario = preset("record-stream").unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for id in ["record_stream", "delay", "wait_stream"] {
        knobs.set(&scenario.knobs, id, KnobValue::Toggle(on.contains(&id))).unwrap();
    }
    measure(&scenario, &knobs, &runs(3, Instrument::Stamps))
}

fn record_stream() -> String {
    let mut lines = Vec::new();
    for (on, expected) in [
        (&["delay"][..], 1049.0),
        (&["delay", "record_stream"], 51.0),
        (&[], 51.0),
        (&["record_stream"], 51.0),
        (&["delay", "wait_stream"], 1049.0),
    ] {
        let found = value(&experiment(on), "result");
        lines.push(format!("{on:?}: {found}, PyTorch {expected}"));
        assert!((found - expected).abs() < 1e-3, "{}", lines.join("\n"));
    }
    lines.join("\n")
}
