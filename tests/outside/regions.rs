//! Parts of a program that have a name: where the timeline shows them, and that they change nothing else.

use serde_json::{Value, json};
use streamscope::recording::{Recording, SpanKind, TrackKind};
use streamscope::text::Lang;
use streamscope::time::Ns;

use super::running::{repeat, run, run_with, scenario};

fn region(name: &Value, body: &[Value]) -> Value {
    json!({"region": {"name": name, "body": body}})
}

fn work(us: f64) -> Value {
    json!({"work": {"dur_us": us}})
}

/// The regions of a host thread in `lang`: name, row, start and end in µs, by start.
fn regions(recording: &Recording, number: u32, lang: Lang) -> Vec<(String, u32, f64, f64)> {
    let mut found: Vec<(String, u32, f64, f64)> = Vec::new();
    for lane in &recording.lanes {
        let track = &recording.tracks[lane.track.index()];
        if track.kind != (TrackKind::Regions { thread: number }) {
            continue;
        }
        for span in &lane.spans {
            assert_eq!(span.kind, SpanKind::Annotation);
            let name = recording.names[span.name.0 as usize].get(lang).to_owned();
            found.push((name, u32::from(lane.depth), span.start.us(), span.end.us()));
        }
    }
    found.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.1.cmp(&b.1)));
    found
}

#[test]
fn regions_stand_on_a_track_of_their_thread_and_nest() {
    let step = region(&json!("step"), &[work(10.0), region(&json!({"en": "load", "zh": "加载"}), &[work(5.0)])]);
    let other = json!({"thread": {"name": "t", "body": [region(&json!("other"), &[work(3.0)])]}});
    let program = [repeat(2, std::slice::from_ref(&step)), other];
    let recording = run(&[region(&json!("unmeasured"), &[work(1.0)])], &program);
    let at = |found: &[(String, u32, f64, f64)]| -> Vec<(String, u32, f64)> {
        found.iter().map(|(name, depth, start, end)| (name.clone(), *depth, end - start)).collect()
    };
    let expected = |load: &str| {
        let step = [("step".to_owned(), 0, 15.0), (load.to_owned(), 1, 5.0)];
        [step.clone(), step].concat()
    };
    assert_eq!(at(&regions(&recording, 0, Lang::En)), expected("load"));
    assert_eq!(at(&regions(&recording, 0, Lang::Zh)), expected("加载"));
    assert_eq!(at(&regions(&recording, 1, Lang::En)), [("other".to_owned(), 0, 3.0)]);
}

#[test]
fn a_region_costs_nothing() {
    let launch = json!({"launch": {"kernel": {"timed": {"dur_us": 4}}}});
    let body = [launch, work(2.0), json!({"synchronize": {}})];
    let plain = run(&[], &[repeat(3, &body)]);
    let named = run(&[], &[region(&json!("all"), &[repeat(3, &[region(&json!("step"), &body)])])]);
    assert_eq!(plain.wall, named.wall);
    let spans = |recording: &Recording| -> Vec<(Ns, Ns, SpanKind)> {
        let all = recording.lanes.iter().flat_map(|lane| lane.spans.iter());
        all.filter(|span| span.kind != SpanKind::Annotation).map(|it| (it.start, it.end, it.kind)).collect()
    };
    assert_eq!(spans(&plain), spans(&named));
}

#[test]
fn an_exception_ends_the_regions_that_it_leaves() {
    let tensor = json!({"tensor": {"name": "x", "shape": [16], "fill": 1}});
    let scenario = scenario(
        "pytorch",
        &[tensor],
        &[
            region(
                &json!("around"),
                &[
                    json!({"capture": {"graph": "g", "body": [region(&json!("inside"), &[json!({"item": {"of": "x"}}), work(9.0)])]}}),
                    work(7.0),
                ],
            ),
            work(5.0),
        ],
    );
    let profile = streamscope::profile::shipped("h200").unwrap();
    let recording = run_with(&scenario, &Default::default(), &profile);
    assert!(!recording.errors.is_empty());
    let found = regions(&recording, 0, Lang::En);
    let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["around", "inside"]);
    let [(.., start, end), (.., inner_start, inner_end)] = found.as_slice() else { panic!("{found:?}") };
    assert!(start <= inner_start && inner_start < inner_end && inner_end <= end, "{found:?}");
}
