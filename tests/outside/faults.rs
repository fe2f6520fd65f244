//! Programs in which something goes wrong, or would if the executor were careless.

use serde_json::{Value, json};

use super::programs::programs;
use super::running::{
    codes, copy, device, host, kernel, on, repeat, run, run_with, scenario, small, spans, stream, value,
};
use streamscope::profile::shipped;
use streamscope::program::{Action, lower};
use streamscope::scenario::Knobs;

/// Page-locked or pageable memory of one byte for each element, with a value.
fn filled(name: &str, pinned: bool, value: u32) -> Value {
    json!({"host_tensor": {"name": name, "shape": [1024], "dtype": "u8", "pinned": pinned, "fill": value}})
}

programs![
    what_needs_memory_that_is_not_there_is_skipped,
    a_refused_malloc_is_no_memory_for_a_free,
    a_view_keeps_a_buffer_of_the_host,
    pinned_memory_is_reused_when_its_copies_are_done,
    a_graph_keeps_the_memory_that_it_copies,
    a_memset_fills_with_elements,
    replays_of_too_many_nodes_are_refused_where_they_stand,
    a_nodes_priority_counts_where_pytorch_instantiates,
];

fn what_needs_memory_that_is_not_there_is_skipped() {
    let huge = json!({"tensor": {"name": "huge", "shape": [1u64 << 36], "dtype": "f32", "fill": 1}});
    let part = json!({"view": {"name": "part", "of": "huge", "shape": [1024]}});
    let program = [
        huge,
        part,
        json!({"tensor": {"name": "there", "shape": [1024], "fill": 5}}),
        json!({"launch": {"kernel": {"add_scalar": 1}, "reads": ["part"], "writes": ["there"], "label": "skipped"}}),
        json!({"memset": {"tensor": "part"}}),
        json!({"copy": {"from": "part", "to": "there"}}),
        json!({"item": {"of": "part", "into": "nothing"}}),
        json!({"report": {"name": "nothing", "value": "=nothing"}}),
        json!({"item": {"of": "there", "into": "something"}}),
        json!({"report": {"name": "something", "value": "=something"}}),
        json!({"drop": {"name": "huge"}}),
    ];
    let recording = run(&[], &program);
    let names: Vec<&str> = recording.errors.iter().map(|error| error.name.as_str()).collect();
    assert_eq!(names, ["torch.OutOfMemoryError"], "one error, and no other follows from it");
    assert!(spans(&recording, "skipped").is_empty());
    assert_eq!(recording.values["nothing"], None);
    assert_eq!(value(&recording, "something"), 5.0, "what does not depend on it goes on");
}

fn a_refused_malloc_is_no_memory_for_a_free() {
    let program = [json!({"raw_malloc": {"name": "p", "bytes": 1u64 << 40}}), json!({"raw_free": {"name": "p"}})];
    assert_eq!(codes(&run(&[], &program)), [2]);
}

fn a_view_keeps_a_buffer_of_the_host() {
    for is_pinned in [false, true] {
        let part = json!({"view": {"name": "batch", "of": "h", "shape": [512], "offset": "=512 * i"}});
        let program = [
            filled("h", is_pinned, 7),
            device("x", 512),
            repeat(2, &[part, json!({"copy": {"from": "batch", "to": "x"}})]),
            json!({"drop": {"name": "h"}}),
            json!({"copy": {"from": "batch", "to": "x"}}),
            json!({"item": {"of": "x", "into": "x"}}),
            json!({"report": {"name": "x", "value": "=x"}}),
            json!({"drop": {"name": "batch"}}),
        ];
        assert_eq!(value(&run(&[], &program), "x"), 7.0);
        let program = lower(&scenario("cuda", &[], &program), &Knobs::default()).unwrap();
        let frees = |action: &Action| matches!(action, Action::HostFree { .. });
        let freed: Vec<usize> =
            (0..program.operations.len()).filter(|index| frees(&program.operations[*index].action)).collect();
        let last_copy = program.operations.iter().rposition(|operation| matches!(operation.action, Action::Copy(_)));
        assert_eq!(freed.len(), 1);
        assert!(freed[0] > last_copy.unwrap());
    }
}

fn pinned_memory_is_reused_when_its_copies_are_done() {
    const BYTES: u64 = 1 << 20;
    let mallocs = |waits: bool| {
        let mut turn = vec![
            json!({"host_tensor": {"name": "h", "shape": [BYTES], "dtype": "u8", "pinned": true}}),
            on("s", &[copy("h", "d")]),
        ];
        if waits {
            turn.push(json!({"synchronize": {"stream": "s"}}));
        }
        let held = [on("s", &[small("delay", 50_000.0)]), repeat(4, &turn)];
        let recording = run(&[stream("s"), device("d", BYTES)], &held);
        host(&recording).iter().filter(|span| recording.name(span.name) == "cudaMallocHost").count()
    };
    // The name is bound to the new buffer before the old one goes, so two are enough.
    assert_eq!(mallocs(true), 2);
    assert_eq!(mallocs(false), 4);
}

