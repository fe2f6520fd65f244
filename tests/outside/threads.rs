//! Several host threads: signals, the driver's lock, streams and captures of their own. The figures are those of an NVIDIA H200
//! (driver 580).

use serde_json::{Value, json};

use super::running::{codes, on, repeat, run, small, spans, stream, value};

fn thread(name: &str, body: &[Value]) -> Value {
    json!({"thread": {"name": name, "body": body}})
}

fn signal(name: &str) -> Value {
    json!({"signal": {"name": name}})
}

fn wait_for(name: &str) -> Value {
    json!({"await": {"name": name}})
}

#[test]
fn a_signal_lets_the_other_thread_go_on_and_no_sooner() {
    let program = [
        thread("t", &[json!({"work": {"dur_us": 300}}), signal("ready")]),
        json!({"clock": {"into": "from"}}),
        wait_for("ready"),
        json!({"clock": {"into": "to"}}),
        json!({"report": {"name": "waited_us", "value": "=to - from"}}),
    ];
    let waited = value(&run(&[], &program), "waited_us");
    assert!((300.0..301.0).contains(&waited), "{waited}");
}

#[test]
fn threads_work_side_by_side_and_the_run_ends_with_the_last() {
    let work = |us: f64| json!({"work": {"dur_us": us}});
    let recording = run(&[], &[thread("t", &[work(500.0)]), work(100.0)]);
    let wall = recording.wall.dur().us();
    assert!((500.0..520.0).contains(&wall), "{wall}");
    assert_eq!(recording.host_threads().count(), 2);
}

#[test]
fn a_thread_that_waits_for_ever_ends_in_an_error() {
    let recording = run(&[], &[thread("t", &[wait_for("nothing"), small("K", 1.0)]), small("M", 1.0)]);
    let error = &recording.errors[0];
    assert_eq!((error.name.as_str(), error.at.thread), ("Deadlock", 1));
    assert!(error.text.contains("`nothing`"), "{}", error.text);
    assert!(spans(&recording, "K").is_empty());
    assert_eq!(spans(&recording, "M").len(), 1);
}

/// From several threads at once, each on its own stream, a launch takes longer: the driver has one lock. Of four threads two
/// machines with such a GPU said 5.3 and 7.9 µs, which no one lock explains beside the others; the model says 9.9.
#[test]
fn launches_of_several_threads_wait_for_each_other() {
    for (threads, measured) in [(2_u32, 4.9), (8, 19.7)] {
        let setup: Vec<Value> = (0..threads).map(|number| stream(&format!("s{number}"))).collect();
        let launches = |number: u32| on(&format!("s{number}"), &[repeat(500, &[small("K", 0.5)])]);
        let program: Vec<Value> =
            (0..threads).map(|number| thread(&format!("t{number}"), &[launches(number)])).collect();
        let recording = run(&setup, &program);
        let calls = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
        let calls = calls.map(|span| span.end).max().unwrap();
        let each = calls.us() / 500.0;
        let ratio = each / measured;
        assert!((0.75..=1.25).contains(&ratio), "{threads} threads: {each:.1} µs a launch, measured {measured}");
    }
}

#[test]
fn each_thread_has_a_default_stream_of_its_own() {
    let kernel = |label: &str| on("per_thread", &[small(label, 500.0)]);
    let recording = run(&[], &[thread("t", &[kernel("A")]), kernel("B")]);
    let (a, b) = (spans(&recording, "A")[0], spans(&recording, "B")[0]);
    assert!(a.start < b.end && b.start < a.end);
}

/// What a second thread does while the first one captures on a non-blocking stream, and what both get.
#[test]
fn a_capture_forbids_other_threads_what_its_mode_says() {
    let sync = |name: &str| json!({"synchronize": {"stream": name}});
    let rows: [(&str, Value, [&[u32]; 3]); 7] = [
        ("cudaMalloc", json!({"raw_malloc": {"name": "q", "bytes": 4096}}), [&[900, 901], &[], &[]]),
        ("cudaMallocHost", json!({"malloc_host": {"name": "q", "bytes": 4096}}), [&[900, 901], &[], &[]]),
        ("query of an old event", json!({"query": {"event": "old"}}), [&[900, 901], &[], &[]]),
        ("stream sync elsewhere", sync("s"), [&[900, 901], &[], &[]]),
        ("stream sync on C", sync("c"), [&[900, 901]; 3]),
        ("device sync", json!({"synchronize": {}}), [&[900, 901]; 3]),
        ("launch into C", on("c", &[small("K", 1.0)]), [&[]; 3]),
    ];
    for (what, call, expected) in rows {
        for (mode, expected) in ["global", "thread_local", "relaxed"].into_iter().zip(expected) {
            let setup = [
                stream("c"),
                stream("s"),
                json!({"event": {"name": "old"}}),
                json!({"record": {"event": "old", "stream": "s"}}),
            ];
            let body = [thread("t", &[call.clone(), signal("done")]), wait_for("done"), small("N", 1.0)];
            let program = [json!({"capture": {"graph": "g", "stream": "c", "mode": mode, "body": body}})];
            let found = codes(&run(&setup, &program));
            // The launch behind the call meets the broken capture too.
            let found: Vec<u32> = found
                .iter()
                .enumerate()
                .filter(|(i, code)| *i != 1 || found.len() < 3 || **code != 901)
                .map(|(_, code)| *code)
                .collect();
            assert_eq!(found, expected, "{what}, {mode}");
        }
    }
}

#[test]
fn a_capture_that_another_thread_ends_is_over() {
    for (mode, expected) in [("global", vec![908, 401]), ("thread_local", vec![908, 401]), ("relaxed", vec![401])] {
        let program = [
            json!({"begin_capture": {"graph": "g", "stream": "c", "mode": mode}}),
            on("c", &[small("N", 1.0)]),
            thread("t", &[json!({"end_capture": {"graph": "g"}}), signal("ended")]),
            wait_for("ended"),
            json!({"end_capture": {"graph": "g"}}),
        ];
        assert_eq!(codes(&run(&[stream("c")], &program)), expected, "{mode}");
    }
}

/// Two threads give one stream work on the same tensor: a stream keeps what it is given in order, but nothing keeps the giving.
#[test]
fn one_stream_does_not_order_two_threads() {
    use streamscope::analysis::hazard::judge;
    use streamscope::program::lower;
    use streamscope::scenario::Knobs;

    let touch = |label: &str| {
        let kernel = json!({"timed": {"dur_us": 10}});
        on("s", &[json!({"launch": {"kernel": kernel, "reads": ["x"], "writes": ["x"], "label": label}})])
    };
    let setup = [stream("s"), json!({"tensor": {"name": "x", "shape": [64], "fill": 0}})];
    let hazards = |program: &[Value]| {
        let scenario = super::running::scenario("cuda", &setup, program);
        let found = judge(&lower(&scenario, &Knobs::default()).unwrap()).hazards;
        found.iter().map(|hazard| (hazard.class.id(), hazard.missing.from.clone())).collect::<Vec<_>>()
    };
    assert_eq!(hazards(&[thread("t", &[touch("A")]), touch("B")]).len(), 1);
    assert!(hazards(&[thread("t", &[touch("A"), signal("a")]), wait_for("a"), touch("B")]).is_empty());
    assert!(hazards(&[touch("B"), thread("t", &[touch("A")])]).is_empty());
}
