//! The captured graph beside the timeline: its nodes, and their spans.

use std::path::Path;

use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

/// A capture with a branch that another stream takes, replayed three times.
const FORK: &str = r#"{"streamscope": 1, "name": "fork", "title": "A fork in a graph", "host": "cuda",
    "setup": [{"stream": {"name": "main"}}, {"stream": {"name": "side"}},
        {"tensor": {"name": "x", "shape": [64], "fill": 1}}, {"tensor": {"name": "y", "shape": [64], "fill": 1}},
        {"capture": {"graph": "forked", "stream": "main", "body": [
            {"launch": {"kernel": {"timed": {"dur_us": 20}}, "writes": ["x"], "label": "split"}},
            {"wait_stream": {"other": "main", "stream": "side"}},
            {"on": {"stream": "side", "body": [{"repeat": {"times": 3, "body": [
                {"launch": {"kernel": {"timed": {"dur_us": 12}}, "writes": ["y"], "label": "reduce"}}]}}]}},
            {"launch": {"kernel": {"timed": {"dur_us": 30}}, "writes": ["x"], "label": "attention"}},
            {"launch": {"kernel": {"timed": {"dur_us": 20}}, "writes": ["x"], "label": "mlp"}},
            {"wait_stream": {"other": "side", "stream": "main"}},
            {"launch": {"kernel": {"timed": {"dur_us": 15}}, "reads": ["x", "y"], "writes": ["x"], "label": "join"}}]}}],
    "program": [{"on": {"stream": "main", "body": [
        {"repeat": {"times": 3, "body": [{"replay": {"graph": "forked"}}]}}]}}, {"synchronize": {"stream": "main"}}]}"#;

fn open(scenario: &str, folder: &Path, size: [f32; 2]) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), size)
}

#[test]
fn branches_are_seen_and_nodes_lead_to_their_spans() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fork.json");
    std::fs::write(&path, FORK).unwrap();
    let mut harness = open(path.to_str().unwrap(), folder.path(), [1280.0, 720.0]);
    assert!(!sees(&harness, "Captured graph"));
    press(&mut harness, Key::N);
    assert!(sees(&harness, "nodes: 7 · edges: 7 · replays: 3") && sees(&harness, "No hazards"));
    let node = harness.get_by_label("attention").rect().center();
    harness.hover_at(node);
    harness.run();
    harness.snapshot("graph_fork_dark");
    // A click selects what the node ran, which the inspector describes, with its place in the graph.
    harness.get_by_label("attention").click();
    harness.run();
    assert!(sees(&harness, "kernel of a graph") && sees(&harness, "In its graph"));
    press(&mut harness, Key::N);
    assert!(!sees(&harness, "Captured graph") && sees(&harness, "In its graph") && sees(&harness, "Wall time"));
}

#[test]
fn a_chain_of_1440_equal_nodes_is_one_box() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("graph", folder.path(), [1280.0, 720.0]);
    press(&mut harness, Key::N);
    assert!(!sees(&harness, "Captured graph"), "there is no graph yet");
    harness.get_by_label("CUDA graph").click();
    harness.run();
    press(&mut harness, Key::L);
    press(&mut harness, Key::T);
    assert!(sees(&harness, "捕获到的 CUDA Graph") && sees(&harness, "9 个节点 · 8 条边 · 重放 100 次"));
    harness.snapshot("graph_chain_light_zh");
    harness.get_by_label("1440 个小 Kernel").click();
    harness.run();
    assert!(sees(&harness, "1440 个节点 · 1439 条边") && sees(&harness, "1440× "));
}

#[test]
fn of_several_graphs_the_one_that_is_replayed_is_shown_and_others_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("buckets", folder.path(), [1280.0, 720.0]);
    press(&mut harness, Key::N);
    assert!(sees(&harness, "replays: 1"));
    let shown =
        harness.get_all_by_role(Role::ComboBox).filter_map(|node| node.value()).find(|it| it.contains("bucket"));
    harness.get_by_value(&shown.unwrap()).click();
    harness.run();
    harness.get_by_label_contains("2 · bucket").click();
    harness.run();
    assert!(sees(&harness, "replays: 0"));
}
