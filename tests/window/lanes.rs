//! Which lanes are open: those that the scenario is about, and those that somebody opened.

use std::path::Path;

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show};

fn open(scenario: &str, folder: &Path) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    show(Window::new(start).unwrap(), [1280.0, 720.0])
}

/// Upper and lower edge of what is called so.
fn edges(harness: &Harness<'_>, label: &str) -> (f64, f64) {
    let says = |text: Option<String>| text.is_some_and(|text| text.starts_with(label));
    let found = harness.query_all_by(|node| says(node.label()) || says(node.value())).next();
    let place = found.unwrap().accesskit_node().bounding_box().unwrap();
    (place.y0, place.y1)
}

#[test]
fn a_scenario_says_what_its_picture_is_about_and_a_click_opens_the_rest_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("graph", folder.path());
    let height = |harness: &Harness<'_>| {
        let (top, bottom) = edges(harness, "GPU memory:");
        bottom - top
    };
    assert!(height(&harness) < 16.0, "{}", height(&harness));
    harness.get_by_label("Open GPU memory").click();
    harness.run();
    assert!(height(&harness) > 40.0 && sees(&harness, "Memory held"));
    drop(harness);
    let mut harness = open("graph", folder.path());
    assert!(height(&harness) > 40.0);
    harness.get_by_label("Fold GPU memory to a strip").click();
    harness.run();
    assert!(height(&harness) < 16.0);
    // What is about memory shows it.
    assert!(sees(&open("record-stream", folder.path()), "Fold GPU memory"));
}

#[test]
fn the_numbers_stay_where_they_are_when_a_flip_brings_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("implicit-sync", folder.path());
    assert!(!sees(&harness, "Copy D2H"));
    let before = edges(&harness, "Wall time");
    press(&mut harness, Key::Num1);
    assert!(sees(&harness, "Copy D2H"));
    assert_eq!(before, edges(&harness, "Wall time"));
}
