//! The way back from the end of a run, step by step.

use super::links::{Links, Place, later};
use super::{Segment, Spent};
use crate::recording::{Cause, Correlation, Engine, Recording, Span, TrackId, TrackKind};
use crate::time::{Interval, Ns};

/// Whom the path follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Actor {
    /// What a host thread does.
    Host(TrackId),
    /// A span on a stream.
    Gpu(Place),
    /// Nobody that is known.
    Nobody,
}

/// Steps that take no time, one after the other, before the rest is given up as unknown: a damaged file may lead in a circle.
const PATIENCE: usize = 64;

/// The segments of the critical path, in the order of time.
pub(super) fn back(recording: &Recording, is_exact: bool) -> Vec<Segment> {
    let clock_error = recording.measured.as_ref().and_then(|measured| measured.clock_error).unwrap_or(Ns::ZERO);
    let mut walk = Walk {
        recording,
        is_exact,
        clock_error,
        streams: Links::new(recording, |track| track.stream().is_some()),
        hosts: Links::new(recording, |track| track.host_thread().is_some()),
        engines: Links::new(recording, |track| matches!(track.kind, TrackKind::CopyEngine { .. })),
        at: recording.wall.end,
        segments: Vec::new(),
    };
    let mut actor = walk.last_actor();
    let mut waiting = 0;
    while walk.at > Ns::ZERO && waiting < PATIENCE {
        let before = walk.at;
        actor = match actor {
            Actor::Host(track) => walk.host(track),
            Actor::Gpu(place) => walk.gpu(place),
            Actor::Nobody => walk.nobody(),
        };
        waiting = if walk.at < before { 0 } else { waiting + 1 };
    }
    walk.spend(Ns::ZERO, Spent::Unknown, None);
    walk.segments.reverse();
    walk.segments
}

struct Walk<'r> {
    recording: &'r Recording,
    is_exact: bool,
    /// Between a time of a host thread and one of the GPU, less than this says nothing.
    clock_error: Ns,
    streams: Links<'r>,
    hosts: Links<'r>,
    engines: Links<'r>,
    /// Everything after this is known.
    at: Ns,
    /// Latest first.
    segments: Vec<Segment>,
}

