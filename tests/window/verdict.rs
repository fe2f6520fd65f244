//! The verdict on a large program, which comes after its picture.

use std::time::{Duration, Instant};

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::window::{Start, Window};

use super::application::sees;
use super::renderer;

/// So many operations that they are judged only after a while; the switch says whether their order is kept.
const LARGE: &str = r#"{"streamscope": 1, "name": "large", "title": "Large", "host": "cuda",
    "knobs": [{"toggle": {"id": "ordered", "label": "ordered", "default": false}}],
    "setup": [{"stream": {"name": "side"}}, {"tensor": {"name": "x", "shape": [64], "fill": 1}}],
    "program": [
        {"repeat": {"times": 21000, "body": [
            {"launch": {"kernel": {"timed": {"dur_us": 2}}, "writes": ["x"], "label": "write"}}]}},
        {"when": {"test": "=ordered", "then": [{"wait_stream": {"other": "default", "stream": "side"}}]}},
        {"on": {"stream": "side", "body": [
            {"launch": {"kernel": {"timed": {"dur_us": 2}}, "reads": ["x"], "label": "read"}}]}},
        {"synchronize": {"stream": "side"}}]}"#;

const PENDING: &str = "Checking for hazards";

/// A window that waits for nothing: everything comes from the background.
fn open(folder: &std::path::Path) -> Harness<'static> {
    let path = folder.join("large.json");
    std::fs::write(&path, LARGE).unwrap();
    let start = Start { scenario: path.to_str().map(str::to_owned), ..Start::default() };
    let mut window = Window::new(start).unwrap().with_patience(Duration::ZERO);
    let mut attached = false;
    renderer::harness([1000.0, 620.0], move |ui| {
        if !std::mem::replace(&mut attached, true) {
            window.attach(ui.ctx());
            return;
        }
        window.frame(ui);
    })
}

/// Goes on until one of `labels` is there; which.
fn wait<'l>(harness: &mut Harness<'_>, labels: &[&'l str]) -> &'l str {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        harness.step();
        if let Some(found) = labels.iter().find(|label| sees(harness, label)) {
            return found;
        }
        assert!(Instant::now() < until, "none of {labels:?} comes");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_verdict_follows_the_picture_and_belongs_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(folder.path());
    // On a machine that is busy with something else, the verdict may be there with the picture, but never before it.
    let seen = wait(&mut harness, &[PENDING, "1 hazard"]);
    assert!(sees(&harness, "Default stream: 21000 spans"), "`{seen}` is said of nothing");
    wait(&mut harness, &["1 hazard"]);
    // Another setting: what was found of the one before is not said of it.
    harness.get_by_label("ordered").click();
    wait(&mut harness, &[PENDING, "No hazards"]);
    assert!(!sees(&harness, "1 hazard"));
    // And back again, before the verdict is known.
    harness.get_by_label("ordered").click();
    wait(&mut harness, &["1 hazard"]);
    for _ in 0..100 {
        harness.step();
        std::thread::sleep(Duration::from_millis(5));
        assert!(!sees(&harness, "No hazards"), "a verdict on something else");
    }
}

#[test]
fn a_verdict_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(folder.path());
    if wait(&mut harness, &[PENDING, "1 hazard"]) == PENDING {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Period);
        let ends = wait(&mut harness, &["Not checked for hazards", "1 hazard"]);
        assert!(sees(&harness, "Default stream: 21000 spans"), "{ends}: the picture is gone");
    }
}
