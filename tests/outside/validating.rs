//! `streamscope validate`: the model beside what was measured.

use std::fs;
use std::path::Path;

use serde_json::Value;
#[cfg(unix)]
use streamscope::gpu::DeviceInfo;
use streamscope::recording::{self, Recording};
use streamscope::scenario::{Knobs, Scenario, preset};
#[cfg(unix)]
use streamscope::{
    recording::Library,
    scenario::presets,
    worker::{FromWorker, PROTOCOL, VERSION, frame},
};

use super::command_line::{fails, json, streamscope};
use super::recordings::{keep, measured};
use super::running::{run, scenario, small};

fn preset_of(name: &str) -> Scenario {
    preset(name).unwrap().scenario().unwrap()
}

/// A folder of recordings of a preset at its defaults, whose untraced runs took `factors` as long as the model.
fn folder(name: &str, factors: &[f64]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let scenario = preset_of(name);
    keep(&measured(&scenario, &Knobs::defaults(&scenario.knobs), factors), folder.path());
    folder
}

/// The rows and the exit code.
fn validated(folder: &Path) -> (Vec<Value>, i32) {
    let output = streamscope(&["validate", "--against", folder.to_str().unwrap(), "--json"]);
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    (rows, output.status.code().unwrap())
}

fn row<'a>(rows: &'a [Value], metric: &str, against: &str) -> &'a Value {
    let found = rows.iter().find(|row| row["metric"] == metric && row["against"] == against);
    found.unwrap_or_else(|| panic!("no row of {metric} against a {against}: {rows:?}"))
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {row}"))
}

#[test]
fn the_model_is_held_against_what_is_shipped() {
    let rows = json(&["validate", "--json"]);
    let rows = rows.as_array().unwrap();
    assert!(rows.len() >= 30);
    for row in rows {
        assert_eq!(row["ok"], true, "{row}");
    }
    // With kernels ten times as fast, the model is no H200 any more.
    let folder = tempfile::tempdir().unwrap();
    let mut profile: Value = serde_json::from_str(streamscope::profile::SHIPPED[0].1).unwrap();
    for entry in profile["kernels"]["entries"].as_array_mut().unwrap() {
        entry["us"] = (entry["us"].as_f64().unwrap() / 10.0).into();
    }
    let path = folder.path().join("fast.json");
    fs::write(&path, profile.to_string()).unwrap();
    assert_eq!(streamscope(&["validate", "--profile", path.to_str().unwrap()]).status.code(), Some(1));
}

#[test]
fn a_recording_gives_the_total_time_its_values_and_the_ratio_to_pytorch() {
    let folder = folder("graph", &[1.1, 0.9, 1.0]);
    let (rows, code) = validated(folder.path());
    assert_eq!(code, 0, "{rows:?}");
    let wall = row(&rows, "wall_us", "recording");
    assert!((number(wall, "ratio") - 1.0).abs() < 1e-3, "{wall}");
    let [low, high] = [0, 1].map(|i| wall["spread"][i].as_f64().unwrap() / number(wall, "measured"));
    assert!((low - 0.9).abs() < 1e-3 && (high - 1.1).abs() < 1e-3, "{wall}");
    let step = row(&rows, "step_us", "recording");
    assert_eq!(step["model"], step["recorded"], "the recording is the model's own run");
    // Of our measurement to PyTorch's, which nothing can miss.
    let told = row(&rows, "step_us", "reference");
    assert_eq!(told["bar"], Value::Null);
    assert_eq!(number(told, "ratio"), number(told, "recorded") / number(told, "measured"));
    let reference = preset_of("graph").references[0].measured;
    assert_eq!(number(told, "measured"), reference);
}

#[test]
fn the_bar_counts_from_the_spread_of_the_measurement() {
    let verdict = |factors: &[f64]| {
        let folder = folder("timing", factors);
        let (rows, code) = validated(folder.path());
        (row(&rows, "wall_us", "recording")["ok"].as_bool().unwrap(), code)
    };
    // The median of all errors has a bar of its own, 10 %: 1 / 1.09 is within it, 1 / 1.2 is not.
    assert_eq!(verdict(&[1.09]), (true, 0));
    assert_eq!(verdict(&[1.2]), (true, 1));
    // 1 / 1.5 is outside the bar, and 1 / 1.2, from the fastest run, is not.
    assert_eq!(verdict(&[1.5, 1.5, 1.2]), (true, 1));
    assert_eq!(verdict(&[1.5, 1.5, 1.4]), (false, 1));
    assert_eq!(verdict(&[0.5, 0.5, 0.7]), (false, 1));
    assert_eq!(verdict(&[0.5, 0.5, 0.9]), (true, 1));
}

#[test]
fn a_wrong_value_is_outside() {
    let folder = folder("record-stream", &[1.0]);
    let path = folder.path().join("record-stream.json.gz");
    let mut recording = recording::read(&path).unwrap();
    recording.values.insert("result".to_owned(), Some(51.0));
    recording::write(&recording, &path).unwrap();
    let (rows, code) = validated(folder.path());
    assert_eq!((row(&rows, "result", "recording")["ok"].clone(), code), (Value::Bool(false), 1));
    let output = streamscope(&["validate", "--against", folder.path().to_str().unwrap()]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("OUTSIDE") && table.contains("against 1 recordings: median error 0.0%"), "{table}");
}