impl Walk<'_> {
    /// The stretch from `since` on was spent so; the path goes on before it.
    fn spend(&mut self, since: Ns, spent: Spent, at: Option<Place>) {
        let since = since.max(Ns::ZERO);
        if since < self.at {
            let at = at.map(|place| (place.lane, place.span));
            self.segments.push(Segment { interval: Interval::new(since, self.at), spent, at });
            self.at = since;
        }
    }

    /// The same between the host and the GPU, whose clocks agree to an error.
    fn cross(&mut self, since: Ns, cause: Cause) {
        let is_known = self.at - since >= self.clock_error;
        self.spend(since, if is_known { Spent::Idle(cause) } else { Spent::Unknown }, None);
    }

    fn span(&self, place: Place) -> Option<Span> {
        self.recording.lanes.get(place.lane as usize)?.spans.get(place.span as usize)
    }

    fn track(&self, place: Place) -> Option<TrackId> {
        self.recording.lanes.get(place.lane as usize).map(|lane| lane.track)
    }

    /// Who was active at the end of the run: the first host thread, which waits for everything; where there is none, whatever
    /// ended last.
    fn last_actor(&self) -> Actor {
        let last = later(self.hosts.last_by(self.at, |_| true), self.streams.last_by(self.at, |_| true));
        match (self.recording.host_threads().next(), last) {
            (Some((track, _)), _) if self.is_exact => Actor::Host(track),
            (_, Some((place, _))) => self.on(place),
            (_, None) => Actor::Nobody,
        }
    }

    fn on(&self, place: Place) -> Actor {
        let is_host = |track: &TrackId| {
            self.recording.tracks.get(track.index()).is_some_and(|track| track.host_thread().is_some())
        };
        match self.track(place) {
            Some(track) if is_host(&track) => Actor::Host(track),
            Some(_) => Actor::Gpu(place),
            None => Actor::Nobody,
        }
    }

    /// Nobody knows what went before: on to whatever ended last.
    fn nobody(&mut self) -> Actor {
        let before = self.at - Ns(1);
        match later(self.streams.last_by(before, |_| true), self.hosts.last_by(before, |_| true)) {
            Some((place, end)) => {
                self.spend(end, Spent::Unknown, None);
                self.on(place)
            }
            None => {
                self.spend(Ns::ZERO, Spent::Unknown, None);
                Actor::Nobody
            }
        }
    }

    /// One step back on a host thread.
    fn host(&mut self, track: TrackId) -> Actor {
        let Some((place, span, since)) = self.innermost(track) else { return self.before_first(track) };
        if span.end < self.at {
            // A call that waits for the driver's lock is none yet.
            let spent = if self.is_exact { Spent::CudaCall } else { Spent::Unknown };
            self.spend(span.end, spent, None);
            return Actor::Host(track);
        }
        let spent = Spent::on(span.kind);
        if spent == Spent::Idle(Cause::HostBlocked) {
            return self.blocked(track, place, &span);
        }
        self.spend(since.max(span.driver_entry()), spent, Some(place));
        for (layer, spent) in span.layers().into_iter().zip([Spent::Python, Spent::Dispatcher, Spent::Aten]).rev() {
            self.spend(since.max(layer.start), spent, Some(place));
        }
        Actor::Host(track)
    }

    /// The innermost span of a host thread that is under way just before now, or the one that ended last; and since when no other
    /// was under way within it.
    fn innermost(&self, track: TrackId) -> Option<(Place, Span, Ns)> {
        let mut found: Option<(Place, Span)> = None;
        let mut since = Ns(i64::MIN);
        for (lane, row) in self.recording.lanes_of(track) {
            let starts = row.spans.starts();
            let Some(index) = starts.partition_point(|start| *start < self.at).checked_sub(1) else { continue };
            let Some(span) = row.spans.get(index) else { continue };
            let place = Place { lane: lane as u32, span: index as u32 };
            let is_under_way = span.end >= self.at;
            let known_end = found.map(|(_, known)| known.end);
            if is_under_way || known_end.is_none_or(|known| known < self.at && known < span.end) {
                found = Some((place, span));
            }
            if !is_under_way {
                since = since.max(span.end);
            }
        }
        found.map(|(place, span)| (place, span, since.max(span.start)))
    }

    /// A host thread did nothing before this: another one has started it.
    fn before_first(&mut self, track: TrackId) -> Actor {
        let main = self.recording.host_threads().map(|(id, _)| id).find(|id| *id != track);
        match main.filter(|main| *main < track) {
            Some(main) => Actor::Host(main),
            None => {
                self.spend(Ns::ZERO, Spent::Unknown, None);
                Actor::Nobody
            }
        }
    }

    /// A host thread waited: on with what it waited for.
    fn blocked(&mut self, track: TrackId, place: Place, span: &Span) -> Actor {
        let for_what = match span.after {
            Correlation::NONE => {
                let others = |lane: usize| self.recording.lanes.get(lane).is_some_and(|lane| lane.track != track);
                later(self.streams.last_by(self.at, |_| true), self.hosts.last_by(self.at, others))
            }
            after => {
                let called = || self.hosts.last_of(after, self.at).filter(|_| after != span.correlation);
                self.streams.last_of(after, self.at).or_else(called)
            }
        };
        match for_what.filter(|(_, end)| *end > span.start) {
            Some((other, end)) => {
                self.cross(end, Cause::HostBlocked);
                self.on(other)
            }
            None => {
                self.spend(span.start, Spent::Idle(Cause::HostBlocked), Some(place));
                Actor::Host(track)
            }
        }
    }

    /// Work on the GPU, and then what it began after.
    fn gpu(&mut self, place: Place) -> Actor {
        let Some(span) = self.span(place) else { return Actor::Nobody };
        if self.at == span.end {
            self.spend(span.end - span.contended, Spent::Contention, Some(place));
        }
        self.spend(span.start, Spent::on(span.kind), Some(place));
        let holder = match span.held_by {
            Cause::EngineBusy => self.on_engine(&span),
            Cause::NoRoom => self.on_sms(place),
            Cause::HostFunction => self.streams.last_by(self.at, |lane| lane != place.lane as usize),
            _ => None,
        };
        if let Some((holder, end)) = holder {
            self.spend(end.min(self.at), Spent::Idle(span.held_by), None);
            return self.on(holder);
        }
        match self.before(place, &span) {
            Some((before, end)) => {
                let cause = if span.released_by.is_of_order() { span.released_by } else { Cause::KernelGap };
                self.spend(end, Spent::Idle(cause), None);
                self.on(before)
            }
            None => self.handed_over(&span),
        }
    }

    /// The copy that had the engine.
    fn on_engine(&self, span: &Span) -> Option<(Place, Ns)> {
        let engine = match Spent::on(span.kind) {
            Spent::CopyH2D => Engine::H2D,
            Spent::CopyD2H => Engine::D2H,
            _ => return None,
        };
        let is_it = |lane: usize| {
            self.recording.track_of(lane).is_some_and(|track| track.kind == TrackKind::CopyEngine { engine })
        };
        let (copy, end) = self.engines.last_by(self.at, is_it)?;
        let copy = self.span(copy)?;
        let twins = self.streams.of(copy.correlation).iter();
        let twin = twins
            .copied()
            .find(|twin| self.span(*twin).is_some_and(|it| (it.start, it.end) == (copy.start, copy.end)))?;
        Some((twin, end))
    }

    /// The kernel that had the SMs: one that has just ended, or the one under way for longest, of which blocks have.
    fn on_sms(&self, place: Place) -> Option<(Place, Ns)> {
        let ended = self.streams.last_by(self.at, |lane| lane != place.lane as usize);
        if let Some(ended) = ended.filter(|(_, end)| *end == self.at) {
            return Some(ended);
        }
        let under_way =
            self.streams.under_way(self.at).filter(|(other, span)| *other != place && span.kind.is_gpu_busy());
        let holder = under_way.min_by_key(|(_, span)| span.start).map(|(place, _)| (place, self.at));
        holder.or(ended)
    }

    /// The work that this waited for, and when that ended; `None` where it was its own call.
    fn before(&self, place: Place, span: &Span) -> Option<(Place, Ns)> {
        let is_other = |(other, _): &(Place, Ns)| *other != place;
        if span.after != Correlation::NONE {
            // Nodes of one replay have the number of its launch in common.
            let by = if span.after == span.correlation { span.released.min(self.at) } else { self.at };
            return self.streams.last_of(span.after, by).filter(is_other);
        }
        if self.is_exact || span.released <= span.call || !span.released_by.is_of_order() {
            return None;
        }
        let own = self.track(place);
        let is_own = |lane: usize| self.recording.lanes.get(lane).map(|lane| lane.track) == own;
        let by = span.released.min(self.at);
        match span.released_by {
            Cause::KernelGap | Cause::GraphGap => self.streams.last_by(by, is_own),
            _ => self.streams.last_by(by, |lane| !is_own(lane)),
        }
        .filter(is_other)
    }

    /// Work that waited for nothing but its call, or for the call of what it stands behind.
    fn handed_over(&mut self, span: &Span) -> Actor {
        let by = if span.after == Correlation::NONE { span.correlation } else { span.after };
        let call = self.hosts.of(by).iter().filter_map(|place| Some((*place, self.span(*place)?)));
        let calls = call.filter(|(_, call)| call.start < self.at);
        let Some((place, call)) = calls.max_by_key(|(_, call)| call.start) else { return Actor::Nobody };
        let returned = if by == span.correlation { span.call.min(self.at) } else { call.end.min(self.at) };
        self.cross(returned, Cause::LaunchLatency);
        self.on(place)
    }
}
