//! No file is replaced unasked, a wrong path can be mended, and one history holds edits and knobs.

use std::fs;
use std::path::Path;

use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::scenario::{self, preset};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show, undo};

fn open(scenario: &str, folder: &Path) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), [1280.0, 720.0])
}

/// Opens a dialog by its key and types a path in place of what stands there.
fn type_path(harness: &mut Harness<'_>, key: Key, path: &Path) {
    harness.key_press_modifiers(Modifiers::COMMAND, key);
    harness.run();
    retype(harness, path);
}

fn retype(harness: &mut Harness<'_>, path: &Path) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(path.to_str().unwrap().to_owned()));
    harness.run();
}

#[test]
fn another_file_is_replaced_only_when_that_is_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.json");
    fs::write(&other, "precious").unwrap();
    for key in [Key::S, Key::E] {
        let mut harness = open("record-stream", folder.path());
        type_path(&mut harness, key, &other);
        press(&mut harness, Key::Enter);
        assert!(sees(&harness, "other.json is there already. Replace it?") && sees(&harness, "Replace"));
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
        press(&mut harness, Key::Escape);
        assert!(!sees(&harness, "Replace it?"));
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
    }
    let mut harness = open("record-stream", folder.path());
    type_path(&mut harness, Key::S, &other);
    press(&mut harness, Key::Enter);
    // Another path is another question.
    let free = folder.path().join("free.json");
    retype(&mut harness, &free);
    assert!(!sees(&harness, "Replace it?"));
    retype(&mut harness, &other);
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "Written: "));
    let saved = scenario::open(&other).unwrap();
    assert!(saved.runs_like(&preset("record-stream").unwrap().scenario().unwrap()));
    // It is the open file now, and saving it again needs no question.
    press(&mut harness, Key::X);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run();
    press(&mut harness, Key::Enter);
    assert!(!sees(&harness, "Replace it?") && sees(&harness, "Written: "));
    assert_ne!(scenario::open(&other).unwrap(), saved);
}

#[test]
fn a_wrong_path_stays_in_the_dialog_with_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("none").join("a.json");
    let mut harness = open("timing", folder.path());
    for key in [Key::O, Key::S] {
        type_path(&mut harness, key, &wrong);
        press(&mut harness, Key::Enter);
        assert!(sees(&harness, "a.json: cannot") && sees(&harness, "Path of the file"), "{key:?}");
        assert!(harness.query_all_by(|node| node.value().as_deref() == wrong.to_str()).next().is_some());
        press(&mut harness, Key::Escape);
    }
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    harness.run();
    retype(&mut harness, &wrong);
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "there is no folder") && sees(&harness, "Path of the file"));
}

#[test]
fn the_turn_of_a_knob_is_taken_back_as_an_edit_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("record-stream", folder.path());
    press(&mut harness, Key::X);
    assert!(sees(&harness, "GPU memory: 53 memory blocks") && sees(&harness, "1 hazard: "));
    harness.get_by_label("record_stream").click();
    harness.run();
    assert!(sees(&harness, "GPU memory: 54 memory blocks") && sees(&harness, "No hazards"));
    undo(&mut harness);
    assert!(sees(&harness, "GPU memory: 53 memory blocks") && sees(&harness, "1 hazard: "), "the knob");
    undo(&mut harness);
    assert!(sees(&harness, "2 hazards"), "then the edit");
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    harness.run();
    assert!(sees(&harness, "GPU memory: 54 memory blocks") && sees(&harness, "No hazards"));
}

/// The texts of a figure, in the order in which it is drawn.
fn texts(path: &Path) -> Vec<String> {
    let svg = fs::read_to_string(path).unwrap();
    let pieces = svg.split('>').skip(1).filter_map(|piece| piece.split_once("</text"));
    pieces.map(|(text, _)| text.to_owned()).collect()
}

#[test]
fn the_window_and_the_command_line_draw_the_same_figure() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (folder.path().join("window.svg"), folder.path().join("line.svg"));
    let mut harness = open("pipeline", folder.path());
    harness.get_by_label("Pinned memory").click();
    harness.run();
    press(&mut harness, Key::L);
    type_path(&mut harness, Key::E, &ours);
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "已写入："));
    let arguments = ["figure", "pipeline", "--set", "pinned=false", "--lang", "zh", "-o"];
    let line = std::process::Command::new(env!("CARGO_BIN_EXE_streamscope")).args(arguments).arg(&theirs).status();
    assert!(line.unwrap().success());
    let (ours, theirs) = (texts(&ours), texts(&theirs));
    assert_eq!(ours, theirs);
    let caption = ours.iter().find(|text| text.contains("锁页内存：关")).unwrap();
    assert!(caption.contains("流的数量：3 个") && caption.contains("Batch 数：20"), "{caption}");
    assert!(!ours.iter().any(|text| text.contains("pinned") || text.contains("three")), "{ours:?}");
}

#[test]
fn why_a_figure_cannot_be_written_is_said_in_the_language() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("timing", folder.path());
    press(&mut harness, Key::L);
    type_path(&mut harness, Key::E, &folder.path().join("figure.pdf"));
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "插图只能写成 .svg 或 .png"));
    retype(&mut harness, &folder.path().join("none/figure.svg"));
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "无法生成图片："));
    press(&mut harness, Key::Escape);
    type_path(&mut harness, Key::O, &folder.path().join("none.json"));
    press(&mut harness, Key::Enter);
    assert!(sees(&harness, "无法打开："));
}
