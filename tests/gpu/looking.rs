//! The cost of looking: 1440 kernels, launched one by one and as a graph, empty and of 2 µs, with each instrument.

use serde_json::{Value, json};
use streamscope::recording::Instrument;
use streamscope::scenario::{Knobs, Scenario};

use super::running::{kernel, on, repeat, scenario, stream, synchronize};
use super::{Check, measure, runs};

pub const CHECKS: &[Check] = &[("looking: 1440 kernels", kernels), ("looking: the launch path", launch_path)];

const COUNT: u32 = 1440;

fn body(us: f64) -> Value {
    repeat(COUNT, &[kernel("K", us, [1, 32, 0])])
}

fn eager(us: f64) -> Scenario {
    scenario("cuda", &[stream("s"), on("s", &[body(us)]), synchronize()], &[on("s", &[body(us)])])
}

fn graph(us: f64) -> Scenario {
    let capture = json!({"capture": {"graph": "g", "stream": "s", "body": [body(us)]}});
    let replay = on("s", &[json!({"replay": {"graph": "g"}})]);
    scenario("cuda", &[stream("s"), capture, replay.clone(), synchronize()], &[replay])
}

fn kernels() -> String {
    let mut lines = Vec::new();
    for (what, scenario) in [
        ("eager, empty", eager(0.0)),
        ("eager, 2 µs", eager(2.0)),
        ("graph, empty", graph(0.0)),
        ("graph, 2 µs", graph(2.0)),
    ] {
        for instrument in [Instrument::Stamps, Instrument::Events] {
            // One traced run is one sample: the median of several such measurements.
            let mut costs = Vec::new();
            let mut wall = 0.0;
            for _ in 0..7 {
                let recording = measure(&scenario, &Knobs::default(), &runs(9, instrument));
                let measured = recording.measured.as_ref().unwrap();
                wall = measured.median().unwrap().us();
                costs.push(measured.cost_of_looking(recording.wall.dur()).unwrap());
            }
            costs.sort_by(f64::total_cmp);
            lines.push(format!(
                "{what}: untraced {wall:.0} µs; by {} {:.3}× ({:.3} to {:.3})",
                instrument.id(),
                costs[3],
                costs[0],
                costs[6]
            ));
        }
    }
    lines.join("\n")
}

/// To be held against the loop in CUDA C++ in the same call.
fn launch_path() -> String {
    let recording = measure(&eager(0.0), &Knobs::default(), &runs(15, Instrument::Stamps));
    let wall = recording.measured.as_ref().unwrap().median().unwrap();
    format!(
        "{COUNT} launches of an empty kernel and a synchronization: {wall}, {:.3} µs each",
        wall.us() / f64::from(COUNT)
    )
}
