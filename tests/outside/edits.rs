//! Edits of scenarios: each can be taken back, and what cannot be made changes nothing and says why.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use streamscope::document::{Edit, Slot};
use streamscope::scenario::path::{Descent, ListPath, Section, StatementPath};
use streamscope::scenario::{self, Scenario, Statement, load, open, presets};

use super::round_trip::cases;

/// The shipped scenarios and those of the public cases.
pub fn scenarios() -> Vec<Scenario> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let shipped = presets().iter().map(|preset| preset.scenario().unwrap());
    shipped.chain(paths.iter().map(|path| open(path).unwrap())).collect()
}

fn statements(scenario: &Scenario) -> Vec<(StatementPath, Statement)> {
    let mut all = Vec::new();
    scenario.walk(|path, statement| all.push((path.clone(), statement.clone())));
    all
}

fn lists(scenario: &Scenario) -> Vec<ListPath> {
    let mut all = vec![ListPath::section(Section::Setup), ListPath::section(Section::Program)];
    scenario.walk(|path, statement| {
        all.extend(statement.bodies().map(|(key, _)| path.through(Descent::Body(key))));
    });
    all
}

/// One of whatever can be done, chosen by numbers; some of it is impossible.
fn edit(scenario: &Scenario, donor: &Scenario, [kind, a, b, c]: [Index; 4]) -> Edit {
    let (all, donors) = (statements(scenario), statements(donor));
    let lists = lists(scenario);
    let list = lists[a.index(lists.len())].clone();
    let len = scenario.list(&list).unwrap().len();
    let slot = Slot { list, index: b.index(len + 2) };
    let statement = Box::new(donors[c.index(donors.len())].1.clone());
    let at = || if all.is_empty() { donors[0].0.clone() } else { all[b.index(all.len())].0.clone() };
    let knob = |index: &Index| index.index(scenario.knobs.len() + 1);
    let given = || donor.knobs.get(c.index(donor.knobs.len() + 1)).or(scenario.knobs.first()).cloned();
    match kind.index(13) {
        0 => Edit::Insert { to: slot, statement },
        1 => Edit::Remove { at: at() },
        2 => Edit::Replace { at: at(), statement },
        3 => Edit::Move { from: at(), to: slot },
        4 => Edit::Move { from: at(), to: slot.without(&at()).unwrap_or(slot) },
        5 | 6 => {
            let holders: Vec<_> = donors.iter().filter(|(_, it)| it.bodies().next().is_some()).collect();
            let mut around = holders.first().map_or_else(|| statement.clone(), |(_, it)| Box::new(it.clone()));
            let keys = around.tag().bodies();
            let key = keys.get(c.index(keys.len().max(1))).copied().unwrap_or(scenario::statement::BodyKey::Body);
            if let Some(body) = around.body_mut(key).filter(|_| kind.index(7) != 0) {
                body.clear();
            }
            Edit::Wrap { first: slot, count: c.index(4), around, key }
        }
        7 => {
            let at = at();
            let keys = at.tag.bodies();
            let key = keys.get(c.index(keys.len().max(1))).copied().unwrap_or(scenario::statement::BodyKey::Then);
            Edit::Unwrap { at, key }
        }
        8 => {
            // A field of one statement with the value that it has in another, of the same kind or not.
            let (at, field) = (at(), fields(&statement));
            let value = field.map_or(json!(3), |(_, value)| value);
            let own = scenario.statement(&at).ok().and_then(fields).map_or("none".to_owned(), |(key, _)| key);
            Edit::SetField { at, field: own, value: (c.index(5) != 0).then_some(value) }
        }
        9 => match given() {
            Some(given) => Edit::InsertKnob { index: knob(&a), knob: given },
            None => Edit::RemoveKnob { index: knob(&a) },
        },
        10 => match given() {
            Some(given) => Edit::SetKnob { index: knob(&a), knob: given },
            None => Edit::RemoveKnob { index: knob(&a) },
        },
        11 => Edit::SetReferences(donor.references.clone()),
        _ => Edit::ReplaceAll(Arc::new(donor.clone())),
    }
}

/// Key and value of one field.
fn fields(statement: &Statement) -> Option<(String, Value)> {
    let written = serde_json::to_value(statement).unwrap();
    let fields = written[statement.tag().word()].as_object()?.clone();
    fields.into_iter().next_back()
}

fn choices() -> impl Strategy<Value = Vec<(Index, [Index; 4])>> {
    vec((any::<Index>(), any::<[Index; 4]>()), 1..12)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn what_was_edited_is_taken_back(choices in choices()) {
        let all = scenarios();
        for scenario in &all {
            let text = scenario::json(scenario);
            let mut edited = scenario.clone();
            let mut way_back = Vec::new();
            for (donor, numbers) in &choices {
                let edit = edit(&edited, donor.get(&all), *numbers);
                let before = edited.clone();
                match edit.apply(&mut edited) {
                    Err(error) => {
                        prop_assert!(!error.to_string().is_empty());
                        prop_assert_eq!(&edited, &before, "{}", error);
                    }
                    Ok(inverse) => {
                        // Back, and there again.
                        let after = edited.clone();
                        let again = inverse.clone().apply(&mut edited).unwrap();
                        prop_assert_eq!(&edited, &before);
                        prop_assert_eq!(again.apply(&mut edited).unwrap(), inverse.clone());
                        prop_assert_eq!(&edited, &after);
                        way_back.push(inverse);
                    }
                }
            }
            prop_assert_eq!(&load("edited.json", &scenario::json(&edited)).unwrap(), &edited);
            for inverse in way_back.into_iter().rev() {
                inverse.apply(&mut edited).unwrap();
            }
            prop_assert_eq!(&edited, scenario);
            prop_assert_eq!(scenario::json(&edited), text);
        }
    }
}

