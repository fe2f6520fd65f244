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

fn setup(kind: &str) -> Vec<Value> {
    vec![
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
        on("t", &[json!({"malloc_async": {"name": "p", "bytes": 1 << 20}})]),
        json!({"capture": {"graph": "before", "stream": "t", "body": [small("M", 1.0)]}}),
    ]
}

fn case(kind: &str, mode: &str, what: &str, body: &[Value], expected: (&[u32], usize)) -> Case {
    let body = [&[small("N", 1.0)], body].concat();
    let capture = json!({"capture": {"graph": "g", "stream": "c", "mode": mode, "body": body}});
    Case {
        name: format!("{what}, {kind}, {mode}"),
        scenario: scenario("cuda", &setup(kind), &[capture, json!({"replay": {"graph": "g"}})]),
        expected: (expected.0.to_vec(), expected.1),
    }
}

/// A capture by the calls of CUDA themselves: begin, a kernel N, and then what is given.
fn by_calls(what: &str, mode: &str, rest: &[Value], expected: (&[u32], usize)) -> Case {
    let begin = [json!({"begin_capture": {"graph": "g", "stream": "c", "mode": mode}}), on("c", &[small("N", 1.0)])];
    Case {
        name: format!("{what}, {mode}"),
        scenario: scenario("cuda", &setup("non_blocking"), &[&begin[..], rest].concat()),
        expected: (expected.0.to_vec(), expected.1),
    }
}

/// What only the calls themselves can do: ends in the wrong place, and graphs that allocate memory.
fn cases_by_calls(mode: &str) -> Vec<Case> {
    let end = json!({"end_capture": {"graph": "g"}});
    let end_on = |stream: &str| json!({"end_capture": {"graph": "g", "stream": stream}});
    let (instantiate, replay) = (json!({"instantiate": {"graph": "g"}}), json!({"replay": {"graph": "g"}}));
    let malloc = on("c", &[json!({"malloc_async": {"name": "r", "bytes": 1 << 20}})]);
    let free = json!({"free_async": {"name": "r"}});
    let fork = [
        json!({"record": {"event": "e", "stream": "c"}}),
        json!({"wait": {"event": "e", "stream": "t"}}),
        on("t", &[small("M", 1.0)]),
    ];
    let allocating = [malloc, end.clone(), instantiate.clone(), replay.clone()];
    let with = |more: &[Value]| [&allocating[..], more].concat();
    vec![
        by_calls(
            "end on the forked stream",
            mode,
            &[&fork[..], &[end_on("t"), end.clone()]].concat(),
            (&[903, 901], 0),
        ),
        by_calls(
            "end on a stranger",
            mode,
            &[end_on("t"), end.clone(), instantiate.clone(), replay.clone()],
            (&[401], 1),
        ),
        by_calls("end twice", mode, &[end.clone(), end], (&[401], 0)),
        by_calls("launch of a graph that holds memory", mode, &with(std::slice::from_ref(&replay)), (&[1], 1)),
        by_calls("the same after a free", mode, &with(&[free, replay]), (&[], 2)),
        by_calls("a second executable of one that allocates", mode, &with(&[instantiate]), (&[801], 1)),
    ]
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
        ("query of a captured event", vec![record.clone(), json!({"query": {"event": "e"}})], [907, 901]),
        ("stream query on C", vec![json!({"query": {"stream": "c"}})], [900, 901]),
    ];
    let fails_more: [(&str, Vec<Value>, &[u32]); 5] = [
        ("stream sync on C, twice", vec![sync("stream", "c"), sync("stream", "c")], &[900, 900, 901]),
        ("launch after a failure", vec![sync("stream", "c"), small("L", 1.0)], &[900, 901, 901]),
        ("wait after a failure", vec![sync("stream", "c"), json!({"wait": {"event": "old"}})], &[900, 901, 901]),
        (
            "wait elsewhere for what failed",
            vec![record, sync("stream", "c"), json!({"wait": {"event": "e", "stream": "t"}})],
            &[900, 1, 901],
        ),
        (
            "merge of two captures",
            vec![
                json!({"begin_capture": {"graph": "other", "stream": "t"}}),
                json!({"record": {"event": "e", "stream": "c"}}),
                json!({"wait": {"event": "e", "stream": "t"}}),
                json!({"end_capture": {"graph": "other"}}),
            ],
            &[902, 901, 901],
        ),
    ];
    let unsafe_calls = [
        ("query of an old event", json!({"query": {"event": "old"}})),
        ("sync of an old event", sync("event", "old")),
        ("stream sync elsewhere", sync("stream", "t")),
        ("sync of the legacy stream", sync("stream", "default")),
        ("stream query elsewhere", json!({"query": {"stream": "t"}})),
        ("cudaMallocAsync elsewhere", on("t", &[json!({"malloc_async": {"name": "r", "bytes": 1 << 20}})])),
        ("cudaGraphExecDestroy", json!({"drop": {"name": "before"}})),
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
        for (what, body, codes) in &fails_more {
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
            (
                "external record and wait",
                vec![
                    json!({"record": {"event": "e", "external": true}}),
                    json!({"wait": {"event": "old", "external": true}}),
                ],
            ),
            (
                "cudaMallocAsync and cudaFreeAsync",
                vec![json!({"malloc_async": {"name": "r", "bytes": 1 << 20}}), json!({"free_async": {"name": "r"}})],
            ),
        ] {
            add("non_blocking", what, &body, (&[], 1));
        }
        add("blocking", "launch on legacy", &[on("default", &[small("L", 1.0)])], (&[906, 901], 0));
        add("blocking", "cudaMemcpy", &[on("default", std::slice::from_ref(&memcpy))], (&[906, 901], 0));
        let record = json!({"record": {"event": "e", "stream": "c"}});
        let join = [record, json!({"wait": {"event": "e", "stream": "default"}})];
        add("non_blocking", "legacy waits for C", &join, (&[906, 901], 0));
        add("blocking", "legacy waits for C", &join, (&[906, 901], 0));
        let on_legacy = |what: &str| json!({what: {"event": "old", "stream": "default"}});
        add("blocking", "wait on legacy", &[on_legacy("wait")], (&[906, 901], 0));
        add("blocking", "record on legacy", &[on_legacy("record")], (&[906, 901], 0));
        add("blocking", "sync of the legacy stream", &[sync("stream", "default")], (&[906, 901], 0));
        add("non_blocking", "begin again", &[json!({"begin_capture": {"graph": "other"}})], (&[401], 1));
        add("non_blocking", "cudaFreeAsync of older memory", &[json!({"free_async": {"name": "p"}})], (&[1], 1));
        cases.extend(cases_by_calls(mode));
    }
    cases
}
