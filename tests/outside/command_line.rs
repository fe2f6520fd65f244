//! The command line as a user types it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub fn streamscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_streamscope")).args(arguments).output().unwrap()
}

pub fn succeeds(arguments: &[&str]) -> String {
    let output = streamscope(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeds(arguments)).unwrap()
}

/// The one sentence on standard error of a command that ends with `code`.
pub fn fails(code: i32, arguments: &[&str]) -> String {
    let output = streamscope(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.trim_end().lines().count(), 1, "{arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// Whether a sentence says why GPU 99 cannot be used: this build has no executor, this machine no driver or no such GPU.
pub fn names_what_the_gpu_lacks(sentence: &str) -> bool {
    let reason = match cfg!(feature = "gpu") {
        true => ["no NVIDIA driver", "no GPU 99"],
        false => ["built without the feature `gpu`"; 2],
    };
    reason.iter().any(|reason| sentence.contains(reason))
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A scenario file whose program is `program` and whose setup is `setup`.
    fn scenario(&self, setup: &str, program: &str) -> String {
        let text = format!(
            r#"{{"streamscope": 1, "name": "test", "title": "Test", "setup": [{setup}], "program": [{program}]}}"#
        );
        self.text("test.json", &text)
    }

    fn text(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Neither the paths of whoever built it nor what a library calls its own places.
#[test]
#[cfg(all(feature = "window", target_os = "linux"))]
fn without_a_display_it_is_said_what_to_do() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamscope"));
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(name);
    }
    let output = command.env("HOME", "/nonexistent").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("there is no display") && said.contains("ssh -X") && said.contains("streamscope run"),
        "{said}"
    );
    assert!(!said.contains(".rs") && !said.contains(".cargo") && said.trim_end().lines().count() == 1, "{said}");
}

#[test]
fn list_names_the_presets_with_knobs_and_defaults() {
    let listed = json(&["list", "--json"]);
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|preset| preset["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["timing", "implicit-sync", "pipeline", "record-stream", "graph", "buckets"]);
    let knob = |preset: usize, id: &str| {
        let knobs = listed[preset]["knobs"].as_array().unwrap();
        knobs.iter().find(|knob| knob["id"] == id).unwrap_or_else(|| panic!("no knob {id}"))["default"].clone()
    };
    assert_eq!(knob(1, "item"), false);
    assert_eq!(knob(1, "steps"), 100.0);
    assert_eq!(knob(1, "op"), "gemm");
    assert_eq!(knob(2, "streams"), "three");
    assert_eq!(knob(2, "pinned"), true);
    assert_eq!(knob(2, "non_blocking"), true);
    assert_eq!(knob(2, "d2h"), "pinned");
    assert_eq!(knob(2, "batches"), 20.0);
    assert_eq!(knob(3, "record_stream"), false);
    assert_eq!(knob(3, "delay"), true);
    assert_eq!(knob(3, "wait_stream"), false);
    assert_eq!(knob(4, "graph"), false);
    assert_eq!(knob(4, "workload"), "block");
    assert_eq!(knob(5, "batch"), 13.0);
    assert_eq!(knob(5, "graph"), true);
}

#[test]
fn run_prints_one_object_whose_numbers_agree_with_each_other() {
    for preset in ["timing", "implicit-sync", "pipeline", "record-stream", "graph", "buckets"] {
        let summary = json(&["run", preset, "--json"]);
        for key in [
            "scenario",
            "executor",
            "device",
            "profile",
            "instrument",
            "knobs",
            "wall_us",
            "traced_wall_us",
            "host",
            "gpu",
            "streams",
            "bubbles",
            "idle_by_cause",
            "launch",
            "hazards",
            "errors",
            "values",
            "memory",
        ] {
            assert!(summary.get(key).is_some(), "{preset}: no {key}");
        }
        let number =
            |pointer: &str| summary.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}"));
        assert!((number("/gpu/busy_us") + number("/gpu/idle_us") - number("/gpu/span_us")).abs() < 1e-6, "{preset}");
        let causes = summary["idle_by_cause"].as_object().unwrap();
        let by_cause: f64 = causes.values().map(|us| us.as_f64().unwrap()).sum();
        assert!((by_cause - number("/gpu/idle_us")).abs() < 1e-6, "{preset}: causes do not sum to the idle time");
        let blocked = summary["host"]["blocked_by_cause"].as_object().unwrap();
        let by_call: f64 = blocked.values().map(|us| us.as_f64().unwrap()).sum();
        assert!((by_call - number("/host/blocked_us")).abs() < 1e-6, "{preset}");
        let spent = number("/host/busy_us") + number("/host/blocked_us");
        assert!(spent <= number("/wall_us/median") + 1e-6, "{preset}: one thread cannot be busy longer than the run");
        assert_eq!(summary["executor"], "model");
        assert_eq!(summary["errors"].as_array().unwrap().len(), 0, "{preset}");
    }
}

#[test]
fn the_same_command_prints_the_same_numbers() {
    let arguments = ["run", "pipeline", "--json", "--set", "streams=two"];
    assert_eq!(succeeds(&arguments), succeeds(&arguments));
}

#[test]
fn a_profile_can_be_changed_by_what_if() {
    let wall = |arguments: &[&str]| json(arguments)["values"]["step_us"].as_f64().unwrap();
    let as_measured = wall(&["run", "graph", "--json"]);
    let faster_host = wall(&["run", "graph", "--json", "--what-if", "host=2"]);
    assert!(faster_host < 0.7 * as_measured, "{faster_host} against {as_measured}");
    let summary = json(&["run", "graph", "--json", "--what-if", "sms=66"]);
    assert_eq!(summary["profile"], "H200 profile, sms=66");
}

#[test]
fn a_saved_recording_is_drawn_without_running_it_again() {
    let folder = Folder::new();
    let (recording, figure) = (folder.path("run.json"), folder.path("run.svg"));
    succeeds(&["run", "implicit-sync", "--set", "steps=6", "--set", "item=true", "--save", shown(&recording)]);
    succeeds(&["figure", shown(&recording), "-o", shown(&figure)]);
    let drawn = std::fs::read_to_string(&figure).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("blocked in .item()") && drawn.contains("H200 profile"));
    let again = folder.path("again.svg");
    succeeds(&["figure", "implicit-sync", "--set", "steps=6", "--set", "item=true", "-o", shown(&again)]);
    assert_eq!(drawn, std::fs::read_to_string(&again).unwrap());
}

