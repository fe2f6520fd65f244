//! Paths of statements: what is printed is read again, whatever the path.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use streamscope::scenario::path::{Descent, ListPath, PathStep, Section, StatementPath};
use streamscope::scenario::{StatementTag, presets};

use super::round_trip::cases;

fn step() -> impl Strategy<Value = PathStep> {
    let holders: Vec<StatementTag> = StatementTag::ALL.iter().copied().filter(|tag| !tag.bodies().is_empty()).collect();
    let body = select(holders)
        .prop_flat_map(|tag| select(tag.bodies().to_vec()).prop_map(move |key| (tag, Descent::Body(key))));
    let block = (select(StatementTag::ALL.to_vec()), "[a-zA-Z_][a-zA-Z0-9_-]{0,8}");
    let into = prop_oneof![body, block.prop_map(|(tag, name)| (tag, Descent::Block(name)))];
    (any::<usize>(), into).prop_map(|(index, (tag, into))| PathStep { index, tag, into })
}

fn path() -> impl Strategy<Value = StatementPath> {
    let section = select(vec![Section::Setup, Section::Program]);
    (section, vec(step(), 0..6), any::<usize>(), select(StatementTag::ALL.to_vec()))
        .prop_map(|(section, steps, index, tag)| StatementPath { list: ListPath { section, steps }, index, tag })
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn a_printed_path_is_read_as_it_was(path in path()) {
        prop_assert_eq!(path.to_string().parse::<StatementPath>().unwrap(), path);
    }

    #[test]
    fn no_text_makes_the_reader_of_paths_panic(text in "/(setup|program)(/([0-9]{1,25}|repeat|body|launch|when|then|.{0,4}|>)){0,6}") {
        if let Ok(path) = text.parse::<StatementPath>() {
            prop_assert_eq!(path.to_string(), text);
        }
    }
}

#[test]
fn a_recording_names_statements_by_their_paths() {
    for preset in presets() {
        let scenario = preset.scenario().unwrap();
        let knobs = streamscope::scenario::Knobs::defaults(&scenario.knobs);
        let program = streamscope::program::lower(&scenario, &knobs).unwrap();
        for path in &program.paths {
            // The synchronizations that end a section belong to no statement.
            if path == "/setup" || path == "/program" {
                continue;
            }
            let parsed: StatementPath = path.parse().unwrap();
            assert_eq!(parsed.to_string(), *path);
            assert!(scenario.statement(&parsed).is_ok(), "{}: {path}", preset.name);
        }
    }
}
