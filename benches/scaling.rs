//! How time grows with size: each benchmark runs at a size and at ten times that. The bar: at most twelve times the time.
//!
//! `cargo bench --bench scaling`.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use divan::{Bencher, black_box};
use streamscope::analysis::hazard;
use streamscope::scenario::{self, Knobs, Scenario};
use streamscope::{model, profile, program};

fn main() {
    divan::main();
}

/// A scenario of these statements, written as JSON without the brackets around them.
fn scenario(program: &str) -> Scenario {
    let text = format!(r#"{{"streamscope": 1, "name": "bench", "title": "Bench", "program": [{program}]}}"#);
    scenario::load("bench.json", &text).expect("the scenario is valid")
}

/// `body` so many times, with `i` for its index.
fn repeat(times: usize, body: &str) -> String {
    format!(r#"{{"repeat": {{"times": {times}, "index": "i", "body": [{body}]}}}}"#)
}

const TENSOR: &str = r#"{"tensor": {"name": "x", "shape": [65536]}}"#;

fn lowers(bencher: Bencher<'_, '_>, program: &str) {
    let scenario = scenario(program);
    bencher.bench_local(|| black_box(program::lower(&scenario, &Knobs::default()).expect("it can be lowered")));
}

#[divan::bench(sample_count = 5, sample_size = 1, args = [40_000, 400_000])]
fn lowering_distinct_kernels(bencher: Bencher<'_, '_>, count: usize) {
    lowers(bencher, &repeat(count, r#"{"launch": {"kernel": {"timed": {"dur_us": "=1+i*0.001"}}}}"#));
}

/// Threads that each see all names of the one that starts them.
#[divan::bench(sample_count = 5, sample_size = 1, args = [2_000, 20_000])]
fn lowering_threads_and_names(bencher: Bencher<'_, '_>, count: usize) {
    let names = repeat(count, r#"{"event": {"name": "e[i]"}}"#);
    let threads = repeat(count, r#"{"thread": {"name": "t[i]", "body": [{"record": {"event": "e[i]"}}]}}"#);
    lowers(bencher, &format!("{names}, {threads}"));
}

/// Captures that are all open at once.
#[divan::bench(sample_count = 5, sample_size = 1, args = [10_000, 100_000])]
fn lowering_open_captures(bencher: Bencher<'_, '_>, count: usize) {
    let begin = repeat(count, r#"{"begin_capture": {"graph": "g[i]"}}"#);
    let end = repeat(count, r#"{"end_capture": {"graph": "g[i]"}}"#);
    lowers(bencher, &format!("{begin}, {end}"));
}

#[divan::bench(sample_count = 5, sample_size = 1, args = [10_000, 100_000])]
fn lowering_captures(bencher: Bencher<'_, '_>, count: usize) {
    let launch = r#"{"launch": {"kernel": {"timed": {"dur_us": 1}}}}"#;
    lowers(bencher, &repeat(count, &format!(r#"{{"capture": {{"graph": "g", "body": [{launch}]}}}}"#)));
}

#[divan::bench(sample_count = 5, sample_size = 1, args = [20_000, 200_000])]
fn lowering_views(bencher: Bencher<'_, '_>, count: usize) {
    let view = r#"{"view": {"name": "v[i]", "of": "x", "offset": "=i % 65536", "shape": [1]}}"#;
    let views = repeat(
        count,
        &format!(r#"{view}, {{"launch": {{"kernel": {{"mul_scalar": 2}}, "reads": ["v[i]"], "out": "y[i]"}}}}"#),
    );
    lowers(bencher, &format!("{TENSOR}, {views}"));
}

#[divan::bench(sample_count = 5, sample_size = 1, args = [20_000, 200_000])]
fn lowering_reports(bencher: Bencher<'_, '_>, count: usize) {
    let body = r#"{"clock": {"into": "t"}}, {"report": {"name": "r[i]", "value": "=t+i"}}"#;
    lowers(bencher, &repeat(count, body));
}

/// A loop around nothing, up to the most turns that are followed.
#[divan::bench(sample_count = 5, sample_size = 1, args = [200_000, 2_000_000])]
fn lowering_empty_turns(bencher: Bencher<'_, '_>, count: usize) {
    lowers(bencher, &repeat(count, ""));
}

/// Judges the lowered program for hazards.
fn judges(bencher: Bencher<'_, '_>, program: &str) {
    let program = program::lower(&scenario(program), &Knobs::default()).expect("it can be lowered");
    bencher.bench_local(|| black_box(hazard::judge(&program)));
}

/// A kernel of these operands.
fn launch(operands: &str) -> String {
    format!(r#"{{"launch": {{"kernel": {{"timed": {{"dur_us": 1}}}}, {operands}}}}}"#)
}

/// A tensor that is written view by view, and read as a whole after each.
#[divan::bench(args = [4_000, 40_000])]
fn judging_views_read_whole(bencher: Bencher<'_, '_>, count: usize) {
    let view = r#"{"view": {"name": "v", "of": "x", "offset": "=i", "shape": [1]}}"#;
    let body = [view, &launch(r#""writes": ["v"]"#), &launch(r#""reads": ["x"]"#)].join(", ");
    judges(bencher, &format!("{TENSOR}, {}", repeat(count, &body)));
}

/// Threads that write one tensor and read another without a word between them.
#[divan::bench(args = [200, 2_000])]
fn judging_racing_threads(bencher: Bencher<'_, '_>, count: usize) {
    let launches =
        format!(r#"{{"repeat": {{"times": 10, "body": [{}]}}}}"#, launch(r#""reads": ["x"], "writes": ["y"]"#));
    let threads = repeat(count, &format!(r#"{{"thread": {{"name": "t[i]", "body": [{launches}]}}}}"#));
    judges(bencher, &format!(r#"{TENSOR}, {{"tensor": {{"name": "y", "shape": [4096]}}}}, {threads}"#));
}

/// Threads that pass a signal on, one to the next.
#[divan::bench(args = [200, 2_000])]
fn judging_threads_in_a_row(bencher: Bencher<'_, '_>, count: usize) {
    let body = format!(
        r#"{{"await": {{"name": "s[i]"}}}}, {}, {{"signal": {{"name": "s[i+1]"}}}}"#,
        launch(r#""reads": ["x"], "writes": ["x"]"#)
    );
    let threads = repeat(count, &format!(r#"{{"thread": {{"name": "t[i]", "body": [{body}]}}}}"#));
    judges(bencher, &format!(r#"{TENSOR}, {threads}, {{"signal": {{"name": "s[0]"}}}}"#));
}

#[divan::bench(args = [10_000, 100_000])]
fn judging_captures(bencher: Bencher<'_, '_>, count: usize) {
    let capture = format!(r#"{{"capture": {{"graph": "g", "body": [{}]}}}}"#, launch(r#""writes": ["x"]"#));
    judges(bencher, &format!("{TENSOR}, {}", repeat(count, &format!(r#"{capture}, {{"replay": {{"graph": "g"}}}}"#))));
}

/// One graph that holds many others, each on lines of its own.
#[divan::bench(args = [500, 5_000])]
fn judging_child_graphs(bencher: Bencher<'_, '_>, count: usize) {
    let body = format!(r#"{{"repeat": {{"times": 20, "body": [{}]}}}}"#, launch(r#""writes": ["x"]"#));
    let child = format!(r#"{{"capture": {{"graph": "c", "body": [{body}]}}}}"#);
    let children = repeat(count, r#"{"child_graph": {"graph": "c"}}"#);
    let parent = format!(r#"{{"capture": {{"graph": "g", "body": [{children}]}}}}, {{"replay": {{"graph": "g"}}}}"#);
    judges(bencher, &format!("{TENSOR}, {child}, {parent}"));
}

/// One graph that allocates and frees.
#[divan::bench(args = [2_000, 20_000])]
fn judging_memory_of_a_graph(bencher: Bencher<'_, '_>, count: usize) {
    let body = format!(
        r#"{{"malloc_async": {{"name": "m", "bytes": 512}}}}, {}, {{"free_async": {{"name": "m"}}}}"#,
        launch(r#""writes": ["m"]"#)
    );
    let capture = format!(r#"{{"capture": {{"graph": "g", "body": [{}]}}}}"#, repeat(count, &body));
    judges(bencher, &format!(r#"{capture}, {{"replay": {{"graph": "g"}}}}"#));
}

/// A stream that waits for all events of another.
#[divan::bench(args = [10_000, 100_000])]
fn judging_waits_for_many_events(bencher: Bencher<'_, '_>, count: usize) {
    let streams = r#"{"stream": {"name": "a"}}, {"stream": {"name": "b"}}"#;
    let records = repeat(count, r#"{"event": {"name": "e[i]"}}, {"record": {"event": "e[i]", "stream": "a"}}"#);
    let waits = repeat(count, r#"{"wait": {"event": "e[i]", "stream": "b"}}"#);
    let last = format!(r#"{{"on": {{"stream": "b", "body": [{}]}}}}"#, launch(r#""writes": ["x"]"#));
    judges(bencher, &format!("{TENSOR}, {streams}, {records}, {waits}, {last}"));
}

/// Blocking streams that each make the default stream wait and wait for it.
#[divan::bench(args = [1_000, 10_000])]
fn judging_legacy_barriers(bencher: Bencher<'_, '_>, count: usize) {
    let stream = r#"{"stream": {"name": "s[i]"}}"#;
    let side = format!(r#"{{"on": {{"stream": "s[i]", "body": [{}]}}}}"#, launch(r#""reads": ["x"]"#));
    let body = [stream, &side, &launch(r#""writes": ["x"]"#)].join(", ");
    judges(bencher, &format!("{TENSOR}, {}", repeat(count, &body)));
}

/// Runs the lowered program on the model.
fn models(bencher: Bencher<'_, '_>, statements: &str) {
    let (scenario, knobs) = (scenario(statements), Knobs::default());
    let program = program::lower(&scenario, &knobs).expect("it can be lowered");
    let profile = profile::shipped("h200").expect("the profile is shipped");
    let run = || model::run(&scenario, &knobs, &program, &profile, &mut |_| true).expect("the run ends");
    bencher.bench_local(|| black_box(run()));
}

/// Threads that contend for the driver's lock and for places in one queue, and wait for the GPU.
#[divan::bench(args = [200, 2_000])]
fn modelling_threads(bencher: Bencher<'_, '_>, count: usize) {
    let launches = r#"{"repeat": {"times": 10, "body": [{"launch": {"kernel": {"timed": {"dur_us": 2}}}}]}}"#;
    let body = format!(r#"{launches}, {{"synchronize": {{}}}}"#);
    models(bencher, &repeat(count, &format!(r#"{{"thread": {{"name": "t[i]", "body": [{body}]}}}}"#)));
}

/// Kernels on fifty streams of six priorities, many of them at once.
#[divan::bench(args = [10_000, 100_000])]
fn modelling_priorities(bencher: Bencher<'_, '_>, count: usize) {
    let stream =
        r#"{"repeat": {"times": 50, "index": "s", "body": [{"stream": {"name": "s[s]", "priority": "=0 - s % 6"}}]}}"#;
    let launch = r#"{"launch": {"kernel": {"timed": {"dur_us": 50, "grid": 40, "block": 256}}}}"#;
    let body = format!(r#"{{"on": {{"stream": "s[i % 50]", "body": [{launch}]}}}}"#);
    models(bencher, &format!("{stream}, {}", repeat(count, &body)));
}

/// One event after the other, each awaited on another stream.
#[divan::bench(args = [10_000, 100_000])]
fn modelling_events(bencher: Bencher<'_, '_>, count: usize) {
    let streams = r#"{"stream": {"name": "a"}}, {"stream": {"name": "b"}}"#;
    let body = r#"{"event": {"name": "e[i]"}}, {"record": {"event": "e[i]", "stream": "a"}}, {"wait": {"event": "e[i]", "stream": "b"}}"#;
    models(bencher, &format!("{streams}, {}", repeat(count, body)));
}

/// One graph that holds many others.
#[divan::bench(args = [500, 5_000])]
fn modelling_child_graphs(bencher: Bencher<'_, '_>, count: usize) {
    let body = format!(r#"{{"repeat": {{"times": 100, "body": [{}]}}}}"#, launch(r#""writes": ["x"]"#));
    let child = format!(r#"{{"capture": {{"graph": "c", "body": [{body}]}}}}"#);
    let children = repeat(count, r#"{"child_graph": {"graph": "c"}}"#);
    let parent = format!(r#"{{"capture": {{"graph": "g", "body": [{children}]}}}}, {{"replay": {{"graph": "g"}}}}"#);
    models(bencher, &format!("{TENSOR}, {child}, {parent}"));
}
