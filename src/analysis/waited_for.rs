//! Which piece of work on the GPU let another go.

use crate::recording::{Cause, LONGEST_PAUSE, Recording, Span, SpanKind};
use crate::time::Ns;

/// Spans that are looked at on a lane, from the last that can be meant backward.
const MOST: usize = 64;

/// What the work `span` on lane `lane` of a stream waited for, as lane and span: what ended last before it was let go, of all that the
/// cause can mean. `None` where it waited for the host alone, for units that several others had, or for nothing that can be told.
pub fn waited_for(recording: &Recording, lane: usize, span: &Span) -> Option<(usize, usize)> {
    let own = recording.lanes.get(lane)?.track;
    let (cause, until) = if span.released > span.call && span.released_by.is_of_order() {
        (span.released_by, span.released.min(span.start))
    } else {
        (span.held_by, span.start)
    };
    let streams = recording.streams().flat_map(|(track, _)| recording.lanes_of(track));
    let mut latest: Option<(Ns, usize, usize)> = None;
    for (index, row) in streams {
        let begun = row.spans.ends().partition_point(|end| *end <= until);
        let ends = row.spans.ends().iter().zip(row.spans.kinds()).enumerate().take(begun).rev().take(MOST);
        let is_meant = |kind: SpanKind| is_meant(cause, kind, span, index == lane, row.track == own);
        let found = ends.filter(|(_, (end, _))| until - **end <= LONGEST_PAUSE).find(|(_, (_, kind))| is_meant(**kind));
        if let Some((at, (end, _))) = found
            && latest.is_none_or(|(known, ..)| known < *end)
        {
            latest = Some((*end, index, at));
        }
    }
    latest.map(|(_, lane, span)| (lane, span))
}

/// Whether work of `kind` can be what `cause` says of `span`.
fn is_meant(cause: Cause, kind: SpanKind, span: &Span, is_same_lane: bool, is_same_stream: bool) -> bool {
    match cause {
        Cause::KernelGap | Cause::GraphGap => is_same_stream && kind.is_gpu_busy(),
        // Branches of a graph are lanes of one stream.
        Cause::EventWait => !is_same_lane && kind.is_gpu_busy() && !kind.is_copy(),
        Cause::CopyWait => !is_same_lane && kind.is_copy(),
        Cause::LegacyBarrier => !is_same_stream && kind.is_gpu_busy(),
        Cause::HostFunction => kind == SpanKind::HostFunction,
        Cause::EngineBusy => kind == span.kind,
        Cause::NoRoom | Cause::LaunchBound | Cause::HostWork | Cause::HostBlocked => false,
        Cause::Allocation | Cause::LaunchLatency => false,
    }
}
