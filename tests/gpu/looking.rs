//! The cost of looking: 1440 kernels, launched one by one and as a graph, empty and of 2 µs, with each instrument. It is told
//! beside the bar that stamps are built for, and never asserted, since no time is.

use serde_json::{Value, json};
use streamscope::recording::Instrument;
use streamscope::scenario::{Knobs, Scenario};

use super::running::{kernel, on, repeat, scenario, stream, synchronize};
use super::{Check, measure, runs};

pub const CHECKS: &[Check] = &[
    ("looking: 1440 kernels (told, not asserted)", kernels),
    ("looking: the launch path (told, not asserted)", launch_path),
];

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

/// A kernel that takes so long, and then stores 32 numbers.
fn spinning_and_storing(us: f64) -> Value {
    let timed = json!({"dur_us": us, "grid": 1, "block": 32});
    json!({"launch": {"kernel": {"timed": timed}, "reads": ["x"], "writes": ["y"]}})
}

fn setup() -> Vec<Value> {
    let tensor = |name| json!({"tensor": {"name": name, "shape": [32], "fill": 0}});
    vec![stream("s"), tensor("x"), tensor("y"), synchronize()]
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

/// The most that stamps are meant to cost: eager launches, a graph of empty kernels, a graph of kernels that take 2 µs or more.
const EAGER: f64 = 1.02;
const EMPTY: f64 = 1.15;
const LONG: f64 = 1.05;

fn kernels() -> String {
    // Of a kernel that is neither empty nor takes 2 µs nothing is asked in a graph.
    let kinds = [
        ("empty", spinning(0.0), Some(EMPTY)),
        ("adding 1", storing(), None),
        ("2 µs", spinning(2.0), Some(LONG)),
        ("2 µs and storing", spinning_and_storing(2.0), Some(LONG)),
    ];
    let mut lines = Vec::new();
    for (what, each, of_graph) in &kinds {
        for (how, scenario, bar) in [("eager", eager(each), Some(EAGER)), ("graph", graph(each), *of_graph)] {
            for instrument in [Instrument::Stamps, Instrument::Events] {
                let bar = bar.filter(|_| instrument == Instrument::Stamps);
                lines.push(format!("{how}, {what}: {}", cost(&scenario, instrument, bar)));
            }
        }
    }
    lines.join("\n")
}

/// One traced run is one sample: the median of several such measurements, and whether that is inside the bar.
fn cost(scenario: &Scenario, instrument: Instrument, bar: Option<f64>) -> String {
    let mut costs = Vec::new();
    let mut wall = 0.0;
    for _ in 0..7 {
        let recording = measure(scenario, &Knobs::default(), &runs(9, instrument));
        let measured = recording.measured.as_ref().unwrap();
        wall = measured.median().unwrap().us();
        costs.push(measured.cost_of_looking(recording.wall.dur()).unwrap());
    }
    costs.sort_by(f64::total_cmp);
    let held = match bar {
        None => "no bar".to_owned(),
        Some(bar) if costs[3] <= bar => format!("inside the bar of {bar}×"),
        Some(bar) => format!("OUTSIDE the bar of {bar}×"),
    };
    let by = instrument.id();
    format!("untraced {wall:.0} µs; by {by} {:.3}× ({:.3} to {:.3}), {held}", costs[3], costs[0], costs[6])
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
