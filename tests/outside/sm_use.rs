//! Which part of the SMs had a block while kernels ran: "busy" says nothing of that. An H200 has 132 SMs of 2048 threads.

use serde_json::Value;
use streamscope::profile::shipped;
use streamscope::scenario::Knobs;

use super::running::{kernel, on, run_with, scenario, small, stream};

fn share(setup: &[Value], program: &[Value]) -> f64 {
    let scenario = scenario("cuda", setup, program);
    let recording = run_with(&scenario, &Knobs::default(), &shipped("h200").unwrap());
    recording.sm_use.unwrap().share().unwrap()
}

fn holds(share: f64, sms: f64) {
    assert!((share * 132.0 - sms).abs() < 0.01, "{} SMs, and not {sms}", share * 132.0);
}

#[test]
fn one_block_uses_one_sm_however_long() {
    holds(share(&[], &[small("one", 10_000.0)]), 1.0);
    holds(share(&[], &[kernel("all", 100.0, [132, 32, 0])]), 132.0);
}

#[test]
fn the_setup_does_not_count() {
    holds(share(&[kernel("all", 1_000.0, [132, 32, 0])], &[small("one", 10.0)]), 1.0);
}

/// Two blocks of 1024 threads fit an SM: 264 at once, then the other 66.
#[test]
fn the_last_wave_uses_what_is_left() {
    holds(share(&[], &[kernel("waves", 1_000.0, [330, 1024, 0])]), 99.0);
}

/// Each fills an SM to half and both are placed from the first SM on, so that they share it.
#[test]
fn kernels_side_by_side_use_the_sms_that_their_blocks_are_on() {
    let streams = [stream("a"), stream("b")];
    let two = |blocks: u32| {
        let grid = [blocks, 1024, 0];
        [on("a", &[kernel("first", 5_000.0, grid)]), on("b", &[kernel("second", 5_000.0, grid)])]
    };
    holds(share(&streams, &two(10)), 10.0);
    holds(share(&streams, &two(132)), 132.0);
}
