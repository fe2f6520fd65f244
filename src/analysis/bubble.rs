//! Bubbles: where a stream or the whole GPU was idle between its first and its last operation, and why.

use crate::recording::{Cause, Correlation, Lane, LaneKind, NameId, Recording, Span, SpanKind};
use crate::time::{Interval, Ns, gaps, union};

/// Where a bubble is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// No stream had anything running.
    Gpu,
    /// One stream had nothing running.
    Stream(u32),
}

/// An idle stretch with the one cause that explains it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bubble {
    /// Where.
    pub place: Place,
    /// When.
    pub interval: Interval,
    /// Why.
    pub cause: Cause,
    /// The operation that ended it.
    pub next: Correlation,
    /// Its name.
    pub next_name: NameId,
    /// The call to blame, for [`Cause::HostBlocked`] and the other causes of the host.
    pub host_call: Option<NameId>,
    /// How long the host waited while the work had not been handed over.
    pub blocked: Ns,
    /// How long it did other things until then.
    pub launching: Ns,
}

/// All bubbles of a recording, each list sorted by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bubbles {
    /// Of the whole GPU.
    pub gpu: Vec<Bubble>,
    /// Of each stream that did anything, in lane order.
    pub streams: Vec<(u32, Vec<Bubble>)>,
}

/// Finds the bubbles and explains each.
///
/// If the next work had not been handed over when the GPU ran dry, the cause is what kept the host from it; otherwise what
/// held that work back on the GPU.
pub fn bubbles(recording: &Recording) -> Bubbles {
    let hosts: Vec<&Lane> = recording.host_threads().collect();
    let mut found = Bubbles::default();
    let mut all: Vec<&Span> = Vec::new();
    for lane in recording.streams() {
        let LaneKind::Stream { stream, .. } = lane.kind else { continue };
        let spans: Vec<&Span> = lane.spans.iter().filter(|span| span.kind.is_gpu_busy()).collect();
        if !spans.is_empty() {
            found.streams.push((stream, explain(Place::Stream(stream), &spans, &hosts)));
        }
        all.extend(spans);
    }
    all.sort_unstable_by_key(|span| (span.start, span.end));
    found.gpu = explain(Place::Gpu, &all, &hosts);
    found
}

/// From the first operation of the GPU to the last, also where that took no time.
pub fn gpu_span(recording: &Recording) -> Interval {
    let spans = || recording.streams().flat_map(|lane| &lane.spans).filter(|span| span.kind.is_gpu_busy());
    let start = spans().map(|span| span.start).min().unwrap_or_default();
    Interval::new(start, spans().map(|span| span.end).max().unwrap_or(start))
}

/// When the GPU was busy: the union of kernels, copies and memsets of all streams.
pub fn gpu_busy(recording: &Recording) -> Vec<Interval> {
    let spans = recording.streams().flat_map(|lane| &lane.spans).filter(|span| span.kind.is_gpu_busy());
    union(spans.map(Span::interval).collect())
}

/// The gaps between `spans` (sorted by start), explained one by one.
fn explain(place: Place, spans: &[&Span], hosts: &[&Lane]) -> Vec<Bubble> {
    let (Some(first), Some(end)) = (spans.first(), spans.iter().map(|span| span.end).max()) else { return Vec::new() };
    let busy = union(spans.iter().map(|span| span.interval()).collect());
    let idle = gaps(&busy, Interval::new(first.start, end));
    let mut next = 0;
    let mut found = Vec::with_capacity(idle.len());
    for interval in idle {
        while spans.get(next).is_some_and(|span| span.start < interval.end) {
            next += 1;
        }
        if let Some(span) = spans.get(next) {
            found.push(bubble(place, interval, span, hosts));
        }
    }
    found
}

fn bubble(place: Place, interval: Interval, next: &Span, hosts: &[&Lane]) -> Bubble {
    let mut bubble = Bubble {
        place,
        interval,
        cause: next.held_by,
        next: next.correlation,
        next_name: next.name,
        host_call: None,
        blocked: Ns::ZERO,
        launching: Ns::ZERO,
    };
    if next.call <= interval.start {
        // Handed over in time: `held_by` is a cause on the GPU, unless the executor did not know one.
        if next.held_by == Cause::LaunchBound {
            bubble.cause = Cause::KernelGap;
        }
        return bubble;
    }
    let handed_over = next.call.min(interval.end);
    let on_gpu = !matches!(next.held_by, Cause::LaunchBound | Cause::KernelGap | Cause::GraphGap);
    if on_gpu && next.start - handed_over > handed_over - interval.start {
        // Handed over late, but what then held it back took longer.
        return bubble;
    }
    let late = Interval::new(interval.start, handed_over);
    match launching_thread(hosts, next.correlation) {
        Some(host) => blame_host(&mut bubble, &host.spans, late),
        None => bubble.launching = late.dur(),
    }
    bubble
}

/// What kept the host from handing the work over before `late` was over. If it was waiting when the GPU ran dry, that wait
/// is to blame for all that followed; otherwise what it did for most of the time.
fn blame_host(bubble: &mut Bubble, spans: &[Span], late: Interval) {
    let first = spans.partition_point(|span| span.end <= late.start);
    let during = spans.get(first..).unwrap_or_default().iter().take_while(|span| span.start < late.end);
    let mut times = [(Cause::LaunchBound, Ns::ZERO); 4];
    let mut longest: [Option<&Span>; 4] = [None; 4];
    for span in during.clone() {
        let (slot, cause) = match span.kind {
            SpanKind::Blocked => (0, Cause::HostBlocked),
            SpanKind::Work | SpanKind::Capture => (1, Cause::HostWork),
            SpanKind::Allocation => (2, Cause::Allocation),
            _ => (3, Cause::LaunchBound),
        };
        times[slot] = (cause, times[slot].1 + span.interval().intersect(late).dur());
        let dur = |span: &Span| span.interval().intersect(late).dur();
        if longest[slot].is_none_or(|known| dur(known) < dur(span)) {
            longest[slot] = Some(span);
        }
    }
    let starts_blocked =
        during.clone().next().is_some_and(|span| span.kind == SpanKind::Blocked && span.start <= late.start);
    let most = (0..4).rev().max_by_key(|slot| times[*slot].1).unwrap_or(3);
    let blamed = if starts_blocked { 0 } else { most };
    bubble.cause = times[blamed].0;
    bubble.host_call = longest[blamed].map(|span| span.name);
    bubble.blocked = times[0].1;
    bubble.launching = late.dur() - bubble.blocked;
}

/// The thread whose call has this correlation; with one thread there is nothing to look for.
fn launching_thread<'a>(hosts: &[&'a Lane], correlation: Correlation) -> Option<&'a Lane> {
    match hosts {
        [] => None,
        [only] => Some(only),
        several => several.iter().find(|lane| lane.spans.iter().any(|span| span.correlation == correlation)).copied(),
    }
}
