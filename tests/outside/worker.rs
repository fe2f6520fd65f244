//! A worker process: what it answers, and what its client says when it does not.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use serde_json::Value;
use streamscope::profile::shipped;
use streamscope::recording::{Instrument, Measured, Recording};
use streamscope::scenario::{Knobs, preset};
use streamscope::time::Ns;
use streamscope::worker::{
    Client, Command, FromWorker, Job, PROTOCOL, Patience, Target, ToWorker, VERSION, WorkerError, frame,
};

use super::command_line::names_what_the_gpu_lacks;
use super::running::{repeat, scenario, small, stream};

const PROGRAM: &str = env!("CARGO_BIN_EXE_streamscope");

/// This program as a worker, as a person would write it.
fn itself() -> String {
    format!("'{PROGRAM}' worker")
}

/// A client as patient as a user's, since a busy machine is slow.
fn client(command: &str) -> Client {
    Client::new(Command::written(command).unwrap())
}

/// A client for workers that say nothing.
fn impatient(command: &str) -> Client {
    client(command).with_patience(Patience { silence: Duration::from_millis(400), ..Patience::default() })
}

fn good_client() -> Client {
    client(&itself())
}

/// A preset with its knobs as they come.
fn job(name: &str) -> Job {
    let scenario = preset(name).unwrap().scenario().unwrap();
    let knobs = Knobs::defaults(&scenario.knobs);
    Job { scenario, knobs, profile: shipped("h200").unwrap(), on: Target::Model }
}

/// A job of the model that takes far longer than the test.
fn long_job() -> Job {
    let launches = repeat(600, &[repeat(1000, &[small("work", 1.0)])]);
    let scenario = scenario("cuda", &[stream("side")], &[launches]);
    Job { scenario, knobs: Knobs::default(), profile: shipped("h200").unwrap(), on: Target::Model }
}

fn run(client: &mut Client, job: &Job) -> Result<Recording, WorkerError> {
    client.run(job, &mut |_| true)
}

/// The sentence of a client whose worker is of no use.
fn complaint(command: &str) -> String {
    let error = run(&mut client(command), &job("timing")).unwrap_err();
    assert!(error.is_machine(), "{error:?}");
    error.to_string()
}

fn streamscope(arguments: &[&str]) -> Output {
    std::process::Command::new(PROGRAM).args(arguments).output().unwrap()
}

/// The messages of a worker in a file, so that `cat` plays them.
fn played(messages: &[FromWorker]) -> (tempfile::NamedTempFile, String) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for message in messages {
        frame::write(&mut file, message).unwrap();
    }
    let path = file.path().to_str().unwrap().to_owned();
    (file, path)
}

fn hello() -> FromWorker {
    FromWorker::Hello { version: VERSION.to_owned(), protocol: PROTOCOL }
}

#[test]
fn a_run_in_a_worker_prints_what_a_run_here_prints() {
    let hop = format!("sh -c \"exec {}\"", itself());
    for preset in ["implicit-sync", "graph"] {
        let arguments = ["run", preset, "--json", "--what-if", "sms=66", "--what-if", "host=1.3", "--runs", "2"];
        let here = streamscope(&arguments);
        assert!(String::from_utf8_lossy(&here.stdout).contains("H200 profile, sms=66, host=1.3"));
        for command in [&itself(), &hop] {
            let there = streamscope(&[&arguments[..], &["--worker", command]].concat());
            assert_eq!(String::from_utf8_lossy(&there.stderr), "");
            assert!(there.status.success());
            assert!(there.stdout == here.stdout, "{preset} through {command}");
        }
    }
}

#[test]
fn a_recording_is_the_same_from_a_worker() {
    let mut client = good_client();
    for name in ["pipeline", "record-stream"] {
        let job = job(name);
        assert!(run(&mut client, &job).unwrap() == job.run_here(&mut |_| true).unwrap(), "{name}");
    }
}

#[test]
fn a_figure_is_drawn_from_a_run_in_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let output = streamscope(&[&["figure", "timing", "-o", path.to_str().unwrap()], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(path).unwrap()
    };
    assert!(draw("here.svg", &[]) == draw("there.svg", &["--worker", &itself()]));
}

