//! What has to be seen without scrolling where there is little room.

use std::path::Path;

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

fn open(scenario: &str, folder: &Path, size: [f32; 2]) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), size)
}

/// A scenario that reports `count` numbers.
fn reporting(count: usize, folder: &Path) -> String {
    let reports: Vec<String> =
        (1..=count).map(|n| format!(r#"{{"report": {{"name": "number_{n}", "value": {n}}}}}"#)).collect();
    let text = format!(
        r#"{{"streamscope": 1, "name": "numbers", "title": "Numbers", "program": [
            {{"launch": {{"kernel": {{"timed": {{"dur_us": 20}}}}}}}},
            {{"launch": {{"kernel": {{"timed": {{"dur_us": 20}}}}}}}}, {}]}}"#,
        reports.join(", ")
    );
    let path = folder.join(format!("{count}.json"));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Lower edges of all that has a label with one of `parts`, in points.
fn bottoms(harness: &Harness<'_>, parts: &[&str]) -> Vec<f64> {
    let says = |text: Option<String>| text.is_some_and(|text| parts.iter().any(|part| text.contains(part)));
    let found = harness.query_all_by(|node| says(node.label()) || says(node.value()));
    found.map(|node| node.accesskit_node().bounding_box().unwrap().y1).collect()
}

#[test]
fn the_verdict_is_seen_however_many_numbers_there_are() {
    let folder = tempfile::tempdir().unwrap();
    for count in [1, 5, 40] {
        let mut harness = open(&reporting(count, folder.path()), folder.path(), [1000.0, 620.0]);
        for key in [Key::P, Key::L, Key::P, Key::L] {
            press(&mut harness, key);
            let bottoms = bottoms(&harness, &["run (", "of the run", "占总耗时", "总耗时 "]);
            assert!(!bottoms.is_empty() && bottoms.iter().all(|y| *y < 612.0), "{count}: {bottoms:?}");
            assert!(sees(&harness, "Default stream: ") || sees(&harness, "默认流："));
        }
        if count == 5 {
            harness.snapshot("many_numbers_dark");
        }
    }
}

#[test]
fn hazards_can_be_mended_without_scrolling() {
    let folder = tempfile::tempdir().unwrap();
    for size in [[1280.0, 720.0], [1000.0, 620.0]] {
        let mut harness = open("record-stream", folder.path(), size);
        for key in [Key::T, Key::L] {
            let found = bottoms(&harness, &["Fix it", "修复", "REUSE"]);
            assert!(found.len() >= 3 && found.iter().all(|y| *y < f64::from(size[1]) - 20.0), "{size:?}: {found:?}");
            press(&mut harness, key);
        }
    }
}
