//! From one span to another: along a lane, and between a launch and what it started.

use super::run::Run;
use crate::drawing::Hit;
use crate::time::Interval;

/// Leads from what is selected to something else; the number says in which direction.
pub(super) type Way = fn(&Run, Hit, isize) -> Option<Hit>;

/// The span beside it in its lane. From a bubble: the span after or before it.
pub(super) fn neighbour(run: &Run, from: Hit, by: isize) -> Option<Hit> {
    let (lane, span) = match from {
        Hit::Span { lane, span } => (lane, span.checked_add_signed(by)?),
        Hit::Bubble { lane, .. } => {
            let idle = interval(run, from)?;
            let after = run.recording.lanes.get(lane)?.spans.partition_point(|span| span.start < idle.end);
            (lane, if by > 0 { after } else { after.checked_sub(1)? })
        }
        Hit::Queue { .. } | Hit::Sms { .. } => return None,
    };
    run.span(lane, span).map(|_| Hit::Span { lane, span })
}

/// The span beside it among those of its operation, the call of the host first.
pub(super) fn along_link(run: &Run, from: Hit, by: isize) -> Option<Hit> {
    let Hit::Span { lane, span } = from else { return None };
    let links = run.prepared.linked(run.span(lane, span)?.correlation);
    let here = links.iter().position(|link| (link.lane as usize, link.span as usize) == (lane, span))?;
    let next = links.get(here.checked_add_signed(by)?)?;
    Some(Hit::Span { lane: next.lane as usize, span: next.span as usize })
}

/// When it was; a depth of the queue has no time of its own.
pub(super) fn interval(run: &Run, hit: Hit) -> Option<Interval> {
    match hit {
        Hit::Span { lane, span } => run.span(lane, span).map(|span| span.interval()),
        Hit::Bubble { lane, bubble } => run.prepared.bubbles(lane).get(bubble).map(|bubble| bubble.interval),
        Hit::Queue { .. } | Hit::Sms { .. } => None,
    }
}
