//! Recordings of runs on a GPU: the shipped ones, and how one is found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;
use streamscope::profile;
use streamscope::recording::{
    self, Correlation, Executor, Instrument, Library, Measured, Recording, SmSpan, Source, file_name, shipped,
};
use streamscope::scenario::{HostOverhead, Knobs, Scenario, preset, presets};
use streamscope::time::Ns;

use super::generated::small_recording;
use super::running::run_with;

/// What a GPU might have measured: the model's run, said to be from a GPU, whose untraced runs took `factors` as long.
pub fn measured(scenario: &Scenario, knobs: &Knobs, factors: &[f64]) -> Recording {
    let mut recording = run_with(scenario, knobs, &profile::shipped("h200").unwrap());
    let wall = recording.wall.dur();
    recording.source = Source {
        executor: Executor::Gpu,
        device: Some("NVIDIA H200, driver 580".to_owned()),
        profile: None,
        host: recording.source.host,
    };
    recording.measured = Some(Measured {
        date: "2026-11-30".to_owned(),
        instrument: Some(Instrument::Stamps),
        untraced: factors.iter().map(|factor| wall.scale(*factor)).collect(),
        clock_error: Some(Ns(400)),
        ..Measured::default()
    });
    recording
}

/// Writes a recording into a folder under the name that it is found by.
pub fn keep(recording: &Recording, folder: &Path) {
    let name = file_name(recording.scenario.as_ref().unwrap(), &recording.knobs);
    recording::write(recording, &folder.join(name)).unwrap();
}

fn knobs(scenario: &Scenario, settings: &[(&str, &str)]) -> Knobs {
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for (id, value) in settings {
        knobs.set_text(&scenario.knobs, id, value).unwrap();
    }
    knobs
}

#[test]
fn every_shipped_recording_is_measured_and_belongs_to_a_scenario_as_it_is_now() {
    let library = shipped();
    for (name, opened) in library.names().zip(library.recordings()) {
        let recording = opened.unwrap();
        let measured = recording.measured.as_ref().unwrap_or_else(|| panic!("{name} is not measured"));
        assert!(measured.median().is_some(), "{name} holds no run without an instrument");
        let scenario = recording.scenario.as_ref().unwrap_or_else(|| panic!("{name} has no scenario"));
        assert_eq!(file_name(scenario, &recording.knobs), name);
        let preset = preset(&scenario.name).unwrap_or_else(|| panic!("{name}: there is no such preset"));
        let now = preset.scenario().unwrap();
        assert!(now.runs_like(scenario), "{name}: the scenario has changed since; measure it again");
        assert!(now.compared_settings().contains(&recording.knobs), "{name}: nobody compares this setting");
    }
}

#[test]
fn every_file_of_the_folder_is_shipped() {
    let files = fs::read_dir("assets/recordings").unwrap().map(|entry| entry.unwrap().file_name());
    let files: BTreeSet<String> = files.map(|name| name.into_string().unwrap()).filter(|n| n != "README.md").collect();
    let listed: BTreeSet<String> = shipped().names().map(str::to_owned).collect();
    let list: String = files.iter().map(|name| format!("    \"{name}\",\n")).collect();
    assert_eq!(listed, files, "the list in src/recording/library.rs must be\n{list}");
}

#[test]
fn a_file_is_named_by_the_scenario_and_what_is_not_at_its_default() {
    let graph = preset("graph").unwrap().scenario().unwrap();
    let named = |settings: &[(&str, &str)]| file_name(&graph, &knobs(&graph, settings));
    assert_eq!(named(&[]), "graph.json.gz");
    assert_eq!(named(&[("workload", "prefill"), ("graph", "true")]), "graph.graph=true.workload=prefill.json.gz");
    let mut names = BTreeSet::new();
    let mut settings = 0;
    for preset in presets() {
        let scenario = preset.scenario().unwrap();
        for knobs in scenario.compared_settings() {
            settings += 1;
            names.insert(file_name(&scenario, &knobs));
        }
    }
    assert_eq!(names.len(), settings, "two settings share a file");
}

