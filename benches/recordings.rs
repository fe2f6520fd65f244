//! Saving and opening recordings. The bars, for a million spans: saved plain in 1 s, compressed in 3 s, opened in 1 s, and in memory
//! less than three times the size of the plain file.
//!
//! `cargo bench --bench recordings`.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use std::path::PathBuf;

use divan::{Bencher, black_box};
use streamscope::recording::{self, Recording};
use streamscope::scenario::{self, Knobs};
use streamscope::{analysis, model, profile, program, trace};

fn main() {
    divan::main();
}

/// Half a million launches: as many spans on the host, and as many on a stream. With `threads`, the launches are those of as many host
/// threads, each with a stream.
fn recorded(launches: usize, threads: usize) -> Recording {
    let each = launches / threads;
    let body = format!(
        r#"{{"repeat": {{"times": {each}, "body": [{{"launch": {{"kernel": {{"timed": {{"dur_us": 2, "grid": 1}}}}}}}}]}}}}"#
    );
    let thread = |number: usize| {
        format!(
            r#"{{"thread": {{"name": "t{number}", "body": [{{"on": {{"stream": "s{number}", "body": [{body}]}}}}]}}}}"#
        )
    };
    let streams: Vec<String> = (0..threads).map(|number| format!(r#"{{"stream": {{"name": "s{number}"}}}}"#)).collect();
    let program = match threads {
        1 => body.clone(),
        _ => (0..threads).map(thread).collect::<Vec<_>>().join(", "),
    };
    let text = format!(
        r#"{{"streamscope": 1, "name": "bench", "title": "Bench", "setup": [{}], "program": [{program}]}}"#,
        streams.join(", ")
    );
    let scenario = scenario::load("bench.json", &text).expect("the scenario is valid");
    let knobs = Knobs::defaults(&scenario.knobs);
    let program = program::lower(&scenario, &knobs).expect("the scenario can be lowered");
    let profile = profile::shipped("h200").expect("the profile is shipped");
    model::run(&scenario, &knobs, &program, &profile, &mut |_| true).expect("the run ends")
}

const MILLION_SPANS: usize = 500_000;

fn file(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join(name);
    (folder, path)
}

#[divan::bench(sample_count = 5, sample_size = 1, args = ["r.json", "r.json.gz"])]
fn save_a_million_spans(bencher: Bencher<'_, '_>, name: &str) {
    let recording = recorded(MILLION_SPANS, 1);
    let (_folder, path) = file(name);
    bencher.bench_local(|| recording::write(&recording, &path).expect("it can be written"));
}

#[divan::bench(sample_count = 5, sample_size = 1, args = ["r.json", "r.json.gz"])]
fn open_a_million_spans(bencher: Bencher<'_, '_>, name: &str) {
    let (_folder, path) = file(name);
    recording::write(&recorded(MILLION_SPANS, 1), &path).expect("it can be written");
    bencher.bench_local(|| black_box(recording::read(&path).expect("it can be read")));
}

/// Bubbles and numbers of 100 000 and of a million spans, of so many host threads.
#[divan::bench(sample_count = 5, sample_size = 1, args = [(50_000, 1), (500_000, 1), (50_000, 2), (500_000, 2), (50_000, 64), (500_000, 64)])]
fn analysis(bencher: Bencher<'_, '_>, (launches, threads): (usize, usize)) {
    let recording = recorded(launches, threads);
    bencher.bench_local(|| black_box(analysis::Analysis::new(&recording)));
}

/// As many host threads and streams, each with one launch.
#[divan::bench(sample_count = 5, sample_size = 1, args = [2_000, 20_000])]
fn analysis_of_many_tracks(bencher: Bencher<'_, '_>, threads: usize) {
    let recording = recorded(threads, threads);
    bencher.bench_local(|| black_box(analysis::Analysis::new(&recording)));
}

/// A profiler's trace of 100 000 and of a million events.
#[divan::bench(sample_count = 3, sample_size = 1, args = [100_000, 1_000_000])]
fn import(bencher: Bencher<'_, '_>, events: usize) {
    let event = |number: usize| {
        let (us, launch) = (number / 4 * 10, number / 4 + 1);
        match number % 4 {
            0 => format!(
                r#"{{"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":{us}.125,"dur":9,"args":{{"External id":{launch}}}}}"#
            ),
            1 => format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{us}.5,"dur":4,"args":{{"cbid":211,"correlation":{launch}}}}}"#
            ),
            2 => format!(r#"{{"ph":"s","id":{launch},"pid":9,"tid":9,"ts":{us}.5,"cat":"ac2g","name":"ac2g"}}"#),
            _ => format!(
                r#"{{"ph":"X","cat":"kernel","name":"add_kernel","pid":0,"tid":7,"ts":{}.25,"dur":3,"args":{{"device":0,"stream":7,"correlation":{launch}}}}}"#,
                us + 6
            ),
        }
    };
    let all: Vec<String> = (0..events).map(event).collect();
    let text = format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, all.join(","));
    bencher.bench_local(|| black_box(trace::parse("t.json", &text).expect("it can be read")));
}