/// A loop with two statements in it, and one behind.
fn small() -> Scenario {
    let text = r#"{"streamscope": 1, "name": "small", "title": "Small",
        "knobs": [{"number": {"id": "n", "label": "N", "default": 3, "min": 1, "max": 9}}],
        "program": [
            {"repeat": {"times": "=n", "body": [{"synchronize": {}}, {"work": {"dur_us": 5}}]}},
            {"clock": {"into": "t"}}]}"#;
    load("small.json", text).unwrap()
}

fn path(text: &str) -> StatementPath {
    text.parse().unwrap()
}

fn program(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario).unwrap()["program"].clone()
}

#[test]
fn a_statement_is_moved_out_of_a_loop() {
    let mut scenario = small();
    let end = Slot { list: ListPath::section(Section::Program), index: 2 };
    let from = path("/program/0/repeat/body/0/synchronize");
    let to = end.without(&from).unwrap();
    Edit::Move { from, to }.apply(&mut scenario).unwrap();
    let expected = json!([{"repeat": {"times": "=n", "body": [{"work": {"dur_us": 5}}]}},
        {"clock": {"into": "t"}}, {"synchronize": {}}]);
    assert_eq!(program(&scenario), expected);
}

#[test]
fn a_place_behind_a_statement_that_goes_moves_up() {
    let end = Slot { list: ListPath::section(Section::Program), index: 2 };
    assert_eq!(end.without(&path("/program/0/repeat")).unwrap().index, 1);
    assert_eq!(end.without(&path("/setup/0/repeat")), Some(end));
    let inside = Slot { list: path("/program/1/repeat/body/0/work").list, index: 0 };
    assert_eq!(inside.without(&path("/program/0/clock")).unwrap().to_string(), "/program/0/repeat/body/0");
    assert_eq!(inside.without(&path("/program/1/repeat")), None);
}

#[test]
fn statements_are_wrapped_and_unwrapped() {
    let mut scenario = small();
    let around = Statement::Region(scenario::statement::control::Region { name: "Step".into(), body: Vec::new() });
    let first = Slot { list: path("/program/0/repeat/body/0/synchronize").list, index: 0 };
    let key = scenario::statement::BodyKey::Body;
    let wrap = Edit::Wrap { first, count: 2, around: Box::new(around), key };
    let unwrap = wrap.apply(&mut scenario).unwrap();
    let body = json!([{"region": {"name": "Step", "body": [{"synchronize": {}}, {"work": {"dur_us": 5}}]}}]);
    assert_eq!(program(&scenario)[0]["repeat"]["body"], body);
    assert_eq!(unwrap, Edit::Unwrap { at: path("/program/0/repeat/body/0/region"), key });
    unwrap.apply(&mut scenario).unwrap();
    assert_eq!(scenario, small());
}

#[test]
fn a_field_is_set_as_in_the_file() {
    let mut scenario = small();
    let set = |value: Option<Value>| Edit::SetField { at: path("/program/0/repeat"), field: "times".to_owned(), value };
    set(Some(json!(7))).apply(&mut scenario).unwrap();
    assert_eq!(program(&scenario)[0]["repeat"]["times"], json!(7));
    let said = |edit: Edit| {
        let mut copy = scenario.clone();
        let error = edit.apply(&mut copy).unwrap_err().to_string();
        assert_eq!(copy, scenario);
        error
    };
    assert_eq!(said(set(None)), "/program/0/repeat: the key `times` is missing in this object");
    assert!(said(set(Some(json!("n")))).starts_with("/program/0/repeat: `n` is not a number"));
    let unknown = Edit::SetField { at: path("/program/0/repeat"), field: "time".to_owned(), value: Some(json!(1)) };
    assert!(said(unknown).contains("unknown key `time`; allowed: "));
    assert!(said(Edit::Remove { at: path("/program/5/clock") }).contains("/program has 2 statements"));
    assert!(said(Edit::Remove { at: path("/program/1/work") }).contains("what stands there is /program/1/clock"));
    let slot = Slot { list: ListPath::section(Section::Setup), index: 1 };
    let moved = Edit::Move { from: path("/program/1/clock"), to: slot };
    assert!(said(moved).contains("no place 1 in /setup, which has 0 statements"));
}

#[test]
fn knobs_have_to_fit_together() {
    let mut scenario = small();
    let knob = scenario.knobs[0].clone();
    let twice = Edit::InsertKnob { index: 1, knob: knob.clone() }.apply(&mut scenario).unwrap_err();
    assert!(twice.to_string().contains("each needs its own"), "{twice}");
    let none = Edit::SetKnob { index: 1, knob }.apply(&mut scenario).unwrap_err();
    assert!(none.to_string().contains("no knob number 1"), "{none}");
    assert_eq!(scenario, small());
}
