//! Why work waited: the same words for the model and for what was measured.

use std::collections::BTreeMap;
use std::path::Path;

use streamscope::profile;
use streamscope::recording::{self, Cause, Recording, Span, check, shipped};

use super::running::run_with;

/// Work of the GPU by its operation, each in the order of time.
fn work(recording: &Recording) -> BTreeMap<u32, Vec<Span>> {
    let mut work: BTreeMap<u32, Vec<Span>> = BTreeMap::new();
    for span in recording.gpu_spans().filter(|span| span.kind.is_gpu_busy()) {
        work.entry(span.correlation.0).or_default().push(span);
    }
    work.values_mut().for_each(|spans| spans.sort_by_key(|span| (span.start, span.end)));
    work
}

/// Work that was handed over before what stands before it let it go, in both: then both waited for the same thing.
#[test]
fn model_and_measurement_name_the_same_cause_where_they_waited_for_the_same_thing() {
    let profile = profile::shipped("h200").unwrap();
    let mut compared: BTreeMap<Cause, usize> = BTreeMap::new();
    for measured in shipped().recordings() {
        let measured = measured.unwrap();
        let scenario = measured.scenario.as_ref().unwrap();
        let model = run_with(scenario, &measured.knobs, &profile);
        let theirs = work(&measured);
        for (operation, spans) in work(&model) {
            let Some(others) = theirs.get(&operation).filter(|others| others.len() == spans.len()) else { continue };
            for (ours, theirs) in spans.iter().zip(others) {
                let waited = |span: &Span| span.released > span.call;
                let same_work = ours.kind == theirs.kind && model.name(ours.name) == measured.name(theirs.name);
                if same_work && waited(ours) && waited(theirs) {
                    let place = || format!("{} {:?}, operation {operation}", scenario.name, measured.knobs);
                    assert_eq!(ours.released_by, theirs.released_by, "{}: {ours:?} {theirs:?}", place());
                    *compared.entry(ours.released_by).or_default() += 1;
                }
            }
        }
    }
    for cause in [Cause::EventWait, Cause::KernelGap, Cause::GraphGap] {
        assert!(compared.get(&cause).is_some_and(|count| *count > 20), "{compared:?}");
    }
}

#[test]
fn a_recording_of_version_1_is_still_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/version-1.json.gz");
    let recording = recording::read(&path).unwrap();
    check(&recording).unwrap();
    let streams: Vec<_> = recording.streams().map(|(track, it)| (it.stream().unwrap(), track)).collect();
    let counts: Vec<_> = streams.iter().map(|(number, track)| (*number, recording.spans_of(*track).count())).collect();
    // One statement on the default stream fills, one fills again, one number is read; the side stream reads it 51 times behind a delay.
    assert_eq!(counts, [(0, 3), (2, 52)]);
    assert!(recording.gpu_spans().all(|span| span.released <= span.start));
    assert_eq!(recording.measured.unwrap().untraced.len(), 5);
}