#[test]
fn a_worker_refuses_a_wrong_program_as_the_command_line_does() {
    let scenario = scenario("cuda", &[], &[serde_json::json!({"wait": {"event": "nothing"}})]);
    let job = Job { scenario, ..job("timing") };
    let mut client = good_client();
    let error = run(&mut client, &job).unwrap_err();
    assert!(!error.is_machine());
    assert_eq!(error.to_string(), job.run_here(&mut |_| true).unwrap_err().to_string());
    let pid = client.process_id();
    assert!(pid.is_some() && client.run(&self::job("timing"), &mut |_| true).is_ok());
    assert_eq!(client.process_id(), pid, "a wrong program is no reason to start again");
}

#[test]
fn a_worker_that_cannot_start_is_named() {
    assert!(complaint("/nowhere/streamscope worker").contains("`/nowhere/streamscope worker` cannot be started"));
    for wrong in ["ssh 'gpubox", "", "  "] {
        let output = streamscope(&["run", "timing", "--worker", wrong]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("--worker: the command of the worker"));
    }
}

#[test]
fn a_worker_that_dies_is_quoted() {
    let at_once = complaint("sh -c 'echo Permission denied >&2; exit 9'");
    assert!(at_once.contains("exit status: 9") && at_once.contains("Permission denied"), "{at_once}");
    let (_file, path) = played(&[hello()]);
    let midway = complaint(&format!("sh -c 'cat {path}; head -c 200 >/dev/null; echo no more >&2; exit 9'"));
    assert!(midway.contains("exit status: 9") && midway.contains("no more"), "{midway}");
    let output = streamscope(&["run", "timing", "--worker", "sh -c 'head -c 20 >/dev/null; exit 9'"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("exit status: 9"));
}

#[test]
fn a_worker_that_says_nothing_is_stopped() {
    let (_file, path) = played(&[hello()]);
    let silent = format!("sh -c 'cat {path}; exec sleep 1000'");
    let stalled = run(&mut impatient(&silent), &job("timing")).unwrap_err().to_string();
    assert!(stalled.contains("has said nothing for 0.4 s, so it was stopped"), "{stalled}");
    assert!(!stalled.contains("--"), "the window has no options: {stalled}");
    // It is waited for in the background, also when the job is larger than a pipe and nobody reads it.
    let mut looks = 0;
    let mut large = job("timing");
    large.profile.measured = "x".repeat(1 << 20);
    let error = impatient(&silent).run(&large, &mut |_| {
        looks += 1;
        true
    });
    assert!(matches!(error, Err(WorkerError::Stalled { .. })) && looks >= 3, "{error:?} after {looks} looks");
}

#[test]
fn a_worker_that_never_answers_is_stopped() {
    let started = Instant::now();
    let output = streamscope(&["run", "timing", "--worker", "sleep 1000", "--patience", "1"]);
    assert_eq!(output.status.code(), Some(3));
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(sentence.contains("`sleep 1000` has not answered for 1 s") && sentence.contains("password"), "{sentence}");
    assert!(sentence.ends_with("use a key; `--patience SECONDS` gives it more time\n"), "{sentence}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn what_an_option_can_do_is_said_before_the_last_words() {
    let (_file, path) = played(&[hello()]);
    let silent = format!("sh -c 'cat {path}; echo waiting >&2; exec sleep 1000'");
    let output = streamscope(&["run", "timing", "--worker", &silent, "--patience", "1"]);
    let sentence = String::from_utf8(output.stderr).unwrap();
    let end = "`--patience SECONDS` gives it more time; it last wrote:\n    waiting\n";
    assert!(sentence.contains("has said nothing for 1 s") && sentence.ends_with(end), "{sentence}");
}

#[test]
fn a_worker_that_talks_nonsense_is_quoted() {
    assert!(complaint("yes").contains("it says `y y y"));
    let banner = complaint("sh -c 'echo Welcome to gpubox; exec sleep 1000'");
    assert!(banner.contains("`Welcome to gpubox`") && banner.contains("`streamscope worker`"), "{banner}");
    let (mut file, path) = played(&[hello()]);
    file.write_all(b"\x1b[31mred\x07").unwrap();
    let coloured = complaint(&format!("cat {path}"));
    assert!(coloured.contains("[31mred") && !coloured.contains(['\x1b', '\x07']), "{coloured}");
    let (_file, path) = played(&[hello(), FromWorker::Devices { number: 1, devices: Vec::new() }]);
    assert!(complaint(&format!("cat {path}")).contains("what was not asked"));
    let mut recording = job("timing").run_here(&mut |_| true).unwrap();
    recording.names.clear();
    let (_file, path) = played(&[hello(), FromWorker::Done { number: 1, recording: Box::new(recording) }]);
    assert!(complaint(&format!("cat {path}")).contains("/recording/lanes/"));
    let output = streamscope(&["run", "timing", "--worker", "yes"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_worker_of_another_version_is_refused() {
    for (version, protocol) in [("0.0.1", PROTOCOL), (VERSION, PROTOCOL + 1)] {
        let (_file, path) = played(&[FromWorker::Hello { version: version.to_owned(), protocol }]);
        let sentence = complaint(&format!("cat {path}"));
        assert!(sentence.contains(&format!("is Streamscope {version} (protocol {protocol})")), "{sentence}");
    }
}

#[test]
fn a_cancelled_run_leaves_a_worker_that_works() {
    let mut client = good_client();
    let job = long_job();
    let mut last = 0.0;
    let error = client.run(&job, &mut |part| {
        last = part;
        part == 0.0
    });
    assert_eq!(error, Err(WorkerError::Cancelled));
    assert!(last > 0.0 && last < 1.0, "cancelled at {last}");
    let pid = client.process_id();
    assert!(pid.is_some(), "the worker has said that it gave up");
    assert!(run(&mut client, &self::job("timing")).is_ok());
    assert_eq!(client.process_id(), pid);
}

#[test]
fn a_worker_that_does_not_give_up_is_killed() {
    let (_file, path) = played(&[hello(), FromWorker::Progress { number: 1, part: 0.5 }]);
    let mut client = client(&format!("sh -c 'cat {path}; exec sleep 1000'"));
    assert_eq!(client.run(&job("timing"), &mut |part| part < 0.5), Err(WorkerError::Cancelled));
    assert_eq!(client.process_id(), None);
}

#[test]
fn a_worker_that_is_slow_to_start_goes_on_starting() {
    let mut client = client(&format!("sh -c \"sleep 0.3; exec {}\"", itself()));
    assert_eq!(client.run(&job("timing"), &mut |_| false), Err(WorkerError::Cancelled));
    let pid = client.process_id();
    assert!(pid.is_some());
    assert!(run(&mut client, &job("timing")).is_ok());
    assert_eq!(client.process_id(), pid);
}

#[test]
fn a_killed_worker_is_started_again() {
    let mut client = good_client();
    // Whatever this machine has, there is a process now.
    let _devices = client.devices();
    let pid = client.process_id().unwrap();
    let mut killed = false;
    let error = client.run(&long_job(), &mut |part| {
        if part > 0.0 && !killed {
            killed = true;
            kill(pid);
        }
        true
    });
    let sentence = error.unwrap_err().to_string();
    assert!(sentence.contains("signal: 9"), "{sentence}");
    assert!(run(&mut client, &job("timing")).is_ok());
    // One that dies between two jobs is not even noticed.
    let pid = client.process_id().unwrap();
    kill(pid);
    assert!(run(&mut client, &job("timing")).is_ok());
    assert_ne!(client.process_id(), Some(pid));
}

#[test]
fn after_a_sticky_error_there_is_a_new_worker() {
    let sentence = "the GPU is broken".to_owned();
    let (_file, path) =
        played(&[hello(), FromWorker::Failed { number: 1, sentence, at: None, machine: true, sticky: true }]);
    let mut client = client(&format!("sh -c 'cat {path}; exec sleep 1000'"));
    let error = run(&mut client, &job("timing")).unwrap_err();
    assert!(error.is_machine() && error.to_string().ends_with("says: the GPU is broken"), "{error}");
    assert_eq!(client.process_id(), None);
}

#[test]
fn a_dropped_client_leaves_no_process() {
    let mut client = good_client();
    assert!(run(&mut client, &job("timing")).is_ok());
    let process = format!("/proc/{}", client.process_id().unwrap());
    assert!(Path::new(&process).exists());
    drop(client);
    assert!(!Path::new(&process).exists());
}

#[test]
fn a_worker_ends_with_its_input_in_the_middle_of_a_run() {
    let mut worker = Kept::worker();
    let mut input = worker.0.stdin.take().unwrap();
    frame::write(&mut input, &ToWorker::Run { number: 1, job: Box::new(long_job()) }).unwrap();
    let mut messages = frame::Reader::new(worker.0.stdout.take().unwrap());
    assert!(matches!(messages.read().unwrap(), Some(FromWorker::Progress { number: 1, .. })));
    drop(input);
    assert!(worker.ends());
}

#[test]
fn a_length_alone_costs_no_memory() {
    let claim = [&frame::MAGIC[..], &(900u32 << 20).to_le_bytes(), b"ten bytes."].concat();
    let mut spy = Spy { rest: &claim, largest: 0 };
    let read = frame::Reader::new(&mut spy).read::<FromWorker>();
    assert!(matches!(read, Err(frame::FrameError::Cut { came: 10 })), "{read:?}");
    assert!(spy.largest <= 1 << 16, "asked for {} bytes at once", spy.largest);
    let claim = [&frame::MAGIC[..], &u32::MAX.to_le_bytes()].concat();
    assert!(matches!(frame::Reader::new(&claim[..]).read::<FromWorker>(), Err(frame::FrameError::TooLarge { .. })));
}

proptest! {
    #[test]
    fn no_bytes_upset_the_reader(noise: Vec<u8>, magic in 0..=4usize, length: Option<u8>, good: bool) {
        let mut bytes = if good { frame::encode(&hello()).unwrap() } else { Vec::new() };
        bytes.extend(&frame::MAGIC[..magic]);
        bytes.extend(length.map(|length| u32::from(length).to_le_bytes()).into_iter().flatten());
        bytes.extend(noise);
        let mut reader = frame::Reader::new(&bytes[..]);
        let mut read = 0;
        while let Ok(Some(FromWorker::Hello { .. })) = reader.read() {
            read += 1;
        }
        assert_eq!(read, usize::from(good));
    }

    #[test]
    fn messages_come_back_one_by_one(texts in vec(any::<String>(), 0..5), piece in 1..50usize, part in any::<f32>()) {
        let part = if part.is_finite() { part } else { 0.5 };
        let mut bytes = Vec::new();
        for (number, text) in (0..).zip(&texts) {
            let sentence = text.clone();
            frame::write(&mut bytes, &FromWorker::Failed { number, sentence, at: None, machine: true, sticky: false }).unwrap();
            frame::write(&mut bytes, &FromWorker::Progress { number, part }).unwrap();
        }
        let mut reader = frame::Reader::new(Pieces(&bytes, piece));
        for (number, text) in (0..).zip(&texts) {
            let sentence = text.clone();
            let failed = FromWorker::Failed { number, sentence, at: None, machine: true, sticky: false };
            assert_eq!(reader.read().unwrap(), Some(failed));
            assert_eq!(reader.read().unwrap(), Some(FromWorker::Progress { number, part }));
        }
        assert_eq!(reader.read::<FromWorker>().unwrap(), None);
    }
}

#[test]
fn a_measured_run_says_how_it_was_measured() {
    let mut recording = job("timing").run_here(&mut |_| true).unwrap();
    let traced = recording.wall.dur();
    recording.measured = Some(Measured {
        date: "2026-11-30".to_owned(),
        instrument: Some(Instrument::Events),
        untraced: [3, 1, 2].map(|part| Ns(traced.0 * part / 4)).to_vec(),
        clock_error: Some(Ns(1500)),
        ..Measured::default()
    });
    let (_file, path) = played(&[hello(), FromWorker::Done { number: 1, recording: Box::new(recording) }]);
    let arguments = ["run", "timing", "--on", "gpu", "--worker", &format!("cat {path}"), "--json"];
    let summary: Value = serde_json::from_slice(&streamscope(&arguments).stdout).unwrap();
    let us = |part: f64| Value::from(Ns((traced.0 as f64 * part) as i64).us());
    assert_eq!(summary["instrument"], "events");
    assert_eq!(summary["traced_wall_us"], us(1.0));
    assert_eq!(summary["wall_us"]["median"], us(0.5));
    assert_eq!(summary["wall_us"]["min"], us(0.25));
    assert_eq!(summary["wall_us"]["runs"], 3);
    let text = String::from_utf8(streamscope(&arguments[..6]).stdout).unwrap();
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(row("cost of looking").ends_with("2.00×"), "{text}");
    assert!(row("clocks agree").contains("within 1.5"), "{text}");
}

#[test]
fn of_a_broken_context_nothing_is_said_that_nobody_knows() {
    let summed_up = |untraced: Vec<Ns>| {
        let mut recording = job("timing").run_here(&mut |_| true).unwrap();
        recording.measured = Some(Measured { date: "2026-11-30".to_owned(), untraced, ..Measured::default() });
        let (_file, path) = played(&[hello(), FromWorker::Done { number: 1, recording: Box::new(recording) }]);
        let arguments = ["run", "timing", "--on", "gpu", "--worker", &format!("cat {path}"), "--json"];
        let summary: Value = serde_json::from_slice(&streamscope(&arguments).stdout).unwrap();
        (summary, String::from_utf8(streamscope(&arguments[..6]).stdout).unwrap())
    };
    let (summary, text) = summed_up(Vec::new());
    for key in ["instrument", "traced_wall_us", "wall_us"] {
        assert_eq!(summary[key], Value::Null, "{key}");
    }
    assert!(text.contains("broke the GPU's context"), "{text}");
    for row in ["wall time", "cost of looking", "clocks agree", "watched by"] {
        assert!(!text.contains(row), "{row}: {text}");
    }
    let (summary, text) = summed_up(vec![Ns(3000), Ns(1000), Ns(2000)]);
    assert_eq!((&summary["wall_us"]["median"], &summary["wall_us"]["runs"]), (&Value::from(2.0), &Value::from(3)));
    assert_eq!(summary["traced_wall_us"], Value::Null);
    assert!(text.contains("wall time") && !text.contains("cost of looking"), "{text}");
}

#[test]
fn a_gpu_is_used_or_missed_in_one_sentence() {
    for arguments in [&["run", "timing", "--on", "gpu:99"][..], &["figure", "timing", "--on", "gpu:99", "-o", "/tmp"]] {
        let output = streamscope(arguments);
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{sentence}");
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
        assert!(names_what_the_gpu_lacks(&sentence), "{sentence}");
    }
    let there = streamscope(&["run", "timing", "--on", "gpu:99", "--worker", &itself()]);
    assert_eq!(there.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&there.stderr).contains("worker` says: "));
    let output = streamscope(&["run", "timing", "--instrument", "events"]);
    assert_eq!(output.status.code(), Some(2));
}

fn kill(pid: u32) {
    assert!(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// Whether it comes true in a time that is long enough for a busy machine.
fn within(mut comes_true: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while !comes_true() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// A process that does not outlive its test.
struct Kept(Child);

impl Kept {
    fn worker() -> Self {
        let mut command = std::process::Command::new(PROGRAM);
        Self(command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn ends(&mut self) -> bool {
        within(|| self.0.try_wait().unwrap().is_some())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// A source that notes the largest buffer that it was given.
struct Spy<'a> {
    rest: &'a [u8],
    largest: usize,
}

impl Read for Spy<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.largest = self.largest.max(buffer.len());
        self.rest.read(buffer)
    }
}

/// A source that gives a few bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.1);
        self.0.read(&mut buffer[..count])
    }
}
