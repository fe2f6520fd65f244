//! What a host thread does is one thing after the other, whatever calls it makes: its spans are disjoint, and what it was busy
//! and what it waited for fit into the time of the run.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use streamscope::profile::{Profile, shipped};
use streamscope::program::lower;
use streamscope::recording::{Recording, SpanKind};
use streamscope::scenario::{HostOverhead, Knob, KnobValue, Knobs, Scenario, open, presets};
use streamscope::time::Ns;

use super::running::{
    device, host, kernel, on, pageable, pinned, repeat, run, run_lowered, run_with, scenario, small, stream,
};

/// Bytes of the buffers that are copied: more than a chunk of the staging buffers.
const BYTES: u64 = 1_500_000;

/// One statement: work that takes a while, or a call that waits for some of it.
fn statement() -> impl Strategy<Value = Value> {
    let copied =
        select(vec![("pinned", "device"), ("device", "pinned"), ("pageable", "device"), ("device", "pageable")]);
    let copy = (copied, any::<bool>())
        .prop_map(|((from, to), non_blocking)| json!({"copy": {"from": from, "to": to, "non_blocking": non_blocking}}));
    let calls = vec![
        json!({"empty_cache": {}}),
        json!({"tensor": {"name": "t", "shape": [3_000_000]}}),
        json!({"drop": {"name": "t"}}),
        json!({"raw_malloc": {"name": "r", "bytes": 4096}}),
        json!({"raw_free": {"name": "r"}}),
        json!({"malloc_host": {"name": "m", "bytes": 1 << 20}}),
        json!({"free_host": {"name": "m"}}),
        json!({"malloc_async": {"name": "a", "bytes": 4096}}),
        json!({"free_async": {"name": "a"}}),
        json!({"item": {"of": "device"}}),
        json!({"to_host": {"of": "device", "out": "copy"}}),
        json!({"to_device": {"of": "pageable", "out": "t"}}),
        json!({"synchronize": {}}),
        json!({"synchronize": {"stream": "s"}}),
        json!({"work": {"dur_us": 5}}),
        json!({"write_host": {"buffer": "pageable", "value": 3}}),
        json!({"replay": {"graph": "g"}}),
    ];
    let work = (1u32..300).prop_map(|us| kernel("K", f64::from(us), [200, 256, 0]));
    let one = prop_oneof![3 => work, 3 => copy, 4 => select(calls)];
    (any::<bool>(), one).prop_map(|(aside, statement)| if aside { on("s", &[statement]) } else { statement })
}

/// What is not valid where it stands, such as a second `raw_free`, is left out.
fn valid(host: &str, statements: Vec<Value>) -> Scenario {
    let setup = [
        stream("s"),
        json!({"tensor": {"name": "device", "shape": [BYTES], "dtype": "u8", "fill": 1}}),
        pinned("pinned", BYTES),
        pageable("pageable", BYTES),
        json!({"capture": {"graph": "g", "stream": "s", "body": [small("N", 30.0)]}}),
    ];
    let mut program = Vec::new();
    for statement in statements {
        program.push(statement);
        if lower(&scenario(host, &setup, &program), &Knobs::default()).is_err() {
            program.pop();
        }
    }
    scenario(host, &setup, &program)
}

/// What each thread was busy, and what it waited, against the time of the run.
fn fits(recording: &Recording) {
    for (track, thread) in recording.host_threads() {
        let name = thread.name();
        let of = |blocked: bool| -> Ns {
            let spans = recording.spans_of(track).filter(|span| (span.kind == SpanKind::Blocked) == blocked);
            spans.map(|span| span.end - span.start).sum()
        };
        let (busy, blocked, wall) = (of(false), of(true), recording.wall.dur());
        let spans: Vec<_> = recording.spans_of(track).collect();
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "spans of `{name}` overlap");
        assert!(busy + blocked <= wall, "`{name}`: {busy} busy and {blocked} blocked in {wall}");
    }
}

proptest! {
    #![proptest_config(super::round_trip::cases(60))]

    #[test]
    fn spans_of_a_host_thread_are_disjoint_and_fit_into_the_run(
        host in select(vec!["cuda", "pytorch"]),
        statements in prop::collection::vec(statement(), 1..25),
        beside in prop::option::of(prop::collection::vec((1u32..100).prop_map(|us| small("B", f64::from(us))), 1..9)),
    ) {
        let mut scenario = valid(host, statements);
        if let Some(body) = beside {
            let mut document = serde_json::to_value(&scenario).unwrap();
            let program = document["program"].as_array_mut().unwrap();
            program.insert(0, json!({"thread": {"name": "beside", "body": body}}));
            scenario = streamscope::scenario::load("beside.json", &document.to_string()).unwrap();
        }
        fits(&run_with(&scenario, &Knobs::default(), &shipped("h200").unwrap()));
    }
}

