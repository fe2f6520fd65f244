//! Calls are called what a CUDA program calls them.

use serde_json::{Value, json};
use streamscope::analysis::{Analysis, summary};
use streamscope::recording::{Recording, SpanKind};

use super::running::{on, run};

fn setup() -> Vec<Value> {
    vec![
        json!({"tensor": {"name": "x", "shape": [16_777_216], "fill": 1}}),
        json!({"host_tensor": {"name": "pageable", "shape": [16_777_216], "fill": 0}}),
        json!({"host_tensor": {"name": "pinned", "shape": [16_777_216], "pinned": true, "fill": 0}}),
        json!({"stream": {"name": "side"}}),
    ]
}

fn copy(from: &str, to: &str, non_blocking: bool) -> Value {
    json!({"copy": {"from": from, "to": to, "non_blocking": non_blocking}})
}

/// The names of the spans of the host thread that are copies, each name once, in the order of time.
fn names_of_copies(recording: &Recording) -> Vec<&str> {
    let spans = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
    let mut names: Vec<&str> = spans.map(|span| recording.name(span.name)).collect();
    names.retain(|name| name.starts_with("cudaMemcpy"));
    names.dedup();
    names
}

#[test]
fn a_copy_that_waits_on_the_default_stream_is_cuda_memcpy() {
    let cases = [
        // Blocking copies on the default stream are `cudaMemcpy`, whichever way and from whatever memory.
        (copy("pageable", "x", false), "cudaMemcpy"),
        (copy("x", "pageable", false), "cudaMemcpy"),
        (copy("pinned", "x", false), "cudaMemcpy"),
        (copy("pinned", "x", true), "cudaMemcpyAsync"),
        (copy("x", "pageable", true), "cudaMemcpyAsync"),
        // There is no `cudaMemcpy` on another stream.
        (on("side", &[copy("x", "pinned", false)]), "cudaMemcpyAsync"),
    ];
    for (statement, name) in cases {
        assert_eq!(names_of_copies(&run(&setup(), std::slice::from_ref(&statement))), [name], "{statement}");
    }
}

#[test]
fn the_time_that_cuda_memcpy_waits_counts_under_its_name() {
    let recording = run(&setup(), &[copy("x", "pageable", false)]);
    let of_wait = |name: &str| {
        let spans = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
        let waits = spans.filter(|span| span.kind == SpanKind::Blocked);
        waits.filter(|span| recording.name(span.name) == name).map(|span| span.interval().dur().us()).sum::<f64>()
    };
    let blocked = summary(&recording, &Analysis::new(&recording), &[]).host.blocked_by_cause;
    // 64 MiB to pageable memory take milliseconds.
    assert!(blocked.get("cudaMemcpy").is_some_and(|us| *us > 1_000.0), "{blocked:?}");
    assert_eq!(blocked.get("cudaMemcpy"), Some(&of_wait("cudaMemcpy")));
    assert_eq!(blocked.get("cudaMemcpyAsync"), None);
}