#[test]
fn a_name_is_one_of_a_file_whatever_an_option_is_called() {
    let document = json!({
        "streamscope": 1, "name": "a", "title": "A", "program": [],
        "knobs": [{"choice": {"id": "c", "label": "C", "default": "x", "options": [
            {"id": "x", "label": "X"}, {"id": "../../b c", "label": "B"}]}}],
    });
    let scenario = streamscope::scenario::load("a.json", &document.to_string()).unwrap();
    let name = file_name(&scenario, &knobs(&scenario, &[("c", "../../b c")]));
    assert_eq!(Path::new(&name).components().count(), 1, "{name}");
}

#[test]
fn a_recording_is_found_by_what_would_run() {
    let folder = tempfile::tempdir().unwrap();
    let graph = preset("graph").unwrap().scenario().unwrap();
    let replayed = knobs(&graph, &[("graph", "true")]);
    let kept = measured(&graph, &replayed, &[1.0]);
    keep(&kept, folder.path());
    fs::write(folder.path().join("README.md"), "no recording").unwrap();
    let library = Library::folder(folder.path()).unwrap();
    assert_eq!(library.names().collect::<Vec<_>>(), ["graph.graph=true.json.gz"]);
    let found = |scenario: &Scenario, knobs: &Knobs| {
        let found = library.find(scenario, knobs).map(Result::unwrap);
        assert_eq!(library.has(scenario, knobs), found.is_some());
        found
    };
    assert_eq!(found(&graph, &replayed), Some(kept));
    assert_eq!(found(&graph, &knobs(&graph, &[])), None, "another setting");
    // Words may change; what runs may not.
    let mut said = graph.clone();
    said.title = "Another title".into();
    said.about = None;
    said.references.clear();
    assert!(found(&said, &replayed).is_some());
    let mut edited = graph.clone();
    edited.program.pop();
    assert_eq!(found(&edited, &replayed), None, "an edited program must not show an old measurement");
    let edited = Scenario { host: HostOverhead::Cuda, ..graph };
    assert_eq!(found(&edited, &replayed), None, "another host");
}

#[test]
fn a_damaged_recording_in_a_library_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let timing = preset("timing").unwrap().scenario().unwrap();
    let knobs = Knobs::defaults(&timing.knobs);
    fs::write(folder.path().join("timing.json.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    let library = Library::folder(folder.path()).unwrap();
    let said = library.find(&timing, &knobs).unwrap().unwrap_err().to_string();
    assert!(said.contains("timing.json.gz: the compressed file is damaged"), "{said}");
    assert!(Library::folder(&folder.path().join("none")).unwrap_err().to_string().contains("none: cannot read"));
}

#[test]
fn stretches_of_sms_are_lists_in_a_file_and_objects_are_read_too() {
    let mut recording = small_recording();
    let stretch = SmSpan { sm: 131, start: Ns(10), end: Ns(40), blocks: 2, correlation: Correlation(1) };
    recording.measured = Some(Measured {
        date: "2026-11-30".to_owned(),
        instrument: Some(Instrument::Stamps),
        untraced: vec![Ns(98)],
        clock_error: Some(Ns(2)),
        sms: vec![stretch],
        ..Measured::default()
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    recording::write(&recording, &path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"sms\":[[131,10,40,2,1]]"), "{text}");
    let long = text.replace("[131,10,40,2,1]", r#"{"sm":131,"start":10,"end":40,"blocks":2,"correlation":1}"#);
    assert_eq!(recording::parse("r.json", &long).unwrap(), recording);
    let backwards = text.replace("[131,10,40,2,1]", "[131,40,10,2,1]");
    let said = recording::parse("r.json", &backwards).unwrap_err().to_string();
    assert!(said.contains("/recording/measured/sms/0: the stretch ends"), "{said}");
}
