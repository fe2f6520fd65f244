//! What a run came to: errors before hazards, hazards before numbers, and values that the program does not mean.

use streamscope::analysis::{Analysis, Outcome, OutcomeId, outcome_sentence};
use streamscope::drawing::{FigureOptions, Panel, Rgba, Theme, figure};
use streamscope::program::lower;
use streamscope::recording::Recording;
use streamscope::scenario::{Knobs, Scenario, preset};
use streamscope::text::Lang;

use super::cases::cases;
use super::running::run_lowered;

fn ran(scenario: &Scenario, knobs: &Knobs) -> (Recording, Outcome) {
    let profile = streamscope::profile::shipped("h200").unwrap();
    let program = lower(scenario, knobs).unwrap();
    let recording = run_lowered(scenario, knobs, &program, &profile);
    let analysis = Analysis::new(&recording);
    let outcome = analysis.outcome(&recording).unwrap().clone();
    if matches!(outcome, Outcome::Failed(_)) {
        let verdict = analysis.verdict(&recording).unwrap();
        assert!(verdict.hazards.iter().all(|it| it.corrupted != Some(false)), "a run that failed was right by luck");
    }
    (recording, outcome)
}

fn case(name: &str, knobs: &str) -> (Recording, Outcome) {
    let case = cases().into_iter().find(|case| case.name == name && case.knobs == knobs).unwrap();
    let (scenario, knobs) = case.open();
    ran(&scenario, &knobs)
}

fn said(name: &str, lang: Lang) -> String {
    let (recording, outcome) = case(name, "");
    outcome_sentence(&recording, &outcome, lang)
}

#[test]
fn errors_lead_with_number_call_and_cause() {
    let freed =
        "cudaErrorIllegalAddress (700) in “D2H 1 B”: “k” used the memory of X after “cudaFree” had given it back";
    assert_eq!(said("J1", Lang::En), freed);
    let merged = "cudaErrorStreamCaptureMerge (902) in “wait_event”: it would have joined two captures into one; and 6 more errors";
    assert_eq!(said("I21", Lang::En), merged);
    assert!(said("I21", Lang::Zh).ends_with("它会把两次独立的捕获连成一次；另有 6 个错误"));
    assert!(said("I7", Lang::En).ends_with("; and 1 more error"));
}

#[test]
fn what_an_exception_keeps_from_running_is_counted() {
    // More than the device has: PyTorch raises an exception, and neither the fill nor the kernel is launched.
    let text = r#"{"streamscope": 1, "name": "oom", "title": "oom", "device": {"memory_bytes": 67108864},
        "program": [{"tensor": {"name": "x", "shape": [1048576, 1024], "fill": 1}},
            {"launch": {"kernel": {"timed": {"dur_us": 2}}}}, {"launch": {"kernel": {"timed": {"dur_us": 2}}}}]}"#;
    let scenario = streamscope::scenario::load("oom.json", text).unwrap_or_else(|error| panic!("{error}"));
    let (recording, outcome) = ran(&scenario, &Knobs::default());
    let Outcome::Failed(failed) = &outcome else { panic!("{outcome:?}") };
    assert_eq!((failed.more, failed.skipped), (0, 3));
    let said = outcome_sentence(&recording, &outcome, Lang::En);
    assert!(said.starts_with("torch.OutOfMemoryError in “") && said.ends_with("; 3 operations were skipped"), "{said}");
}

#[test]
fn the_outcome_of_every_case_is_what_the_table_says() {
    for case in cases() {
        let (scenario, knobs) = case.open();
        let (_, outcome) = ran(&scenario, &knobs);
        let claims: Vec<&str> = case.claims().collect();
        let id = outcome.id();
        let row = format!("{} {}: {outcome:?}", case.name, case.knobs);
        match () {
            () if !case.errors().is_empty() => assert_eq!(id, OutcomeId::Failed, "{row}"),
            () if claims.contains(&"corrupted") => assert_eq!(id, OutcomeId::Corrupted, "{row}"),
            () if claims.contains(&"intact") => assert_ne!(id, OutcomeId::Corrupted, "{row}"),
            () => assert_ne!(id, OutcomeId::Failed, "{row}"),
        }
    }
}

