//! From one span to another: along a lane, and between a launch and what it started.

use crate::analysis::Bubble;
use crate::drawing::Hit;
use crate::drawing::layout::Link;
use crate::recording::MemoryBlock;
use crate::time::{Interval, Ns};
use crate::window::shown_run::ShownRun;

/// Leads from what is selected to something else; the number says in which direction.
pub(in crate::window) type Way = fn(&ShownRun, Hit, isize) -> Option<Hit>;

/// The span beside it in its lane. From a bubble: the span after or before it.
pub(in crate::window) fn neighbour(run: &ShownRun, from: Hit, by: isize) -> Option<Hit> {
    let (lane, span) = match from {
        Hit::Span { lane, span } => (lane, span.checked_add_signed(by)?),
        Hit::Bubble { lane, .. } => {
            let idle = interval(run, from)?;
            let after = run.recording.lanes.get(lane)?.spans.starts().partition_point(|start| *start < idle.end);
            (lane, if by > 0 { after } else { after.checked_sub(1)? })
        }
        Hit::Error { error } => return beside_error(run, error, by),
        Hit::Block { block } => return beside_block(run, block, by).map(|block| Hit::Block { block }),
        Hit::Queue { .. } | Hit::Sms { .. } | Hit::Segment { .. } | Hit::Memory { .. } => return None,
    };
    run.span(lane, span).map(|_| Hit::Span { lane, span })
}

/// Along its operation: the call of the host, then the first of what that started on each lane. From a bubble: to the call that is to
/// blame for it, and to the operation that ended it.
pub(in crate::window) fn along_link(run: &ShownRun, from: Hit, by: isize) -> Option<Hit> {
    let (lane, span) = match from {
        Hit::Span { lane, span } => (lane, span),
        Hit::Bubble { lane, bubble } => {
            let bubble = run.prepared.bubbles(lane).get(bubble)?;
            let ended_by = || ended_by(run, lane, bubble).or_else(|| neighbour(run, from, 1));
            return if by > 0 { ended_by() } else { to_blame(run, bubble) };
        }
        Hit::Error { .. } | Hit::Block { .. } | Hit::Queue { .. } | Hit::Sms { .. } => return None,
        Hit::Segment { .. } | Hit::Memory { .. } => return None,
    };
    let is_host = |link: &Link| run.recording.track_of(link.lane as usize).is_some_and(|it| it.host_thread().is_some());
    let lanes = run.prepared.linked(run.span(lane, span)?.correlation).chunk_by(|a, b| a.lane == b.lane);
    let steps = lanes.flat_map(|of_lane| {
        let count = if of_lane.first().is_some_and(is_host) { of_lane.len() } else { 1 };
        of_lane.iter().take(count)
    });
    let steps: Vec<(usize, usize)> = steps.map(|link| (link.lane as usize, link.span as usize)).collect();
    let here = steps.iter().rposition(|step| *step <= (lane, span))?;
    let (lane, span) = *steps.get(here.checked_add_signed(by)?)?;
    Some(Hit::Span { lane, span })
}

/// The operation that ended a bubble, on a row of the same stream where it is there.
fn ended_by(run: &ShownRun, lane: usize, bubble: &Bubble) -> Option<Hit> {
    let track = run.recording.lanes.get(lane)?.track;
    let places = run.prepared.linked(bubble.next).iter().map(|link| (link.lane as usize, link.span as usize));
    let ended = places.filter(|(lane, span)| {
        let is_own = run.recording.lanes.get(*lane).is_some_and(|row| row.track == track);
        is_own && run.span(*lane, *span).is_some_and(|it| it.start == bubble.interval.end)
    });
    let mut ended = ended.map(|(lane, span)| Hit::Span { lane, span });
    ended.next()
}

/// The call that is to blame for a bubble: the one that it names, or else the one that launched what ended it.
fn to_blame(run: &ShownRun, bubble: &Bubble) -> Option<Hit> {
    let hosts = run.recording.host_threads().flat_map(|(track, _)| run.recording.lanes_of(track));
    let mut longest: Option<(Ns, Hit)> = None;
    for (lane, row) in hosts {
        let Some(name) = bubble.host_call else { break };
        let first = row.spans.ends().partition_point(|end| *end <= bubble.interval.start);
        let end = row.spans.starts().partition_point(|start| *start < bubble.interval.end);
        for span in first..end {
            let Some(it) = row.spans.get(span).filter(|it| it.name == name) else { continue };
            let shared = it.interval().intersect(bubble.interval).dur();
            if longest.is_none_or(|(known, _)| known < shared) {
                longest = Some((shared, Hit::Span { lane, span }));
            }
        }
    }
    let launch = || {
        let link = run.prepared.linked(bubble.next).first()?;
        let lane = link.lane as usize;
        run.recording.track_of(lane)?.host_thread()?;
        Some(Hit::Span { lane, span: link.span as usize })
    };
    longest.map(|(_, hit)| hit).or_else(launch)
}

/// The error after it, or the one before.
fn beside_error(run: &ShownRun, from: usize, by: isize) -> Option<Hit> {
    let error = from.checked_add_signed(by)?;
    run.prepared.error(error).map(|_| Hit::Error { error })
}

/// What became of the same memory next, or what it was before.
fn beside_block(run: &ShownRun, from: usize, by: isize) -> Option<usize> {
    let blocks = &run.recording.memory_map.blocks;
    let here = blocks.get(from)?;
    let end = |block: &MemoryBlock| block.address.saturating_add(block.bytes);
    let shares = |(_, it): &(usize, &MemoryBlock)| it.address < end(here) && here.address < end(it);
    let mut others = blocks.iter().enumerate().filter(shares);
    let found = if by > 0 {
        others.filter(|(_, it)| it.start >= here.end).min_by_key(|(_, it)| it.start)
    } else {
        others.by_ref().filter(|(_, it)| it.end <= here.start).max_by_key(|(_, it)| it.end)
    };
    found.map(|(index, _)| index).filter(|index| *index != from)
}

/// When it was; a depth of the queue has no time of its own.
pub(in crate::window) fn interval(run: &ShownRun, hit: Hit) -> Option<Interval> {
    match hit {
        Hit::Span { lane, span } => run.span(lane, span).map(|span| span.interval()),
        Hit::Bubble { lane, bubble } => run.prepared.bubbles(lane).get(bubble).map(|bubble| bubble.interval),
        Hit::Error { error } => run.prepared.error(error).map(|mark| mark.time),
        Hit::Block { block } => {
            let block = run.recording.memory_map.blocks.get(block)?;
            Some(Interval::new(block.start, block.end))
        }
        Hit::Queue { .. } | Hit::Sms { .. } | Hit::Segment { .. } | Hit::Memory { .. } => None,
    }
}
