//! Lowering by itself: what it says, and that it can be stopped.

use serde_json::json;
use streamscope::program::{LowerError, lower, lower_watched};
use streamscope::scenario::Knobs;
use streamscope::text::Lang;

use super::running::{repeat, scenario};

#[test]
fn a_label_reaches_the_program_in_both_languages() {
    let label = json!({"en": "prepare", "zh": "准备"});
    let program = [
        json!({"work": {"dur_us": 1, "label": label}}),
        json!({"launch": {"kernel": {"timed": {"dur_us": 1}}, "label": label}}),
        json!({"host_function": {"dur_us": 1, "label": "prepare"}}),
    ];
    let program = lower(&scenario("cuda", &[], &program), &Knobs::default()).unwrap();
    let measured = &program.operations[program.measured_from..];
    let said = |index: usize, lang| program.labels[measured[index].label.index()].get(lang);
    for index in [0, 1] {
        assert_eq!((said(index, Lang::En), said(index, Lang::Zh)), ("prepare", "准备"));
    }
    assert_eq!((said(2, Lang::En), said(2, Lang::Zh)), ("prepare", "prepare"));
    assert_eq!(program.label(measured[1].label), "prepare");
}

#[test]
fn lowering_that_nobody_waits_for_ends() {
    // Each takes seconds to the end: turns around nothing, operations, and launches of many operands.
    let many: Vec<&str> = vec!["x"; 60_000];
    let tensor = json!({"tensor": {"name": "x", "shape": [1]}});
    let launch = json!({"launch": {"kernel": {"timed": {"dur_us": 1}}, "reads": many}});
    for program in [
        repeat(2_000_000, &[repeat(3, &[])]),
        repeat(1_000_000, &[json!({"event": {"name": "e[i]"}})]),
        repeat(1_000_000, &[launch]),
    ] {
        let scenario = scenario("cuda", std::slice::from_ref(&tensor), &[program]);
        let mut asked = 0;
        let ended = lower_watched(&scenario, &Knobs::default(), &mut || {
            asked += 1;
            asked < 3
        });
        assert_eq!((ended.unwrap_err(), asked), (LowerError::Cancelled, 3));
    }
}

#[test]
fn kernels_that_are_alike_are_one_and_others_are_not() {
    let launch = |kernel| json!({"launch": {"kernel": kernel, "reads": ["x"], "out": "y"}});
    let kernels = [
        json!({"add_scalar": 0}),
        json!({"mul_scalar": 2}),
        json!({"add_scalar": -0.0}),
        json!({"mul_scalar": 2}),
        json!({"add_scalar": 2}),
        json!("gelu"),
        json!({"timed": {"dur_us": 2}}),
        json!({"timed": {"dur_us": 2, "grid": 2}}),
    ];
    let setup = [json!({"tensor": {"name": "x", "shape": [16]}})];
    let program = lower(&scenario("cuda", &setup, &kernels.map(launch)), &Knobs::default()).unwrap();
    assert_eq!(program.kernels.len(), 6);
}

#[test]
fn what_a_kernel_makes_of_its_operands_is_no_larger_than_any_gpu_holds() {
    let column = json!({"tensor": {"name": "a", "shape": [1u64 << 32, 1], "dtype": "u8"}});
    let row = json!({"tensor": {"name": "b", "shape": [1, 1u64 << 32], "dtype": "u8"}});
    let product = json!({"launch": {"kernel": "matmul", "reads": ["a", "b"], "out": "c"}});
    let said = lower(&scenario("cuda", &[], &[column, row, product]), &Knobs::default()).unwrap_err().to_string();
    assert!(said.contains("/program/2/launch") && said.contains("larger than a tebibyte"), "{said}");
}