#[test]
fn a_wrong_value_is_told_with_what_it_should_be() {
    // What it should be is what the table claims of the same program once it keeps its order.
    let meant = [
        ("A1", "", "seen", 7.0),
        ("A3", "", "t", 5.0),
        ("A9", "", "y", 4.0),
        ("B1", "", "y", 1.0),
        ("B5", "", "y", 1.0),
        ("B7", "streams=per_thread", "c", 1.0),
        ("C5", "", "seen", 7.0),
        // The graph keeps the address of memory that was filled with 1 and has been given back.
        ("J1", "next=same_size", "result", 1.0),
    ];
    for (name, knobs, value, meant) in meant {
        let (_, outcome) = case(name, knobs);
        let wrong = outcome.wrong_values().iter().find(|wrong| wrong.name == value);
        assert_eq!(wrong.map(|wrong| wrong.meant), Some(meant), "{name}: {outcome:?}");
    }
    let scenario = preset("record-stream").unwrap().scenario().unwrap();
    let (recording, outcome) = ran(&scenario, &Knobs::defaults(&scenario.knobs));
    let said = outcome_sentence(&recording, &outcome, Lang::En);
    assert_eq!(said, "2 hazards: data was corrupted in this run. Result is 1049, should be 51");
}

#[test]
fn a_figure_says_what_went_wrong_and_marks_it() {
    let drawn = |name: &str, knobs: &str, lang: Lang| {
        let (recording, _) = case(name, knobs);
        figure(&[Panel { recording: &recording, caption: "" }], &FigureOptions { lang, ..FigureOptions::default() })
    };
    let Rgba { r, g, b, .. } = Theme::light().alert;
    let red = format!("#{r:02x}{g:02x}{b:02x}");
    for lang in [Lang::En, Lang::Zh] {
        let svg = drawn("J1", "", lang);
        assert!(svg.contains("cudaErrorIllegalAddress (700)"), "{lang:?}");
        // The sentence, and the mark in the lane.
        assert!(svg.matches(&red).count() > 2, "{lang:?}: no mark");
    }
    assert!(drawn("C5", "", Lang::En).contains("1 hazard: data was corrupted in this run. seen is 0, should be 7"));
    assert!(drawn("A13", "", Lang::En).contains("2 hazards: this run came out right only by luck"));
    assert!(!drawn("C5", "event=true", Lang::En).contains(&red));
}

#[test]
fn a_figure_shows_how_the_first_hazard_that_did_harm_came_about() {
    let scenario = preset("record-stream").unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    let drawn = |knobs: &Knobs| {
        let (recording, _) = ran(&scenario, knobs);
        figure(&[Panel { recording: &recording, caption: "" }], &FigureOptions::default())
    };
    let spoiled = drawn(&knobs);
    assert!(
        spoiled.contains(">1</text>") && spoiled.contains(">2</text>") && spoiled.contains("overwritten from here on")
    );
    // Nothing is overwritten where the first read comes in time.
    knobs.set_text(&scenario.knobs, "delay", "false").unwrap();
    let lucky = drawn(&knobs);
    assert!(lucky.contains(">1</text>") && lucky.contains(">2</text>") && !lucky.contains("overwritten from here on"));
    for (id, value) in [("record_stream", "true"), ("wait_stream", "true")] {
        knobs.set_text(&scenario.knobs, id, value).unwrap();
    }
    assert!(!drawn(&knobs).contains(">1</text>"));
}

#[test]
fn the_bytes_that_both_operations_touch_are_known() {
    // Half of a tensor is written on one stream while a quarter of it, in that half, is read on another.
    let text = r#"{"streamscope": 1, "name": "halves", "title": "halves", "host": "cuda",
        "setup": [{"stream": {"name": "a"}}, {"stream": {"name": "b"}}, {"tensor": {"name": "x", "shape": [1024], "fill": 0}},
            {"view": {"name": "low", "of": "x", "offset": 0, "shape": [512]}},
            {"view": {"name": "part", "of": "x", "offset": 256, "shape": [256]}}],
        "program": [{"on": {"stream": "a", "body": [{"launch": {"kernel": {"fill": 1}, "writes": ["low"]}}]}},
            {"on": {"stream": "b", "body": [{"launch": {"kernel": "clone", "reads": ["part"], "out": "y"}}]}}]}"#;
    let scenario = streamscope::scenario::load("halves.json", text).unwrap_or_else(|error| panic!("{error}"));
    let verdict = streamscope::analysis::hazard::judge(&lower(&scenario, &Knobs::default()).unwrap());
    let [hazard] = verdict.hazards.as_slice() else { panic!("{verdict:?}") };
    // Four bytes an element.
    assert_eq!(hazard.shared().range, Some((1024, 2048)));
}
