//! "What if": a changed figure reaches everything that its name says, in both host modes.

use serde_json::{Value, json};
use streamscope::analysis::Analysis;
use streamscope::profile::{Profile, shipped};
use streamscope::recording::{Recording, Span, SpanKind};
use streamscope::scenario::Knobs;
use streamscope::time::Ns;

use super::running::{device, host, on, pinned, repeat, run_with, scenario, small, span, stream};

fn profile(changes: &[(&str, f64)]) -> Profile {
    let mut profile = shipped("h200").unwrap();
    changes.iter().for_each(|(key, value)| profile.what_if(key, *value).unwrap());
    profile
}

fn run(host: &str, setup: &[Value], program: &[Value], changes: &[(&str, f64)]) -> Recording {
    run_with(&scenario(host, setup, program), &Knobs::default(), &profile(changes))
}

/// Time that the host is busy, in µs.
fn busy_us(recording: &Recording) -> f64 {
    host(recording).iter().filter(|span| span.kind != SpanKind::Blocked).map(|span| span.interval().dur().us()).sum()
}

#[test]
fn faster_kernels_are_all_faster() {
    let program = [
        small("timed", 100.0),
        json!({"collective": {"tensor": "x", "dur_us": 300, "label": "collective"}}),
        json!({"launch": {"kernel": {"add_scalar": 1}, "reads": ["x"], "writes": ["x"], "label": "catalogue"}}),
    ];
    let setup = [json!({"tensor": {"name": "x", "shape": [1 << 26], "fill": 1}})];
    for host in ["cuda", "pytorch"] {
        let [usual, faster] = [&[][..], &[("kernels", 2.0)]].map(|changes| run(host, &setup, &program, changes));
        for label in ["timed", "collective", "catalogue"] {
            let [usual, faster] = [&usual, &faster].map(|recording| span(recording, label).interval().dur());
            assert!((usual.0 - 2 * faster.0).abs() <= 2, "{host}, {label}: {usual} and {faster}");
        }
    }
}

/// What a launch costs less, a PyTorch operation that makes one costs less.
#[test]
fn a_cheaper_launch_shortens_pytorch_operations_by_as_much() {
    let launch_us = profile(&[]).calls.launch_us;
    let setup = [json!({"tensor": {"name": "x", "shape": [1024], "fill": 1}})];
    let program = [repeat(50, &[json!({"launch": {"kernel": {"add_scalar": 1}, "reads": ["x"], "writes": ["x"]}})])];
    for host in ["cuda", "pytorch"] {
        let usual = busy_us(&run(host, &setup, &program, &[]));
        for changed_us in [0.5, launch_us + 3.0] {
            let changed = busy_us(&run(host, &setup, &program, &[("launch_us", changed_us)]));
            let each = (changed - usual) / 50.0;
            assert!((each - (changed_us - launch_us)).abs() < 0.01, "{host}: {each} for {changed_us}");
        }
    }
}

/// `wait_stream` records an event and waits for it: the record is no operation of its own, but part of the total.
#[test]
fn a_call_inside_an_operation_shortens_it_too() {
    let record_us = profile(&[]).calls.record_us;
    let setup = [stream("a"), stream("b")];
    let program = [repeat(20, &[json!({"wait_stream": {"stream": "a", "other": "b"}})])];
    let usual = busy_us(&run("pytorch", &setup, &program, &[]));
    let changed = busy_us(&run("pytorch", &setup, &program, &[("calls.record_us", record_us + 2.0)]));
    assert!(((changed - usual) / 20.0 - 2.0).abs() < 0.01, "{usual} and {changed}");
}

#[test]
fn a_faster_host_is_faster_in_all_that_it_does_and_the_gpu_answers_as_before() {
    let program = [
        small("K", 10.0),
        json!({"copy": {"from": "h", "to": "x", "non_blocking": true}}),
        json!({"record": {"event": "e"}}),
        json!({"write_host": {"buffer": "h", "value": 3}}),
        json!({"work": {"dur_us": 40}}),
    ];
    let setup = [pinned("h", 4096), device("x", 4096), json!({"event": {"name": "e"}})];
    // After a pause PyTorch is cold, and a faster host makes shorter pauses.
    for (mode, cold_us) in [("cuda", 0.05), ("pytorch", 1.0)] {
        let [usual, faster] = [&[][..], &[("host", 2.0)]].map(|changes| run(mode, &setup, &program, changes));
        let busy = [&usual, &faster].map(busy_us);
        assert!((busy[0] - 2.0 * busy[1]).abs() < cold_us, "{mode}: {busy:?}");
        let latency = [&usual, &faster].map(|recording| span(recording, "K").launch_latency());
        assert_eq!(latency[0], latency[1], "{mode}");
        let waits = |recording: &Recording| -> Vec<Ns> {
            let blocked = |span: &&Span| span.kind == SpanKind::Blocked;
            host(recording).iter().filter(blocked).map(|span| span.interval().dur()).collect()
        };
        assert_eq!(waits(&usual).len(), waits(&faster).len(), "{mode}: the same calls wait");
    }
}

/// Of the idle time between kernels that are shorter than a launch, a faster launch leaves nothing: none of it was the hardware's.
#[test]
fn a_faster_launch_closes_the_gaps_between_short_kernels_on_several_streams() {
    let setup: Vec<Value> = (0..4).map(|i| stream(&format!("s{i}"))).collect();
    let program: Vec<Value> = (0..64).map(|i| on(&format!("s{}", i % 4), &[small("K", 1.0)])).collect();
    let idle = |changes: &[(&str, f64)]| Analysis::new(&run("cuda", &setup, &program, changes)).metrics.gpu_idle.us();
    let (usual, faster) = (idle(&[]), idle(&[("launch_us", 0.5)]));
    assert!(usual > 150.0 && faster < 5.0, "{usual} and {faster}");
}

/// A profile that was changed is the same profile in a worker.
#[test]
fn a_changed_profile_is_written_and_read() {
    let changed = profile(&[("host", 1.3), ("kernels", 2.0), ("launch_us", 1.0)]);
    let text = changed.to_text().unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), changed);
    assert!(!shipped("h200").unwrap().to_text().unwrap().contains("speed\""));
}
