//! What is edited is never lost: not with the window, not to another window, not by a damaged file.

use std::fs;
use std::path::{Path, PathBuf};

use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::scenario::preset;
use streamscope::window::{Start, Window};

use super::application::{press, sees, show, undo};

/// A window on `scenario`, or on what was open last; closed when it is dropped.
fn open(scenario: Option<&str>, folder: &Path) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: scenario.map(str::to_owned), settings, ..Start::default() };
    show(Window::new(start).unwrap(), [1280.0, 720.0])
}

fn click(harness: &mut Harness<'_>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// All files below a folder that end so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { files(&path, ending) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn an_edited_copy_is_there_again_at_the_next_start_until_it_is_discarded() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(Some("record-stream"), folder.path());
    press(&mut harness, Key::X);
    click(&mut harness, "record_stream");
    assert!(sees(&harness, "record-stream (edited)") && sees(&harness, "No hazards"));
    drop(harness);
    let mut harness = open(Some("record-stream"), folder.path());
    assert!(sees(&harness, "record-stream (edited)") && sees(&harness, "2 hazards"), "the preset is as it was");
    click(&mut harness, "record-stream (edited)");
    assert!(sees(&harness, "No hazards") && sees(&harness, "Edited, not saved yet"));
    assert!(sees(&harness, "GPU memory: 54 memory blocks"), "the knob is as it was");
    click(&mut harness, "Undo");
    assert!(sees(&harness, "1 hazard: "), "what was edited can be taken back");
    click(&mut harness, "Redo");
    click(&mut harness, "Discard record-stream (edited)");
    assert!(sees(&harness, "Discarded: record-stream (edited)") && sees(&harness, "2 hazards"));
    click(&mut harness, "Undo");
    assert!(sees(&harness, "No hazards") && !sees(&harness, "Discarded"), "it can be had back");
    click(&mut harness, "Discard record-stream (edited)");
    drop(harness);
    assert!(!sees(&open(None, folder.path()), "(edited)"));
    assert!(files(&folder.path().join("edited"), "").is_empty(), "something is left behind");
}

#[test]
fn what_was_edited_in_a_file_does_not_hide_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.json");
    fs::write(&path, preset("record-stream").unwrap().text).unwrap();
    let mut harness = open(path.to_str(), folder.path());
    press(&mut harness, Key::X);
    assert!(sees(&harness, "mine.json (edited)"));
    drop(harness);
    // The file opens as it is, and the copy stands beside it.
    let mut harness = open(path.to_str(), folder.path());
    assert!(sees(&harness, "2 hazards") && sees(&harness, "mine.json (edited)"));
    press(&mut harness, Key::X);
    assert!(sees(&harness, "mine.json (edited 2)"));
    drop(harness);
    // Both outlive the file.
    fs::remove_file(&path).unwrap();
    let mut harness = open(None, folder.path());
    click(&mut harness, "mine.json (edited)");
    assert!(sees(&harness, "1 hazard: ") && sees(&harness, "mine.json (edited 2)"));
    // Saved, it is no copy any more.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run();
    press(&mut harness, Key::Enter);
    assert!(path.exists() && !sees(&harness, "Discard mine.json (edited)"));
    click(&mut harness, "Discard mine.json (edited 2)");
    assert!(sees(&harness, "1 hazard: "), "another one is open");
    drop(harness);
    assert!(files(&folder.path().join("edited"), "").is_empty(), "something is left behind");
}

#[test]
fn a_damaged_copy_is_told_once_and_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(Some("record-stream"), folder.path());
    press(&mut harness, Key::X);
    drop(harness);
    let kept = files(&folder.path().join("edited"), ".json");
    let whole = fs::read(&kept[0]).unwrap();
    fs::write(&kept[0], &whole[..whole.len() / 2]).unwrap();
    let harness = open(None, folder.path());
    assert!(sees(&harness, "cannot be opened") && sees(&harness, "damaged-") && sees(&harness, "Wall time"));
    assert!(!sees(&harness, "record-stream (edited)"));
    drop(harness);
    let aside = files(&folder.path().join("edited"), ".json");
    assert_eq!(fs::read(&aside[0]).unwrap(), whole[..whole.len() / 2], "somebody may want to look");
    assert!(!sees(&open(None, folder.path()), "cannot be opened"), "it is told once");
}

#[test]
fn two_windows_leave_each_other_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = open(Some("record-stream"), folder.path());
    press(&mut first, Key::X);
    let mut second = open(Some("record-stream"), folder.path());
    assert!(!sees(&second, "(edited)"), "it belongs to the other window");
    press(&mut second, Key::X);
    press(&mut second, Key::X);
    drop(first);
    undo(&mut second);
    drop(second);
    let harness = open(None, folder.path());
    assert!(sees(&harness, "record-stream (edited)") && sees(&harness, "record-stream (edited 2)"));
    assert_eq!(files(&folder.path().join("edited"), ".json").len(), 2);
}

#[test]
fn where_nothing_can_be_written_that_is_told_and_the_window_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("edited"), "in the way").unwrap();
    let mut harness = open(Some("record-stream"), folder.path());
    press(&mut harness, Key::X);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !sees(&harness, "is not safe until you save it") {
        assert!(std::time::Instant::now() < until, "nothing is told");
        std::thread::sleep(std::time::Duration::from_millis(5));
        harness.run();
    }
    assert!(sees(&harness, "1 hazard: "));
    harness.event(Event::PointerGone);
    press(&mut harness, Key::X);
    assert!(sees(&harness, "No hazards"));
}
