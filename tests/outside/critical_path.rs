//! The critical path: it accounts for the whole wall time, and only what lies on it makes a run shorter.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use streamscope::analysis::CriticalPath;
use streamscope::analysis::path::Spent;
use streamscope::profile::shipped;
use streamscope::recording::{Cause, Correlation, Recording, SpanKind};
use streamscope::scenario::{Knobs, presets};
use streamscope::time::Ns;

use super::edits;
use super::round_trip::cases;
use super::running::{copy, device, host, kernel, on, pinned, run_with, scenario, stream};

const STREAMS: [&str; 3] = ["default", "a", "b"];

/// One statement of a program; those with a length can be made shorter or longer.
#[derive(Clone, Debug)]
enum Step {
    Kernel { stream: usize, us: u32 },
    Work { us: u32 },
    Copy,
    Record { stream: usize, event: usize },
    Wait { stream: usize, event: usize },
    Synchronize(Option<usize>),
}

impl Step {
    /// As a statement whose length is changed by so many µs.
    fn statement(&self, longer_us: f64) -> Value {
        match *self {
            // One block on one of 132 SMs: no kernel is in the way of another.
            Self::Kernel { stream, us } => on(STREAMS[stream], &[kernel("K", f64::from(us) + longer_us, [1, 32, 0])]),
            Self::Work { us } => json!({"work": {"dur_us": f64::from(us) + longer_us}}),
            // All in one direction, in one stream: their order is that of the program.
            Self::Copy => on("a", &[copy("pinned", "device")]),
            Self::Record { stream, event } => {
                json!({"record": {"event": format!("e{event}"), "stream": STREAMS[stream]}})
            }
            Self::Wait { stream, event } => json!({"wait": {"event": format!("e{event}"), "stream": STREAMS[stream]}}),
            Self::Synchronize(None) => json!({"synchronize": {}}),
            Self::Synchronize(Some(stream)) => json!({"synchronize": {"stream": STREAMS[stream]}}),
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let (stream, event) = (|| 0..STREAMS.len(), || 0usize..2);
    prop_oneof![
        6 => (stream(), 20u32..300).prop_map(|(stream, us)| Step::Kernel { stream, us }),
        3 => (20u32..200).prop_map(|us| Step::Work { us }),
        1 => Just(Step::Copy),
        2 => (stream(), event()).prop_map(|(stream, event)| Step::Record { stream, event }),
        2 => (stream(), event()).prop_map(|(stream, event)| Step::Wait { stream, event }),
        2 => proptest::option::of(stream()).prop_map(Step::Synchronize),
    ]
}

/// The steps, of which one takes so many µs longer.
fn run(host: &str, steps: &[Step], changed: Option<(usize, f64)>) -> Recording {
    let setup = [
        stream("a"),
        stream("b"),
        json!({"event": {"name": "e0", "timing": false}}),
        json!({"event": {"name": "e1", "timing": false}}),
        pinned("pinned", 1 << 20),
        device("device", 1 << 20),
    ];
    let longer = |index| changed.filter(|(which, _)| *which == index).map_or(0.0, |(_, us)| us);
    let program: Vec<Value> = steps.iter().enumerate().map(|(i, step)| step.statement(longer(i))).collect();
    run_with(&scenario(host, &setup, &program), &Knobs::default(), &shipped("h200").unwrap())
}

/// Whether the path goes through the work, or the own work of the host, of that statement.
fn goes_through(recording: &Recording, path: &CriticalPath, index: usize) -> bool {
    let statement = format!("/program/{index}/");
    let of = |correlation: Correlation| recording.origin(correlation).is_some_and(|it| it.path.starts_with(&statement));
    let spans = path.segments.iter().filter_map(|segment| {
        let (lane, span) = segment.at?;
        let own = matches!(segment.spent, Spent::Kernel | Spent::Idle(Cause::HostWork));
        recording.lanes.get(lane as usize)?.spans.get(span as usize).filter(|_| own)
    });
    spans.map(|span| span.correlation).any(of)
}

fn check_tiles(recording: &Recording, path: &CriticalPath) {
    let mut at = Ns::ZERO;
    for segment in &path.segments {
        assert_eq!(segment.interval.start, at);
        assert!(segment.interval.end > at);
        at = segment.interval.end;
    }
    assert_eq!(at, recording.wall.end);
    assert_eq!(path.by_stage().values().copied().sum::<Ns>(), recording.wall.dur());
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn only_what_lies_on_the_path_makes_a_run_shorter(
        steps in vec(step(), 1..14), by_us in 1u32..19,
    ) {
        // What an operation of PyTorch takes depends on how long the host was away from it.
        let host = "cuda";
        let usual = run(host, &steps, None);
        let path = CriticalPath::new(&usual);
        check_tiles(&usual, &path);
        let by = Ns::from_us(f64::from(by_us));
        let (mut on_path, mut shortened) = (0, 0);
        for (index, step) in steps.iter().enumerate() {
            if !matches!(step, Step::Kernel { .. } | Step::Work { .. }) {
                continue;
            }
            let is_on_path = goes_through(&usual, &path, index);
            let [shorter, longer] = [-1.0, 1.0].map(|sign| run(host, &steps, Some((index, sign * f64::from(by_us)))));
            // A host thread that comes too late to wait has no wait to wake up from: that is another run.
            if [&shorter, &longer].iter().any(|it| waits(it) != waits(&usual)) {
                continue;
            }
            let [usual, shorter, longer] = [&usual, &shorter, &longer].map(|it| it.wall.dur());
            if is_on_path {
                // What is on a path makes it longer by as much; it makes it shorter by as much at most, where another takes over.
                prop_assert_eq!(longer, usual + by, "{} {:?}", index, step);
                prop_assert!(shorter <= usual && shorter + by >= usual, "{} {:?}", index, step);
                shortened += usize::from(shorter < usual);
                on_path += 1;
            } else {
                prop_assert_eq!(shorter, usual, "{} {:?}", index, step);
            }
        }
        // With lengths by chance, hardly ever are two paths equally long.
        prop_assert!(2 * shortened >= on_path, "{} of {} shorten the run", shortened, on_path);
    }
}

/// How often a host thread waited.
fn waits(recording: &Recording) -> usize {
    host(recording).iter().filter(|span| span.kind == SpanKind::Blocked).count()
}

fn stages_us(recording: &Recording) -> BTreeMap<&'static str, f64> {
    let path = CriticalPath::new(recording);
    check_tiles(recording, &path);
    path.by_stage().into_iter().map(|(spent, time)| (spent.id(), time.us())).collect()
}

#[test]
fn every_preset_and_case_has_a_path_that_fills_its_wall_time() {
    let profile = shipped("h200").unwrap();
    for scenario in edits::scenarios() {
        let recording = run_with(&scenario, &Knobs::defaults(&scenario.knobs), &profile);
        let stages = stages_us(&recording);
        assert!(!stages.contains_key("unknown"), "{}: {stages:?}", scenario.name);
    }
}

#[test]
fn a_measured_path_fills_its_wall_time_and_agrees_about_the_kernels() {
    for preset in presets() {
        let scenario = preset.scenario().unwrap();
        for knobs in scenario.compared_settings() {
            let Some(recording) = streamscope::recording::shipped().find(&scenario, &knobs) else { continue };
            let recording = recording.unwrap();
            let stages = stages_us(&recording);
            let model = stages_us(&run_with(&scenario, &knobs, &shipped("h200").unwrap()));
            let share = |stages: &BTreeMap<&str, f64>, names: &[&str]| {
                let part: f64 = names.iter().filter_map(|name| stages.get(name)).sum();
                part / stages.values().sum::<f64>()
            };
            for part in [&["kernel"][..], &["copy_h2d", "copy_d2h"]] {
                let [model, measured] = [&model, &stages].map(|stages| share(stages, part));
                // As far apart as the two are allowed to be altogether.
                assert!((model - measured).abs() < 0.2, "{} {knobs:?} {part:?}: {model} and {measured}", preset.name);
            }
        }
    }
}

#[test]
fn work_that_shares_the_memory_is_slower_by_what_is_called_contention() {
    let profile = shipped("h200").unwrap();
    let setup = [
        stream("a"),
        stream("b"),
        pinned("up", 1 << 26),
        pinned("down", 1 << 26),
        device("x", 1 << 26),
        device("y", 1 << 26),
    ];
    let both = [on("a", &[copy("up", "x")]), on("b", &[copy("y", "down")])];
    let alone = run_with(&scenario("cuda", &setup, &both[..1]), &Knobs::default(), &profile);
    let shared = run_with(&scenario("cuda", &setup, &both), &Knobs::default(), &profile);
    assert!(!stages_us(&alone).contains_key("contention"));
    // Both directions together are slower than each alone, by the factor of the profile.
    let copy_us = stages_us(&alone)["copy_h2d"];
    let slowed: f64 = shared.gpu_spans().map(|span| span.contended.us()).sum();
    let expected = 2.0 * copy_us * (1.0 / profile.copies.duplex - 1.0);
    assert!(slowed > 0.8 * expected && slowed < 1.05 * expected, "{slowed} µs, not about {expected}");
    assert!(stages_us(&shared)["contention"] > 0.0);
}
