//! Bubbles: where a stream or the whole GPU was idle between its first and its last operation, and why.

use super::activity::{Doing, During, Hosts};
use crate::recording::{Cause, Correlation, NameId, Recording, Span, TrackId};
use crate::time::{Interval, Ns, union};

/// Where a bubble is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// No stream had anything running.
    Gpu,
    /// One stream had nothing running, on none of its lanes.
    Stream(TrackId),
}

/// A part of a bubble with one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Why.
    pub cause: Cause,
    /// How long, in all.
    pub dur: Ns,
}

/// An idle stretch and what it is put down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bubble {
    /// Where.
    pub place: Place,
    /// When.
    pub interval: Interval,
    /// The cause of its longest stage; [`Cause::LaunchLatency`] is only ever a stage.
    pub cause: Cause,
    /// The operation that ended it.
    pub next: Correlation,
    /// Its name.
    pub next_name: NameId,
    /// The call to blame, for [`Cause::HostBlocked`] and the other causes of the host.
    pub host_call: Option<NameId>,
    /// The call that the host waited in when the GPU ran dry, or after that, before it handed the work over: who waits for the GPU
    /// starts anew with an empty queue.
    pub waited_in: Option<NameId>,
    first_stage: u32,
    stage_count: u8,
}

/// All bubbles of a recording, each list sorted by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bubbles {
    /// Of the whole GPU.
    pub gpu: Vec<Bubble>,
    /// Of each stream that did anything, in the order of tracks.
    pub streams: Vec<(TrackId, Vec<Bubble>)>,
    stages: Vec<Stage>,
}

impl Bubbles {
    /// The parts of a bubble, summed up by cause: what stands before the work, the host, and then the rest. They fill it.
    pub fn stages(&self, bubble: &Bubble) -> &[Stage] {
        let first = bubble.first_stage as usize;
        self.stages.get(first..first + usize::from(bubble.stage_count)).unwrap_or_default()
    }

    /// How long a bubble had that cause.
    pub fn time(&self, bubble: &Bubble, cause: Cause) -> Ns {
        self.stages(bubble).iter().filter(|stage| stage.cause == cause).map(|stage| stage.dur).sum()
    }
}

/// Finds the bubbles and explains each.
///
/// The rule is local. Until what stands before the next work has let that go, the hardware's pause behind it included, its order is the
/// cause; then what kept the host from handing it over; then whatever kept it from starting. So of a gap, that is the host's which a
/// faster host would close.
pub fn bubbles(recording: &Recording) -> Bubbles {
    bubbles_of(recording, &Hosts::new(recording))
}

/// The same where it is known already what the host threads did.
pub(super) fn bubbles_of(recording: &Recording, hosts: &Hosts<'_>) -> Bubbles {
    let mut finder = Finder { hosts, found: Bubbles::default() };
    let mut all: Vec<Work> = Vec::new();
    for (track, _) in recording.streams() {
        let work = work(recording, track);
        if !work.is_empty() {
            let bubbles = finder.explain(recording, Place::Stream(track), &work);
            finder.found.streams.push((track, bubbles));
        }
        all.extend(work);
    }
    // Runs that are sorted already are merged.
    all.sort_by_key(|work| (work.interval.start, work.interval.end));
    finder.found.gpu = finder.explain(recording, Place::Gpu, &all);
    finder.found
}

/// From the first operation of the GPU to the last, also where that took no time.
pub fn gpu_span(recording: &Recording) -> Interval {
    let ends = all_work(recording).map(|work| work.interval);
    let hull = ends.reduce(|a, b| Interval { start: a.start.min(b.start), end: a.end.max(b.end) });
    hull.unwrap_or_default()
}

/// When the GPU was busy: the union of kernels, copies and memsets of all streams.
pub fn gpu_busy(recording: &Recording) -> Vec<Interval> {
    union(all_work(recording).map(|work| work.interval).collect())
}

/// A span that keeps the GPU busy, and where it is.
#[derive(Clone, Copy, Debug)]
struct Work {
    interval: Interval,
    lane: u32,
    span: u32,
}

/// What a stream executed, lane by lane. Of the columns only three are looked at.
fn work_of(recording: &Recording, track: TrackId) -> impl Iterator<Item = Work> {
    recording.lanes_of(track).flat_map(|(lane, row)| {
        let spans = row.spans.starts().iter().zip(row.spans.ends()).zip(row.spans.kinds());
        let busy = (0..).zip(spans).filter(|(_, (_, kind))| kind.is_gpu_busy());
        busy.map(move |(span, ((start, end), _))| Work {
            interval: Interval::new(*start, *end),
            lane: lane as u32,
            span,
        })
    })
}

fn all_work(recording: &Recording) -> impl Iterator<Item = Work> {
    recording.streams().flat_map(|(track, _)| work_of(recording, track))
}

