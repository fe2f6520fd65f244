//! Speed of the way from a scenario to a picture: lowering, the model, analysis, and laying out.
//!
//! `cargo bench`. The bars: 3 million operations a second through the model on one core, 2.5 million with `.item()`; 100 000 operations judged in 0.25 s; from a knob to a picture of 10 000
//! operations in 16 ms; a frame of a million spans in 4 ms.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use streamscope::analysis::{Analysis, hazard};
use streamscope::drawing::{Options, Prepared, Theme, View, layout};
use streamscope::model;
use streamscope::profile::{self, Profile};
use streamscope::program::{self, Program};
use streamscope::recording::Recording;
use streamscope::scenario::{self, Knobs, Scenario};
use streamscope::time::{Interval, Ns};

fn main() {
    divan::main();
}

/// What runs: an eager loop of small kernels, the same with `.item()` after each, and a pipeline over three streams.
const KINDS: [&str; 3] = ["eager", "item", "pipeline"];

struct Case {
    scenario: Scenario,
    knobs: Knobs,
    profile: Profile,
    program: Program,
}

impl Case {
    /// About `operations` operations of `kind`.
    fn new(kind: &str, operations: usize) -> Self {
        let (body, each) = match kind {
            "eager" => (r#"{"launch": {"kernel": {"mul_scalar": 2}, "reads": ["x"], "out": "x"}}"#, 3),
            "item" => {
                (r#"{"launch": {"kernel": {"mul_scalar": 2}, "reads": ["x"], "out": "x"}}, {"item": {"of": "x"}}"#, 5)
            }
            _ => (
                r#"{"on": {"stream": "a", "body": [{"copy": {"from": "h", "to": "x", "non_blocking": true}}, {"record": {"event": "e"}}]}},
                   {"on": {"stream": "b", "body": [{"wait": {"event": "e"}}, {"launch": {"kernel": {"mul_scalar": 2}, "reads": ["x"], "writes": ["y"]}}]}}"#,
                6,
            ),
        };
        let times = operations / each;
        let text = format!(
            r#"{{"streamscope": 1, "name": "bench", "title": "Bench", "setup": [
                {{"tensor": {{"name": "x", "shape": [4096], "fill": 1}}}}, {{"tensor": {{"name": "y", "shape": [4096], "fill": 1}}}},
                {{"host_tensor": {{"name": "h", "shape": [4096], "pinned": true, "fill": 1}}}},
                {{"stream": {{"name": "a"}}}}, {{"stream": {{"name": "b"}}}}, {{"event": {{"name": "e"}}}}],
              "program": [{{"repeat": {{"times": {times}, "body": [{body}]}}}}]}}"#
        );
        let scenario = scenario::load("bench.json", &text).expect("the scenario is valid");
        let knobs = Knobs::defaults(&scenario.knobs);
        let program = program::lower(&scenario, &knobs).expect("the scenario can be lowered");
        let profile = profile::shipped("h200").expect("the profile is shipped");
        Self { scenario, knobs, profile, program }
    }

    fn lower(&self) -> Program {
        program::lower(&self.scenario, &self.knobs).expect("the scenario can be lowered")
    }

    fn run(&self, program: &Program) -> Recording {
        model::run(&self.scenario, &self.knobs, program, &self.profile, &mut |_| true).expect("the run ends")
    }
}

#[divan::bench(args = KINDS)]
fn lowering(bencher: Bencher<'_, '_>, kind: &str) {
    let case = Case::new(kind, 1_000_000);
    bencher.counter(ItemsCount::new(case.program.operations.len())).bench_local(|| black_box(case.lower()));
}

#[divan::bench(args = KINDS)]
fn model(bencher: Bencher<'_, '_>, kind: &str) {
    let case = Case::new(kind, 1_000_000);
    bencher.counter(ItemsCount::new(case.program.operations.len())).bench_local(|| black_box(case.run(&case.program)));
}

/// From a knob to drawables: everything that a frame of the window does when a knob is turned.
#[divan::bench(args = KINDS)]
fn knob_to_picture_10_000(bencher: Bencher<'_, '_>, kind: &str) {
    let case = Case::new(kind, 10_000);
    let theme = Theme::dark();
    bencher.bench_local(|| {
        let recording = case.run(&case.lower());
        let analysis = Analysis::new(&recording);
        let prepared = Prepared::of_analysed(&recording, &analysis);
        let options = Options::new(View::fit(prepared.extent()), &theme, 1200.0);
        black_box(layout(&recording, &prepared, &options))
    });
}

/// Laying a million operations out, at ever closer views.
#[divan::bench(args = [1, 10, 100, 1000, 100_000])]
fn layout_of_a_million(bencher: Bencher<'_, '_>, zoom: i64) {
    let case = Case::new("eager", 1_000_000);
    let recording = case.run(&case.program);
    let analysis = Analysis::new(&recording);
    let prepared = Prepared::of_analysed(&recording, &analysis);
    let whole = prepared.extent();
    let middle = whole.dur().0 / 2;
    let seen = Interval::new(Ns(middle), Ns(middle + whole.dur().0 / zoom));
    let theme = Theme::dark();
    let options = Options::new(View::new(if zoom == 1 { whole } else { seen }), &theme, 1600.0);
    bencher.bench_local(|| black_box(layout(&recording, &prepared, &options)));
}

/// The bar: 100 000 operations in 0.25 s.
#[divan::bench(args = KINDS)]
fn hazards(bencher: Bencher<'_, '_>, kind: &str) {
    let case = Case::new(kind, 100_000);
    bencher
        .counter(ItemsCount::new(case.program.operations.len()))
        .bench_local(|| black_box(hazard::judge(&case.program)));
}
