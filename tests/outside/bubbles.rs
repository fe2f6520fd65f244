//! Why the GPU was idle: each gap is put down to what would close it. What-if on the model is the test of that.

use serde_json::{Value, json};
use streamscope::analysis::{Analysis, Bubble, Bubbles, Place};
use streamscope::profile::shipped;
use streamscope::recording::{Cause, Recording, TrackId};
use streamscope::scenario::Knobs;
use streamscope::time::Ns;

use super::running::{kernel, on, repeat, run, run_with, scenario, small, stream, synchronize};

/// Idle time of the GPU by cause, in µs.
fn idle(recording: &Recording, cause: Cause) -> f64 {
    Analysis::new(recording).metrics.idle_by_cause.get(&cause).map_or(0.0, |idle| idle.us())
}

fn gpu_idle(recording: &Recording) -> f64 {
    Analysis::new(recording).metrics.gpu_idle.us()
}

/// 64 kernels of 1 µs, dealt out to so many streams.
fn short_kernels(streams: usize, launch_us: Option<f64>) -> Recording {
    let names: Vec<Value> = (0..streams).map(|number| stream(&format!("s[{number}]"))).collect();
    let launch = json!({"on": {"stream": format!("s[i % {streams}]"), "body": [small("k", 1.0)]}});
    let scenario = scenario("cuda", &names, &[repeat(64, &[launch]), synchronize()]);
    let mut profile = shipped("h200").unwrap();
    if let Some(us) = launch_us {
        profile.what_if("launch_us", us).unwrap();
    }
    run_with(&scenario, &Knobs::default(), &profile)
}

/// Kernels that are shorter than a launch: on several streams the hardware pauses before none of them, and a faster host closes
/// all; on one stream the pause stays.
#[test]
fn of_a_gap_what_exceeds_the_pause_is_the_hosts() {
    let several = short_kernels(4, None);
    assert_eq!(idle(&several, Cause::KernelGap), 0.0);
    assert!(idle(&several, Cause::LaunchBound) > 0.99 * gpu_idle(&several));
    assert!(gpu_idle(&short_kernels(4, Some(0.5))) < 0.05 * gpu_idle(&several));
    let one = short_kernels(1, None);
    let (pause, host) = (idle(&one, Cause::KernelGap), idle(&one, Cause::LaunchBound));
    assert!(pause > 90.0 && host > 40.0, "{pause} of pause, {host} of the host");
    let left = gpu_idle(&short_kernels(1, Some(0.5)));
    assert!((left - pause).abs() < 0.05 * pause, "{left} stay of {pause}");
}

fn longest(recording: &Recording, place: impl Fn(Place) -> bool) -> (Bubble, Bubbles) {
    let bubbles = Analysis::new(recording).bubbles;
    let streams = bubbles.streams.iter().flat_map(|(_, bubbles)| bubbles);
    let of_place = bubbles.gpu.iter().chain(streams).filter(|bubble| place(bubble.place));
    (*of_place.max_by_key(|bubble| bubble.interval.dur()).unwrap(), bubbles)
}

fn track(recording: &Recording, name: &str) -> TrackId {
    recording.streams().find(|(_, track)| track.name() == name).unwrap().0
}

#[test]
fn work_of_the_host_after_a_short_wait_is_work_of_the_host() {
    let setup = [json!({"tensor": {"name": "o", "shape": [1]}})];
    let step = json!({"launch": {"kernel": {"timed": {"dur_us": 400}}, "label": "step", "writes": ["o"]}});
    let work = json!({"work": {"dur_us": 2000, "label": "prepare"}});
    let recording = run(&setup, &[repeat(3, &[work, step, json!({"item": {"of": "o"}})])]);
    let (bubble, bubbles) = longest(&recording, |place| place == Place::Gpu);
    assert_eq!(bubble.cause, Cause::HostWork);
    assert!((1990.0..2000.1).contains(&bubbles.time(&bubble, Cause::HostWork).us()));
    assert_eq!(recording.name(bubble.host_call.unwrap()), "prepare");
}

