//! Captured graphs: their nodes are what their replays run.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use streamscope::analysis::graph::{CapturedGraph, captured};
use streamscope::profile;
use streamscope::program::lower;
use streamscope::recording::{Recording, SpanKind};
use streamscope::scenario::{Knobs, Scenario, load, open, presets};
use streamscope::text::Lang;

use super::running::{on, run_lowered, small, stream, synchronize};

fn graphs(scenario: &Scenario, knobs: &Knobs) -> (Vec<CapturedGraph>, Recording, usize) {
    let program = lower(scenario, knobs).unwrap();
    let profile = profile::shipped("h200").unwrap();
    let recording = run_lowered(scenario, knobs, &program, &profile);
    (captured(&program), recording, program.measured_from)
}

fn of(what: &[Value]) -> (Vec<CapturedGraph>, Recording, usize) {
    let setup = [stream("a"), stream("b"), json!({"event": {"name": "e"}})];
    let document =
        json!({"streamscope": 1, "name": "graphs", "title": "Graphs", "host": "cuda", "setup": setup, "program": what});
    let scenario = load("graphs.json", &document.to_string()).unwrap();
    graphs(&scenario, &Knobs::defaults(&scenario.knobs))
}

/// How often each name runs. An event that is recorded takes no time, and memory is not seen on a stream.
fn counted<'a>(runs: impl Iterator<Item = (&'a str, SpanKind)>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for (name, _) in runs.filter(|(_, kind)| !matches!(kind, SpanKind::Event | SpanKind::Allocation)) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Each replay that ran has run the nodes of its graph.
fn hold(name: &str, (graphs, recording, measured_from): &(Vec<CapturedGraph>, Recording, usize)) -> usize {
    let mut held = 0;
    for graph in graphs {
        for (number, node) in graph.nodes.iter().enumerate() {
            assert!(node.before.iter().all(|before| (*before as usize) < number), "{name}: {graph:?}");
        }
        let nodes = counted(graph.nodes.iter().map(|node| (node.label.get(Lang::En), node.kind)));
        for replay in graph.replays.iter().filter_map(|replay| (*replay as usize).checked_sub(*measured_from)) {
            let own = recording.gpu_spans().filter(|span| span.correlation.0 as usize == replay + 1);
            let ran = counted(own.map(|span| (recording.name(span.name), span.kind)));
            // A run that stopped early has not come to all of them.
            if !ran.is_empty() || recording.errors.is_empty() {
                assert_eq!(ran, nodes, "{name}: {}", graph.name);
                held += 1;
            }
        }
    }
    held
}

#[test]
fn what_a_replay_runs_are_the_nodes_of_its_graph() {
    let mut held = 0;
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let cases = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in cases.filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let scenario = open(&path).unwrap();
        held += hold(&scenario.name, &graphs(&scenario, &Knobs::defaults(&scenario.knobs)));
    }
    for preset in presets() {
        let scenario = preset.scenario().unwrap();
        for knobs in scenario.compared_settings() {
            held += hold(preset.name, &graphs(&scenario, &knobs));
        }
    }
    assert!(held > 50, "{held}");
}

#[test]
fn a_chain_of_1440_nodes_is_found_once() {
    let scenario = presets().iter().find(|preset| preset.name == "graph").unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    knobs.set_text(&scenario.knobs, "graph", "true").unwrap();
    knobs.set_text(&scenario.knobs, "workload", "decode-1440").unwrap();
    let (graphs, ..) = graphs(&scenario, &knobs);
    let [graph] = graphs.as_slice() else { panic!("{} graphs", graphs.len()) };
    assert_eq!(graph.nodes.len(), 1440);
    let is_chain = |(number, node): (u32, &_)| -> bool {
        let before: &streamscope::analysis::graph::GraphNode = node;
        before.before == if number == 0 { vec![] } else { vec![number - 1] }
    };
    assert!((0..).zip(&graph.nodes).all(is_chain));
}

fn replay(graph: &str) -> Value {
    on("a", &[json!({"replay": {"graph": graph}})])
}

fn capture(graph: &str, body: &[Value]) -> Value {
    json!({"capture": {"graph": graph, "stream": "a", "body": body}})
}

#[test]
fn a_fork_a_child_and_an_update_are_followed() {
    let fork = [
        small("first", 1.0),
        json!({"wait_stream": {"other": "a", "stream": "b"}}),
        on("b", &[small("branch", 1.0)]),
        small("main", 1.0),
        json!({"wait_stream": {"other": "b", "stream": "a"}}),
        small("last", 1.0),
    ];
    let run = of(&[
        capture("inner", &fork),
        capture("outer", &[small("head", 1.0), json!({"child_graph": {"graph": "inner"}}), small("tail", 1.0)]),
        json!({"repeat": {"times": 2, "body": [replay("outer")]}}),
        capture("other", &[small("A", 1.0)]),
        capture("new", &[small("B", 1.0)]),
        replay("other"),
        json!({"graph_update": {"graph": "other", "from": "new"}}),
        replay("other"),
        synchronize(),
    ]);
    assert_eq!(run.1.errors, Vec::new());
    assert_eq!(hold("followed", &run), 4);
    let found: Vec<(&str, usize)> = run.0.iter().map(|graph| (graph.name.as_str(), graph.replays.len())).collect();
    assert_eq!(found, [("inner", 0), ("outer", 2), ("other", 1), ("new", 1)]);
    let edges =
        |graph: &CapturedGraph| -> Vec<Vec<u32>> { graph.nodes.iter().map(|node| node.before.clone()).collect() };
    assert_eq!(edges(&run.0[0]), [vec![], vec![0], vec![0], vec![2, 1]]);
    assert_eq!(edges(&run.0[1]), [vec![], vec![0], vec![1], vec![1], vec![3, 2], vec![4]]);
}

#[test]
fn a_capture_that_fails_is_no_graph_and_one_in_a_loop_is_one() {
    let failing = [json!({"wait_stream": {"other": "a", "stream": "b"}}), on("b", &[small("left", 1.0)])];
    let (graphs, ..) = of(&[capture("g", &failing), replay("g")]);
    assert_eq!(graphs, Vec::new());
    let again = [capture("g", &[small("N", 1.0)]), replay("g")];
    let run = of(&[json!({"repeat": {"times": 3, "body": again}}), synchronize()]);
    assert_eq!(run.0.len(), 1);
    assert_eq!((run.0[0].replays.len(), hold("again", &run)), (3, 3));
}
