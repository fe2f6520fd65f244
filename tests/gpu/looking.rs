//! The cost of looking: 1440 kernels, launched one by one and as a graph, empty and of 2 µs, with each instrument.

use serde_json::{Value, json};
use streamscope::recording::Instrument;
use streamscope::scenario::{Knobs, Scenario};

use super::running::{kernel, on, repeat, scenario, stream, synchronize};
use super::{Check, measure, runs};

pub const CHECKS: &[Check] = &[("looking: 1440 kernels", kernels), ("looking: the launch path", launch_path)];

const COUNT: u32 = 1440;

/// A kernel that touches no memory.
fn spinning(us: f64) -> Value {
    kernel("K", us, [1, 32, 0])
}

/// A kernel that adds 1 to 32 numbers. Whatever stores anything takes 0.17 µs longer on an H200 than a kernel that stores
/// nothing, and a stamp is a store.
fn storing() -> Value {
    json!({"launch": {"kernel": {"add_scalar": 1}, "reads": ["x"], "writes": ["x"]}})
}

fn setup() -> Vec<Value> {
    vec![stream("s"), json!({"tensor": {"name": "x", "shape": [32], "fill": 0}}), synchronize()]
}

fn eager(each: &Value) -> Scenario {
    let body = on("s", &[repeat(COUNT, std::slice::from_ref(each))]);
    scenario("cuda", &[setup(), vec![body.clone(), synchronize()]].concat(), &[body])
}

fn graph(each: &Value) -> Scenario {
    let body = repeat(COUNT, std::slice::from_ref(each));
    let capture = json!({"capture": {"graph": "g", "stream": "s", "body": [body]}});
    let replay = on("s", &[json!({"replay": {"graph": "g"}})]);
    scenario("cuda", &[setup(), vec![capture, replay.clone(), synchronize()]].concat(), &[replay])
}

fn kernels() -> String {
    let mut lines = Vec::new();
    let kinds = [("storing nothing", spinning(0.0)), ("adding 1", storing()), ("2 µs", spinning(2.0))];
    let scenarios = kinds
        .iter()
        .flat_map(|(what, each)| [(format!("eager, {what}"), eager(each)), (format!("graph, {what}"), graph(each))]);
    for (what, scenario) in scenarios {
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
    let recording = measure(&eager(&spinning(0.0)), &Knobs::default(), &runs(15, Instrument::Stamps));
    let wall = recording.measured.as_ref().unwrap().median().unwrap();
    format!(
        "{COUNT} launches of an empty kernel and a synchronization: {wall}, {:.3} µs each",
        wall.us() / f64::from(COUNT)
    )
}
