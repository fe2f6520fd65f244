//! Traces of PyTorch's profiler, read into recordings.

use proptest::prelude::*;
use serde_json::{Value, json};
use streamscope::analysis::{Analysis, Place, bubbles, summary};
use streamscope::recording::{Cause, Recording, SpanKind, TrackKind, check};
use streamscope::time::Ns;
use streamscope::trace::{self, Imported};

const MAIN: (i64, i64) = (100, 101);

fn host(cat: &str, name: &str, us: [f64; 2], correlation: u64) -> Value {
    json!({"ph": "X", "cat": cat, "name": name, "pid": MAIN.0, "tid": MAIN.1, "ts": us[0], "dur": us[1] - us[0],
        "args": {"correlation": correlation}})
}

fn work(cat: &str, name: &str, stream: u64, us: [f64; 2], correlation: u64) -> Value {
    json!({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": us[0], "dur": us[1] - us[0],
        "args": {"device": 0, "stream": stream, "correlation": correlation}})
}

/// Two launches within operations, with a synchronization between them.
fn events() -> Vec<Value> {
    vec![
        json!({"ph": "M", "name": "thread_name", "pid": 100, "tid": 101, "args": {"name": "python"}}),
        host("user_annotation", "step", [1000.0, 1100.0], 0),
        host("cpu_op", "aten::linear", [1000.0, 1020.0], 0),
        host("cpu_op", "aten::addmm", [1002.0, 1018.0], 0),
        host("cuda_runtime", "cudaLaunchKernel", [1010.0, 1016.0], 7),
        work("kernel", "gemm", 7, [1019.0, 1049.0], 7),
        host("cuda_runtime", "cudaStreamSynchronize", [1021.0, 1052.0], 8),
        host("cuda_runtime", "cudaLaunchKernel", [1070.0, 1075.0], 9),
        work("kernel", "relu", 7, [1079.0, 1081.5], 9),
        work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 13, [1085.0, 1090.0], 10),
        json!({"ph": "i", "name": "Record Window End", "ts": 1200.0}),
    ]
}

fn read(events: &[Value]) -> Imported {
    trace::parse("t.json", &json!({"traceEvents": events}).to_string()).unwrap()
}

fn rows(recording: &Recording, wanted: impl Fn(TrackKind) -> bool) -> Vec<Vec<&str>> {
    let lanes = recording.lanes.iter().enumerate();
    let own = lanes.filter(|(index, _)| wanted(recording.track_of(*index).unwrap().kind));
    own.map(|(_, lane)| lane.spans.iter().map(|span| recording.name(span.name)).collect()).collect()
}

#[test]
fn operations_nest_and_launches_lead_to_their_work() {
    let Imported { recording, left_out } = read(&events());
    check(&recording).unwrap();
    let host = rows(&recording, |kind| matches!(kind, TrackKind::HostThread { .. }));
    let upper = vec!["aten::linear", "cudaStreamSynchronize", "cudaLaunchKernel"];
    assert_eq!(host, [upper, vec!["aten::addmm"], vec!["cudaLaunchKernel"]]);
    assert_eq!(rows(&recording, |kind| matches!(kind, TrackKind::Regions { .. })), [["step"]]);
    let [gemm, relu, copy] = recording.gpu_spans().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!((gemm.start, gemm.end, gemm.call), (Ns(19_000), Ns(49_000), Ns(16_000)));
    let calls = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
    let call = calls.into_iter().find(|span| span.correlation == relu.correlation).unwrap();
    assert_eq!((call.start, call.kind), (Ns(70_000), SpanKind::Call));
    assert_eq!(copy.kind, SpanKind::CopyD2H);
    assert_eq!(recording.tracks.iter().find_map(|track| track.host_thread().map(|_| track.name())).unwrap(), "python");
    let told = [("instants and counters".to_owned(), 1), ("launches that the file lacks".to_owned(), 1)];
    assert_eq!(left_out, told.into());
}

/// Nothing stands above the driver but what the file has: no layers are made up.
#[test]
fn no_time_is_split_after_the_lecture() {
    let Imported { recording, .. } = read(&events());
    let host = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
    assert!(host.into_iter().all(|span| span.call == span.start));
    assert_eq!(recording.source.to_string(), "imported · t.json");
}

