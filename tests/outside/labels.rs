//! What a program calls operations that their statements leave without a label, and what files name in both languages.

use serde_json::{Value, json};
use streamscope::analysis::hazard::{explain, judge};
use streamscope::analysis::{Analysis, summary};
use streamscope::profile::{Profile, SHIPPED, shipped};
use streamscope::program::lower;
use streamscope::recording::{self, Recording};
use streamscope::scenario::{Knobs, Scenario, presets};
use streamscope::text::{Lang, Localized};

use super::generated::small_recording;
use super::running::{run_with, scenario};

/// Labels that are no code, of operations that the statements below leave without one.
const WORDS: &[(&str, &str)] = &[
    ("host work", "主机端计算"),
    ("host function", "主机回调函数"),
    ("host memory", "主机内存"),
    ("read", "主机读取"),
    ("write", "主机写入"),
    ("kernel 5.00 µs", "Kernel 5.00 µs"),
    ("free y", "释放 y"),
    ("record e", "记录 e"),
    ("allocate a", "分配 a"),
    ("free a", "释放 a"),
    ("begin capture", "开始捕获"),
    ("end capture", "结束捕获"),
    ("instantiate", "实例化"),
    ("replay g", "重放 g"),
    ("start t", "创建线程 t"),
    ("signal done", "发出信号 done"),
    ("await done", "等待信号 done"),
    ("join t", "等待线程 t 结束"),
];

fn statements() -> Vec<Value> {
    vec![
        json!({"work": {"dur_us": 5}}),
        json!({"host_function": {"dur_us": 5}}),
        json!({"host_tensor": {"name": "h", "shape": [4], "pinned": true}}),
        json!({"write_host": {"buffer": "h"}}),
        json!({"read_host": {"buffer": "h"}}),
        json!({"launch": {"kernel": {"timed": {"dur_us": 5}}}}),
        json!({"tensor": {"name": "y", "shape": [4]}}),
        json!({"drop": {"name": "y"}}),
        json!({"event": {"name": "e"}}),
        json!({"record": {"event": "e"}}),
        json!({"malloc_async": {"name": "a", "bytes": 4096}}),
        json!({"free_async": {"name": "a"}}),
        json!({"capture": {"graph": "g", "body": [{"launch": {"kernel": {"timed": {"dur_us": 7}}, "label": "own"}}]}}),
        json!({"replay": {"graph": "g"}}),
        json!({"thread": {"name": "t", "body": [{"signal": {"name": "done"}}]}}),
        json!({"await": {"name": "done"}}),
    ]
}

fn run(scenario: &Scenario) -> Recording {
    run_with(scenario, &Knobs::defaults(&scenario.knobs), &shipped("h200").unwrap())
}

#[test]
fn what_a_program_calls_in_words_is_in_both_languages() {
    let program = lower(&scenario("pytorch", &[], &statements()), &Knobs::default()).unwrap();
    for (en, zh) in WORDS {
        let found = program.labels.iter().find(|label| label.get(Lang::En) == *en);
        assert_eq!(found.map(|label| label.get(Lang::Zh)), Some(*zh), "{en} among {:?}", program.labels);
    }
    // What a call is called in code stays, and so does what the scenario says.
    for code in ["cudaMemcpyAsync", "synchronize", "torch.empty", "own"] {
        let translated = program.labels.iter().any(|label| label.get(Lang::En) == code && label.get(Lang::Zh) != code);
        assert!(!translated, "{code}");
    }
}

#[test]
fn the_names_of_spans_that_are_no_code_are_in_both_languages() {
    let recording = run(&scenario("pytorch", &[], &statements()));
    let name = |en: &str| recording.names.iter().find(|name| name.get(Lang::En) == en).map(|name| name.get(Lang::Zh));
    assert_eq!(name("custom kernel"), Some("自定义 Kernel"));
    assert_eq!(name("event.record"), Some("event.record"));
}

#[test]
fn shipped_recordings_say_what_a_run_would_say_today() {
    for opened in recording::shipped().recordings() {
        let recording = opened.unwrap();
        let program = lower(recording.scenario.as_ref().unwrap(), &recording.knobs).unwrap();
        let labels = recording.origins.entries.iter().skip(1).map(|entry| &recording.names[entry.label.0 as usize]);
        for label in labels {
            assert!(program.labels.contains(label), "{label:?}");
        }
    }
}

