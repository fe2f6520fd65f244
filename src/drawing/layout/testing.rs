//! Hand-made recordings for tests.

use std::collections::BTreeMap;

use super::prepared::PreparedLane;
use super::{Layout, Options, Prepared, View, layout};
use crate::drawing::Theme;
use crate::recording::{
    Cause, Correlation, Executor, Lane, MemoryMap, MemoryUse, NameId, Origins, Recording, Source, Span, SpanKind,
    Track, TrackId, TrackKind,
};
use crate::scenario::Knobs;
use crate::text::Localized;
use crate::time::{Interval, Ns};
use proptest::prelude::*;

/// A stream with these spans.
pub(crate) fn lane(spans: &[(i64, i64, SpanKind)]) -> Lane {
    let spans = spans.iter().map(|&(start, end, kind)| span(start, end, kind, 0)).collect();
    Lane { track: TrackId(0), depth: 0, spans }
}

/// The track of a stream.
pub(crate) fn stream() -> Track {
    Track::named(TrackKind::Stream { stream: 7, priority: 0 }, "compute")
}

/// A span named `gemm`, handed over as it starts.
pub(crate) fn span(start: i64, end: i64, kind: SpanKind, correlation: u32) -> Span {
    Span {
        start: Ns(start),
        end: Ns(end),
        call: Ns(start),
        released: Ns(start),
        kind,
        released_by: Cause::KernelGap,
        held_by: Cause::LaunchLatency,
        after: Correlation::NONE,
        contended: Ns::ZERO,
        name: NameId(0),
        correlation: Correlation(correlation),
    }
}

/// What is prepared of one lane.
pub(super) fn prepared(lane: &Lane) -> PreparedLane {
    let recording = recording(vec![lane.clone()]);
    Prepared::new(&recording).lanes.remove(0)
}

/// A recording with these lanes, all of one stream.
pub(crate) fn recording(lanes: Vec<Lane>) -> Recording {
    let tracks = if lanes.is_empty() { Vec::new() } else { vec![stream()] };
    with_tracks(tracks, lanes)
}

/// A recording with these tracks and lanes.
pub(crate) fn with_tracks(tracks: Vec<Track>, lanes: Vec<Lane>) -> Recording {
    let end = lanes.iter().flat_map(|lane| &lane.spans).map(|span| span.end).max().unwrap_or_default();
    Recording {
        source: Source {
            executor: Executor::Model,
            device: None,
            profile: Some("H200 profile".into()),
            host: Some("PyTorch host costs".to_owned()),
        },
        scenario: None,
        knobs: Knobs::default(),
        wall: Interval::new(Ns::ZERO, end),
        names: ["gemm 1024³", "cudaLaunchKernel", ".item()", "cudaMemcpyAsync", "cudaStreamSynchronize"]
            .map(Localized::from)
            .to_vec(),
        tracks,
        lanes,
        origins: Origins::default(),
        values: BTreeMap::new(),
        errors: Vec::new(),
        memory: MemoryUse::default(),
        memory_map: MemoryMap::default(),
        sm_use: None,
        measured: None,
    }
}

/// Width of a picture in points. One nanosecond is one point.
pub(crate) const WIDTH: i64 = 1000;

/// All of a recording of [`WIDTH`] nanoseconds, without room for names at its left.
pub(crate) fn laid_out(recording: &Recording) -> (Layout, Prepared) {
    let theme = Theme::light();
    let prepared = Prepared::new(recording);
    let view = View::new(Interval::new(Ns(0), Ns(WIDTH)));
    let options = Options { gutter: 0.0, ..Options::new(view, &theme, WIDTH as f32) };
    (layout(recording, &prepared, &options), prepared)
}

/// Steps sorted by time: a value, and from when on it holds.
pub(crate) fn steps() -> impl Strategy<Value = Vec<(Ns, u32)>> {
    prop::collection::vec((0i64..200, 0u32..50), 0..60).prop_map(|steps| {
        let mut steps: Vec<(Ns, u32)> = steps.into_iter().map(|(at, value)| (Ns(at), value)).collect();
        steps.sort_by_key(|step| step.0);
        steps
    })
}
