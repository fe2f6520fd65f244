//! All that the window does, without a mouse.

use egui::{Event, Key, Modifiers, MouseWheelUnit, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::window::{Start, Window};

use super::application::{press, sees, show, undo};

fn open(scenario: &str, size: [f32; 2]) -> (Harness<'static>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Some(folder.path().join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    (show(Window::new(start).unwrap(), size), folder)
}

/// Presses a key as a keyboard does that has no key of that sign without Shift.
fn press_physical(harness: &mut Harness<'_>, key: Key, physical: Key, modifiers: Modifiers) {
    for pressed in [true, false] {
        harness.event_modifiers(
            Event::Key { key, physical_key: Some(physical), pressed, repeat: false, modifiers },
            modifiers,
        );
    }
    harness.run();
}

#[test]
fn keys_work_whatever_has_the_focus() {
    let (mut harness, _folder) = open("implicit-sync", [1280.0, 720.0]);
    for _ in 0..12 {
        press(&mut harness, Key::Tab);
        press(&mut harness, Key::P);
        assert!(!sees(&harness, "Inspector"));
        press(&mut harness, Key::P);
        assert!(sees(&harness, "Inspector"));
    }
}

#[test]
fn numbers_turn_knobs_and_undo_takes_them_back() {
    let (mut harness, _folder) = open("implicit-sync", [1280.0, 720.0]);
    press(&mut harness, Key::Num1);
    assert!(sees(&harness, "Default stream: 200 spans"));
    undo(&mut harness);
    assert!(sees(&harness, "Default stream: 100 spans"));
    press(&mut harness, Key::Num2);
    assert!(!sees(&harness, "Default stream: 100 spans"));
    press_physical(&mut harness, Key::Exclamationmark, Key::Num1, Modifiers::SHIFT);
    assert!(sees(&harness, "blocked in .item()"));
    // There is no ninth.
    press(&mut harness, Key::Num9);
    assert!(sees(&harness, "blocked in .item()"));
}

#[test]
fn whatever_can_be_done_is_found_by_a_few_letters() {
    let (mut harness, _folder) = open("implicit-sync", [1280.0, 720.0]);
    let find = |harness: &mut Harness<'_>, text: &str| {
        harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
        harness.run();
        harness.event(Event::Text(text.to_owned()));
        harness.run();
        press(harness, Key::Enter);
    };
    find(&mut harness, "three-st");
    assert!(sees(&harness, "Copy H2D"), "the pipeline is open");
    find(&mut harness, "流 三");
    find(&mut harness, "appear");
    find(&mut harness, "no such thing at all");
    assert!(sees(&harness, "Nothing matches"));
    press(&mut harness, Key::Escape);
    assert!(!sees(&harness, "Nothing matches"));
}

#[test]
fn a_wheel_turned_sideways_moves_the_view() {
    let (mut harness, _folder) = open("implicit-sync", [1280.0, 720.0]);
    press(&mut harness, Key::W);
    press(&mut harness, Key::W);
    let before = harness.render().unwrap();
    harness.event(Event::PointerMoved(pos2(640.0, 200.0)));
    harness.run();
    let wheel = Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(-120.0, 0.0),
        modifiers: Modifiers::NONE,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
    };
    harness.event(wheel);
    harness.run_steps(12);
    assert_ne!(before, harness.render().unwrap());
    // Back where it was: a move keeps what a zoom would not.
    harness.key_press_modifiers(Modifiers::ALT, Key::ArrowLeft);
    harness.event(Event::PointerGone);
    harness.run();
    assert_eq!(before, harness.render().unwrap());
}

#[test]
fn no_knob_is_broken_where_there_is_little_room() {
    for (scenario, count) in [("pipeline", 5), ("graph", 2), ("buckets", 2)] {
        for width in [620.0, 900.0, 960.0, 1280.0] {
            let (harness, _folder) = open(scenario, [width, 600.0]);
            let scenario = streamscope::scenario::preset(scenario).unwrap().scenario().unwrap();
            assert_eq!(scenario.knobs.len(), count);
            for knob in &scenario.knobs {
                let label = knob.label().get(streamscope::text::Lang::En);
                let found = harness.query_all_by_label(label).next().unwrap();
                let place = found.accesskit_node().bounding_box().unwrap();
                assert!(place.x1 <= f64::from(width) && place.y1 - place.y0 < 40.0, "{label} at {width}: {place:?}");
            }
        }
    }
}
