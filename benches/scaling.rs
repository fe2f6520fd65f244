//! How time grows with size: each benchmark runs at a size and at ten times that. The bar: at most twelve times the time.
//!
//! `cargo bench --bench scaling`.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use divan::{Bencher, black_box};
use streamscope::program;
use streamscope::scenario::{self, Knobs, Scenario};

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

#[divan::bench(args = [40_000, 400_000])]
fn lowering_distinct_kernels(bencher: Bencher<'_, '_>, count: usize) {
    lowers(bencher, &repeat(count, r#"{"launch": {"kernel": {"timed": {"dur_us": "=1+i*0.001"}}}}"#));
}

/// Threads that each see all names of the one that starts them.
#[divan::bench(args = [2_000, 20_000])]
fn lowering_threads_and_names(bencher: Bencher<'_, '_>, count: usize) {
    let names = repeat(count, r#"{"event": {"name": "e[i]"}}"#);
    let threads = repeat(count, r#"{"thread": {"name": "t[i]", "body": [{"record": {"event": "e[i]"}}]}}"#);
    lowers(bencher, &format!("{names}, {threads}"));
}

/// Captures that are all open at once.
#[divan::bench(args = [10_000, 100_000])]
fn lowering_open_captures(bencher: Bencher<'_, '_>, count: usize) {
    let begin = repeat(count, r#"{"begin_capture": {"graph": "g[i]"}}"#);
    let end = repeat(count, r#"{"end_capture": {"graph": "g[i]"}}"#);
    lowers(bencher, &format!("{begin}, {end}"));
}

#[divan::bench(args = [10_000, 100_000])]
fn lowering_captures(bencher: Bencher<'_, '_>, count: usize) {
    let launch = r#"{"launch": {"kernel": {"timed": {"dur_us": 1}}}}"#;
    lowers(bencher, &repeat(count, &format!(r#"{{"capture": {{"graph": "g", "body": [{launch}]}}}}"#)));
}

#[divan::bench(args = [20_000, 200_000])]
fn lowering_views(bencher: Bencher<'_, '_>, count: usize) {
    let view = r#"{"view": {"name": "v[i]", "of": "x", "offset": "=i % 65536", "shape": [1]}}"#;
    let views = repeat(
        count,
        &format!(r#"{view}, {{"launch": {{"kernel": {{"mul_scalar": 2}}, "reads": ["v[i]"], "out": "y[i]"}}}}"#),
    );
    lowers(bencher, &format!("{TENSOR}, {views}"));
}

#[divan::bench(args = [20_000, 200_000])]
fn lowering_reports(bencher: Bencher<'_, '_>, count: usize) {
    let body = r#"{"clock": {"into": "t"}}, {"report": {"name": "r[i]", "value": "=t+i"}}"#;
    lowers(bencher, &repeat(count, body));
}

/// A loop around nothing, up to the most turns that are followed.
#[divan::bench(args = [200_000, 2_000_000])]
fn lowering_empty_turns(bencher: Bencher<'_, '_>, count: usize) {
    lowers(bencher, &repeat(count, ""));
}
