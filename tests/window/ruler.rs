//! Selecting in the timeline: a range of time with its numbers, and what belongs to what.

use std::path::Path;

use egui::{Event, Key, Modifiers, OutputCommand, PointerButton, Pos2, Rect, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

/// A kernel of 100 µs, half a millisecond of work of the host, and another kernel.
const GAP: &str = r#"{"streamscope": 1, "name": "gap", "title": "A gap", "host": "cuda", "program": [
    {"launch": {"kernel": {"timed": {"dur_us": 100}}, "label": "before"}}, {"synchronize": {}},
    {"work": {"dur_us": 500, "label": "thinking"}},
    {"launch": {"kernel": {"timed": {"dur_us": 100}}, "label": "after"}}, {"synchronize": {}}]}"#;

fn open(folder: &Path) -> Harness<'static> {
    let path = folder.join("gap.json");
    std::fs::write(&path, GAP).unwrap();
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: path.to_str().map(str::to_owned), settings, ..Start::default() };
    show(Window::new(start).unwrap(), [1280.0, 800.0])
}

/// Where the lane of the stream is.
fn stream(harness: &Harness<'_>) -> Rect {
    harness.get_by_label_contains("Default stream: ").rect()
}

fn at(lane: Rect, share: f32) -> Pos2 {
    pos2(lane.left() + share * lane.width(), lane.center().y)
}

fn click(harness: &mut Harness<'_>, at: Pos2) {
    harness.drag_at(at);
    harness.drop_at(at);
    harness.run();
}

/// Presses the right button at the first point, goes through all, and lets go.
fn drag(harness: &mut Harness<'_>, points: &[Pos2]) {
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Secondary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.event(Event::PointerMoved(points[0]));
    harness.event(button(points[0], true));
    for point in points {
        harness.event(Event::PointerMoved(*point));
    }
    harness.event(button(points[points.len() - 1], false));
    harness.run();
}

/// What a key puts onto the clipboard.
fn copied(harness: &mut Harness<'_>, modifiers: Modifiers) -> String {
    let key = |pressed| Event::Key { key: Key::C, physical_key: None, pressed, repeat: false, modifiers };
    // Each event that is queued gets a frame of its own, and what an earlier one put out would be lost.
    harness.input_mut().events.push(key(true));
    harness.step();
    let commands = harness.output().platform_output.commands.clone();
    harness.event(key(false));
    harness.run();
    let text = commands.into_iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text),
        _ => None,
    });
    text.unwrap_or_default()
}

/// A number of the selected range, in the unit of the CSV.
fn number(harness: &mut Harness<'_>, part: &str, name: &str) -> f64 {
    let csv = copied(harness, Modifiers::SHIFT);
    let row = csv.lines().find_map(|line| line.strip_prefix(&format!("{part},{name},"))).unwrap();
    row.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn a_range_begins_where_the_button_was_pressed() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(folder.path());
    let lane = stream(&harness);
    let (left, right) = (at(lane, 0.25), at(lane, 0.75));
    drag(&mut harness, &[left, right]);
    let (from, to) = (number(&mut harness, "Range", "From"), number(&mut harness, "Range", "To"));
    // The same by small steps, of which the first are too small for a drag, and the same from the other side.
    let steps: Vec<Pos2> = (0..=100).map(|step| left.lerp(right, step as f32 / 100.0)).collect();
    drag(&mut harness, &steps);
    assert_eq!((number(&mut harness, "Range", "From"), number(&mut harness, "Range", "To")), (from, to));
    let back: Vec<Pos2> = steps.into_iter().rev().collect();
    drag(&mut harness, &back);
    assert_eq!((number(&mut harness, "Range", "From"), number(&mut harness, "Range", "To")), (from, to));
    assert!((number(&mut harness, "Range", "Duration") - (to - from)).abs() < 0.001);
}

#[test]
fn a_range_has_its_numbers_is_copied_zoomed_to_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(folder.path());
    let lane = stream(&harness);
    drag(&mut harness, &[at(lane, 0.3), at(lane, 0.6)]);
    assert!(sees(&harness, "What nvidia-smi would show") && sees(&harness, "GPU-Util of nvidia-smi"));
    assert_eq!(number(&mut harness, "Busy", "Default stream"), 0.0);
    let (all, host) = (number(&mut harness, "GPU idle", "All"), number(&mut harness, "GPU idle", "host work"));
    assert!(all > 0.0 && host > 0.99 * all, "{host} of {all}");
    let markdown = copied(&mut harness, Modifiers::NONE);
    assert!(markdown.starts_with("| Range | Value | % |\n|---|--:|--:|\n"), "{markdown}");
    assert!(markdown.contains("| Busy: Default stream | 0 ns | 0.0% |"), "{markdown}");
    harness.snapshot("range_dark");
    let (from, to) = (number(&mut harness, "Range", "From"), number(&mut harness, "Range", "To"));
    press(&mut harness, Key::Enter);
    drag(&mut harness, &[at(lane, 0.0), at(lane, 0.5)]);
    let half = (to - from) / 2.0;
    assert!((number(&mut harness, "Range", "From") - from).abs() < 0.01 * half);
    assert!((number(&mut harness, "Range", "Duration") - half).abs() < 0.01 * half);
    press(&mut harness, Key::Escape);
    assert!(!sees(&harness, "What nvidia-smi would show"));
}

#[test]
fn keys_lead_from_a_bubble_and_set_a_range_without_a_mouse() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(folder.path());
    let lane = stream(&harness);
    click(&mut harness, at(lane, 0.5));
    harness.remove_cursor();
    harness.run();
    assert!(sees(&harness, "Next operation"));
    press(&mut harness, Key::OpenBracket);
    assert!(sees(&harness, "thinking") && !sees(&harness, "Next operation"), "the call to blame");
    click(&mut harness, at(lane, 0.5));
    harness.remove_cursor();
    press(&mut harness, Key::CloseBracket);
    assert!(sees(&harness, "Launch latency"), "the operation that ended it");
    press(&mut harness, Key::O);
    press(&mut harness, Key::Comma);
    press(&mut harness, Key::I);
    // Two kernels of 100 µs, and what lies between.
    assert_eq!(number(&mut harness, "Busy", "Default stream"), 200.0);
    assert!((700.0..740.0).contains(&number(&mut harness, "Range", "Duration")));
    press(&mut harness, Key::L);
    press(&mut harness, Key::T);
    harness.snapshot("range_light_zh");
}
