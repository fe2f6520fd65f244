//! A document without a window: one history for edits and knobs, whether it is saved, drafts, and the order of keys in a file.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use streamscope::document::drafts::{Draft, Keeper, Kept, Shelf};
use streamscope::document::{Document, Edit, Origin, Place};
use streamscope::scenario::{self, KnobValue, Knobs, SourceText, StatementPath, presets};

use super::edits::scenarios;

fn preset(name: &'static str) -> Document {
    Document::open(Place::Preset(name)).unwrap()
}

fn first() -> StatementPath {
    let mut first = None;
    preset("implicit-sync").scenario().walk(|path, _| first = first.take().or(Some(path.clone())));
    first.unwrap()
}

fn remove_first(document: &mut Document) {
    document.edit(vec![Edit::Remove { at: first() }]).unwrap();
}

fn is_on(document: &Document, knob: &str) -> bool {
    document.knobs().0[knob] == KnobValue::Toggle(true)
}

#[test]
fn edits_and_knobs_have_one_history() {
    let mut document = preset("implicit-sync");
    let original = document.scenario().clone();
    assert!(!document.is_edited() && !document.can_undo() && !document.undo());
    assert!(document.set_knob("item", KnobValue::Toggle(true)).unwrap());
    assert!(!document.set_knob("item", KnobValue::Toggle(true)).unwrap(), "nothing has changed");
    assert!(!document.is_edited() && !document.has_edits(), "a knob is not part of the file");
    remove_first(&mut document);
    assert!(document.is_edited() && document.has_edits());
    assert!(document.set_knob("item", KnobValue::Toggle(false)).unwrap());
    assert!(document.undo() && is_on(&document, "item") && document.is_edited());
    assert!(document.undo() && is_on(&document, "item") && !document.is_edited());
    assert_eq!(*document.scenario(), original);
    assert!(document.undo() && !is_on(&document, "item") && !document.can_undo());
    assert!(document.redo() && document.redo() && document.redo() && !document.can_redo());
    assert!(document.is_edited() && !is_on(&document, "item"));
    assert!(document.undo());
    assert!(document.set_knob("item", KnobValue::Toggle(false)).unwrap());
    assert!(!document.can_redo(), "what was taken back is gone once something else is done");
    assert!(document.set_knob("items", KnobValue::Toggle(true)).is_err());
}

#[test]
fn a_knob_that_is_dragged_is_one_step() {
    let mut document = preset("pipeline");
    let id = document.scenario().knobs.iter().find_map(|knob| match knob {
        scenario::Knob::Number { id, min, max, .. } if max - min >= 2.0 => Some((id.clone(), *min)),
        _ => None,
    });
    let (id, min) = id.unwrap();
    let defaults = document.knobs().clone();
    document.set_knob(&id, KnobValue::Number(min)).unwrap();
    document.end_turn();
    document.set_knob(&id, KnobValue::Number(min + 1.0)).unwrap();
    document.set_knob(&id, KnobValue::Number(min + 2.0)).unwrap();
    document.end_turn();
    assert!(document.undo() && document.knobs().0[&id] == KnobValue::Number(min));
    assert!(document.undo() && *document.knobs() == defaults && !document.can_undo());
    // There and back in one turn is nothing.
    document.set_knob(&id, KnobValue::Number(min)).unwrap();
    let default = defaults.0[&id].clone();
    document.set_knob(&id, default).unwrap();
    assert!(!document.can_undo());
    assert!(!document.reset_knobs());
    document.set_knob(&id, KnobValue::Number(min)).unwrap();
    assert!(document.reset_knobs() && *document.knobs() == defaults && document.undo());
    assert_eq!(document.knobs().0[&id], KnobValue::Number(min));
}