#[test]
fn figures_come_as_svg_and_png_in_both_languages() {
    let folder = Folder::new();
    let png = folder.path("a.png");
    succeeds(&["figure", "timing", "-o", shown(&png), "--theme", "dark", "--scale", "1", "--to", "2ms"]);
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    succeeds(&["figure", "timing", "-o", shown(folder.0.path()), "--lang", "zh"]);
    assert!(std::fs::read_to_string(folder.path("timing.svg")).unwrap().contains("默认流"));
    assert!(fails(2, &["figure", "timing", "-o", shown(&folder.path("a.pdf"))]).contains("PDF"));
    assert!(fails(2, &["figure", "timing", "-o", shown(&folder.path("a.gif"))]).contains(".svg or .png"));
    assert!(fails(2, &["figure", "timing", "-o", shown(&png), "--from", "soon"]).contains("not a time"));
    assert!(fails(2, &["figure", "timing", "-o", "/nowhere/at/all.svg"]).contains("/nowhere/at"));
}

#[test]
fn a_wrong_file_is_refused_with_place_and_remedy() {
    let folder = Folder::new();
    let good = std::fs::read_to_string("scenarios/timing.json").unwrap();
    for (name, text, expected) in [
        ("not.json", "hello", "not.json:1:1"),
        ("half.json", good.split_at(good.find("\"report\"").unwrap()).0, "half.json:"),
        ("deep.json", &"[".repeat(200_000), "deep.json:1:"),
        ("future.json", &good.replace("\"streamscope\": 1", "\"streamscope\": 2"), "newer"),
        ("statement.json", &good.replace("\"synchronize\"", "\"synchronise\""), "synchronise"),
    ] {
        let path = folder.text(name, text);
        let sentence = fails(2, &["run", &path]);
        assert!(sentence.contains(expected), "{sentence}");
        assert!(sentence.len() < 2000, "{name}: {} characters", sentence.len());
    }
}

