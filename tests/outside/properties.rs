//! What holds in every run of the model, whatever the scenario: rules of CUDA that a naive reference states again.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use streamscope::analysis::Analysis;
use streamscope::profile::shipped;
use streamscope::recording::{Recording, SpanKind};
use streamscope::scenario::Knobs;
use streamscope::time::{Interval, Ns};

use super::running::{blocking_stream, copy, device, kernel, on, pageable, pinned, run_with, scenario, small, stream};

/// The legacy default stream, two streams that order with it, two that do not.
const STREAMS: [&str; 5] = ["default", "a", "b", "c", "urgent"];
const LEGACY: usize = 0;
/// Bytes of the buffers that are copied.
const BYTES: u64 = 100_000;

/// One statement of a program.
#[derive(Clone, Debug)]
pub enum Step {
    Kernel { stream: usize, us: u32, grid: [u32; 3] },
    Copy { stream: usize, from: &'static str, to: &'static str },
    Replay { stream: usize },
    Temporary { stream: usize, user: usize },
    Record { stream: usize, event: usize },
    Wait { stream: usize, event: usize },
    SynchronizeStream(usize),
    SynchronizeEvent(usize),
    SynchronizeDevice,
    Work { us: u32 },
}

pub fn step() -> impl Strategy<Value = Step> {
    let (stream, event) = (|| 0..STREAMS.len(), || 0usize..3);
    let grid = (1u32..600, select(vec![32u32, 256, 1024]), select(vec![0u32, 40_000, 100_000]));
    prop_oneof![
        6 => (stream(), 1u32..300, grid)
            .prop_map(|(stream, us, (blocks, threads, shared))| Step::Kernel { stream, us, grid: [blocks, threads, shared] }),
        3 => (stream(), select(vec![("pinned", "device"), ("device", "pinned"), ("pageable", "device"), ("device", "pageable")]))
            .prop_map(|(stream, (from, to))| Step::Copy { stream, from, to }),
        1 => stream().prop_map(|stream| Step::Replay { stream }),
        1 => (stream(), stream()).prop_map(|(stream, user)| Step::Temporary { stream, user }),
        2 => (stream(), event()).prop_map(|(stream, event)| Step::Record { stream, event }),
        2 => (stream(), event()).prop_map(|(stream, event)| Step::Wait { stream, event }),
        1 => stream().prop_map(Step::SynchronizeStream),
        1 => event().prop_map(Step::SynchronizeEvent),
        1 => Just(Step::SynchronizeDevice),
        1 => (1u32..200).prop_map(|us| Step::Work { us }),
    ]
}

impl Step {
    fn statement(&self) -> Value {
        match *self {
            Self::Kernel { stream, us, grid } => on(STREAMS[stream], &[kernel("K", f64::from(us), grid)]),
            Self::Copy { stream, from, to } => on(STREAMS[stream], &[copy(from, to)]),
            Self::Replay { stream } => on(STREAMS[stream], &[json!({"replay": {"graph": "g"}})]),
            Self::Temporary { stream, user } => on(
                STREAMS[stream],
                &[
                    device("x", BYTES),
                    small("T", 2.0),
                    json!({"record_stream": {"tensor": "x", "stream": STREAMS[user]}}),
                    json!({"drop": {"name": "x"}}),
                ],
            ),
            Self::Record { stream, event } => {
                json!({"record": {"event": format!("e[{event}]"), "stream": STREAMS[stream]}})
            }
            Self::Wait { stream, event } => {
                json!({"wait": {"event": format!("e[{event}]"), "stream": STREAMS[stream]}})
            }
            Self::SynchronizeStream(stream) => json!({"synchronize": {"stream": STREAMS[stream]}}),
            Self::SynchronizeEvent(event) => json!({"synchronize": {"event": format!("e[{event}]")}}),
            Self::SynchronizeDevice => json!({"synchronize": {}}),
            Self::Work { us } => json!({"work": {"dur_us": us}}),
        }
    }

    /// The stream on which this keeps the GPU busy.
    fn works_on(&self) -> Option<usize> {
        match *self {
            Self::Kernel { stream, .. }
            | Self::Copy { stream, .. }
            | Self::Replay { stream }
            | Self::Temporary { stream, .. } => Some(stream),
            _ => None,
        }
    }
}

pub fn run(host: &str, steps: &[Step]) -> Recording {
    let events = (0..3).map(|i| json!({"event": {"name": format!("e[{i}]"), "timing": i == 0}}));
    let mut setup = vec![
        blocking_stream("a"),
        blocking_stream("b"),
        stream("c"),
        json!({"stream": {"name": "urgent", "priority": -1}}),
        device("device", BYTES),
        pinned("pinned", BYTES),
        pageable("pageable", BYTES),
        json!({"capture": {"graph": "g", "stream": "c", "body": [small("N", 3.0), small("N", 5.0)]}}),
    ];
    setup.extend(events);
    let program: Vec<Value> = steps.iter().map(Step::statement).collect();
    let scenario = scenario(host, &setup, &program);
    run_with(&scenario, &Knobs::default(), &shipped("h200").unwrap())
}

/// What has to be over before a step's work starts, and before its call, by the rules of streams and events.
#[derive(Default)]
struct Order {
    work: BTreeMap<usize, BTreeSet<usize>>,
    host: BTreeMap<usize, BTreeSet<usize>>,
}

