//! What is computed once for a recording, so that laying out a frame never looks at all spans.

use super::category::{Category, parts};
use super::errors::{self, ErrorMark};
use super::memory::MapLane;
use super::queue::Depth;
use super::sms::SmMap;
use super::tallies::Tallies;
use crate::analysis::{Analysis, Bubble, Bubbles};
use crate::recording::{Cause, Correlation, Lane, Recording, Span, TrackId};
use crate::time::{Interval, Ns};

/// Sums and indices over one recording.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// In the order of the recording's lanes.
    pub(super) lanes: Vec<PreparedLane>,
    /// In the order of the recording's tracks.
    pub(super) tracks: Vec<PreparedTrack>,
    /// Depth of the launch queue.
    pub(super) queue: Depth,
    /// Who sat on which SM.
    pub(super) sms: SmMap,
    /// What the caching allocator held.
    pub(super) memory: MapLane,
    /// Where the first errors are.
    pub(super) errors: Vec<Option<ErrorMark>>,
    links: Vec<Link>,
    extent: Interval,
}

/// One lane's.
#[derive(Clone, Debug, Default)]
pub(super) struct PreparedLane {
    track: TrackId,
    pub(super) extents: Extents,
    pub(super) tallies: Tallies<Category>,
}

/// One track's: a stream is idle where none of its lanes works.
#[derive(Clone, Debug, Default)]
pub(super) struct PreparedTrack {
    pub(super) bubbles: Vec<Bubble>,
    pub(super) extents: Extents,
    pub(super) tallies: Tallies<Cause>,
}

/// Start and end of sorted, disjoint stretches, apart from all else, for fast searching. Both never fall, whatever came in.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    pub(super) starts: Vec<Ns>,
    pub(super) ends: Vec<Ns>,
}

/// A span that belongs to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Of the operation.
    pub correlation: Correlation,
    /// Index into the recording's lanes.
    pub lane: u32,
    /// Index into the lane's spans.
    pub span: u32,
}

impl Prepared {
    /// Analyses `recording`, and looks through all of it once.
    pub fn new(recording: &Recording) -> Self {
        Self::of_analysed(recording, &Analysis::new(recording))
    }

    /// The same where it has been analysed already.
    pub fn of_analysed(recording: &Recording, analysis: &Analysis) -> Self {
        let found = &analysis.bubbles;
        Self {
            lanes: recording.lanes.iter().map(PreparedLane::new).collect(),
            tracks: (0..recording.tracks.len() as u32).map(|track| PreparedTrack::new(TrackId(track), found)).collect(),
            queue: Depth::new(&analysis.queue),
            sms: SmMap::new(recording),
            memory: MapLane::new(recording),
            errors: errors::marks(recording),
            links: links(recording),
            extent: recording.extent(),
        }
    }

    /// The interval that holds every span, and the wall time.
    pub fn extent(&self) -> Interval {
        self.extent
    }

    /// Most bytes in memory blocks, and most in segments, at once; `None` where there is no memory map.
    pub fn memory_peaks(&self) -> Option<(u64, u64)> {
        (!self.memory.is_empty()).then(|| self.memory.peaks())
    }

    /// Where the error of that number is marked.
    pub fn error(&self, error: usize) -> Option<ErrorMark> {
        self.errors.get(error).copied().flatten()
    }

    /// The bubbles of the stream that the recording's lane `lane` is a row of, sorted by time; none for other lanes.
    pub fn bubbles(&self, lane: usize) -> &[Bubble] {
        self.track(lane).map_or(&[], |track| &track.bubbles)
    }

    /// The track of the recording's lane `lane`.
    pub(super) fn track(&self, lane: usize) -> Option<&PreparedTrack> {
        self.tracks.get(self.lanes.get(lane)?.track.index())
    }

    /// Everything that belongs to the operation `correlation`: its host call first, then what that started.
    pub fn linked(&self, correlation: Correlation) -> &[Link] {
        if correlation == Correlation::NONE {
            return &[];
        }
        let from = self.links.partition_point(|link| link.correlation < correlation);
        let rest = self.links.get(from..).unwrap_or_default();
        let count = rest.partition_point(|link| link.correlation == correlation);
        rest.get(..count).unwrap_or_default()
    }
}

impl PreparedTrack {
    fn new(track: TrackId, found: &Bubbles) -> Self {
        let own = found.streams.iter().find(|(of, _)| *of == track);
        let bubbles = own.map(|(_, bubbles)| bubbles.clone()).unwrap_or_default();
        let idle = |bubble: &Bubble| [(bubble.interval.dur(), bubble.cause)];
        let tallies = Tallies::new(Cause::ALL, || bubbles.iter().map(idle));
        Self { extents: bubbles.iter().map(|bubble| bubble.interval).collect(), bubbles, tallies }
    }
}

impl PreparedLane {
    fn new(lane: &Lane) -> Self {
        let times = lane.spans.starts().iter().zip(lane.spans.ends());
        Self {
            track: lane.track,
            extents: times.map(|(start, end)| Interval { start: *start, end: *end }).collect(),
            tallies: Tallies::new(Category::ALL, || lane.spans.iter().map(|span| timed_parts(&span))),
        }
    }
}

/// How long each part of the span is.
fn timed_parts(span: &Span) -> [(Ns, Category); 4] {
    parts(span).map(|(part, category)| (part.dur(), category))
}

impl FromIterator<Interval> for Extents {
    fn from_iter<I: IntoIterator<Item = Interval>>(intervals: I) -> Self {
        let mut extents = Self::default();
        let (mut start, mut end) = (Ns(i64::MIN), Ns(i64::MIN));
        for interval in intervals {
            start = start.max(interval.start);
            end = end.max(interval.end);
            extents.starts.push(start);
            extents.ends.push(end);
        }
        extents
    }
}

fn links(recording: &Recording) -> Vec<Link> {
    let mut links = Vec::with_capacity(recording.span_count());
    for (lane, spans) in (0u32..).zip(&recording.lanes) {
        for (span, &correlation) in (0u32..).zip(spans.spans.correlations()) {
            if correlation != Correlation::NONE {
                links.push(Link { correlation, lane, span });
            }
        }
    }
    links.sort();
    links
}