#[test]
fn what_was_measured_on_another_program_is_left_out() {
    let mut document = preset("implicit-sync");
    let measured = document.scenario().references.clone();
    assert!(!measured.is_empty());
    remove_first(&mut document);
    assert!(document.scenario().references.is_empty());
    document.undo();
    assert_eq!(document.scenario().references, measured);
    document.redo();
    assert!(document.scenario().references.is_empty());
}

#[test]
fn a_knob_whose_value_no_longer_fits_is_at_its_default() {
    let mut document = preset("implicit-sync");
    let index = document.scenario().knobs.iter().position(|knob| knob.id() == "item").unwrap();
    document.set_knob("item", KnobValue::Toggle(true)).unwrap();
    let knob: scenario::Knob =
        serde_json::from_value(json!({"number": {"id": "item", "label": "N", "default": 2, "min": 0, "max": 3}}))
            .unwrap();
    document.edit(vec![Edit::SetKnob { index, knob }]).unwrap();
    assert_eq!(document.knobs().0["item"], KnobValue::Number(2.0));
    document.undo();
    assert!(is_on(&document, "item"));
}

#[test]
fn an_edit_that_could_not_be_read_again_is_refused() {
    let mut document = preset("implicit-sync");
    let mut nested = json!({"synchronize": {}});
    for _ in 0..60 {
        nested = json!({"repeat": {"times": 1, "body": [nested]}});
    }
    let statement = Box::new(serde_json::from_value(nested).unwrap());
    let error = document.edit(vec![Edit::Replace { at: first(), statement }]).unwrap_err().to_string();
    assert!(error.contains("nested more than 128 deep"), "{error}");
    assert!(!document.is_edited() && !document.can_undo());
}

#[test]
fn the_deepest_scenario_that_an_edit_may_make_is_read_from_its_draft() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = preset("implicit-sync");
    document.move_to(Place::Copy { of: Origin::Preset("implicit-sync"), number: 1 });
    let mut nested = json!({"synchronize": {}});
    let mut deepest = 0;
    for depth in 1..60 {
        nested = json!({"repeat": {"times": 1, "body": [nested]}});
        let statement = Box::new(serde_json::from_value(nested.clone()).unwrap());
        if document.edit(vec![Edit::Replace { at: first(), statement }]).is_err() {
            break;
        }
        deepest = depth;
        assert!(document.undo());
    }
    assert!((30..45).contains(&deepest), "{deepest}");
    assert!(document.redo());
    let (shelf, _) = Shelf::open(folder.path().to_owned());
    let mut keeper = Keeper::start(shelf, Kept::new(), |sentence| panic!("{sentence}")).unwrap();
    keeper.follow([&document]);
    drop(keeper);
    let (_, found) = Shelf::open(folder.path().to_owned());
    assert!(found.faults.is_empty(), "{:?}", found.faults);
    assert_eq!(found.drafts[0].1.scenario, *document.scenario());
}

#[test]
fn a_saved_document_is_its_file_and_knows_when_it_is_edited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.json");
    let mut document = preset("implicit-sync");
    document.move_to(Place::Copy { of: Origin::Preset("implicit-sync"), number: 1 });
    remove_first(&mut document);
    assert!(document.save(&folder.path().join("none").join("mine.json")).is_err());
    assert!(document.is_edited() && *document.place() != Place::File(path.clone()));
    document.save(&path).unwrap();
    assert!(!document.is_edited() && *document.place() == Place::File(path.clone()));
    assert_eq!(scenario::open(&path).unwrap(), **document.scenario());
    assert!(document.text().unwrap().place("/program").starts_with(path.to_str().unwrap()));
    assert!(document.undo() && document.is_edited() && document.text().is_none());
    assert!(document.redo() && !document.is_edited());
    remove_first(&mut document);
    document.discard_edits();
    assert!(!document.is_edited() && !document.can_undo());
    assert_eq!(scenario::open(&path).unwrap(), **document.scenario());
}