#[test]
fn bubbles_of_an_import_have_causes_and_stages() {
    let Imported { recording, .. } = read(&events());
    let found = bubbles(&recording);
    let idle = found.gpu.first().unwrap();
    assert_eq!((idle.place, idle.interval.start, idle.interval.end), (Place::Gpu, Ns(49_000), Ns(79_000)));
    assert_eq!(recording.name(idle.waited_in.unwrap()), "cudaStreamSynchronize");
    assert_eq!(found.time(idle, Cause::HostBlocked), Ns(3_000));
    assert_eq!(found.time(idle, Cause::LaunchLatency), Ns(4_000));
    let metrics = Analysis::new(&recording).metrics;
    // Operations hold calls and are not counted twice: 20 of aten::linear, 5 of the second launch.
    assert_eq!((metrics.host_busy, metrics.blocked()), (Ns(25_000), Ns(31_000)));
}

#[test]
fn an_arrow_ties_together_what_does_not_say_so_itself() {
    let arrow = |ph: &str, pid: i64, tid: i64, ts: f64| json!({"ph": ph, "id": 5, "pid": pid, "tid": tid, "ts": ts});
    let event = |cat: &str, pid: i64, tid: i64, ts: f64| json!({"ph": "X", "cat": cat, "name": "n", "pid": pid, "tid": tid, "ts": ts, "dur": 2});
    let events =
        [event("cuda_runtime", 9, 9, 1.0), event("kernel", 0, 7, 5.0), arrow("s", 9, 9, 1.0), arrow("f", 0, 7, 5.0)];
    let Imported { recording, left_out } = read(&events);
    assert!(left_out.is_empty(), "{left_out:?}");
    assert_eq!(recording.gpu_spans().next().unwrap().call, Ns(2_000));
}

#[test]
fn kernels_of_a_graph_launch_are_nodes_and_count_as_one_launch() {
    let mut events = vec![host("cuda_runtime", "cudaGraphLaunch", [0.0, 10.0], 3)];
    events.extend((0..5).map(|i| work("kernel", "node", 7, [20.0 + f64::from(i), 20.5 + f64::from(i)], 3)));
    let Imported { recording, .. } = read(&events);
    assert!(recording.gpu_spans().all(|span| span.kind == SpanKind::GraphKernel));
    assert_eq!(Analysis::new(&recording).metrics.launch.count, 1);
}

/// A call that a pageable copy keeps until it is done has waited; one that has returned before has not.
#[test]
fn a_pageable_copy_keeps_its_call() {
    let copy = |us: [f64; 2], number| work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, us, number);
    let call = |us: [f64; 2], number| host("cuda_runtime", "cudaMemcpyAsync", us, number);
    let events = [call([0.0, 60.0], 1), copy([5.0, 58.0], 1), call([70.0, 80.0], 2), copy([82.0, 90.0], 2)];
    let Imported { recording, .. } = read(&events);
    let host = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
    assert_eq!(host.map(|span| span.kind).collect::<Vec<_>>(), [SpanKind::Blocked, SpanKind::Call]);
}

/// Work that was handed over in time and begins long after the work before it has waited for another stream; work of which no launch
/// is known is not charged to the host.
#[test]
fn a_long_wait_is_no_pause_and_an_unknown_launch_is_nobodys() {
    let launch = |us: f64, number| host("cuda_runtime", "cudaLaunchKernel", [us, us + 5.0], number);
    let events = [
        launch(0.0, 1),
        work("kernel", "a", 7, [10.0, 20.0], 1),
        launch(10.0, 2),
        work("kernel", "b", 7, [1000.0, 1010.0], 2),
        work("kernel", "c", 13, [0.0, 5.0], 0),
        work("kernel", "d", 13, [900.0, 905.0], 0),
    ];
    let Imported { recording, .. } = read(&events);
    let bubbles = bubbles(&recording);
    let causes: Vec<_> = bubbles.streams.iter().map(|(_, bubbles)| bubbles.first().unwrap().cause).collect();
    assert_eq!(causes, [Cause::EventWait, Cause::KernelGap]);
    assert_eq!(Analysis::new(&recording).metrics.launch.count, 2);
}

