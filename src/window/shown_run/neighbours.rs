//! From one span to another: along a lane, and between a launch and what it started.

use crate::drawing::Hit;
use crate::recording::MemoryBlock;
use crate::time::Interval;
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

/// The span beside it among those of its operation, the call of the host first.
pub(in crate::window) fn along_link(run: &ShownRun, from: Hit, by: isize) -> Option<Hit> {
    let Hit::Span { lane, span } = from else { return None };
    let links = run.prepared.linked(run.span(lane, span)?.correlation);
    let here = links.iter().position(|link| (link.lane as usize, link.span as usize) == (lane, span))?;
    let next = links.get(here.checked_add_signed(by)?)?;
    Some(Hit::Span { lane: next.lane as usize, span: next.span as usize })
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