#[test]
fn a_draft_is_taken_back_as_a_whole_while_its_origin_is_there() {
    let mut edited = preset("implicit-sync");
    let original = edited.scenario().clone();
    assert!(edited.draft().is_none(), "only copies of presets are edited");
    edited.move_to(Place::Copy { of: Origin::Preset("implicit-sync"), number: 1 });
    remove_first(&mut edited);
    edited.set_knob("item", KnobValue::Toggle(true)).unwrap();
    let draft = edited.draft().unwrap();
    assert!(edited.is_kept_in(&draft));
    let mut recovered = Document::of_draft(edited.place().clone(), &draft);
    assert!(recovered.is_recovered() && recovered.is_edited() && is_on(&recovered, "item"));
    assert!(recovered.undo() && !recovered.is_edited() && is_on(&recovered, "item"));
    assert_eq!(*recovered.scenario(), original);
    assert!(recovered.redo() && recovered.scenario() == edited.scenario());
    let gone = Draft { of: Origin::File(PathBuf::from("no such folder/gone.json")), ..draft };
    let recovered = Document::of_draft(edited.place().clone(), &gone);
    assert!(recovered.is_edited() && !recovered.can_undo());
}

/// The keys of a JSON text in the order in which they stand.
fn keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('"') {
        let mut escaped = false;
        let end = after.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let (word, after) = after.split_at(end.unwrap());
        rest = &after[1..];
        if rest.trim_start().starts_with(':') {
            keys.push(word.to_owned());
        }
    }
    keys
}

fn saved_like(scenario: &scenario::Scenario, like: &str, folder: &Path) -> String {
    let path = folder.join("saved.json");
    let like = SourceText::new("like.json", like);
    scenario::save_like(scenario, Some(&like), &path).unwrap();
    fs::read_to_string(path).unwrap()
}

#[test]
fn saving_keeps_the_order_of_keys() {
    let folder = tempfile::tempdir().unwrap();
    let texts = presets().iter().map(|preset| preset.text.to_owned());
    let cases = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")).unwrap();
    let paths = cases.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|it| it == "json"));
    let mut count = 0;
    for text in texts.chain(paths.map(|path| fs::read_to_string(path).unwrap())) {
        let scenario = scenario::load("a.json", &text).unwrap();
        let saved = saved_like(&scenario, &text, folder.path());
        assert_eq!(scenario::load("saved.json", &saved).unwrap(), scenario);
        // What has its default need not be written, and `setup` and `knobs` always are.
        let original = keys(&text);
        let mut rest = original.iter();
        for key in keys(&saved).iter().filter(|key| *key != "setup" && *key != "knobs") {
            assert!(rest.any(|other| other == key), "{}: `{key}` has moved", scenario.name);
        }
        count += 1;
    }
    assert_eq!(count, scenarios().len());
}

#[test]
fn an_edited_file_keeps_the_order_of_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.json");
    let text = r#"{"name": "odd", "streamscope": 1, "program": [
        {"repeat": {"body": [{"launch": {"writes": ["x"], "reads": ["x"], "kernel": "softmax"}}], "index": "i", "times": 3}},
        {"launch": {"reads": ["x"], "kernel": "gelu", "writes": ["x"]}}],
        "setup": [{"tensor": {"shape": [64], "name": "x"}}], "knobs": [], "title": "Odd"}"#;
    fs::write(&path, text).unwrap();
    let mut document = Document::open(Place::File(path.clone())).unwrap();
    let at = "/program/0/repeat".parse().unwrap();
    document.edit(vec![Edit::SetField { at, field: "times".to_owned(), value: Some(json!(4)) }]).unwrap();
    document.save(&path).unwrap();
    let saved = fs::read_to_string(&path).unwrap();
    assert_eq!(keys(&saved), keys(text));
    assert!(saved.contains("\"times\": 4"));
    // Also once more, after what was saved.
    document.undo();
    document.save(&path).unwrap();
    assert_eq!(keys(&fs::read_to_string(&path).unwrap()), keys(text));
    assert_eq!(*document.knobs(), Knobs::default());
}