#[test]
fn one_odd_event_does_not_cost_the_others() {
    let mut all = events();
    all.extend([json!({"ph": "X", "args": [1]}), json!(null), json!({"ph": "X", "name": 3}), json!({"ph": "B"})]);
    let Imported { recording, left_out } = read(&all);
    assert_eq!(recording.gpu_spans().count(), 3);
    assert_eq!(left_out.get("events that cannot be read"), Some(&3));
}

#[test]
fn devices_and_processes_are_told_apart_where_there_are_several() {
    let of = |pid: i64, device: i64| {
        json!({"ph": "X", "cat": "kernel", "name": "k", "pid": pid, "tid": 7, "ts": 1, "dur": 2,
            "args": {"device": device, "stream": 7}})
    };
    let Imported { recording, .. } = read(&[of(0, 0), of(1, 1)]);
    let devices: Vec<_> = recording.streams().map(|(_, track)| track.device).collect();
    assert_eq!(devices, [Some(0), Some(1)]);
    let again = |device: i64| {
        json!({"ph": "X", "cat": "kernel", "name": "k", "pid": device, "tid": 7, "ts": 50, "dur": 2,
            "args": {"device": device, "stream": 7}})
    };
    let Imported { recording: twice, .. } = read(&[of(0, 0), of(1, 1), again(0), again(1)]);
    let analysis = Analysis::new(&twice);
    let places: Vec<_> = summary(&twice, &analysis, &[]).bubbles.into_iter().map(|bubble| bubble.place).collect();
    assert_eq!(places, ["gpu", "gpu 0 stream 7", "gpu 1 stream 7"]);
    let Imported { recording, .. } = read(&[of(0, 0)]);
    assert_eq!(recording.streams().next().unwrap().1.device, None);
}

#[test]
fn what_is_no_trace_is_refused_by_a_sentence() {
    let said = |text: &str| trace::parse("t.json", text).unwrap_err().to_string();
    assert!(said(r#"{"traceEvents": []}"#).starts_with("t.json: the trace holds no operation"));
    assert!(said("[1]").contains("holds no operation"), "{}", said("[1]"));
    assert!(said(r#"{"traceEvents": [{"ph": "X""#).starts_with("t.json:1:"));
    assert!(!trace::is_trace(r#"{"streamscope": 1}"#));
}

proptest! {
    #![proptest_config(super::round_trip::cases(200))]

    /// Whatever events say, the recording is whole, and nothing is shown twice.
    #[test]
    fn any_events_make_a_whole_recording(
        events in prop::collection::vec((0usize..9, -5i64..40, -3i64..20, 0i64..4, 0i64..4, 0i64..6), 1..60),
    ) {
        let cats = ["cpu_op", "cuda_runtime", "kernel", "gpu_memcpy", "user_annotation", "python_function", "cuda_sync",
            "gpu_memset", ""];
        let event = |&(cat, ts, dur, pid, tid, correlation): &(usize, i64, i64, i64, i64, i64)| {
            json!({"ph": "X", "cat": cats[cat], "name": format!("n{cat}"), "pid": pid, "tid": tid, "ts": ts, "dur": dur,
                "args": {"correlation": correlation}})
        };
        let events: Vec<Value> = events.iter().map(event).collect();
        match trace::parse("t.json", &Value::from(events.clone()).to_string()) {
            Err(error) => prop_assert!(error.to_string().contains("holds no operation")),
            Ok(Imported { recording, left_out }) => {
                prop_assert!(check(&recording).is_ok(), "{:?}", check(&recording));
                let engines = |kind| matches!(kind, TrackKind::CopyEngine { .. });
                let again: usize = rows(&recording, engines).iter().map(Vec::len).sum();
                let told: usize = left_out.iter().filter(|(what, _)| !what.starts_with("launches that")).map(|it| it.1).sum();
                prop_assert_eq!(recording.span_count() - again + told, events.len());
                let analysis = Analysis::new(&recording);
                prop_assert_eq!(analysis.metrics.gpu_busy + analysis.metrics.gpu_idle, analysis.metrics.gpu_span.dur());
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(cut in 0usize..2000, with in "\\PC{0,3}") {
        let mut text = json!({"traceEvents": events()}).to_string();
        let at = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &with);
        let _either = trace::parse("t.json", &text);
    }
}