/// What a stream executed on all its lanes, by start.
fn work(recording: &Recording, track: TrackId) -> Vec<Work> {
    let mut found: Vec<Work> = work_of(recording, track).collect();
    found.sort_by_key(|work| (work.interval.start, work.interval.end));
    found
}

struct Finder<'h, 'r> {
    hosts: &'h Hosts<'r>,
    found: Bubbles,
}

impl Finder<'_, '_> {
    /// The gaps between `work` (sorted by start), explained one by one.
    fn explain(&mut self, recording: &Recording, place: Place, work: &[Work]) -> Vec<Bubble> {
        let Some(first) = work.first() else { return Vec::new() };
        let span = |work: &Work| recording.lanes.get(work.lane as usize)?.spans.get(work.span as usize);
        let mut bubbles = Vec::new();
        if let (Place::Stream(_), Some(first)) = (place, span(first)) {
            bubbles.extend(first_wait(&first).map(|waited| self.bubble(place, waited, &first)));
        }
        let mut busy_until = first.interval.end;
        for next in work {
            let idle = Interval::new(busy_until, next.interval.start);
            if idle.dur() > Ns::ZERO
                && let Some(next) = span(next)
            {
                bubbles.push(self.bubble(place, idle, &next));
            }
            busy_until = busy_until.max(next.interval.end);
        }
        bubbles
    }

    fn bubble(&mut self, place: Place, idle: Interval, next: &Span) -> Bubble {
        let first = self.found.stages.len();
        let during = self.stages(idle, next);
        let stages = self.found.stages.get(first..).unwrap_or_default();
        let named = stages.iter().filter(|stage| stage.cause != Cause::LaunchLatency);
        // Of two that are equally long, the first.
        let longest = named.rev().max_by_key(|stage| stage.dur).map_or(Cause::LaunchBound, |stage| stage.cause);
        Bubble {
            place,
            interval: idle,
            cause: longest,
            next: next.correlation,
            next_name: next.name,
            host_call: during.call(longest),
            waited_in: during.call(Cause::HostBlocked),
            first_stage: first as u32,
            stage_count: stages.len() as u8,
        }
    }

    /// Adds the stages of `idle`, which ended when `next` began; returns what the host did while it alone was waited for.
    fn stages(&mut self, idle: Interval, next: &Span) -> During {
        // The hardware pauses before work that it has; with an empty queue there is nothing to pause before.
        let is_pause = matches!(next.released_by, Cause::KernelGap | Cause::GraphGap);
        // Of work whose launch is not known, nobody knows how long it was waited for.
        let is_late = next.call > idle.start && next.correlation != Correlation::NONE;
        let released = if is_pause && is_late { idle.start } else { next.released };
        let released = released.max(idle.start).min(idle.end);
        let handed_over = next.call.max(released).min(idle.end);
        let late = Interval::new(released, handed_over);
        let host = self.hosts.launching(next.correlation).filter(|_| late.dur() > Ns::ZERO);
        let during = host.map(|host| host.during(late)).unwrap_or_default();
        let [blocked, work, allocation] =
            [Doing::Blocked, Doing::Work, Doing::Allocation].map(|doing| during.time(doing));
        // Who waited for the GPU starts anew, and nothing shortens the way to it; otherwise calls would have come sooner.
        let latency = if blocked > Ns::ZERO { Cause::LaunchLatency } else { Cause::LaunchBound };
        let held_by = if next.held_by == Cause::LaunchLatency { latency } else { next.held_by };
        let parts = [
            (next.released_by, released - idle.start),
            (Cause::HostBlocked, blocked),
            (Cause::HostWork, work),
            (Cause::Allocation, allocation),
            (Cause::LaunchBound, late.dur() - blocked - work - allocation),
            (held_by, idle.end - handed_over),
        ];
        let first = self.found.stages.len();
        for (cause, dur) in parts.into_iter().filter(|(_, dur)| *dur > Ns::ZERO) {
            match self.found.stages.get_mut(first..).and_then(|known| known.iter_mut().find(|it| it.cause == cause)) {
                Some(stage) => stage.dur += dur,
                None => self.found.stages.push(Stage { cause, dur }),
            }
        }
        during
    }
}

/// A stream that was given its first work, and waited for something else than the host before it began: that is a bubble too.
fn first_wait(first: &Span) -> Option<Interval> {
    let waits = match first.released_by {
        Cause::EventWait | Cause::CopyWait | Cause::LegacyBarrier | Cause::HostFunction => first.released > first.call,
        _ => false,
    };
    let is_held = matches!(first.held_by, Cause::NoRoom | Cause::EngineBusy);
    (waits || is_held).then(|| Interval::new(first.call, first.start)).filter(|it| it.dur() > Ns::ZERO)
}