impl Order {
    fn of(steps: &[Step]) -> Self {
        let mut order = Self::default();
        let mut streams = vec![BTreeSet::new(); STREAMS.len()];
        let mut events = vec![BTreeSet::new(); 3];
        let (mut barrier, mut returned) = (BTreeSet::new(), BTreeSet::new());
        for (number, step) in steps.iter().enumerate() {
            if let Some(stream) = step.works_on() {
                let blocking = match stream {
                    LEGACY => streams[1].union(&streams[2]).copied().collect(),
                    1 | 2 => barrier.clone(),
                    _ => BTreeSet::new(),
                };
                streams[stream].extend(blocking);
                order.work.insert(number, streams[stream].clone());
                order.host.insert(number, returned.clone());
                streams[stream].insert(number);
                if stream == LEGACY {
                    barrier.clone_from(&streams[LEGACY]);
                }
            }
            match *step {
                Step::Record { stream, event } => events[event].clone_from(&streams[stream]),
                Step::Wait { stream, event } => streams[stream].extend(events[event].clone()),
                Step::SynchronizeStream(stream) => returned.extend(streams[stream].clone()),
                Step::SynchronizeEvent(event) => returned.extend(events[event].clone()),
                Step::SynchronizeDevice => returned.extend(streams.iter().flatten()),
                _ => {}
            }
        }
        order
    }
}

/// When each step's call was made and its work ran.
fn work(recording: &Recording) -> BTreeMap<usize, (Ns, Interval)> {
    let mut work: BTreeMap<usize, (Ns, Interval)> = BTreeMap::new();
    for span in recording.gpu_spans().filter(|span| span.kind.is_gpu_busy()) {
        let path = recording.origin(span.correlation).unwrap().path;
        let Some(number) = path.strip_prefix("/program/").and_then(|rest| rest.split('/').next()) else { continue };
        let (call, all) = work.entry(number.parse().unwrap()).or_insert((span.call, span.interval()));
        *call = span.call.min(*call);
        *all = Interval::new(all.start.min(span.start), all.end.max(span.end));
    }
    work
}

/// No two of these overlap.
fn apart(mut intervals: Vec<Interval>) -> bool {
    intervals.sort_by_key(|interval| (interval.start, interval.end));
    intervals.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

proptest! {
    #![proptest_config(super::round_trip::cases(40))]

    #[test]
    fn streams_events_and_synchronizations_order_what_they_say(
        host in select(vec!["cuda", "pytorch"]),
        steps in vec(step(), 1..40),
    ) {
        let recording = run(host, &steps);
        prop_assert!(recording.errors.is_empty(), "{:?}", recording.errors);
        let (work, order) = (work(&recording), Order::of(&steps));
        prop_assert_eq!(work.keys().collect::<Vec<_>>(), order.work.keys().collect::<Vec<_>>(), "all work ran");
        for (later, before) in &order.work {
            for earlier in before {
                prop_assert!(work[earlier].1.end <= work[later].1.start, "step {} starts before {} is over", later, earlier);
            }
        }
        for (later, before) in &order.host {
            for earlier in before {
                prop_assert!(work[earlier].1.end <= work[later].0, "step {} is called before {} is over", later, earlier);
            }
        }
    }

    #[test]
    fn lanes_are_disjoint_and_their_numbers_add_up(
        host in select(vec!["cuda", "pytorch"]),
        steps in vec(step(), 1..40),
    ) {
        let recording = run(host, &steps);
        for (index, lane) in recording.lanes.iter().enumerate() {
            let track = recording.track_of(index).unwrap();
            prop_assert!(lane.spans.starts().is_sorted(), "{:?} in the order of time", track);
            prop_assert!(apart(lane.spans.iter().map(|span| span.interval()).collect()), "{:?} disjoint", track);
            if track.stream().is_some() {
                let mut outside = lane.spans.iter().filter(|span| span.kind != SpanKind::GraphKernel);
                prop_assert!(outside.all(|span| span.call <= span.start), "called before it starts");
            }
        }
        for direction in [SpanKind::CopyH2D, SpanKind::CopyD2H] {
            let all = recording.gpu_spans().filter(|span| span.kind == direction);
            prop_assert!(apart(all.map(|span| span.interval()).collect()), "one engine, one {:?} at a time", direction);
        }
        let analysis = Analysis::new(&recording);
        let (metrics, bubbles) = (&analysis.metrics, &analysis.bubbles);
        for bubble in bubbles.gpu.iter().chain(bubbles.streams.iter().flat_map(|(_, all)| all)) {
            let stages: Ns = bubbles.stages(bubble).iter().map(|stage| stage.dur).sum();
            prop_assert_eq!(stages, bubble.interval.dur(), "stages fill their bubble");
        }
        prop_assert_eq!(metrics.gpu_busy + metrics.gpu_idle, metrics.gpu_span.dur());
        prop_assert_eq!(metrics.idle_by_cause.values().copied().sum::<Ns>(), metrics.gpu_idle);
        prop_assert!(recording == run(host, &steps), "the same run twice");
    }
}

#[test]
fn work_on_the_legacy_stream_waits_for_what_a_blocking_stream_waits_for() {
    let steps = [
        Step::Kernel { stream: 4, us: 300, grid: [1, 32, 0] },
        Step::Record { stream: 4, event: 2 },
        Step::Wait { stream: 1, event: 2 },
        Step::Copy { stream: LEGACY, from: "pinned", to: "device" },
    ];
    let work = work(&run("cuda", &steps));
    assert!(work[&0].1.end <= work[&3].1.start);
}
