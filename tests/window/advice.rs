//! What would help: it is told, a click does it, and it is then as fast as was said.

use egui_kittest::kittest::Queryable;
use streamscope::advice::advise;
use streamscope::profile::shipped;
use streamscope::scenario::{Knobs, preset};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show, undo};

#[test]
fn what_would_help_is_a_click_away_and_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Some(folder.path().join("settings.json"));
    let start = Start { scenario: Some("pipeline".to_owned()), settings, ..Start::default() };
    let mut harness = show(Window::new(start).unwrap(), [1600.0, 900.0]);
    harness.get_by_label("one").click();
    harness.run();

    let scenario = preset("pipeline").unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    knobs.set_text(&scenario.knobs, "streams", "one").unwrap();
    let advised = advise(&scenario, &knobs, &shipped("h200").unwrap(), &mut || true).unwrap();
    let (before, after) = (advised.wall.to_string(), advised.advice[0].wall.to_string());
    assert!(sees(&harness, &before) && sees(&harness, "What would help most: Streams → three"));
    harness.snapshot("advice_dark");

    let row = format!("Streams → three: −{}, {:.0}%", advised.advice[0].saves, advised.advice[0].share * 100.0);
    harness.get_by_label(&row).click();
    harness.run();
    assert!(sees(&harness, &after) && !sees(&harness, "Streams → three"));
    undo(&mut harness);
    assert!(sees(&harness, &before) && sees(&harness, &row));

    press(&mut harness, egui::Key::P);
    assert!(sees(&harness, "What would help most: Streams → three") && !sees(&harness, "What if"));
    press(&mut harness, egui::Key::L);
    assert!(sees(&harness, "最见效的改动：流的数量 → 3 个"));
}
