//! The lecture's experiments through the shipped scenarios: each has to come out as it did on the hardware.

use streamscope::analysis::Analysis;
use streamscope::profile::shipped;
use streamscope::recording::{Recording, shipped as shipped_recordings};
use streamscope::scenario::{Knobs, preset};

use super::running::{Rows, run_with, value};

fn experiment(name: &str, profile: &str, settings: &[(&str, &str)]) -> Recording {
    let scenario = preset(name).unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for (id, text) in settings {
        knobs.set_text(&scenario.knobs, id, text).unwrap();
    }
    run_with(&scenario, &knobs, &shipped(profile).unwrap())
}

fn outcome(name: &str, settings: &[(&str, &str)], metric: &str) -> f64 {
    value(&experiment(name, "h200", settings), metric)
}

#[test]
fn a_clock_without_a_synchronization_sees_the_launches_only() {
    let recording = experiment("timing", "h200", &[]);
    assert!(value(&recording, "unsynced_us") < 0.2 * value(&recording, "synced_us"));
}

#[test]
fn a_pipeline_gains_only_from_pinned_memory() {
    let total = |settings: &[(&str, &str)]| outcome("pipeline", &[&[("d2h", "none")], settings].concat(), "total_us");
    let mut rows = Rows::default();
    rows.near("one stream", total(&[("streams", "one"), ("non_blocking", "false")]), 40_197.0, 0.1);
    rows.near("pipeline", total(&[]), 27_438.0, 0.1);
    // The memory of the host decides: 81 to 109 ms on machines with the same GPU.
    rows.near("pageable pipeline", total(&[("pinned", "false")]), 99_636.0, 0.25);
    rows.hold();
}

#[test]
fn item_costs_a_step_half_of_its_time_again() {
    let step = |item| outcome("implicit-sync", &[("item", item)], "step_us");
    let mut rows = Rows::default();
    rows.near("with .item() against without", step("true") / step("false"), 1.52, 0.1);
    rows.hold();
}

#[test]
fn only_record_stream_keeps_the_memory_of_a_slow_reader() {
    for wait in ["false", "true"] {
        for (record, delay, result) in
            [("false", "true", 1049.0), ("true", "true", 51.0), ("false", "false", 51.0), ("true", "false", 51.0)]
        {
            let settings = [("record_stream", record), ("delay", delay), ("wait_stream", wait)];
            let model = outcome("record-stream", &settings, "result");
            assert!((model - result).abs() < 0.5, "{settings:?}: {model}");
        }
    }
}

#[test]
fn a_graph_speeds_up_decoding_and_not_prefill() {
    let gain = |workload| {
        let step = |graph| outcome("graph", &[("graph", graph), ("workload", workload)], "step_us");
        step("false") / step("true")
    };
    let block = gain("block");
    assert!((2.0..=2.7).contains(&block), "2.44 with the spread of the host: {block}");
    let prefill = gain("prefill");
    assert!((prefill - 1.0).abs() <= 0.03, "prefill: {prefill}");
}

#[test]
fn the_lecture_computes_its_own_figures() {
    let step =
        |graph| value(&experiment("graph", "lecture", &[("workload", "decode-1440"), ("graph", graph)]), "step_us");
    let mut rows = Rows::default();
    rows.near("1440 launches of 7 µs", step("false"), 10_080.0, 0.01);
    rows.hold();
    let gain = step("false") / step("true");
    assert!((gain - 5.83).abs() <= 0.01, "gain {gain}");
    let eager = experiment("graph", "lecture", &[("workload", "decode-1440"), ("graph", "false")]);
    let utilization = Analysis::new(&eager).metrics.utilization();
    assert!((utilization - 1.728 / 10.08).abs() < 0.002, "utilization {utilization}");
}

#[test]
fn a_batch_is_padded_to_its_bucket() {
    for batch in 1..=20u32 {
        let recording = experiment("buckets", "h200", &[("batch", &batch.to_string())]);
        let bucket = [1, 4, 8, 16].into_iter().find(|bucket| *bucket >= batch);
        assert_eq!(recording.values["bucket"], bucket.map(f64::from), "batch {batch}");
        let waste = bucket.map_or(0.0, |bucket| 1.0 - f64::from(batch) / f64::from(bucket));
        assert!((value(&recording, "waste") - waste).abs() < 1e-9, "batch {batch}");
    }
}

#[test]
fn one_sequence_gains_most_from_a_graph() {
    let step = |graph| outcome("buckets", &[("batch", "1"), ("graph", graph)], "step_us");
    let measured = |graph| {
        let scenario = preset("buckets").unwrap().scenario().unwrap();
        let mut knobs = Knobs::defaults(&scenario.knobs);
        knobs.set_text(&scenario.knobs, "batch", "1").unwrap();
        knobs.set_text(&scenario.knobs, "graph", graph).unwrap();
        value(&shipped_recordings().find(&scenario, &knobs).unwrap().unwrap(), "step_us")
    };
    let mut rows = Rows::default();
    // The few calls of the graph are cold ones, and a quarter is what a figure may be off.
    rows.near("eager against graph", step("false") / step("true"), measured("false") / measured("true"), 0.25);
    rows.hold();
}
