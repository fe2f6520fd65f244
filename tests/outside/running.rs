//! Scenarios written as a person writes them, run on the model.

use std::sync::{Mutex, OnceLock};

use serde_json::{Value, json};
use streamscope::model;
use streamscope::profile::{Profile, shipped};
use streamscope::program::{Program, lower};
use streamscope::recording::{Recording, Span, SpanKind, check};
use streamscope::scenario::{Knobs, Scenario, load};
use streamscope::time::Ns;

/// A scenario of these statements.
pub fn scenario(host: &str, setup: &[Value], program: &[Value]) -> Scenario {
    let document = json!({
        "streamscope": 1, "name": "written", "title": "written", "host": host, "setup": setup, "program": program,
    });
    load("written.json", &document.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// Something that runs a scenario in place of the model.
pub type Executor = fn(&Scenario, &Knobs) -> Recording;

static EXECUTOR: OnceLock<Executor> = OnceLock::new();

/// From now on `executor` runs scenarios, and [`Rows`] tell instead of holding.
pub fn run_on(executor: Executor) {
    EXECUTOR.get_or_init(|| executor);
}

/// Runs a scenario with its knobs at `knobs`.
pub fn run_with(scenario: &Scenario, knobs: &Knobs, profile: &Profile) -> Recording {
    if let Some(executor) = EXECUTOR.get() {
        return executor(scenario, knobs);
    }
    let program = lower(scenario, knobs).unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
    run_lowered(scenario, knobs, &program, profile)
}

/// Runs a program on the model. Whatever it records, a reader must accept.
pub fn run_lowered(scenario: &Scenario, knobs: &Knobs, program: &Program, profile: &Profile) -> Recording {
    let recording = model::run(scenario, knobs, program, profile, &mut |_| true).unwrap();
    check(&recording).unwrap_or_else(|damage| panic!("{} with {knobs:?}: {damage}", scenario.name));
    recording
}

/// Runs these statements as a C++ program would, on the H200 profile.
pub fn run(setup: &[Value], program: &[Value]) -> Recording {
    run_with(&scenario("cuda", setup, program), &Knobs::default(), &shipped("h200").unwrap())
}

/// A launch of a kernel of a given duration under a name. `grid` is `[blocks, threads, bytes of shared memory]`.
pub fn kernel(label: &str, dur_us: f64, grid: [u32; 3]) -> Value {
    let [blocks, threads, shared_bytes] = grid;
    let timed = json!({"dur_us": dur_us, "grid": blocks, "block": threads, "shared_bytes": shared_bytes});
    json!({"launch": {"kernel": {"timed": timed}, "label": label}})
}

/// A kernel that leaves room for any other.
pub fn small(label: &str, dur_us: f64) -> Value {
    kernel(label, dur_us, [1, 32, 0])
}

/// Statements whose current stream is another.
pub fn on(stream: &str, body: &[Value]) -> Value {
    json!({"on": {"stream": stream, "body": body}})
}

/// A stream that has nothing to do with the legacy default stream.
pub fn stream(name: &str) -> Value {
    json!({"stream": {"name": name}})
}

/// A stream that orders with the legacy default stream.
pub fn blocking_stream(name: &str) -> Value {
    json!({"stream": {"name": name, "kind": "blocking"}})
}

/// The same statements several times; `i` counts.
pub fn repeat(times: u32, body: &[Value]) -> Value {
    json!({"repeat": {"times": times, "index": "i", "body": body}})
}

/// Bytes on the device.
pub fn device(name: &str, bytes: u64) -> Value {
    json!({"tensor": {"name": name, "shape": [bytes], "dtype": "u8"}})
}

/// Bytes of page-locked host memory.
pub fn pinned(name: &str, bytes: u64) -> Value {
    json!({"host_tensor": {"name": name, "shape": [bytes], "dtype": "u8", "pinned": true, "fill": 0}})
}

/// Bytes of ordinary host memory, touched before.
pub fn pageable(name: &str, bytes: u64) -> Value {
    json!({"host_tensor": {"name": name, "shape": [bytes], "dtype": "u8", "fill": 0}})
}

/// An asynchronous copy.
pub fn copy(from: &str, to: &str) -> Value {
    json!({"copy": {"from": from, "to": to, "non_blocking": true}})
}

/// The host waits for the device.
pub fn synchronize() -> Value {
    json!({"synchronize": {}})
}

/// Statements between two looks at the clock; their time is reported under `name`.
pub fn timed(name: &str, body: &[Value]) -> Vec<Value> {
    let mut program = vec![json!({"clock": {"into": "from"}})];
    program.extend_from_slice(body);
    program.push(json!({"clock": {"into": "to"}}));
    program.push(json!({"report": {"name": name, "value": "=to - from"}}));
    program
}

/// What a run reported.
pub fn value(recording: &Recording, name: &str) -> f64 {
    recording.values.get(name).copied().flatten().unwrap_or_else(|| panic!("no value {name}: {:?}", recording.errors))
}

/// What the GPU did under that name, in the order of time.
pub fn spans(recording: &Recording, label: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = recording.gpu_spans().filter(|span| recording.name(span.name) == label).collect();
    spans.sort_by_key(|span| span.start);
    spans
}

/// The one thing that the GPU did under that name.
pub fn span(recording: &Recording, label: &str) -> Span {
    match spans(recording, label).as_slice() {
        [only] => *only,
        several => panic!("{} spans are called {label}", several.len()),
    }
}

/// Wall time in µs.
pub fn wall(recording: &Recording) -> f64 {
    recording.wall.dur().us()
}

/// Spans of the first host thread.
pub fn host(recording: &Recording) -> Vec<Span> {
    let (track, _) = recording.host_threads().find(|(_, track)| track.host_thread() == Some(0)).unwrap();
    recording.spans_of(track).collect()
}

/// Numbers of the errors that CUDA returned.
pub fn codes(recording: &Recording) -> Vec<u32> {
    recording.errors.iter().map(|error| error.code.unwrap_or(0)).collect()
}

/// From the first start to the last end of what the GPU did, in µs.
pub fn gpu_span(recording: &Recording) -> f64 {
    let busy = || recording.gpu_spans().filter(|span| span.kind != SpanKind::Event);
    let first = busy().map(|span| span.start).min().unwrap_or(Ns::ZERO);
    (busy().map(|span| span.end).max().unwrap_or(Ns::ZERO) - first).us()
}

/// What the rows of a GPU's runs have said since somebody last asked.
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What was told since the last time.
pub fn told() -> Vec<String> {
    std::mem::take(&mut TOLD.lock().unwrap())
}

/// Model against measurement, all rows of a test at once, so that a miss is seen among its neighbours.
#[derive(Default)]
pub struct Rows(Vec<String>);

impl Rows {
    /// The model may miss what was measured by this part of it.
    pub fn near(&mut self, what: &str, model: f64, measured: f64, part: f64) {
        let ratio = model / measured;
        if EXECUTOR.get().is_some() {
            TOLD.lock().unwrap().push(format!("{what}: {model:.2}, known {measured:.2}, ratio {ratio:.3}"));
        } else if (model - measured).abs() > part * measured {
            self.0.push(format!("{what}: model {model:.2}, measured {measured:.2}, ratio {ratio:.3}"));
        }
    }

    /// Fails if a row missed.
    pub fn hold(self) {
        assert!(self.0.is_empty(), "the model misses:\n{}", self.0.join("\n"));
    }
}
