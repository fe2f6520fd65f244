//! Recordings of format version 1: a lane was a kind and a name, a span a list of seven numbers, and what held work back was said
//! in one word.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::released::estimate_released;
use super::{
    Cause, Correlation, Engine, Lane, Measured, MemoryMap, MemoryUse, NameId, OriginEntry, Origins, Recording,
    RunError, Source, Span, SpanKind, Track, TrackId, TrackKind,
};
use crate::scenario::{Knobs, Scenario};
use crate::text::Localized;
use crate::time::{Interval, Ns};

/// A recording as version 1 has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordingV1 {
    source: Source,
    scenario: Option<Scenario>,
    knobs: Knobs,
    wall: Interval,
    names: Vec<Localized>,
    lanes: Vec<LaneV1>,
    origins: OriginsV1,
    values: BTreeMap<String, Option<f64>>,
    errors: Vec<RunError>,
    memory: MemoryUse,
    #[serde(default)]
    memory_map: MemoryMap,
    #[serde(default)]
    measured: Option<Measured>,
}

#[derive(Deserialize)]
struct OriginsV1 {
    paths: Vec<String>,
    iters: Vec<Vec<u32>>,
    entries: Vec<OriginEntry>,
}

#[derive(Deserialize)]
struct LaneV1 {
    kind: LaneKindV1,
    name: String,
    spans: Vec<SpanV1>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LaneKindV1 {
    HostThread { thread: u16 },
    Stream { stream: u32, priority: i32 },
    CopyEngine { engine: Engine },
}

/// A list of its fields in this order.
#[derive(Deserialize)]
struct SpanV1 {
    start: Ns,
    end: Ns,
    call: Ns,
    kind: SpanKind,
    held_by: Cause,
    name: NameId,
    correlation: Correlation,
}

impl From<RecordingV1> for Recording {
    fn from(old: RecordingV1) -> Self {
        let mut tracks: Vec<Track> = Vec::new();
        let mut lanes: Vec<Lane> = Vec::new();
        let mut last: Option<LaneKindV1> = None;
        for lane in old.lanes {
            // Rows of one stream stood one after the other, and nothing else told that they belong together.
            if last != Some(lane.kind) {
                tracks.push(Track::named(lane.kind.into(), &lane.name));
            }
            let depth = if last == Some(lane.kind) { lanes.last().map_or(0, |lane: &Lane| lane.depth + 1) } else { 0 };
            last = Some(lane.kind);
            let track = TrackId(tracks.len() as u32 - 1);
            lanes.push(Lane { track, depth, spans: lane.spans.into_iter().map(Span::from).collect() });
        }
        let mut recording = Self {
            source: old.source,
            scenario: old.scenario,
            knobs: old.knobs,
            wall: old.wall,
            names: old.names,
            tracks,
            lanes,
            origins: Origins { paths: old.origins.paths, iters: old.origins.iters, entries: old.origins.entries },
            values: old.values,
            errors: old.errors,
            memory: old.memory,
            memory_map: old.memory_map,
            sm_use: None,
            measured: old.measured,
        };
        estimate_released(&mut recording);
        recording
    }
}

impl From<LaneKindV1> for TrackKind {
    fn from(old: LaneKindV1) -> Self {
        match old {
            LaneKindV1::HostThread { thread } => Self::HostThread { thread: thread.into() },
            LaneKindV1::Stream { stream, priority } => Self::Stream { stream, priority },
            LaneKindV1::CopyEngine { engine } => Self::CopyEngine { engine },
        }
    }
}

impl From<SpanV1> for Span {
    fn from(old: SpanV1) -> Self {
        let SpanV1 { start, end, call, kind, held_by, name, correlation } = old;
        let (after, contended) = (Correlation::NONE, Ns::ZERO);
        let span = Self {
            start,
            end,
            call,
            released: start,
            kind,
            released_by: held_by,
            held_by,
            after,
            contended,
            name,
            correlation,
        };
        match held_by {
            // Not said: `estimate_released` works it out.
            Cause::LaunchBound => Self { held_by: Cause::LaunchLatency, ..span },
            Cause::EngineBusy | Cause::NoRoom => Self { released: Ns::ZERO, released_by: Cause::KernelGap, ..span },
            _ => Self { held_by: Cause::LaunchLatency, ..span },
        }
    }
}
