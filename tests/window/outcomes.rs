//! What a run came to, in the window: errors before all else, marked where they are.

use std::path::Path;

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

fn open(scenario: &str, folder: &Path, size: [f32; 2]) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), size)
}

fn open_case(name: &str, folder: &Path) -> Harness<'static> {
    open(&format!("{}/tests/cases/{name}.json", env!("CARGO_MANIFEST_DIR")), folder, [1280.0, 720.0])
}

const FREED: &str =
    "cudaErrorIllegalAddress (700) in “D2H 1 B”: “k” used the memory of X after “cudaFree” had given it back";

#[test]
fn an_error_leads_and_a_click_shows_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open_case("J1", folder.path());
    assert!(
        !sees(&harness, "by luck") && !sees(&harness, "The GPU had nothing to do") && !sees(&harness, "No hazards")
    );
    assert!(!sees(&harness, "Call"), "nothing is selected");
    harness.get_by_label(FREED).click();
    harness.run();
    assert!(sees(&harness, "Call") && sees(&harness, "/program/3/on/body/2/item"));
    press(&mut harness, Key::P);
    assert!(sees(&harness, FREED), "in a lecture hall too");
}

#[test]
fn several_errors_are_counted_and_each_is_led_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open_case("I21", folder.path());
    assert!(sees(&harness, "cudaErrorStreamCaptureMerge (902) in “wait_event”") && sees(&harness, "and 6 more errors"));
    assert!(!sees(&harness, "No hazards"));
    harness.get_by_label("cudaErrorStreamCaptureUnmatched (903)").click();
    harness.run();
    harness.snapshot("errors_dark");
    press(&mut harness, Key::L);
    press(&mut harness, Key::T);
    assert!(sees(&harness, "另有 6 个错误"));
    harness.snapshot("errors_light_zh");
    // From one error to the next.
    press(&mut harness, Key::Comma);
    assert!(sees(&harness, "捕获此前已经因错误而失效"));
}

#[test]
fn a_value_that_the_program_does_not_mean_says_what_it_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let harness = open("record-stream", folder.path(), [1600.0, 900.0]);
    assert!(sees(&harness, "Result is 1049, should be 51") && sees(&harness, "should be 51"));
}