#[test]
fn a_wrong_program_is_refused_with_the_statement() {
    let folder = Folder::new();
    for (setup, program, at, expected) in [
        ("", r#"{"repeat": {"times": 1000000000, "body": [{"synchronize": {}}]}}"#, "/program/0/repeat", "2000000"),
        ("", r#"{"on": {"stream": "side", "body": []}}"#, "/program/0/on", "`side` is not defined"),
        ("", r#"{"wait": {"event": "nothing"}}"#, "/program/0/wait", "`nothing` is not defined"),
        (r#"{"tensor": {"name": "x", "shape": [-4]}}"#, "", "/setup/0/tensor", "not -4"),
        ("", r#"{"launch": {"kernel": "matmul", "reads": ["x", "y"], "out": "z"}}"#, "/program/0/launch", "`x`"),
        (r#"{"thread": {"name": "t", "body": []}}"#, "", "/setup/0/thread", "belongs in the `program`"),
        ("", r#"{"replay": {"graph": "g"}}"#, "/program/0/replay", "`g` is not defined"),
    ] {
        let path = folder.scenario(setup, program);
        let sentence = fails(2, &["run", &path]);
        assert!(sentence.contains(at) && sentence.contains(expected) && sentence.contains("test.json"), "{sentence}");
        assert!(fails(2, &["check", &path]).contains(at));
    }
}

#[test]
fn a_wrong_program_is_refused_with_line_and_column() {
    let folder = Folder::new();
    let text = "\u{feff}{\"streamscope\": 1, \"name\": \"a\", \"title\": \"标题\", \"program\": [\n  {\"synchronize\": {}},\n  \
                {\"repeat\": {\"times\": 2, \"body\": [\n    {\"launch\": {\"kernel\": \"sum\", \"reads\": [\"y\"]}}]}}]}";
    let path = folder.text("a.json", text);
    let expected = format!("{path}:4:16: /program/1/repeat/body/0/launch: `y` is not defined");
    let figure = folder.path("a.svg");
    for arguments in [
        &["run", &path][..],
        &["check", &path],
        &["figure", &path, "-o", shown(&figure)],
        &["run", &path, "--worker", &format!("'{}' worker", env!("CARGO_BIN_EXE_streamscope"))],
    ] {
        let sentence = fails(2, arguments);
        assert!(sentence.contains(&expected), "{arguments:?}: {sentence}");
    }
    // The faults of a file have the same form.
    let path = folder.text("b.json", &text.replace("\"sum\"", "\"sums\""));
    assert!(fails(2, &["run", &path]).contains(&format!("{path}:4:")));
}

#[test]
fn a_wrong_setting_is_refused_with_what_is_allowed() {
    assert!(fails(2, &["run", "buckets", "--set", "batch=21"]).contains("from 1 to 20"));
    assert!(fails(2, &["run", "pipeline", "--set", "streams=four"]).contains("one, two, three"));
    assert!(fails(2, &["run", "pipeline", "--set", "speed=4"]).contains("batches"));
    assert!(fails(2, &["run", "timing", "--what-if", "gravity=1"]).contains("launch_us"));
    assert!(fails(2, &["run", "timing", "--profile", "a100"]).contains("`h200`"));
    assert!(fails(2, &["run", "no-such-preset"]).contains("implicit-sync"));
    assert!(fails(2, &["run", "timing", "--on", "tpu"]).contains("gpu:N"));
}

#[test]
fn an_error_of_the_run_is_a_result() {
    let folder = Folder::new();
    let capture = r#"{"capture": {"graph": "g", "body": [
        {"launch": {"kernel": {"mul_scalar": 2}, "reads": ["x"], "out": "y"}}, {"item": {"of": "y"}}]}}"#;
    let path = folder.scenario(r#"{"tensor": {"name": "x", "shape": [16], "fill": 1}}"#, capture);
    let errors = json(&["run", &path, "--json"])["errors"].clone();
    let codes: Vec<u64> = errors.as_array().unwrap().iter().map(|error| error["code"].as_u64().unwrap()).collect();
    assert_eq!(codes, [900, 901]);
    let checked = json(&["check", &path, "--json"]);
    assert_eq!(checked[0]["valid"], true);
    assert_eq!(checked[0]["errors"].as_array().unwrap().len(), 2);
}

#[test]
fn the_schema_describes_the_shipped_scenarios() {
    let schema = json(&["schema"]);
    assert!(schema["properties"]["program"].is_object());
    assert!(schema["$defs"]["Statement"].is_object());
}

#[test]
fn without_the_gpu_that_is_named_nothing_is_calibrated() {
    let folder = Folder::new();
    let path = folder.path("here.json");
    let said = fails(3, &["calibrate", "-o", shown(&path), "--device", "99"]);
    assert!(names_what_the_gpu_lacks(&said), "{said}");
    assert!(!path.exists());
    // A place that cannot be written to is found before anything is measured.
    let nowhere = folder.path("none").join("here.json");
    assert!(fails(2, &["calibrate", "-o", shown(&nowhere)]).contains("there is no folder"));
    assert!(fails(2, &["calibrate", "-o", shown(folder.0.path())]).contains("is a folder"));
}

#[cfg(not(feature = "window"))]
#[test]
fn a_build_without_a_window_says_so() {
    for arguments in [&[][..], &["timing"]] {
        assert!(fails(3, arguments).contains("built without the feature `window`"));
    }
}

#[test]
fn a_recording_is_drawn_as_it_ran_and_never_run() {
    let folder = Folder::new();
    let recording = folder.path("r.json.gz");
    succeeds(&["run", "timing", "--save", shown(&recording)]);
    for command in ["run", "check"] {
        assert!(fails(2, &[command, shown(&recording)]).contains("is a recording"), "{command}");
    }
    let figure = folder.path("r.svg");
    let draw = ["figure", shown(&recording), "-o", shown(&figure)];
    assert!(fails(2, &[&draw[..], &["--what-if", "sms=66"]].concat()).contains("is a recording"));
    assert!(!figure.exists());
    succeeds(&draw);
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(fails(2, &["run", "timing", "--save", shown(&pipe)]).contains("no ordinary file"));
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_a_failure() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_streamscope")).arg("list").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output cannot be written"));
}
