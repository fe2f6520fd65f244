//! The window as a person uses it, drawn by our own rasterizer.

use std::path::Path;
use std::time::Duration;

use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::scenario;
use streamscope::window::{Start, Window};

use super::renderer;

/// A window on `scenario`, with its settings in `folder`.
fn open(scenario: &str, folder: &Path) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), [1000.0, 620.0])
}

/// A harness around a window.
pub fn show(window: Window, size: [f32; 2]) -> Harness<'static> {
    // A slow machine must not turn an answer within the frame into one from the background.
    let mut window = window.with_patience(Duration::from_secs(60));
    let mut attached = false;
    let mut harness = renderer::harness(size, move |ui| {
        if !std::mem::replace(&mut attached, true) {
            window.attach(ui.ctx());
            return;
        }
        window.frame(ui);
    });
    harness.run();
    harness
}

pub fn press(harness: &mut Harness<'_>, key: Key) {
    harness.key_press(key);
    harness.run();
}

/// Takes the last step back.
pub fn undo(harness: &mut Harness<'_>) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
}

/// Whether a text that contains `label` can be seen, or heard by a screen reader.
pub fn sees(harness: &Harness<'_>, label: &str) -> bool {
    let says = |text: Option<String>| text.is_some_and(|text| text.contains(label));
    harness.query_all_by(|node| says(node.label()) || says(node.value())).next().is_some()
}

#[test]
fn a_switch_changes_the_picture_and_the_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("implicit-sync", folder.path());
    assert!(sees(&harness, "Default stream: 100 spans") && !sees(&harness, "Copy D2H"));
    harness.get_by_label(".item() each step").click();
    harness.run();
    assert!(sees(&harness, "Default stream: 200 spans") && sees(&harness, "Copy D2H: 100 spans"));
    assert!(sees(&harness, "blocked in .item()"));
    harness.snapshot("implicit_sync_dark");
    harness.get_by_label("20 tiny kernels").click();
    harness.run();
    assert!(sees(&harness, "Default stream: 2100 spans"));
}

#[test]
fn every_preset_opens_in_both_languages() {
    for preset in scenario::presets() {
        let folder = tempfile::tempdir().unwrap();
        let mut harness = open(preset.name, folder.path());
        assert!(sees(&harness, "Wall time"), "{}", preset.name);
        press(&mut harness, Key::L);
        assert!(sees(&harness, "总耗时") && sees(&harness, "GPU 时间"), "{}", preset.name);
    }
}

/// What is in the window in letters alone, without a Chinese character.
fn latin(harness: &Harness<'_>) -> Vec<String> {
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let is_words = |text: &String| text.contains(|c: char| c.is_ascii_alphabetic()) && !text.contains(is_han);
    let nodes = harness.query_all_by(|_| true).map(|node| node.accesskit_node());
    nodes.flat_map(|node| [node.label(), node.value()]).flatten().filter(is_words).collect()
}

/// Names, calls, labels of kernels and classes of hazards, which are the same in Chinese, and what egui itself tells.
const SAME_IN_CHINESE: &[&str] = &[
    "Streamscope",
    "English",
    "CUDA Graph",
    "5  CUDA Graph",
    "Batch Size",
    "record_stream",
    "non_blocking",
    ".to(\"cpu\")",
    "gemm 1024³",
    "add 1",
    "fill 1",
    "fill 999",
    "x",
    "RAW",
    "REUSE",
    "Python",
    "Dispatcher",
    "ATen",
    "Kernel",
    "Event",
    "Memset",
    "Resize panel",
];

fn is_quantity(text: &str) -> bool {
    let units = ["ns", "µs", "ms", "Token/s"];
    text.starts_with(|c: char| c.is_ascii_digit()) && units.iter().any(|unit| text.ends_with(&format!(" {unit}")))
}

#[test]
fn nothing_in_the_chinese_window_stays_english() {
    for preset in scenario::presets() {
        let folder = tempfile::tempdir().unwrap();
        let mut harness = open(preset.name, folder.path());
        press(&mut harness, Key::L);
        for text in latin(&harness) {
            let is_known = SAME_IN_CHINESE.contains(&text.as_str()) || is_quantity(&text);
            assert!(is_known, "{}: {text}", preset.name);
        }
    }
}

#[test]
fn the_course_leads_from_one_scenario_to_another() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("timing", folder.path());
    // Where there is little room, the list is a key away.
    assert!(!sees(&harness, "Three-stage pipeline"));
    press(&mut harness, Key::B);
    harness.get_by_label("Three-stage pipeline").click();
    harness.run();
    assert!(sees(&harness, "Stream 3: 20 spans") && sees(&harness, "Copy H2D: 20 spans"));
    press(&mut harness, Key::L);
    press(&mut harness, Key::T);
    harness.snapshot("pipeline_light_zh");
    press(&mut harness, Key::PageDown);
    assert!(sees(&harness, "record_stream 与显存块"));
}

#[test]
fn the_memory_lane_says_what_the_allocator_held() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("record-stream", folder.path());
    assert!(sees(&harness, "GPU memory: 53 memory blocks in 3 segments; peak: 48 MiB allocated, 48 MiB reserved"));
    harness.get_by_label("record_stream").click();
    harness.run();
    assert!(sees(&harness, "GPU memory: 54 memory blocks in 4 segments; peak: 64 MiB allocated, 64 MiB reserved"));
    assert!(sees(&harness, "Memory held"));
}

#[test]
fn a_bad_file_is_said_in_a_banner_and_the_picture_stays() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{\"streamscope\": 1,\n \"name\": 7}").unwrap();
    let mut harness = open("timing", folder.path());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run();
    harness.event(Event::Text(bad.to_str().unwrap().to_owned()));
    harness.run();
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "bad.json:2:"), "no banner");
    assert!(sees(&harness, "Default stream: "), "the picture is gone");
}

#[test]
fn a_wrong_program_is_said_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.json");
    let header = r#""streamscope": 1, "name": "wrong", "title": "Wrong""#;
    std::fs::write(&path, format!("{{{header}, \"program\": [\n {{\"item\": {{\"of\": \"x\"}}}}]}}")).unwrap();
    let harness = open(path.to_str().unwrap(), folder.path());
    assert!(sees(&harness, "wrong.json:2:11: /program/0/item: `x` is not defined"));
}

#[test]
fn the_sheet_of_keys_opens_and_closes() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("timing", folder.path());
    press(&mut harness, Key::Questionmark);
    assert!(sees(&harness, "Zoom at the pointer") && sees(&harness, "Ctrl+.") && !sees(&harness, "Period"));
    assert!(sees(&harness, "Switch the language"));
    press(&mut harness, Key::Escape);
    assert!(!sees(&harness, "Zoom at the pointer"));
}

#[test]
fn settings_survive_and_broken_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("timing", folder.path());
    press(&mut harness, Key::L);
    drop(harness);
    assert!(sees(&open("timing", folder.path()), "总耗时"));
    std::fs::write(folder.path().join("settings.json"), "{").unwrap();
    let harness = open("timing", folder.path());
    assert!(sees(&harness, "settings.json") && sees(&harness, "Wall time"));
}
