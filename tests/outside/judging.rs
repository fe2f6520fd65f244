//! What holds for every verdict, on programs of all kinds.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use streamscope::analysis::hazard::{Verdict, judge, judge_run, judge_run_while};
use streamscope::profile::shipped;
use streamscope::program::lower;
use streamscope::recording::Recording;
use streamscope::scenario::Knobs;
use streamscope::text::Lang;

use super::running::{run_lowered, scenario};

/// Streams of a program; 0 is the default stream, 3 blocks against it.
const STREAMS: [&str; 4] = ["default", "s1", "s2", "b"];
const TENSORS: usize = 4;

/// A step of a program, by numbers of streams, tensors and host buffers.
#[derive(Clone, Debug)]
enum Step {
    Kernel {
        stream: usize,
        reads: Vec<usize>,
        writes: usize,
        half: bool,
    },
    Wait {
        stream: usize,
        other: usize,
    },
    Record {
        event: usize,
        stream: usize,
    },
    WaitEvent {
        event: usize,
        stream: usize,
    },
    Synchronize(Option<usize>),
    SyncEvent(usize),
    Copy {
        stream: usize,
        tensor: usize,
        buffer: usize,
        to_host: bool,
    },
    ReadHost(usize),
    WriteHost(usize),
    /// A tensor goes and another of its name comes, perhaps into the same memory.
    Renew {
        tensor: usize,
        stream: usize,
    },
    RecordStream {
        tensor: usize,
        stream: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let stream = || 0..STREAMS.len();
    let tensor = || 0..TENSORS;
    prop_oneof![
        6 => (stream(), vec(tensor(), 1..3), tensor(), any::<bool>())
            .prop_map(|(stream, reads, writes, half)| Step::Kernel { stream, reads, writes, half }),
        2 => (stream(), stream()).prop_map(|(stream, other)| Step::Wait { stream, other }),
        1 => (0usize..2, stream()).prop_map(|(event, stream)| Step::Record { event, stream }),
        1 => (0usize..2, stream()).prop_map(|(event, stream)| Step::WaitEvent { event, stream }),
        1 => prop::option::of(stream()).prop_map(Step::Synchronize),
        1 => (0usize..2).prop_map(Step::SyncEvent),
        2 => (stream(), tensor(), 0usize..2, any::<bool>())
            .prop_map(|(stream, tensor, buffer, to_host)| Step::Copy { stream, tensor, buffer, to_host }),
        1 => (0usize..2).prop_map(Step::ReadHost),
        1 => (0usize..2).prop_map(Step::WriteHost),
        1 => (tensor(), stream()).prop_map(|(tensor, stream)| Step::Renew { tensor, stream }),
        1 => (tensor(), stream()).prop_map(|(tensor, stream)| Step::RecordStream { tensor, stream }),
    ]
}

fn on(stream: usize, body: &Value) -> Value {
    json!({"on": {"stream": STREAMS[stream], "body": [body]}})
}

/// A step as a statement. `number` names it, so that it is known again in another program; `dur_us` is what a kernel takes.
fn statement(step: &Step, number: usize, dur_us: f64) -> Value {
    let name = |tensor: &usize| format!("t{tensor}");
    match step {
        Step::Kernel { stream, reads, writes, half } => {
            let target = if *half { format!("{}h", name(writes)) } else { name(writes) };
            let reads: Vec<String> = reads.iter().map(name).collect();
            let kernel = json!({"timed": {"dur_us": dur_us}});
            on(
                *stream,
                &json!({"launch": {"kernel": kernel, "reads": reads, "writes": [target], "label": format!("k{number}")}}),
            )
        }
        Step::Wait { stream, other } => {
            json!({"wait_stream": {"other": STREAMS[*other], "stream": STREAMS[*stream]}})
        }
        Step::Record { event, stream } => json!({"record": {"event": format!("e{event}"), "stream": STREAMS[*stream]}}),
        Step::WaitEvent { event, stream } => {
            json!({"wait": {"event": format!("e{event}"), "stream": STREAMS[*stream]}})
        }
        Step::Synchronize(None) => json!({"synchronize": {}}),
        Step::Synchronize(Some(stream)) => json!({"synchronize": {"stream": STREAMS[*stream]}}),
        Step::SyncEvent(event) => json!({"synchronize": {"event": format!("e{event}")}}),
        Step::Copy { stream, tensor, buffer, to_host } => {
            let (tensor, buffer) = (name(tensor), format!("h{buffer}"));
            let (from, to) = if *to_host { (tensor, buffer) } else { (buffer, tensor) };
            on(*stream, &json!({"copy": {"from": from, "to": to, "non_blocking": true}}))
        }
        Step::ReadHost(buffer) => json!({"read_host": {"buffer": format!("h{buffer}"), "into": format!("r{number}")}}),
        Step::WriteHost(buffer) => json!({"write_host": {"buffer": format!("h{buffer}"), "value": number}}),
        Step::RecordStream { tensor, stream } => {
            json!({"record_stream": {"tensor": name(tensor), "stream": STREAMS[*stream]}})
        }
        Step::Renew { tensor, stream } => {
            let (name, half) = (name(tensor), format!("t{tensor}h"));
            json!({"region": {"name": "renew", "body": [
                {"drop": {"name": half}},
                {"drop": {"name": name}},
                on(*stream, &json!({"tensor": {"name": name, "shape": [1024], "fill": number}})),
                {"view": {"name": half, "of": name, "shape": [512], "offset": 512}},
            ]}})
        }
    }
}

fn setup() -> Vec<Value> {
    let mut setup: Vec<Value> = Vec::new();
    for (name, kind) in [("s1", "non_blocking"), ("s2", "non_blocking"), ("b", "blocking")] {
        setup.push(json!({"stream": {"name": name, "kind": kind}}));
    }
    for event in 0..2 {
        setup.push(json!({"event": {"name": format!("e{event}")}}));
    }
    for tensor in 0..TENSORS {
        let name = format!("t{tensor}");
        setup.push(json!({"tensor": {"name": name, "shape": [1024], "fill": tensor}}));
        setup.push(json!({"view": {"name": format!("{name}h"), "of": name, "shape": [512], "offset": 512}}));
    }
    for buffer in 0..2 {
        setup.push(json!({"host_tensor": {"name": format!("h{buffer}"), "shape": [1024], "pinned": true, "fill": 0}}));
    }
    setup
}

/// What tensors and buffers hold in the end.
fn ending() -> Vec<Value> {
    let mut ending = vec![json!({"synchronize": {}})];
    for tensor in 0..TENSORS {
        ending.push(json!({"item": {"of": format!("t{tensor}"), "into": format!("v{tensor}")}}));
        ending.push(json!({"report": {"name": format!("v{tensor}"), "value": format!("=v{tensor}")}}));
        ending.push(json!({"item": {"of": format!("t{tensor}h"), "into": format!("w{tensor}")}}));
        ending.push(json!({"report": {"name": format!("w{tensor}"), "value": format!("=w{tensor}")}}));
    }
    ending
}

fn program(steps: &[(Step, f64)]) -> Vec<Value> {
    steps.iter().enumerate().map(|(number, (step, dur_us))| statement(step, number, *dur_us)).collect()
}

fn verdict(program: &[Value]) -> Verdict {
    judge(&lower(&scenario("cuda", &setup(), program), &Knobs::default()).unwrap())
}

fn run(program: &[Value]) -> (Verdict, Recording) {
    let scenario = scenario("cuda", &setup(), &[program, &ending()].concat());
    let lowered = lower(&scenario, &Knobs::default()).unwrap();
    let recording = run_lowered(&scenario, &Knobs::default(), &lowered, &shipped("h200").unwrap());
    (judge_run(&lowered, &recording), recording)
}

/// Which pairs of operations have a hazard, by names that no other statement changes.
fn pairs(verdict: &Verdict) -> BTreeSet<(String, String, String)> {
    let pair = |hazard: &streamscope::analysis::hazard::Hazard| {
        let [first, second] = [&hazard.first, &hazard.second].map(|origin| origin.label.get(Lang::En).to_owned());
        (hazard.object.clone(), first, second)
    };
    verdict.hazards.iter().map(pair).collect()
}

fn steps() -> impl Strategy<Value = Vec<(Step, f64)>> {
    vec((step(), prop_oneof![Just(1.0), Just(40.0)]), 1..24)
}

proptest! {
    #![proptest_config(super::round_trip::cases(256))]

    #[test]
    fn one_more_edge_is_never_one_more_hazard(steps in steps(), at in 0usize..24, stream in 0..STREAMS.len(), other in 0..STREAMS.len(), host in any::<bool>()) {
        let before = program(&steps);
        let edge = if host { Step::Synchronize(Some(other)) } else { Step::Wait { stream, other } };
        let mut after = before.clone();
        after.insert(at.min(before.len()), statement(&edge, 99, 1.0));
        let (before, after) = (verdict(&before), verdict(&after));
        // Of one conflict only the first meeting is told, so an edge may move it to a later one of the same two streams.
        if before.hazards.is_empty() {
            prop_assert!(after.hazards.is_empty(), "{:?} became {:?}", pairs(&before), pairs(&after));
        }
    }

    #[test]
    fn one_stream_and_no_host_access_is_never_a_hazard(steps in steps()) {
        let one = |step: &Step| match step.clone() {
            Step::Kernel { reads, writes, half, .. } => Some(Step::Kernel { stream: 1, reads, writes, half }),
            Step::Record { event, .. } => Some(Step::Record { event, stream: 1 }),
            Step::WaitEvent { event, .. } => Some(Step::WaitEvent { event, stream: 1 }),
            Step::Renew { tensor, .. } => Some(Step::Renew { tensor, stream: 1 }),
            _ => None,
        };
        let steps: Vec<(Step, f64)> = steps.iter().filter_map(|(step, dur)| Some((one(step)?, *dur))).collect();
        let found = verdict(&program(&steps));
        prop_assert!(found.hazards.is_empty() && found.fragile.is_empty(), "{:?}", pairs(&found));
    }

    #[test]
    fn the_verdict_does_not_depend_on_durations(steps in steps(), durations in vec(0.5f64..500.0, 24)) {
        let others: Vec<(Step, f64)> = steps.iter().zip(durations).map(|((step, _), dur)| (step.clone(), dur)).collect();
        prop_assert_eq!(verdict(&program(&steps)), verdict(&program(&others)));
    }

    #[test]
    fn what_has_no_hazard_gives_the_same_as_one_step_after_the_other(steps in steps()) {
        let program = program(&steps);
        let serial: Vec<Value> = program.iter().flat_map(|step| [step.clone(), json!({"synchronize": {}})]).collect();
        let ((verdict, ran), (_, serial)) = (run(&program), run(&serial));
        if ran.values != serial.values {
            prop_assert!(!verdict.hazards.is_empty(), "{:?} instead of {:?}", ran.values, serial.values);
        }
        if verdict.hazards.is_empty() {
            prop_assert_eq!(ran.values, serial.values);
        }
    }
}

#[test]
fn a_verdict_that_nobody_waits_for_any_more_is_given_up_before_the_next_replay() {
    let launch = json!({"launch": {"kernel": {"timed": {"dur_us": 1}}, "writes": ["x"]}});
    let scenario = scenario(
        "cuda",
        &[
            json!({"tensor": {"name": "x", "shape": [4]}}),
            json!({"capture": {"graph": "g", "body": [{"repeat": {"times": 100, "body": [launch]}}]}}),
        ],
        &[json!({"repeat": {"times": 50, "body": [{"replay": {"graph": "g"}}]}})],
    );
    let program = lower(&scenario, &Knobs::default()).unwrap();
    let recording = run_lowered(&scenario, &Knobs::default(), &program, &shipped("h200").unwrap());
    let asked_until_no = |patience: usize| {
        let mut asked = 0;
        let verdict = judge_run_while(&program, &recording, &mut || {
            asked += 1;
            asked < patience
        });
        (verdict.is_ok(), asked)
    };
    assert_eq!(asked_until_no(1), (false, 1));
    assert_eq!(asked_until_no(20), (false, 20));
    let (is_judged, asked) = asked_until_no(usize::MAX);
    assert!(is_judged && asked >= 50, "{asked}");
}
