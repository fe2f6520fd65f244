//! Advice: what it says of a change is what that change does, and it never advises what is wrong.

use serde_json::{Value, json};
use streamscope::advice::{Advised, Change, Effect, advise};
use streamscope::analysis::OutcomeId;
use streamscope::analysis::hazard;
use streamscope::profile::shipped;
use streamscope::program::lower;
use streamscope::scenario::{KnobValue, Knobs, Scenario, preset, presets};
use streamscope::{model, time::Ns};

use super::running::{on, scenario, small, stream};

fn with(name: &str, set: &[(&str, &str)]) -> (Scenario, Knobs) {
    let scenario = preset(name).unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&scenario.knobs);
    set.iter().for_each(|(id, value)| knobs.set_text(&scenario.knobs, id, value).unwrap());
    (scenario, knobs)
}

fn advice(scenario: &Scenario, knobs: &Knobs) -> Advised {
    advise(scenario, knobs, &shipped("h200").unwrap(), &mut || true).unwrap()
}

/// Really makes a change and runs what comes of it.
fn wall_of(scenario: &Scenario, knobs: &Knobs, change: &Change) -> Ns {
    let (mut scenario, mut knobs, mut profile) = (scenario.clone(), knobs.clone(), shipped("h200").unwrap());
    match change {
        Change::SetKnobs(turned) => {
            turned.iter().for_each(|(id, it)| knobs.set(&scenario.knobs.clone(), id, it.clone()).unwrap());
        }
        Change::LeaveOut(_) => _ = change.edit().unwrap().apply(&mut scenario).unwrap(),
        Change::WhatIf(figure, value) => profile.what_if(figure, *value).unwrap(),
    }
    let program = lower(&scenario, &knobs).unwrap();
    let recording = model::run(&scenario, &knobs, &program, &profile, &mut |_| true).unwrap();
    assert!(recording.errors.is_empty() && hazard::judge(&program).hazards.is_empty(), "{change:?}");
    recording.wall.dur()
}

#[test]
fn advice_is_what_really_running_it_gives() {
    let mut count = 0;
    for preset in presets() {
        let (scenario, mut knobs) = with(preset.name, &[]);
        for small in ["batches", "steps"] {
            let _none = knobs.set_text(&scenario.knobs, small, "6");
        }
        let advised = advice(&scenario, &knobs);
        for advice in &advised.advice {
            let wall = wall_of(&scenario, &knobs, &advice.change);
            assert_eq!((advice.wall, advice.saves), (wall, advised.wall - wall), "{}: {advice:?}", preset.name);
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
}

#[test]
fn a_pipeline_on_one_stream_is_told_to_use_three() {
    let (scenario, knobs) = with("pipeline", &[("streams", "one")]);
    let advised = advice(&scenario, &knobs);
    let first = &advised.advice[0];
    assert_eq!(first.change, Change::SetKnobs(vec![("streams".to_owned(), KnobValue::Choice("three".to_owned()))]));
    assert!(first.effect == Effect::Same && first.share > 0.2, "{first:?}");
}

#[test]
fn two_knobs_that_help_more_together_are_found() {
    let (scenario, knobs) = with("pipeline", &[("streams", "one"), ("pinned", "false")]);
    let three = ("streams".to_owned(), KnobValue::Choice("three".to_owned()));
    let both = Change::SetKnobs(vec![three, ("pinned".to_owned(), KnobValue::Toggle(true))]);
    assert!(advice(&scenario, &knobs).advice.iter().any(|advice| advice.change == both));
}

#[test]
fn that_the_loss_is_no_longer_read_is_said() {
    let (scenario, knobs) = with("implicit-sync", &[("item", "true"), ("steps", "8")]);
    let advised = advice(&scenario, &knobs);
    let without = Change::SetKnobs(vec![("item".to_owned(), KnobValue::Toggle(false))]);
    let told = advised.advice.iter().find(|advice| advice.change == without).unwrap();
    assert_eq!(told.effect, Effect::Reads { before: 8, after: 0 });
}

#[test]
fn hazards_come_before_advice() {
    let (scenario, knobs) = with("record-stream", &[]);
    let advised = advice(&scenario, &knobs);
    assert_eq!(advised.comes_first, Some(OutcomeId::Corrupted));
    assert!(advised.advice.is_empty() && advised.tried == 0);
}

/// Two kernels on two streams: the wait between them orders nothing where they touch other memory.
fn two_streams(read: &str) -> Scenario {
    let fill = |tensor: &str| {
        let mut launch = small(&format!("on {tensor}"), 500.0);
        launch["launch"]["writes"] = json!([tensor]);
        launch
    };
    let tensor = |name: &str| json!({"tensor": {"name": name, "shape": [1024]}});
    let setup = [stream("a"), stream("b"), tensor("x"), tensor("y")];
    let waits = [json!({"wait_stream": {"other": "a"}}), fill(read)];
    let program: [Value; 2] = [on("a", &[fill("x")]), on("b", &waits)];
    scenario("cuda", &setup, &program)
}

#[test]
fn a_wait_is_left_out_where_it_orders_nothing_and_only_there() {
    let wait = |scenario: &Scenario| {
        let advised = advice(scenario, &Knobs::default());
        advised.advice.into_iter().find(|advice| matches!(advice.change, Change::LeaveOut(_)))
    };
    let needless = wait(&two_streams("y")).unwrap();
    assert!(needless.effect == Effect::Same && needless.saves > Ns::from_us(400.0), "{needless:?}");
    assert_eq!(wait(&two_streams("x")), None);
}

/// Work that is not done takes no time, which is no advice; what a graph copies into its inputs beside its kernels is no less.
#[test]
fn less_work_is_told_from_the_same_work_done_sooner() {
    let (scenario, knobs) = with("pipeline", &[("streams", "one")]);
    let none: (String, KnobValue) = ("d2h".to_owned(), KnobValue::Choice("none".to_owned()));
    let advised = advice(&scenario, &knobs);
    let without = advised.advice.iter().find(|it| it.change == Change::SetKnobs(vec![none.clone()])).unwrap();
    assert_eq!(without.effect, Effect::LessWork);
    let (scenario, knobs) = with("graph", &[]);
    assert_eq!(advice(&scenario, &knobs).advice[0].effect, Effect::Same);
}

/// A wait that the clock needs is not left out.
#[test]
fn a_measurement_keeps_its_synchronization() {
    for name in ["timing", "buckets"] {
        let (scenario, knobs) = with(name, &[]);
        let advised = advice(&scenario, &knobs);
        assert!(!advised.advice.iter().any(|advice| matches!(advice.change, Change::LeaveOut(_))), "{name}");
    }
}