/// The first copy passes through the staging buffers when the kernel before it is done: the wait is one span, the call another.
#[test]
fn a_memcpy_that_waits_for_its_stream_spends_its_call_afterwards() {
    let program = [small("K", 100.0), json!({"copy": {"from": "h", "to": "x"}})];
    let recording = run(&[pageable("h", 4096), device("x", 4096)], &program);
    let profile = shipped("h200").unwrap();
    let copy: Vec<_> = host(&recording).into_iter().filter(|span| span.correlation.0 == 2).collect();
    let [waited, call] = copy.as_slice() else { panic!("{copy:?}") };
    assert_eq!((waited.kind, call.kind), (SpanKind::Blocked, SpanKind::Call));
    assert_eq!(waited.end, call.start);
    let us = profile.copies.pageable_h2d_us.at(4096.0) + profile.calls.stream_sync_us;
    assert_eq!(call.end - call.start, Ns::from_us(us));
}

/// A launch into a full queue waits first: its call is what it is without.
#[test]
fn a_launch_into_a_full_queue_spends_its_call_when_there_is_room() {
    let recording = run(&[], &[repeat(1100, &[small("K", 50.0)])]);
    let launch_us = shipped("h200").unwrap().calls.launch_us;
    let calls = host(&recording).into_iter().filter(|span| span.kind == SpanKind::Call);
    let launches: Vec<Ns> = calls.map(|span| span.end - span.start).take(1100).collect();
    assert!(launches.iter().all(|dur| *dur == Ns::from_us(launch_us)), "{:?}", launches.iter().max());
}

/// All combinations of toggles and choices, as far as they are few.
fn settings(scenario: &Scenario) -> Vec<Knobs> {
    let mut settings = vec![Knobs::defaults(&scenario.knobs)];
    for knob in &scenario.knobs {
        let values: Vec<KnobValue> = match knob {
            Knob::Toggle { .. } => vec![KnobValue::Toggle(false), KnobValue::Toggle(true)],
            Knob::Choice { options, .. } => options.iter().map(|it| KnobValue::Choice(it.id.clone())).collect(),
            Knob::Number { .. } => continue,
        };
        let with = |setting: &Knobs, value: &KnobValue| {
            let mut setting = setting.clone();
            setting.set(&scenario.knobs, knob.id(), value.clone()).unwrap();
            setting
        };
        settings = settings.iter().flat_map(|setting| values.iter().map(|value| with(setting, value))).collect();
    }
    settings.truncate(256);
    settings
}

fn all_fit(scenario: &Scenario, profile: &Profile) {
    for host in [HostOverhead::Cuda, HostOverhead::Pytorch] {
        let scenario = Scenario { host, ..scenario.clone() };
        for knobs in settings(&scenario) {
            // Some settings mean one host mode only.
            if let Ok(program) = lower(&scenario, &knobs) {
                fits(&run_lowered(&scenario, &knobs, &program, profile));
            }
        }
    }
}

#[test]
fn every_setting_of_a_preset_gives_a_recording_that_is_whole() {
    let profile = shipped("h200").unwrap();
    presets().iter().for_each(|preset| all_fit(&preset.scenario().unwrap(), &profile));
}

#[test]
fn every_setting_of_a_public_case_gives_a_recording_that_is_whole() {
    let profile = shipped("h200").unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            all_fit(&open(&path).unwrap(), &profile);
        }
    }
}

/// A run that nobody waits for any more ends, also while the GPU works off a graph of many nodes for one operation of the host.
#[test]
fn a_run_can_be_cancelled_within_one_operation() {
    let nodes = json!({"repeat": {"times": 20_000, "body": [small("N", 2.0)]}});
    let capture = json!({"capture": {"graph": "g", "stream": "s", "body": [nodes]}});
    let scenario = scenario("cuda", &[stream("s"), capture], &[json!({"replay": {"graph": "g"}})]);
    let program = lower(&scenario, &Knobs::default()).unwrap();
    let run = |watch: &mut dyn FnMut(f32) -> bool| {
        streamscope::model::run(&scenario, &Knobs::default(), &program, &shipped("h200").unwrap(), watch)
    };
    let mut last = Vec::new();
    run(&mut |part| {
        last.push(part);
        true
    })
    .unwrap();
    let end = *last.last().unwrap();
    let within = last.iter().filter(|part| **part == end).count();
    assert!(within > 5, "asked {within} times within the last operation");
    let mut asked = 0;
    let cancelled = run(&mut |_| {
        asked += 1;
        asked < last.len() - 2
    });
    assert_eq!(cancelled.err(), Some(streamscope::model::ModelError::Cancelled));
}
