//! What a run is said to be limited by is what the course teaches about it.

use serde_json::{Value, json};
use streamscope::analysis::{Analysis, Limit, Part, limit, verdict};
use streamscope::profile::shipped;
use streamscope::recording::Recording;
use streamscope::scenario::{KnobValue, Knobs, preset};
use streamscope::text::Lang;

use super::running::{on, run, run_with, small, stream};

fn knob(value: &Value) -> KnobValue {
    serde_json::from_value(value.clone()).unwrap()
}

/// A preset with some of its knobs set.
fn recording(name: &str, set: &Value) -> Recording {
    let scenario = preset(name).unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for (id, value) in set.as_object().unwrap() {
        knobs.set(&scenario.knobs, id, knob(value)).unwrap();
    }
    run_with(&scenario, &knobs, &shipped("h200").unwrap())
}

fn limit_of(recording: &Recording) -> Limit {
    limit(recording, &Analysis::new(recording))
}

fn most(limit: &Limit) -> Option<Part> {
    match limit {
        Limit::Most { part, .. } => Some(*part),
        _ => None,
    }
}

#[test]
fn a_number_read_each_step_drains_the_queue() {
    let steps = 100;
    let read = recording("implicit-sync", &json!({"item": true, "steps": steps}));
    let Limit::Drained { call, times, .. } = limit_of(&read) else { panic!("{:?}", limit_of(&read)) };
    assert_eq!(read.name(call), ".item()");
    // After the last step nothing is left to launch.
    assert_eq!(times, steps - 1);
    let fed = recording("implicit-sync", &json!({"item": false}));
    assert_eq!(most(&limit_of(&fed)), Some(Part::Kernels));
}

#[test]
fn on_one_stream_copies_and_kernels_never_overlap() {
    let one = recording("pipeline", &json!({"streams": "one"}));
    let Limit::Serial { parts, overlap } = limit_of(&one) else { panic!("{:?}", limit_of(&one)) };
    let names: Vec<Part> = parts.iter().map(|(part, _)| *part).collect();
    assert_eq!(names, [Part::CopiesIn, Part::Kernels, Part::CopiesOut]);
    assert_eq!(overlap.0, 0);
    let said = verdict(&one, &Analysis::new(&one), Lang::En);
    assert!(said.contains("never overlap"), "{said}");
    assert_eq!(most(&limit_of(&recording("pipeline", &json!({"streams": "three"})))), Some(Part::Kernels));
    let pageable = recording("pipeline", &json!({"streams": "three", "pinned": false, "d2h": "none"}));
    assert_eq!(most(&limit_of(&pageable)), Some(Part::CopiesIn));
}

#[test]
fn small_kernels_are_limited_by_their_launches_and_in_a_graph_by_its_gaps() {
    for workload in ["block", "decode-1440"] {
        let eager = recording("graph", &json!({"graph": false, "workload": workload}));
        assert_eq!(most(&limit_of(&eager)), Some(Part::Launching), "{workload}");
    }
    let replayed = recording("graph", &json!({"graph": true, "workload": "decode-1440"}));
    assert_eq!(most(&limit_of(&replayed)), Some(Part::Gaps));
    let large = recording("graph", &json!({"graph": false, "workload": "prefill"}));
    assert_eq!(most(&limit_of(&large)), Some(Part::Kernels));
}

#[test]
fn what_the_host_does_itself_is_named() {
    let work = run(&[], &[json!({"work": {"dur_us": 900, "label": "tokenize"}}), small("K", 50.0)]);
    assert_eq!(most(&limit_of(&work)), Some(Part::HostWork));
    assert!(verdict(&work, &Analysis::new(&work), Lang::En).contains("tokenize"));
    let nothing = run(&[], &[json!({"work": {"dur_us": 900}})]);
    assert_eq!(limit_of(&nothing), Limit::NoGpu);
}

#[test]
fn only_kernels_that_fill_the_path_are_what_limits_it() {
    // Side by side on two streams, the longer one alone is the path.
    let setup = [stream("a"), stream("b")];
    let both = run(&setup, &[on("a", &[small("long", 900.0)]), on("b", &[small("short", 300.0)])]);
    assert_eq!(most(&limit_of(&both)), Some(Part::Kernels));
    let path = Analysis::new(&both);
    let kernel = path.path(&both).by_stage()[&streamscope::analysis::path::Spent::Kernel];
    assert_eq!(kernel.us(), 900.0);
}

#[test]
fn every_setting_of_every_preset_is_summed_up_in_both_languages() {
    let profile = shipped("h200").unwrap();
    for preset in streamscope::scenario::presets() {
        let scenario = preset.scenario().unwrap();
        for knobs in scenario.compared_settings() {
            let recording = run_with(&scenario, &knobs, &profile);
            let analysis = Analysis::new(&recording);
            for lang in [Lang::En, Lang::Zh] {
                let said = verdict(&recording, &analysis, lang);
                println!("{} {:?}\n    {said}", preset.name, knobs.0);
                assert!(!said.contains('{') && said.chars().count() < 200, "{}: {said}", preset.name);
            }
        }
    }
}