#[test]
fn recordings_of_any_scenario_can_be_held_against() {
    let folder = tempfile::tempdir().unwrap();
    let own = scenario("cuda", &[], &[small("K", 500.0)]);
    keep(&measured(&own, &Knobs::default(), &[1.0]), folder.path());
    let (rows, code) = validated(folder.path());
    assert_eq!((rows.len(), code), (1, 0));
    assert_eq!(rows[0]["scenario"], "written");
}

#[test]
fn what_cannot_be_held_against_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    assert!(fails(2, &["validate", "--against", &path]).contains("no recordings"));
    assert!(fails(2, &["validate", "--against", "/nowhere/at/all"]).contains("/nowhere/at/all: cannot read"));
    let model: Recording = run(&[], &[small("K", 5.0)]);
    recording::write(&model, &folder.path().join("model.json")).unwrap();
    let said = fails(2, &["validate", "--against", &path]);
    assert!(said.contains("model.json: a recording of model · H200 profile"), "{said}");
    fs::write(folder.path().join("half.json.gz"), [0x1f, 0x8b, 8]).unwrap();
    assert!(fails(2, &["validate", "--against", &path]).contains("half.json.gz: the compressed file is damaged"));
}

#[test]
fn a_gpu_is_asked_for_by_its_number() {
    assert!(fails(2, &["validate", "--on", "tpu"]).contains("gpu:N"));
    assert!(fails(2, &["validate", "--on", "model", "--save", "a"]).contains("--on gpu"));
    if streamscope::gpu::devices().is_err() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("new");
        fails(3, &["validate", "--on", "gpu", "--save", target.to_str().unwrap()]);
        assert!(!target.exists(), "nothing was measured");
    }
    // Options that contradict each other are told by the parser of the command line.
    assert_eq!(streamscope(&["validate", "--on", "gpu", "--against", "a"]).status.code(), Some(2));
}

/// A worker that plays these answers, one to each question, and waits for more questions than there are answers.
#[cfg(unix)]
fn played(folder: &Path, answers: &[FromWorker]) -> String {
    let path = folder.join("answers");
    let mut file = fs::File::create(&path).unwrap();
    for answer in answers {
        frame::write(&mut file, answer).unwrap();
    }
    format!("cat '{}' -", path.to_str().unwrap())
}

#[test]
#[cfg(unix)]
fn a_gpu_runs_every_setting_and_its_recordings_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let device =
        DeviceInfo { index: 0, name: "NVIDIA H200".to_owned(), driver: "580".to_owned(), memory_bytes: 1 << 37 };
    let mut answers = vec![
        FromWorker::Hello { version: VERSION.to_owned(), protocol: PROTOCOL },
        FromWorker::Devices { number: 1, devices: vec![device] },
    ];
    let mut settings = Vec::new();
    for preset in presets() {
        let scenario = preset.scenario().unwrap();
        settings.extend(scenario.compared_settings().into_iter().map(|knobs| (scenario.clone(), knobs)));
    }
    for (number, (scenario, knobs)) in (2..).zip(&settings) {
        answers.push(if scenario.name == "timing" {
            let sentence = "no room for 8192 rows".to_owned();
            FromWorker::Failed { number, sentence, at: None, machine: true, sticky: false }
        } else {
            FromWorker::Done { number, recording: Box::new(measured(scenario, knobs, &[1.01, 0.99, 1.0])) }
        });
    }
    let worker = played(folder.path(), &answers);
    let kept = folder.path().join("kept");
    let output =
        streamscope(&["validate", "--on", "gpu", "--worker", &worker, "--save", kept.to_str().unwrap(), "--json"]);
    let said = String::from_utf8(output.stderr).unwrap();
    // One setting did not run; the others did, and are written.
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(" timing: ") && said.contains("no room for 8192 rows"), "{said}");
    assert!(said.contains(&format!("1 of {} settings did not run", settings.len())), "{said}");
    let library = Library::folder(&kept).unwrap();
    assert_eq!(library.names().count(), settings.len() - 1, "{said}");
    for (scenario, knobs) in settings.iter().filter(|(scenario, _)| scenario.name != "timing") {
        let found = library.find(scenario, knobs).unwrap().unwrap();
        assert_eq!(found, measured(scenario, knobs, &[1.01, 0.99, 1.0]));
    }
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(rows.iter().all(|row| row["scenario"] != "timing" && row["ok"] == true), "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row["metric"] == "wall_us").count(), settings.len() - 1);
    // What was kept is what the next comparison finds.
    let (again, code) = validated(&kept);
    assert_eq!((again.len(), code), (rows.len(), 0));
    // A GPU that is not there is missed at once.
    assert!(fails(3, &["validate", "--on", "gpu:1", "--worker", &worker]).contains("there is no GPU 1"));
}