#[test]
fn an_item_is_a_wait_then_a_launch_then_the_way_to_the_gpu() {
    let setup = [json!({"tensor": {"name": "x", "shape": [1024, 1024], "fill": 1}})];
    let gemm = json!({"launch": {"kernel": "matmul", "reads": ["x", "x"], "out": "y"}});
    let sum = json!({"launch": {"kernel": "sum", "reads": ["y"], "out": "loss"}});
    let scenario = scenario("pytorch", &setup, &[repeat(5, &[gemm, sum, json!({"item": {"of": "loss"}})])]);
    let recording = run_with(&scenario, &Knobs::default(), &shipped("h200").unwrap());
    let bubbles = Analysis::new(&recording).bubbles;
    let drained = bubbles.gpu.iter().filter(|bubble| bubble.waited_in.is_some()).collect::<Vec<_>>();
    assert_eq!(drained.len(), 4, "one between each two steps");
    for bubble in drained {
        let causes: Vec<Cause> = bubbles.stages(bubble).iter().map(|stage| stage.cause).collect();
        assert_eq!(causes, [Cause::HostBlocked, Cause::LaunchBound, Cause::LaunchLatency]);
        assert_eq!(recording.name(bubble.waited_in.unwrap()), ".item()");
        let stages: Ns = bubbles.stages(bubble).iter().map(|stage| stage.dur).sum();
        assert_eq!(stages, bubble.interval.dur());
    }
}

/// A record is no work: what it waits for itself is what the kernel behind it waits for.
#[test]
fn a_wait_is_one_also_behind_a_record() {
    let wait = json!({"wait_stream": {"other": "s", "stream": "default"}});
    let with = |record: &[Value]| {
        let first = [small("first", 100.0), on("s", &[small("other", 2000.0)]), wait.clone()];
        let program = [&first, record, &[small("next", 100.0), synchronize()]].concat();
        run(&[stream("s"), json!({"event": {"name": "e"}})], &program)
    };
    for record in [vec![], vec![json!({"record": {"event": "e"}})]] {
        let recording = with(&record);
        let (bubble, _) = longest(&recording, |place| place != Place::Gpu);
        assert_eq!(bubble.cause, Cause::EventWait, "{record:?}");
        assert!(bubble.interval.dur() > Ns::from_us(1900.0));
    }
}

#[test]
fn the_first_wait_of_a_stream_is_a_bubble() {
    let event = json!({"event": {"name": "e"}});
    let behind = [json!({"wait": {"event": "e"}}), small("B", 100.0)];
    let program = [small("A", 1000.0), json!({"record": {"event": "e"}}), on("s", &behind), synchronize()];
    let recording = run(&[stream("s"), event], &program);
    let own = track(&recording, "s");
    let (bubble, _) = longest(&recording, |place| place == Place::Stream(own));
    assert_eq!(bubble.cause, Cause::EventWait);
    assert!((950.0..1010.0).contains(&bubble.interval.dur().us()), "{}", bubble.interval.dur());
}

/// Two graphs whose branches were captured from one stream, replayed side by side.
#[test]
fn branches_of_one_stream_are_rows_of_one_track_and_what_waits_for_them_says_so() {
    let launch = |dur: f64| kernel("k", dur, [4, 64, 0]);
    let fork = [
        json!({"record": {"event": "e"}}),
        json!({"wait": {"event": "e", "stream": "t"}}),
        launch(20.0),
        on("t", &[launch(50.0), json!({"record": {"event": "f"}})]),
        json!({"wait": {"event": "f"}}),
    ];
    let captured = |graph: &str| json!({"capture": {"graph": graph, "stream": "s", "body": fork}});
    let events = ["e", "f"].map(|name| json!({"event": {"name": name}}));
    let streams = ["s", "t", "a", "b"].map(stream);
    let setup = [&streams[..], &events, &[captured("g"), captured("h")]].concat();
    let replay = |stream: &str, graph: &str| on(stream, &[json!({"replay": {"graph": graph}})]);
    let recording = run(&setup, &[repeat(3, &[replay("a", "g"), replay("b", "h")])]);
    let shared = track(&recording, "t");
    assert_eq!(recording.lanes_of(shared).count(), 2, "two rows");
    let analysis = Analysis::new(&recording);
    let numbers: Vec<_> = analysis.metrics.streams.iter().filter(|stream| stream.track == shared).collect();
    assert_eq!((numbers.len(), numbers[0].operations), (1, 6), "one stream");
    for bubble in analysis.bubbles.streams.iter().filter(|(of, _)| *of == shared).flat_map(|(_, bubbles)| bubbles) {
        assert!(recording.spans_of(shared).all(|span| !span.interval().overlaps(bubble.interval)), "{bubble:?}");
    }
    let own = track(&recording, "a");
    let (bubble, _) = longest(&recording, |place| place == Place::Stream(own));
    assert_eq!(bubble.cause, Cause::EventWait, "the next replay waits for the branch");
    assert!(bubble.interval.dur() > Ns::from_us(25.0));
}
