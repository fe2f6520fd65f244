//! What a host thread did: sums, and the longest of each kind, over any stretch of time.

use std::borrow::Cow;

use crate::recording::{Cause, Correlation, NameId, Recording, SpanKind, TrackId};
use crate::time::{Interval, Ns};

/// What a host thread does, as far as the GPU waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Blocked,
    Work,
    Allocation,
    Launching,
}

impl Doing {
    /// By the innermost span; what holds others counts as launching where it holds none.
    pub fn of(kind: SpanKind) -> Self {
        match kind {
            SpanKind::Blocked => Self::Blocked,
            SpanKind::Work | SpanKind::Capture => Self::Work,
            SpanKind::Allocation => Self::Allocation,
            SpanKind::Call | SpanKind::Operation | SpanKind::Annotation | SpanKind::Python => Self::Launching,
            SpanKind::Kernel | SpanKind::GraphKernel | SpanKind::CopyH2D | SpanKind::CopyD2H => Self::Launching,
            SpanKind::CopyD2D | SpanKind::Memset | SpanKind::Event | SpanKind::HostFunction => Self::Launching,
        }
    }
}

/// Time of each kind within a stretch, and the longest of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct During {
    times: [Ns; 4],
    longest: [Option<(Ns, NameId)>; 4],
}

impl During {
    pub fn time(&self, doing: Doing) -> Ns {
        self.times.get(doing as usize).copied().unwrap_or_default()
    }

    /// The longest call of the kind that a cause of the host is about; `None` for any other cause.
    pub fn call(&self, cause: Cause) -> Option<NameId> {
        let doing = match cause {
            Cause::HostBlocked => Doing::Blocked,
            Cause::HostWork => Doing::Work,
            Cause::Allocation => Doing::Allocation,
            Cause::LaunchBound => Doing::Launching,
            _ => return None,
        };
        self.longest.get(doing as usize).copied().flatten().map(|(_, name)| name)
    }

    fn add(&mut self, doing: Doing, dur: Ns, name: NameId) {
        if let (Some(time), Some(longest)) = (self.times.get_mut(doing as usize), self.longest.get_mut(doing as usize))
        {
            *time += dur;
            if longest.is_none_or(|(known, _)| known < dur) {
                *longest = Some((dur, name));
            }
        }
    }

    fn join(&mut self, other: &Self) {
        for (slot, time) in self.times.iter_mut().zip(other.times) {
            *slot += time;
        }
        for (slot, longest) in self.longest.iter_mut().zip(other.longest) {
            if longest.map(|(dur, _)| dur) > slot.map(|(dur, _)| dur) {
                *slot = longest;
            }
        }
    }
}

/// Stretches that are summed up in advance.
const BLOCK: usize = 64;

/// What one host thread did: its innermost spans, one after the other.
#[derive(Debug)]
pub(super) struct Activity<'r> {
    starts: Cow<'r, [Ns]>,
    ends: Cow<'r, [Ns]>,
    kinds: Cow<'r, [SpanKind]>,
    names: Cow<'r, [NameId]>,
    blocks: Vec<During>,
}

impl<'r> Activity<'r> {
    pub fn new(recording: &'r Recording, track: TrackId) -> Self {
        let lanes: Vec<_> = recording.lanes_of(track).map(|(_, lane)| &lane.spans).collect();
        let mut activity = match lanes.as_slice() {
            [only] => Self {
                starts: only.starts().into(),
                ends: only.ends().into(),
                kinds: only.kinds().into(),
                names: only.names().into(),
                blocks: Vec::new(),
            },
            _ => Self::innermost(recording, track),
        };
        activity.blocks = (0..activity.len().div_ceil(BLOCK)).map(|block| activity.sum(block * BLOCK, BLOCK)).collect();
        activity
    }