fn a_graph_keeps_the_memory_that_it_copies() {
    for is_pinned in [false, true] {
        let setup = [
            filled("h", is_pinned, 7),
            json!({"tensor": {"name": "d", "shape": [1024], "dtype": "u8", "fill": 1}}),
            json!({"capture": {"graph": "g", "body": [copy("h", "d")]}}),
            json!({"drop": {"name": "h"}}),
            filled("other", is_pinned, 9),
        ];
        let program = [
            json!({"replay": {"graph": "g"}}),
            json!({"synchronize": {}}),
            json!({"item": {"of": "d", "into": "x"}}),
            json!({"report": {"name": "x", "value": "=x"}}),
        ];
        let recording = run(&setup, &program);
        assert_eq!((codes(&recording), value(&recording, "x")), (Vec::new(), 7.0));
    }
}

fn a_memset_fills_with_elements() {
    for (dtype, elements, number) in [
        ("f32", 5, 2.5),
        ("f16", 7, 2.5),
        ("bf16", 6, 2.5),
        ("u8", 9, 200.0),
        ("u8", 8, 3.0),
        ("i64", 3, -1.0),
        ("i64", 3, 0.0),
    ] {
        let program = [
            json!({"tensor": {"name": "x", "shape": [elements], "dtype": dtype, "fill": 1}}),
            json!({"memset": {"tensor": "x", "value": number}}),
            json!({"host_tensor": {"name": "h", "shape": [elements], "dtype": dtype}}),
            json!({"copy": {"from": "x", "to": "h"}}),
            json!({"read_host": {"buffer": "h", "into": "mean"}}),
            json!({"report": {"name": "mean", "value": "=mean"}}),
        ];
        assert_eq!(value(&run(&[], &program), "mean"), number, "{dtype}");
    }
}

fn replays_of_too_many_nodes_are_refused_where_they_stand() {
    let program = |replays: u32| {
        let body = [repeat(1000, &[small("N", 1.0)])];
        let program =
            [json!({"capture": {"graph": "g", "body": body}}), repeat(replays, &[json!({"replay": {"graph": "g"}})])];
        lower(&scenario("cuda", &[], &program), &Knobs::default())
    };
    assert!(program(8000).is_ok());
    let error = program(8001).unwrap_err();
    assert_eq!(error.pointer(), Some("/program/1/repeat/body/0/replay"));
    let message = error.to_string();
    assert_eq!(
        message,
        "/program/1/repeat/body/0/replay: the replays of this program run more than 8000000 graph nodes; lower a loop count"
    );
}

fn a_nodes_priority_counts_where_pytorch_instantiates() {
    // A grid of 20 waves runs; the graph of one wave was captured on an urgent stream and is launched on an ordinary one.
    const FULL: u32 = 264;
    let overtakes = |host: &str| {
        let setup = [
            stream("low"),
            stream("ordinary"),
            json!({"stream": {"name": "urgent", "priority": -5}}),
            json!({"capture": {"graph": "g", "stream": "urgent", "body": [kernel("short", 100.0, [FULL, 1024, 0])]}}),
        ];
        let program = [
            on("low", &[kernel("long", 2000.0, [FULL * 20, 1024, 0])]),
            on("ordinary", &[json!({"replay": {"graph": "g"}})]),
        ];
        let recording = run_with(&scenario(host, &setup, &program), &Knobs::default(), &shipped("h200").unwrap());
        spans(&recording, "short")[0].end < spans(&recording, "long")[0].end
    };
    assert!(overtakes("pytorch"));
    assert!(!overtakes("cuda"));
}

/// 1024 threads of 72 registers want 73 728, and an SM has 65 536 (CUDA C++ Programming Guide, "Compute Capabilities"): the launch is
/// refused, and what comes after it goes on.
#[test]
fn a_block_that_no_sm_has_room_for_is_refused_at_its_launch() {
    let wide =
        json!({"launch": {"kernel": {"timed": {"dur_us": 100, "block": 1024, "registers": 72}}, "label": "wide"}});
    let setup = [stream("s"), filled("h", false, 1), device("x", 1024)];
    let recording = run(&setup, &[on("s", &[small("K", 100.0)]), wide, copy("h", "x")]);
    assert_eq!(codes(&recording), [701]);
    assert_eq!(recording.errors[0].at.label, "wide".into());
    assert!(spans(&recording, "wide").is_empty());
    assert_eq!(spans(&recording, "K").len(), 1);
}
