//! The legend below the time axis.

use egui::{Event, Key};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

fn open(scenario: &str, size: [f32; 2]) -> (Harness<'static>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Some(folder.path().join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    (show(Window::new(start).unwrap(), size), folder)
}

/// Whether the legend has an entry of just that name.
fn lists(harness: &Harness<'_>, name: &str) -> bool {
    harness.query_all_by_label(name).next().is_some()
}

/// Upper edges of all lanes.
fn lanes(harness: &Harness<'_>) -> Vec<f64> {
    let is_lane = |label: Option<String>| label.is_some_and(|label| label.contains(" spans") || label.contains(" 段"));
    let found = harness.query_all_by(|node| is_lane(node.label()));
    found.map(|node| node.accesskit_node().bounding_box().unwrap().y0).collect()
}

#[test]
fn the_legend_lists_what_is_seen_in_both_languages_and_lanes_stay() {
    let (mut harness, _folder) = open("implicit-sync", [1600.0, 900.0]);
    press(&mut harness, Key::Num1);
    assert!(lists(&harness, "kernel") && lists(&harness, "CUDA call") && lists(&harness, "host blocked"));
    assert!(!lists(&harness, "memset") && !lists(&harness, "region"));
    let before = lanes(&harness);
    // As close as it gets, next to nothing is left in view.
    for _ in 0..60 {
        harness.key_press(Key::W);
    }
    harness.run();
    assert!(!(lists(&harness, "kernel") && lists(&harness, "CUDA call") && lists(&harness, "host blocked")));
    assert_eq!(lanes(&harness), before);
    press(&mut harness, Key::F);
    press(&mut harness, Key::L);
    assert!(lists(&harness, "CUDA 调用") && lists(&harness, "主机阻塞") && !lists(&harness, "CUDA call"));
}

#[test]
fn pointing_at_an_entry_lights_it_and_dims_the_rest() {
    let (mut harness, _folder) = open("implicit-sync", [1600.0, 900.0]);
    press(&mut harness, Key::Num1);
    let before = harness.render().unwrap();
    let entry = harness.get_by_label("host blocked").rect();
    harness.event(Event::PointerMoved(entry.center()));
    harness.run();
    harness.snapshot("legend_lit_dark");
    harness.event(Event::PointerGone);
    harness.run();
    assert_eq!(before, harness.render().unwrap());
    press(&mut harness, Key::L);
    press(&mut harness, Key::T);
    let entry = harness.get_by_label("Kernel").rect();
    harness.event(Event::PointerMoved(entry.center()));
    harness.run();
    harness.snapshot("legend_lit_light_zh");
}

#[test]
fn what_does_not_fit_is_told_to_who_points_at_it() {
    let (mut harness, _folder) = open("record-stream", [660.0, 620.0]);
    assert!(sees(&harness, "more: "));
    assert!(sees(&harness, "Default stream: "));
    press(&mut harness, Key::L);
    assert!(sees(&harness, "另有 "));
}
