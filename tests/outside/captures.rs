//! What may stand in a capture: the same programs for the model and, where there is one, a GPU. The numbers are those of an
//! NVIDIA H200 (driver 580, CUDA 13.0).

use serde_json::{Value, json};

use super::running::{codes, copy, device, on, pageable, scenario, small, spans, stream, synchronize};
use streamscope::recording::{Recording, SpanKind};
use streamscope::scenario::Scenario;

/// A capture on a stream `c` with something in it besides a kernel called N.
pub struct Case {
    /// What stands in it, on what kind of stream, in which mode.
    pub name: String,
    pub scenario: Scenario,
    /// The errors of the run, and how many kernels called N the graph then runs.
    pub expected: (Vec<u32>, usize),
}

/// What a run of a case came to.
pub fn outcome(recording: &Recording) -> (Vec<u32>, usize) {
    let nodes = spans(recording, "N").iter().filter(|span| span.kind == SpanKind::GraphKernel).count();
    (codes(recording), nodes)
}

fn case(kind: &str, mode: &str, what: &str, body: &[Value], expected: (&[u32], usize)) -> Case {
    let setup = [
        json!({"stream": {"name": "c", "kind": kind}}),
        stream("t"),
        json!({"event": {"name": "old"}}),
        json!({"event": {"name": "e"}}),
        json!({"record": {"event": "old", "stream": "t"}}),
        json!({"raw_malloc": {"name": "q", "bytes": 1 << 20}}),
        json!({"malloc_host": {"name": "m", "bytes": 1 << 20}}),
        device("d", 1024),
        pageable("h", 1024),
        json!({"tensor": {"name": "a", "shape": [64, 64]}}),
        json!({"capture": {"graph": "before", "stream": "t", "body": [small("M", 1.0)]}}),
    ];
    let body = [&[small("N", 1.0)], body].concat();
    let capture = json!({"capture": {"graph": "g", "stream": "c", "mode": mode, "body": body}});
    Case {
        name: format!("{what}, {kind}, {mode}"),
        scenario: scenario("cuda", &setup, &[capture, json!({"replay": {"graph": "g"}})]),
        expected: (expected.0.to_vec(), expected.1),
    }
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let sync = |key: &str, name: &str| json!({"synchronize": {key: name}});
    let record = json!({"record": {"event": "e", "stream": "c"}});
    let fork = [record.clone(), json!({"wait": {"event": "e", "stream": "t"}})];
    let fails = [
        ("stream sync on C", vec![sync("stream", "c")], [900, 901]),
        ("device sync", vec![synchronize()], [900, 901]),
        ("graph launch into C", vec![json!({"replay": {"graph": "before"}})], [900, 901]),
        ("wait on an event from before", vec![json!({"wait": {"event": "old"}})], [905, 901]),
        ("sync of a captured event", vec![record.clone(), sync("event", "e")], [907, 901]),
        ("query of a captured event", vec![record, json!({"query": {"event": "e"}})], [907, 901]),
    ];
    let unsafe_calls = [
        ("query of an old event", json!({"query": {"event": "old"}})),
        ("sync of an old event", sync("event", "old")),
        ("stream sync elsewhere", sync("stream", "t")),
        ("cudaMalloc", json!({"raw_malloc": {"name": "r", "bytes": 1 << 20}})),
        ("cudaFree", json!({"raw_free": {"name": "q"}})),
        ("cudaMallocHost", json!({"malloc_host": {"name": "r", "bytes": 1 << 20}})),
        ("cudaFreeHost", json!({"free_host": {"name": "m"}})),
    ];
    let memcpy = json!({"copy": {"from": "d", "to": "h"}});
    let mut cases = Vec::new();
    for mode in ["global", "thread_local", "relaxed"] {
        let mut add = |kind, what: &str, body: &[Value], expected: (&[u32], usize)| {
            cases.push(case(kind, mode, what, body, expected));
        };
        for (what, body, codes) in &fails {
            add("non_blocking", what, body, (codes, 0));
        }
        for (what, it) in &unsafe_calls {
            let expected: (&[u32], usize) = if mode == "relaxed" { (&[], 1) } else { (&[900, 901], 0) };
            add("non_blocking", what, std::slice::from_ref(it), expected);
        }
        let unjoined = [&fork[..], &[on("t", &[small("N", 1.0)])]].concat();
        add("non_blocking", "fork, not joined", &unjoined, (&[904], 0));
        let product = json!({"launch": {"kernel": "matmul", "reads": ["a", "a"], "writes": ["a"]}});
        add("non_blocking", "matmul after a failure", &[synchronize(), product], (&[900, 901, 901], 0));
        let replay_elsewhere = on("t", &[json!({"replay": {"graph": "before"}})]);
        for (what, body) in [
            ("fork without work, not joined", fork.to_vec()),
            ("launch on legacy", vec![on("default", &[small("L", 1.0)])]),
            ("launch on per-thread default", vec![on("per_thread", &[small("L", 1.0)])]),
            ("cudaMemcpy", vec![on("default", std::slice::from_ref(&memcpy))]),
            ("pageable copies", vec![copy("d", "h"), copy("h", "d")]),
            ("graph launch elsewhere", vec![replay_elsewhere]),
            ("host function", vec![json!({"host_function": {"dur_us": 1}})]),
        ] {
            add("non_blocking", what, &body, (&[], 1));
        }
        add("blocking", "launch on legacy", &[on("default", &[small("L", 1.0)])], (&[906, 901], 0));
        add("blocking", "cudaMemcpy", &[on("default", std::slice::from_ref(&memcpy))], (&[906, 901], 0));
    }
    cases
}