#[test]
fn a_hazard_names_operations_streams_and_threads_in_the_language() {
    let program = [
        json!({"stream": {"name": "side"}}),
        json!({"tensor": {"name": "x", "shape": [1024], "fill": 1}}),
        json!({"on": {"stream": "side", "body": [{"launch": {"kernel": {"timed": {"dur_us": 5}}, "reads": ["x"]}}]}}),
    ];
    let program = lower(&scenario("pytorch", &[], &program), &Knobs::default()).unwrap();
    let hazards = judge(&program).hazards;
    let hazard = hazards.first().unwrap();
    let (en, zh) = (explain(hazard, Lang::En), explain(hazard, Lang::Zh));
    assert!(en.contains("“kernel 5.00 µs” reads") && en.contains("side must wait for default."), "{en}");
    assert!(zh.contains("“Kernel 5.00 µs”读取") && zh.contains("side 流应等待默认流"), "{zh}");
    // What would be typed stays as it is.
    let missing = hazards.iter().map(|hazard| explain(hazard, Lang::Zh)).collect::<String>();
    assert!(!missing.contains("(side 流)"), "{missing}");
    // JSON is English, and a label there is a string.
    assert_eq!(serde_json::to_value(hazard).unwrap()["second"]["label"], "kernel 5.00 µs");
}

#[test]
fn the_call_that_failed_is_in_both_languages_but_english_in_json() {
    let capture = json!({"begin_capture": {"graph": "g", "stream": "s"}});
    let wrong = json!({"end_capture": {"graph": "g", "stream": "t"}});
    let streams = ["s", "t"].map(|name| json!({"stream": {"name": name}}));
    let scenario = scenario("cuda", &streams, &[capture, wrong]);
    let recording = run(&scenario);
    let label = &recording.errors[0].at.label;
    assert_eq!((label.get(Lang::En), label.get(Lang::Zh)), ("end capture", "结束捕获"));
    let json = serde_json::to_value(summary(&recording, &Analysis::new(&recording), &[])).unwrap();
    assert_eq!(json["errors"][0]["at"]["label"], "end capture");
    assert_eq!(json["profile"], "H200 profile");
    let folder = tempfile::tempdir().unwrap();
    recording::write(&recording, &folder.path().join("r.json")).unwrap();
    assert_eq!(recording::read(&folder.path().join("r.json")).unwrap().errors, recording.errors);
}

#[test]
fn a_profile_has_a_title_in_each_language_or_one_for_both() {
    for (name, text) in SHIPPED {
        let profile = shipped(name).unwrap();
        assert!(matches!(profile.title, Localized::Each { .. }), "{name}");
        let mut document: Value = serde_json::from_str(text).unwrap();
        document["title"] = json!("of mine");
        let mut profile: Profile = serde_json::from_value(document).unwrap();
        assert_eq!(profile.caption(), "of mine".into());
        profile.what_if("sms", 66.0).unwrap();
        assert_eq!(
            (profile.caption().get(Lang::En), profile.caption().get(Lang::Zh)),
            ("of mine, sms=66", "of mine，sms=66")
        );
    }
}

#[test]
fn a_recording_says_where_it_comes_from_in_the_language() {
    let recording = run(&presets()[0].scenario().unwrap());
    assert_eq!(recording.source.line(Lang::En), "model · H200 profile · PyTorch host costs");
    assert_eq!(recording.source.line(Lang::Zh), "模型 · H200 机器参数 · PyTorch 主机开销");
    let measured = recording::shipped().recordings().next().unwrap().unwrap();
    assert_eq!(measured.source.line(Lang::En), "measured · NVIDIA H200, driver 580 · PyTorch host time emulated");
    assert!(measured.source.line(Lang::Zh).starts_with("实测 · NVIDIA H200，驱动 580 · "));
}

/// Files of before have one string there.
#[test]
fn a_profile_in_a_recording_is_a_string_or_one_in_each_language() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    let with = |profile: Localized| {
        let mut recording: Recording = small_recording();
        recording.source.profile = Some(profile);
        recording::write(&recording, &path).unwrap();
        (std::fs::read_to_string(&path).unwrap(), recording)
    };
    let (text, same) = with("H200 profile".into());
    assert!(text.contains(r#""profile":"H200 profile""#));
    assert_eq!(recording::parse("r.json", &text).unwrap(), same);
    let (text, each) = with(Localized::Each { en: "a".to_owned(), zh: "甲".to_owned() });
    assert_eq!(recording::parse("r.json", &text).unwrap(), each);
}
