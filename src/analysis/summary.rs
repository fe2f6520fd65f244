//! The one object of `run --json`. Keys are English and stable; what is not known is `null`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::hazard::Hazard;
use super::{Analysis, Bubble, Outcome, OutcomeId, Place, WrongValue, sentence};
use crate::recording::{Executor, Instrument, MemoryUse, Recording, RunError, Track, Walls};
use crate::scenario::Knobs;
use crate::text::Lang;
use crate::time::Ns;

/// Most bubbles that are listed; the longest.
const MAX_BUBBLES: usize = 1000;

/// What `run --json` prints.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/recordings-and-json.md documents the keys of the JSON object")]
pub struct Summary {
    pub scenario: Option<String>,
    pub executor: &'static str,
    pub device: Option<String>,
    pub profile: Option<String>,
    pub instrument: Option<&'static str>,
    pub knobs: Knobs,
    pub wall_us: Option<Spread>,
    pub traced_wall_us: Option<f64>,
    pub host: HostSummary,
    pub gpu: GpuSummary,
    pub streams: Vec<StreamSummary>,
    pub bubbles: Vec<BubbleSummary>,
    pub idle_by_cause: BTreeMap<&'static str, f64>,
    pub critical_path: PathSummary,
    pub verdict: String,
    pub launch: LaunchSummary,
    pub outcome: Option<OutcomeId>,
    pub hazards: Option<Vec<Hazard>>,
    pub fragile: Option<Vec<Hazard>>,
    pub errors: Vec<RunError>,
    pub values: BTreeMap<String, Option<f64>>,
    pub wrong_values: Vec<WrongValue>,
    pub memory: MemoryUse,
}

/// One figure over several runs, in µs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
    pub runs: usize,
}

/// The host threads.
#[derive(Clone, Debug, Serialize)]
pub struct HostSummary {
    pub busy_us: f64,
    pub blocked_us: f64,
    pub blocked_by_cause: BTreeMap<String, f64>,
}

/// The GPU as a whole.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GpuSummary {
    pub span_us: f64,
    pub busy_us: f64,
    pub idle_us: f64,
    pub utilization: f64,
    pub sm_share: Option<f64>,
}

/// One stream.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StreamSummary {
    pub id: u32,
    pub ops: usize,
    pub busy_us: f64,
}

/// One bubble.
#[derive(Clone, Debug, Serialize)]
pub struct BubbleSummary {
    #[serde(rename = "where")]
    pub place: String,
    pub start_us: f64,
    pub dur_us: f64,
    pub cause: &'static str,
    pub stages: Vec<StageSummary>,
    pub text: String,
}

/// A part of a bubble.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StageSummary {
    pub cause: &'static str,
    pub dur_us: f64,
}

/// The critical path.
#[derive(Clone, Debug, Serialize)]
pub struct PathSummary {
    pub by_stage: BTreeMap<&'static str, f64>,
}

/// Launches.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LaunchSummary {
    pub count: usize,
    pub latency_us: Latency,
    pub queue_max: u32,
}

/// Launch latency in µs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Latency {
    pub median: f64,
    pub max: f64,
}

