//! From the bar of the GPU's time to the bubbles.

use egui::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::window::{Start, Window};

use super::application::{sees, show};

fn click_part(harness: &mut Harness<'_>, cause: &str) {
    let is_part = |label: Option<String>| label.is_some_and(|label| label.starts_with(cause));
    harness.get_by(|node| is_part(node.label()) && node.role() == Role::Button).click();
    harness.run();
}

/// What the inspector says of its duration, in microseconds.
fn duration_us(harness: &Harness<'_>) -> f64 {
    let all = harness.query_all_by(|node| node.label().is_some() || node.value().is_some());
    let said: Vec<String> =
        all.filter_map(|node| node.accesskit_node().label().or(node.accesskit_node().value())).collect();
    let after = said.iter().skip_while(|text| *text != "Duration").nth(1).unwrap();
    after.trim_end_matches(" µs").parse().unwrap()
}

#[test]
fn a_part_of_the_gpus_time_leads_to_its_bubbles_longest_first() {
    let folder = tempfile::tempdir().unwrap();
    let start = Start {
        scenario: Some("graph".to_owned()),
        settings: Some(folder.path().join("settings.json")),
        ..Start::default()
    };
    let mut harness = show(Window::new(start).unwrap(), [1280.0, 720.0]);
    // It is busy for a third of the time; what is idle is not drawn as if it were all.
    assert!(sees(&harness, "busy · 5.82 ms") && sees(&harness, "launch-bound · 11.3 ms"));
    assert!(!sees(&harness, "Next operation"));
    click_part(&mut harness, "launch-bound");
    assert!(sees(&harness, "Next operation"));
    let first = duration_us(&harness);
    click_part(&mut harness, "launch-bound");
    assert!(duration_us(&harness) <= first, "{first}");
}
