//! Hazards are mended: applying fix after fix turns the verdict clean, and what comes of it is a scenario like any other.

use std::path::PathBuf;

use streamscope::analysis::hazard::{self, Hazard, Verdict};
use streamscope::document::Edit;
use streamscope::program::lower;
use streamscope::scenario::{self, Knobs, Scenario};

/// More than any of these scenarios needs.
const MOST_FIXES: usize = 12;

fn case(name: &str) -> Scenario {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/{name}.json"));
    scenario::open(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn judge(scenario: &Scenario, knobs: &[(&str, &str)]) -> Verdict {
    let mut values = Knobs::defaults(&scenario.knobs);
    for (id, value) in knobs {
        values.set_text(&scenario.knobs, id, value).unwrap();
    }
    let program = lower(scenario, &values).unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
    hazard::judge(&program)
}

/// Saved and opened again, which also holds whether it is valid.
fn reopened(scenario: &Scenario) -> Scenario {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fixed.json");
    scenario::save(scenario, &path).unwrap();
    let opened = scenario::open(&path).unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
    assert_eq!(opened, *scenario, "{}", scenario.name);
    opened
}

fn fixed(scenario: &Scenario, hazard: &Hazard) -> Option<Scenario> {
    let mut fixed = scenario.clone();
    let inverse = hazard::fix(scenario, hazard)?.apply(&mut fixed).unwrap();
    let mut back = fixed.clone();
    inverse.apply(&mut back).unwrap();
    assert_eq!(back, *scenario, "a fix can be taken back");
    Some(fixed)
}

/// Fixes the first hazard that can be fixed until there is none; what is left, and how many it took.
fn mended(mut scenario: Scenario, knobs: &[(&str, &str)]) -> (Vec<Hazard>, usize) {
    for count in 0..MOST_FIXES {
        let verdict = judge(&scenario, knobs);
        let Some(mended) = verdict.hazards.iter().find_map(|it| fixed(&scenario, it)) else {
            return (verdict.hazards, count);
        };
        scenario = reopened(&mended);
    }
    panic!(
        "{}: still not mended: {:?}",
        scenario.name,
        judge(&scenario, knobs).hazards.iter().map(hazard::short).collect::<Vec<_>>()
    );
}

#[test]
fn fixes_turn_the_verdict_of_a_preset_clean() {
    let scenario = scenario::preset("record-stream").unwrap().scenario().unwrap();
    assert_eq!(judge(&scenario, &[]).hazards.len(), 2);
    assert_eq!(mended(scenario.clone(), &[]), (Vec::new(), 2));
    assert_eq!(mended(scenario.clone(), &[("record_stream", "true")]), (Vec::new(), 1));
    assert_eq!(mended(scenario, &[("record_stream", "true"), ("wait_stream", "true")]), (Vec::new(), 0));
}

#[test]
fn fixes_turn_the_verdicts_of_cases_clean() {
    // Of each kind: a wait, a synchronization, record_stream, memory that has to stay.
    let mended_by_one = ["A1", "A3", "A9", "A15", "B1", "B3", "B5", "C1", "C5", "C7", "C11", "C13", "C15", "J1", "J5"];
    for name in mended_by_one {
        assert!(!judge(&case(name), &[]).hazards.is_empty(), "{name}");
        assert_eq!(mended(case(name), &[]), (Vec::new(), 1), "{name}");
    }
    assert_eq!(mended(case("A13"), &[("delay", "true")]), (Vec::new(), 2));
    assert_eq!(mended(case("B9"), &[("instance", "own")]).0, Vec::new());
}

#[test]
fn where_one_edge_would_not_do_nothing_is_offered() {
    for name in ["I11", "J3", "J7", "J11", "M5"] {
        let scenario = case(name);
        let verdict = judge(&scenario, &[]);
        assert!(!verdict.hazards.is_empty(), "{name}");
        assert!(verdict.hazards.iter().all(|it| hazard::fix(&scenario, it).is_none()), "{name}");
    }
}

#[test]
fn a_wait_for_what_comes_before_a_loop_stands_before_it() {
    let scenario = scenario::preset("record-stream").unwrap().scenario().unwrap();
    let fix = hazard::fix(&scenario, &judge(&scenario, &[]).hazards[0]).unwrap();
    let Edit::Insert { to, .. } = &fix else { panic!("{fix:?}") };
    assert_eq!(to.to_string(), "/program/2/on/body/2");
    let shown = fix.to_string();
    assert!(shown.starts_with("+ /program/2/on/body/2: {\"wait_stream\":{\"other\":"), "{shown}");
    let json = serde_json::to_value(fixed(&scenario, &judge(&scenario, &[]).hazards[0]).unwrap()).unwrap();
    let body = json.pointer("/program/2/on/body").unwrap();
    assert!(body[2].get("wait_stream").is_some() && body[3].get("repeat").is_some(), "{body}");
}

#[test]
fn within_a_loop_that_holds_both_operations_the_wait_stands_there() {
    let text = r#"{"streamscope": 1, "name": "loop", "title": "Loop",
        "setup": [{"stream": {"name": "side"}}, {"tensor": {"name": "x", "shape": [64], "fill": 1}}],
        "program": [{"repeat": {"times": 3, "body": [
            {"launch": {"kernel": {"add_scalar": 1}, "reads": ["x"], "writes": ["x"]}},
            {"on": {"stream": "side", "body": [{"repeat": {"times": 2, "body": [
                {"launch": {"kernel": {"add_scalar": 2}, "reads": ["x"], "writes": ["x"]}}]}}]}}]}}]}"#;
    let scenario = scenario::load("loop.json", text).unwrap();
    let verdict = judge(&scenario, &[]);
    let within = verdict.hazards.iter().find(|it| it.second.path.starts_with("/program/0/repeat/body/1/")).unwrap();
    let json = serde_json::to_value(fixed(&scenario, within).unwrap()).unwrap();
    assert!(json.pointer("/program/0/repeat/body/1/on/body/0/wait_stream").is_some(), "{json}");
    assert_eq!(mended(scenario, &[]).0, Vec::new());
}