/// Sums a recording up. A GPU's recording holds the wall times of its untraced runs; for others `walls` are those of all
/// runs. Without any the recording's own counts, unless it is of a program that broke the GPU's context.
pub fn summary(recording: &Recording, analysis: &Analysis, walls: &[Ns]) -> Summary {
    let metrics = &analysis.metrics;
    let blocked = metrics.host_blocked.iter();
    let (verdict, outcome) = (analysis.verdict(recording), analysis.outcome(recording));
    let by_stage = if recording.broke_the_context() { BTreeMap::new() } else { analysis.path(recording).by_stage() };
    let measured = recording.measured.as_ref();
    let instrument = measured.and_then(|measured| measured.instrument);
    let walls = match measured.map_or(walls, |measured| &measured.untraced) {
        [] if !recording.broke_the_context() => std::slice::from_ref(&metrics.wall),
        walls => walls,
    };
    Summary {
        scenario: recording.scenario.as_ref().map(|scenario| scenario.name.clone()),
        executor: match recording.source.executor {
            Executor::Model => "model",
            Executor::Gpu => "gpu",
            Executor::Import => "import",
        },
        device: recording.source.device.clone(),
        profile: recording.source.profile.as_ref().map(|profile| profile.get(Lang::En).to_owned()),
        instrument: instrument.map(Instrument::id),
        knobs: recording.knobs.clone(),
        wall_us: spread(walls),
        traced_wall_us: instrument.map(|_| metrics.wall.us()),
        host: HostSummary {
            busy_us: metrics.host_busy.us(),
            blocked_us: metrics.blocked().us(),
            blocked_by_cause: blocked.map(|b| (recording.name(b.call).to_owned(), b.time.us())).collect(),
        },
        gpu: GpuSummary {
            span_us: metrics.gpu_span.dur().us(),
            busy_us: metrics.gpu_busy.us(),
            idle_us: metrics.gpu_idle.us(),
            utilization: metrics.utilization(),
            sm_share: recording.sm_use.and_then(|used| used.share()),
        },
        streams: metrics
            .streams
            .iter()
            .map(|stream| StreamSummary { id: stream.stream, ops: stream.operations, busy_us: stream.busy.us() })
            .collect(),
        bubbles: longest(recording, analysis),
        idle_by_cause: metrics.idle_by_cause.iter().map(|(cause, idle)| (cause.id(), idle.us())).collect(),
        critical_path: PathSummary { by_stage: by_stage.iter().map(|(spent, time)| (spent.id(), time.us())).collect() },
        verdict: super::verdict(recording, analysis, Lang::En),
        launch: LaunchSummary {
            count: metrics.launch.count,
            latency_us: Latency { median: metrics.launch.median.us(), max: metrics.launch.max.us() },
            queue_max: metrics.launch.queue_max,
        },
        outcome: outcome.map(Outcome::id).or((!recording.errors.is_empty()).then_some(OutcomeId::Failed)),
        hazards: verdict.map(|verdict| verdict.hazards.clone()),
        fragile: verdict.map(|verdict| verdict.fragile.clone()),
        errors: recording.errors.iter().cloned().map(RunError::in_english).collect(),
        values: recording.values.clone(),
        wrong_values: outcome.map(Outcome::wrong_values).unwrap_or_default().to_vec(),
        memory: recording.memory,
    }
}

fn spread(walls: &[Ns]) -> Option<Spread> {
    let Walls { median, min, max, runs } = Walls::of(walls)?;
    Some(Spread { median: median.us(), min: min.us(), max: max.us(), runs })
}

/// The longest bubbles of the GPU and of all streams, in the order of time.
fn longest(recording: &Recording, analysis: &Analysis) -> Vec<BubbleSummary> {
    let streams = analysis.bubbles.streams.iter().flat_map(|(_, bubbles)| bubbles);
    let mut all: Vec<&Bubble> = analysis.bubbles.gpu.iter().chain(streams).collect();
    all.sort_by_key(|bubble| std::cmp::Reverse(bubble.interval.dur()));
    all.truncate(MAX_BUBBLES);
    all.sort_by_key(|bubble| bubble.interval.start);
    let listed = |bubble: &Bubble| BubbleSummary {
        place: match bubble.place {
            Place::Gpu => "gpu".to_owned(),
            Place::Stream(track) => {
                let track = recording.tracks.get(track.index());
                let stream = track.and_then(Track::stream).unwrap_or_default();
                match track.and_then(|track| track.device) {
                    Some(device) => format!("gpu {device} stream {stream}"),
                    None => format!("stream {stream}"),
                }
            }
        },
        start_us: bubble.interval.start.us(),
        dur_us: bubble.interval.dur().us(),
        cause: bubble.cause.id(),
        stages: analysis
            .bubbles
            .stages(bubble)
            .iter()
            .map(|stage| StageSummary { cause: stage.cause.id(), dur_us: stage.dur.us() })
            .collect(),
        text: sentence(recording, &analysis.bubbles, bubble, Lang::En),
    };
    all.into_iter().map(listed).collect()
}