    /// Of spans that hold others, the parts that no other fills.
    fn innermost(recording: &Recording, track: TrackId) -> Self {
        let mut all: Vec<_> = recording.spans_of(track).collect();
        all.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut found = Flat::default();
        let mut open: Vec<(Ns, SpanKind, NameId)> = Vec::new();
        let mut at = Ns(i64::MIN);
        for span in all {
            while let Some(&(end, kind, name)) = open.last().filter(|(end, ..)| *end <= span.start) {
                found.push(at, end, kind, name);
                at = at.max(end);
                open.pop();
            }
            if let Some(&(_, kind, name)) = open.last() {
                found.push(at, span.start, kind, name);
            }
            at = span.start;
            open.push((span.end, span.kind, span.name));
        }
        while let Some((end, kind, name)) = open.pop() {
            found.push(at, end, kind, name);
            at = at.max(end);
        }
        let Flat { starts, ends, kinds, names } = found;
        Self { starts: starts.into(), ends: ends.into(), kinds: kinds.into(), names: names.into(), blocks: Vec::new() }
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    /// Each stretch: how long, what kind, and its name.
    pub fn stretches(&self) -> impl Iterator<Item = (Ns, SpanKind, NameId)> {
        let times = self.starts.iter().zip(self.ends.iter()).map(|(start, end)| *end - *start);
        times.zip(self.kinds.iter().zip(self.names.iter())).map(|(dur, (kind, name))| (dur, *kind, *name))
    }

    /// Each stretch: when, and what kind.
    pub fn timed_stretches(&self) -> impl Iterator<Item = (Interval, SpanKind)> {
        let times = self.starts.iter().zip(self.ends.iter()).map(|(start, end)| Interval::new(*start, *end));
        times.zip(self.kinds.iter().copied())
    }

    fn sum(&self, from: usize, count: usize) -> During {
        let mut sum = During::default();
        for (dur, kind, name) in self.stretches().skip(from).take(count) {
            sum.add(Doing::of(kind), dur, name);
        }
        sum
    }

    /// What it did within `it`.
    pub fn during(&self, it: Interval) -> During {
        let (first, end) =
            (self.ends.partition_point(|end| *end <= it.start), self.starts.partition_point(|start| *start < it.end));
        let mut found = During::default();
        let mut index = first;
        while index < end {
            if index.is_multiple_of(BLOCK) && index + BLOCK < end && index > first {
                if let Some(block) = self.blocks.get(index / BLOCK) {
                    found.join(block);
                }
                index += BLOCK;
                continue;
            }
            let row = (self.starts.get(index), self.ends.get(index), self.kinds.get(index), self.names.get(index));
            if let (Some(start), Some(stop), Some(kind), Some(name)) = row {
                found.add(Doing::of(*kind), Interval::new(*start, *stop).intersect(it).dur(), *name);
            }
            index += 1;
        }
        found
    }
}

#[derive(Default)]
struct Flat {
    starts: Vec<Ns>,
    ends: Vec<Ns>,
    kinds: Vec<SpanKind>,
    names: Vec<NameId>,
}

impl Flat {
    fn push(&mut self, start: Ns, end: Ns, kind: SpanKind, name: NameId) {
        if start < end {
            self.starts.push(start);
            self.ends.push(end);
            self.kinds.push(kind);
            self.names.push(name);
        }
    }
}

/// What all host threads did, and which of them gave the GPU what.
#[derive(Debug)]
pub(super) struct Hosts<'r> {
    tracks: Vec<(TrackId, Activity<'r>)>,
    /// Operations and the threads that carried them out, sorted; empty where there is one thread only.
    owners: Vec<(u32, u32)>,
}

impl<'r> Hosts<'r> {
    pub fn new(recording: &'r Recording) -> Self {
        let tracks: Vec<_> =
            recording.host_threads().map(|(track, _)| (track, Activity::new(recording, track))).collect();
        let mut owners = Vec::new();
        if tracks.len() > 1 {
            for (number, (track, _)) in (0_u32..).zip(&tracks) {
                let lanes = recording.lanes_of(*track);
                owners.extend(lanes.flat_map(|(_, lane)| lane.spans.correlations()).map(|it| (it.0, number)));
            }
            owners.sort();
            owners.dedup_by_key(|(correlation, _)| *correlation);
        }
        Self { tracks, owners }
    }

    /// The thread whose call has this correlation.
    pub fn launching(&self, correlation: Correlation) -> Option<&Activity<'r>> {
        let number = match self.tracks.as_slice() {
            [] => return None,
            [_] => 0,
            _ => {
                let found = self.owners.binary_search_by_key(&correlation.0, |(owned, _)| *owned).ok()?;
                self.owners.get(found)?.1 as usize
            }
        };
        self.tracks.get(number).map(|(_, activity)| activity)
    }

    /// What the thread of that track did.
    pub fn of(&self, track: TrackId) -> Option<&Activity<'r>> {
        self.tracks.iter().find(|(known, _)| *known == track).map(|(_, activity)| activity)
    }

    /// All threads.
    pub fn activities(&self) -> impl Iterator<Item = &Activity<'r>> {
        self.tracks.iter().map(|(_, activity)| activity)
    }
}
