//! What is written is read again as it was; what is damaged is refused, never a panic.

use std::fs;

use proptest::prelude::*;
use streamscope::recording::{self, Recording, Span};
use streamscope::scenario::{self, json, load, open, presets, save};
use streamscope::time::Ns;

use super::generated::{recording, scenario_text, small_recording};

/// What a user could have done to a file by accident.
#[derive(Clone, Debug)]
enum Accident {
    Flip { bit: u8 },
    Insert { byte: u8 },
    Delete { bytes: usize },
}

/// Failures are not remembered in a file: what they show becomes a test of its own.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn accidents() -> impl Strategy<Value = Vec<(prop::sample::Index, Accident)>> {
    let accident = prop_oneof![
        (0u8..8).prop_map(|bit| Accident::Flip { bit }),
        prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:=-0e".to_vec())]
            .prop_map(|byte| Accident::Insert { byte }),
        (1usize..40).prop_map(|bytes| Accident::Delete { bytes }),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), accident), 1..4)
}

fn damaged(text: &str, accidents: &[(prop::sample::Index, Accident)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (index, accident) in accidents {
        let at = index.index(bytes.len());
        match *accident {
            Accident::Flip { bit } => bytes[at] ^= 1 << bit,
            Accident::Insert { byte } => bytes.insert(at, byte),
            Accident::Delete { bytes: count } => drop(bytes.drain(at..(at + count).min(bytes.len()))),
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_scenario_is_read_as_it_was_written(text in scenario_text()) {
        let scenario = load("generated.json", &text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let written = json(&scenario);
        prop_assert_eq!(&load("written.json", &written).unwrap(), &scenario);
        prop_assert_eq!(json(&load("written.json", &written).unwrap()), written);
    }

    #[test]
    fn a_recording_is_read_as_it_was_written(recording in recording()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        recording::write(&recording, &path).unwrap();
        prop_assert_eq!(&recording::read(&path).unwrap(), &recording);
        let packed = folder.path().join("r.json.gz");
        recording::write(&recording, &packed).unwrap();
        prop_assert_eq!(&fs::read(&packed).unwrap()[..2], &[0x1f, 0x8b]);
        prop_assert_eq!(recording::read(&packed).unwrap(), recording);
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_damaged_scenario_is_refused_or_read(which in any::<prop::sample::Index>(), accidents in accidents()) {
        let text = damaged(which.get(presets()).text, &accidents);
        match load("damaged.json", &text) {
            Ok(scenario) => prop_assert_eq!(load("written.json", &json(&scenario)).unwrap(), scenario),
            Err(error) => prop_assert!(error.to_string().starts_with("damaged.json:")),
        }
    }

    #[test]
    fn a_damaged_recording_is_refused_or_read(accidents in accidents()) {
        let text = damaged(&text_of(&small_recording()), &accidents);
        if let Err(error) = recording::parse("damaged.json", &text) {
            prop_assert!(error.to_string().starts_with("damaged.json:"));
        }
    }
}

fn text_of(recording: &Recording) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    recording::write(recording, &path).unwrap();
    fs::read_to_string(&path).unwrap()
}

#[test]
fn shipped_scenarios_survive_saving() {
    let folder = tempfile::tempdir().unwrap();
    for preset in presets() {
        let path = folder.path().join("s.json");
        let scenario = preset.scenario().unwrap();
        save(&scenario, &path).unwrap();
        assert_eq!(open(&path).unwrap(), scenario);
        assert_eq!(scenario::preset(preset.name), Some(preset));
    }
}

#[test]
fn what_the_drawing_relies_on_is_checked_when_a_recording_is_read() {
    let whole = small_recording();
    assert_eq!(recording::parse("r.json", &text_of(&whole)).unwrap(), whole);
    type Damage = fn(&mut Recording);
    /// Changes one span of the only lane.
    fn change(recording: &mut Recording, index: usize, how: impl Fn(Span) -> Span) {
        let spans = &mut recording.lanes[0].spans;
        spans.set(index, how(spans.get(index).unwrap()));
    }
    let damages: [(&str, Damage); 8] = [
        ("/recording/lanes/0/spans/1: the span starts", |r| {
            change(r, 0, |span| Span { start: Ns(50), end: Ns(60), ..span });
        }),
        ("/recording/lanes/0/spans/1: the span starts", |r| change(r, 0, |span| Span { end: Ns(41), ..span })),
        ("/recording/lanes/0/spans/0: the span ends", |r| change(r, 0, |span| Span { end: Ns(9), ..span })),
        ("/recording/lanes/0/spans/0: name 0", |r| r.names.clear()),
        ("/recording/lanes/0/spans/0: origin 1", |r| r.origins.entries.truncate(1)),
        ("/recording/lanes/0/track: track 0", |r| r.tracks.clear()),
        ("/recording/lanes/1/track: row 0 of track 0 stands behind", |r| r.lanes.push(r.lanes[0].clone())),
        ("/recording/wall", |r| r.wall.start = Ns(1)),
    ];
    for (expected, damage) in damages {
        let mut recording = whole.clone();
        damage(&mut recording);
        let said = recording::parse("r.json", &text_of(&recording)).unwrap_err().to_string();
        assert!(said.starts_with("r.json: ") && said.contains(expected), "{said}");
    }
}

#[test]
fn what_is_not_a_recording_is_refused_by_a_sentence() {
    let said = |text: &str| recording::parse("r.json", text).unwrap_err().to_string();
    assert!(said("{\"streamscope\": 1}").contains("not a recording"));
    assert!(said("{\"streamscope_recording\": 3, \"rows\": []}").contains("version 3"));
    assert!(said("{\"streamscope_recording\": 1}").contains("`recording` is missing"));
    assert!(said("").starts_with("r.json:1:1: "));
    let text = text_of(&small_recording());
    let short = said(&text.replace("\"dur\":[30,50]", "\"dur\":[30]"));
    assert!(short.starts_with("r.json:1:") && short.contains("`dur` has 1"), "{short}");
    assert!(said(&text[..text.len() / 2]).contains("complete?"));
}
