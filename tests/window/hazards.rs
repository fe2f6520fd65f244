//! Hazards in the window: what is said of them, where they are shown, and how they are mended.

use std::path::Path;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::scenario::{self, preset};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show, undo};

const SIZE: [f32; 2] = [1600.0, 900.0];

fn open(scenario: &str, folder: &Path, size: [f32; 2]) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), size)
}

fn click_first(harness: &mut Harness<'_>, label: &str) {
    harness.get_all_by_label(label).next().unwrap().click();
    harness.run();
}

#[test]
fn hazards_are_listed_and_each_fix_mends_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("record-stream", folder.path(), [1280.0, 720.0]);
    assert!(sees(&harness, "2 hazards: data was corrupted in this run"));
    assert!(sees(&harness, "RAW") && sees(&harness, "REUSE") && sees(&harness, "It did no harm in this run, by luck."));
    harness.snapshot("hazards_dark");
    harness.get_all_by_label("Fix it").next().unwrap().hover();
    harness.run();
    assert!(sees(&harness, "+ /program/2/on/body/2: {\"wait_stream\":"), "what would be put in is shown");
    click_first(&mut harness, "Fix it");
    assert!(sees(&harness, "1 hazard: data was corrupted in this run") && sees(&harness, "record-stream (edited)"));
    click_first(&mut harness, "Fix it");
    assert!(sees(&harness, "No hazards") && !sees(&harness, "Fix it") && sees(&harness, "Edited, not saved yet"));
    harness.get_by_label("Undo").click();
    harness.run();
    assert!(sees(&harness, "1 hazard: ") && sees(&harness, "Redo"));
    harness.get_by_label("Redo").click();
    harness.run();
    assert!(sees(&harness, "No hazards"));
}

/// Opens a public case.
fn open_case(name: &str, folder: &Path) -> Harness<'static> {
    open(&format!("{}/tests/cases/{name}.json", env!("CARGO_MANIFEST_DIR")), folder, SIZE)
}

#[test]
fn the_keys_lead_through_the_hazards_and_mend_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("record-stream", folder.path(), [1280.0, 720.0]);
    press(&mut harness, Key::L);
    press(&mut harness, Key::T);
    assert!(sees(&harness, "2 处数据隐患：这次运行发生了数据踩踏") && sees(&harness, "这次运行碰巧没有受它影响。"));
    press(&mut harness, Key::H);
    press(&mut harness, Key::H);
    harness.snapshot("hazards_light_zh");
    press(&mut harness, Key::X);
    assert!(sees(&harness, "1 处数据隐患：这次运行碰巧没有出错"), "the selected one is mended");
    press(&mut harness, Key::X);
    assert!(sees(&harness, "没有数据隐患") && !sees(&harness, "修复"));
    undo(&mut harness);
    undo(&mut harness);
    assert!(sees(&harness, "2 处数据隐患"));
    undo(&mut harness);
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    harness.run();
    assert!(sees(&harness, "1 处数据隐患"));
}

#[test]
fn on_a_projector_the_selected_hazard_is_explained_below() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("record-stream", folder.path(), SIZE);
    press(&mut harness, Key::P);
    let explained = "“add 1” reads while “fill 1” may still be writing";
    assert!(sees(&harness, "2 hazards: data was corrupted in this run") && !sees(&harness, explained));
    harness.get_by_label("2 hazards: data was corrupted in this run. Result is 1049, should be 51").click();
    harness.run();
    assert!(sees(&harness, explained));
    press(&mut harness, Key::Escape);
    assert!(!sees(&harness, explained));
}

#[test]
fn a_fixed_preset_is_a_copy_that_is_kept_and_can_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("record-stream", folder.path(), SIZE);
    press(&mut harness, Key::X);
    press(&mut harness, Key::X);
    harness.get_by_role_and_label(Role::Tab, "record_stream and the memory block").click();
    harness.run();
    assert!(sees(&harness, "2 hazards"), "the preset is as it was");
    press(&mut harness, Key::X);
    assert!(sees(&harness, "1 hazard: ") && sees(&harness, "record-stream (edited 2)"));
    click_first(&mut harness, "record-stream (edited)");
    assert!(sees(&harness, "No hazards"), "what was edited is kept");
    let path = folder.path().join("mended.json");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(path.to_str().unwrap().to_owned()));
    harness.run();
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "mended.json") && !sees(&harness, "record-stream (edited)"));
    assert!(!sees(&harness, "Edited, not saved yet") && sees(&harness, "record-stream (edited 2)"));
    let saved = scenario::open(&path).unwrap();
    assert!(!saved.runs_like(&preset("record-stream").unwrap().scenario().unwrap()));
    // A file is edited as itself, and what was not saved is told.
    undo(&mut harness);
    assert!(sees(&harness, "mended.json (edited)") && sees(&harness, "1 hazard: "));
    press(&mut harness, Key::PageDown);
    harness.get_by_label("mended.json (edited)").click();
    harness.run();
    assert!(sees(&harness, "1 hazard: ") && sees(&harness, "Redo"));
}

#[test]
fn what_is_only_fragile_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let harness = open_case("C9", folder.path());
    assert!(sees(&harness, "No hazards, 1 fragile order") && sees(&harness, "Right, but fragile"));
    assert!(sees(&harness, "FRAGILE") && !sees(&harness, "this run was"));
    let harness = open_case("J7", folder.path());
    assert!(sees(&harness, "Adding one dependency does not fix this"));
    // A clean program is called so.
    assert!(sees(&open("timing", folder.path(), SIZE), "No hazards"));
}
