//! The worker process when the GPU is what fails: a broken context, a kernel that never ends, a worker killed in mid-run.

use std::path::PathBuf;
use std::process;
use std::time::{Duration, Instant};

use serde_json::json;
use streamscope::gpu::RunOptions;
use streamscope::profile::shipped;
use streamscope::scenario::{Knobs, Scenario};
use streamscope::worker::{Client, Command, Job, Patience, Target};

use super::Check;
use super::running::{codes, repeat, scenario, small, spans, synchronize};

pub const CHECKS: &[Check] = &[
    ("workers: a broken context", broken_context),
    ("workers: a kernel that does not end", endless),
    ("workers: killed in mid-run", killed),
];

/// The program: named by `STREAMSCOPE`, or beside this one.
fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("STREAMSCOPE") {
        return PathBuf::from(path);
    }
    let here = std::env::current_exe().unwrap();
    let folders = here.ancestors().skip(1).take(2);
    folders
        .map(|folder| folder.join("streamscope"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no streamscope beside {}", here.display()))
}

fn client(silence: Duration) -> Client {
    let command = Command::written(&format!("{} worker", program().display())).unwrap();
    Client::new(command).with_patience(Patience { silence, ..Patience::default() })
}

fn job(scenario: Scenario) -> Job {
    let on = Target::Gpu(RunOptions { runs: 1, ..RunOptions::default() });
    Job { scenario, knobs: Knobs::default(), profile: shipped("h200").unwrap(), on }
}

fn works(client: &mut Client) {
    let recording = client.run(&job(scenario("cuda", &[], &[small("K", 5.0)])), &mut |_| true);
    let recording = recording.unwrap_or_else(|error| panic!("the next run: {error}"));
    assert_eq!(spans(&recording, "K").len(), 1);
}

/// A kernel reads memory that was given back: error 700, and nothing works in that process any more.
fn broken_context() -> String {
    let setup = [
        json!({"raw_malloc": {"name": "q", "bytes": 64 << 20}}),
        json!({"view": {"name": "v", "of": "q", "shape": [16 << 20]}}),
        json!({"tensor": {"name": "x", "shape": [16 << 20]}}),
    ];
    let program = [
        json!({"raw_free": {"name": "q"}}),
        json!({"launch": {"kernel": "clone", "reads": ["v"], "writes": ["x"]}}),
        synchronize(),
        small("K", 1.0),
    ];
    let mut client = client(Duration::from_secs(20));
    let recording =
        client.run(&job(scenario("cuda", &setup, &program)), &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(codes(&recording).first(), Some(&700), "{:?}", recording.errors);
    assert!(recording.broke_the_context() && recording.measured.as_ref().unwrap().untraced.is_empty());
    works(&mut client);
    format!("{:?}; the next run works", recording.errors[0].name)
}

fn endless() -> String {
    let mut client = client(Duration::from_secs(3));
    let started = Instant::now();
    let ended = client.run(&job(scenario("cuda", &[], &[small("K", 20e6)])), &mut |_| true);
    let sentence = ended.err().map_or_else(|| panic!("a kernel of 20 s came to an end"), |error| error.to_string());
    let waited = started.elapsed().as_secs_f32();
    works(&mut client);
    format!("after {waited:.1} s: {sentence}; the next run works")
}

fn killed() -> String {
    let mut client = client(Duration::from_secs(20));
    works(&mut client);
    let id = client.process_id().unwrap();
    let mut killed = None;
    let long = scenario("cuda", &[], &[repeat(50, &[small("K", 20e3), synchronize()])]);
    let ended = client.run(&job(long), &mut |part| {
        if part > 0.2 && killed.is_none() {
            killed = Some(process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap());
        }
        true
    });
    let sentence = ended.err().map_or_else(|| panic!("killed ({killed:?}) and yet done"), |error| error.to_string());
    works(&mut client);
    format!("{sentence}; the next run works")
}
