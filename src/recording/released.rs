//! When work was released by what stands before it, where its producer does not know: recordings of version 1, and imported traces.

use std::collections::HashMap;

use super::{Cause, Recording, Span, SpanKind, TrackId, TrackKind};
use crate::time::Ns;

/// A pause of the hardware between two operations of a stream is no longer than this (an H200 takes 0.8 to 1.3 µs between kernels,
/// some more from an engine to another).
pub const LONGEST_PAUSE: Ns = Ns(8_000);

/// Work that was handed over that long before it began was not waiting for the host.
const LONGEST_LATENCY: Ns = Ns(20_000);

/// When order let measured work go that began at `start`, was handed over at `call`, and stands behind work that was over at
/// `let_go`, after which the hardware makes a pause of `pause` at the least. No instrument says: what was handed over long before has
/// not waited for the host.
pub fn released(start: Ns, call: Ns, let_go: Ns, pause: Ns) -> Ns {
    if start - call > LONGEST_LATENCY { start } else { (let_go + pause).min(start) }
}

/// Fills in `released` of all work whose own order held it ([`Cause::LaunchBound`] stands for "not said"): the end of the work before
/// it in its stream, and the pause that the hardware makes there at the least.
pub fn estimate_released(recording: &mut Recording) {
    let streams: Vec<TrackId> = recording.streams().map(|(track, _)| track).collect();
    for track in streams {
        let lanes: Vec<usize> = recording.lanes_of(track).map(|(index, _)| index).collect();
        let mut order: Vec<(Ns, usize, usize)> = Vec::new();
        for &lane in &lanes {
            let starts = recording.lanes.get(lane).map_or(&[][..], |lane| lane.spans.starts());
            order.extend(starts.iter().enumerate().map(|(at, start)| (*start, lane, at)));
        }
        order.sort();
        let pauses = Pauses::of(recording, &order);
        let mut free: Option<(Ns, SpanKind)> = None;
        for (_, lane, at) in order {
            let Some(spans) = recording.lanes.get_mut(lane).map(|lane| &mut lane.spans) else { continue };
            let Some(span) = spans.get(at) else { continue };
            if span.released_by == Cause::LaunchBound {
                spans.set(at, behind(span, free, &pauses));
            }
            if free.is_none_or(|(end, _)| end < span.end) {
                free = Some((span.end, span.kind));
            }
        }
    }
    repeat_on_engines(recording);
}

/// `span`, released by the work before it in its stream.
fn behind(span: Span, free: Option<(Ns, SpanKind)>, pauses: &Pauses) -> Span {
    let in_graph = span.kind == SpanKind::GraphKernel;
    let released_by = if in_graph { Cause::GraphGap } else { Cause::KernelGap };
    let released =
        free.map_or(Ns::ZERO, |(end, before)| released(span.start, span.call, end, pauses.between(before, span.kind)));
    // A pause is short: who was handed over in time and waits longer waits for something that no producer has told, and of what keeps
    // a stream waiting, that is work of another.
    let idle_since = free.map_or(span.start, |(end, _)| end);
    let is_pause = released < span.start || span.start - idle_since <= LONGEST_PAUSE;
    Span { released, released_by: if is_pause { released_by } else { Cause::EventWait }, ..span }
}

/// Copies are seen a second time on their engine, and say the same there.
fn repeat_on_engines(recording: &mut Recording) {
    let is_engine = |kind| matches!(kind, TrackKind::CopyEngine { .. });
    if !recording.tracks.iter().any(|track| is_engine(track.kind)) {
        return;
    }
    let copies = recording.gpu_spans().filter(|span| matches!(span.kind, SpanKind::CopyH2D | SpanKind::CopyD2H));
    let known: HashMap<_, Span> = copies.map(|span| ((span.start, span.end, span.correlation), span)).collect();
    let tracks = &recording.tracks;
    for lane in &mut recording.lanes {
        if !tracks.get(lane.track.index()).is_some_and(|track| is_engine(track.kind)) {
            continue;
        }
        for at in 0..lane.spans.len() {
            let Some(span) = lane.spans.get(at) else { continue };
            if let Some(same) = known.get(&(span.start, span.end, span.correlation)) {
                lane.spans.set(at, Span { released: same.released, released_by: same.released_by, ..span });
            }
        }
    }
}

/// The shortest pause between two operations that was seen, by whether they are copies.
struct Pauses([[Ns; 2]; 2]);

impl Pauses {
    fn of(recording: &Recording, order: &[(Ns, usize, usize)]) -> Self {
        let mut shortest = [[Ns::MAX; 2]; 2];
        let mut before: Option<Span> = None;
        for &(_, lane, at) in order {
            let Some(span) = recording.lanes.get(lane).and_then(|lane| lane.spans.get(at)) else { continue };
            if let Some(before) = before {
                let gap = span.start - before.end;
                if let Some(known) = slot(&mut shortest, before.kind, span.kind).filter(|known| gap < **known) {
                    // Branches side by side have none.
                    if gap >= Ns::ZERO {
                        *known = gap;
                    }
                }
            }
            before = Some(span);
        }
        Self(shortest)
    }

    fn between(&self, before: SpanKind, after: SpanKind) -> Ns {
        let mut table = self.0;
        slot(&mut table, before, after).map_or(Ns::ZERO, |pause| (*pause).min(LONGEST_PAUSE))
    }
}

fn slot(table: &mut [[Ns; 2]; 2], before: SpanKind, after: SpanKind) -> Option<&mut Ns> {
    table.get_mut(usize::from(before.is_copy()))?.get_mut(usize::from(after.is_copy()))
}
