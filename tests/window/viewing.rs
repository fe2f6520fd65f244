//! Recordings and traces in the window: shown as they ran.

use std::fs;
use std::path::Path;

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use serde_json::json;
use streamscope::recording;
use streamscope::scenario::{Knobs, preset};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

fn open(file: &Path, folder: &Path) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(file.display().to_string()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), [1000.0, 620.0])
}

#[test]
fn a_trace_is_shown_with_what_it_holds_and_what_it_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.json");
    let event = |cat: &str, name: &str, pid: u32, tid: u32, us: [f64; 2], correlation: u32| {
        json!({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": us[0], "dur": us[1],
            "args": {"correlation": correlation}})
    };
    let events = [
        event("cpu_op", "aten::add", 9, 9, [0.0, 20.0], 0),
        event("cuda_runtime", "cudaLaunchKernel", 9, 9, [5.0, 5.0], 1),
        event("kernel", "add_kernel", 0, 7, [14.0, 9.0], 1),
        event("cuda_sync", "Context Sync", 0, 7, [14.0, 9.0], 2),
    ];
    fs::write(&file, json!({"schemaVersion": 1, "traceEvents": events}).to_string()).unwrap();
    let mut harness = open(&file, folder.path());
    assert!(sees(&harness, "imported · profile.json · not shown: 1 cuda_sync"));
    assert!(sees(&harness, "Host, row 2: 1 spans") && sees(&harness, "Stream 7: 1 spans"));
    assert!(sees(&harness, "there is nothing to switch"));
    // A scenario of the course takes its place, and the trace stays in the list.
    press(&mut harness, Key::B);
    harness.get_by_label("Three-stage pipeline").click();
    harness.run();
    assert!(sees(&harness, "model · H200 profile") && !sees(&harness, "imported"));
    harness.get_by_label("profile.json").click();
    harness.run();
    assert!(sees(&harness, "imported · profile.json"));
}

#[test]
fn a_recording_is_shown_as_it_ran_and_a_damaged_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let timing = preset("timing").unwrap().scenario().unwrap();
    let measured = recording::shipped().find(&timing, &Knobs::defaults(&timing.knobs)).unwrap().unwrap();
    let file = folder.path().join("timing.json.gz");
    recording::write(&measured, &file).unwrap();
    let harness = open(&file, folder.path());
    assert!(sees(&harness, "measured · NVIDIA H200"));
    let broken = folder.path().join("broken.json");
    fs::write(&broken, r#"{"streamscope_recording": 2, "recording": {}}"#).unwrap();
    let harness = open(&broken, folder.path());
    assert!(sees(&harness, "broken.json:1:"));
}

#[test]
fn what_cannot_be_shown_is_said_in_the_language_around_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("torn.json");
    fs::write(&file, "{\"streamscope_recording\": 2, \"recording\": {").unwrap();
    let mut harness = open(&file, folder.path());
    assert!(sees(&harness, "This file cannot be shown: ") && sees(&harness, "torn.json:1:"));
    press(&mut harness, Key::L);
    assert!(sees(&harness, "无法显示这个文件：") && sees(&harness, "torn.json:1:"));
}

#[test]
fn what_of_a_trace_has_no_place_is_said_in_the_language() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.json");
    let kernel = json!({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 9});
    let untimed = json!({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7});
    fs::write(&file, json!({"schemaVersion": 1, "traceEvents": [kernel, untimed]}).to_string()).unwrap();
    let mut harness = open(&file, folder.path());
    assert!(sees(&harness, "imported · profile.json · not shown: 1 launches that the file lacks, 1 without a time"));
    press(&mut harness, Key::L);
    assert!(sees(&harness, "导入 · profile.json · 没有显示：1 次文件中没有的发射、1 个没有时间的事件"));
}
