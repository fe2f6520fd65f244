//! What is computed once for a recording, so that laying out a frame never looks at all spans.

use super::category::{Category, parts};
use super::peaks::Peaks;
use crate::analysis::{Bubble, Bubbles, bubbles, queue_depth};
use crate::recording::{Correlation, Lane, LaneKind, Recording};
use crate::time::{Interval, Ns};

/// Sums and indices over one recording.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// In the order of the recording's lanes.
    pub(super) lanes: Vec<PreparedLane>,
    /// Depth of the launch queue.
    pub(super) queue: Peaks,
    links: Vec<Link>,
    extent: Interval,
}

/// One lane's.
#[derive(Clone, Debug, Default)]
pub(super) struct PreparedLane {
    pub(super) extents: Extents,
    pub(super) tallies: Vec<Tally>,
    pub(super) bubbles: Vec<Bubble>,
    pub(super) bubble_extents: Extents,
}

/// Start and end of sorted, disjoint stretches, apart from all else, for fast searching. Both never fall, whatever came in.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    pub(super) starts: Vec<Ns>,
    pub(super) ends: Vec<Ns>,
}

/// Time of one category on one lane before each span: `before[i]` sums over the spans `..i`.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) category: Category,
    pub(super) before: Vec<Ns>,
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
    /// Looks through all of `recording` once, and finds its bubbles.
    pub fn new(recording: &Recording) -> Self {
        Self::with_bubbles(recording, &bubbles(recording))
    }

    /// The same with bubbles that were found already.
    pub fn with_bubbles(recording: &Recording, found: &Bubbles) -> Self {
        Self {
            lanes: recording.lanes.iter().map(|lane| PreparedLane::new(lane, found)).collect(),
            queue: Peaks::new(&queue_depth(recording)),
            links: links(recording),
            extent: recording.extent(),
        }
    }

    /// The interval that holds every span, and the wall time.
    pub fn extent(&self) -> Interval {
        self.extent
    }

    /// Most operations that waited at once.
    pub fn queue_max(&self) -> u32 {
        self.queue.max()
    }

    /// The bubbles of the stream on the recording's lane `lane`, sorted by time; none for other lanes.
    pub fn bubbles(&self, lane: usize) -> &[Bubble] {
        self.lanes.get(lane).map_or(&[], |lane| &lane.bubbles)
    }

    /// The bubbles of all streams.
    pub fn all_bubbles(&self) -> impl Iterator<Item = &Bubble> {
        self.lanes.iter().flat_map(|lane| &lane.bubbles)
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

    /// The categories that occur within `view`, in the order of the legend.
    pub fn categories(&self, view: Interval) -> Vec<Category> {
        let mut found: Vec<Category> = self.lanes.iter().flat_map(|lane| lane.categories(view)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl PreparedLane {
    fn new(lane: &Lane, found: &Bubbles) -> Self {
        let bubbles = match lane.kind {
            LaneKind::Stream { stream, .. } => {
                found.streams.iter().find(|(id, _)| *id == stream).map(|(_, list)| list.clone()).unwrap_or_default()
            }
            LaneKind::HostThread { .. } | LaneKind::CopyEngine { .. } => Vec::new(),
        };
        Self {
            extents: lane.spans.iter().map(|span| span.interval()).collect(),
            tallies: tallies(lane),
            bubble_extents: bubbles.iter().map(|bubble| bubble.interval).collect(),
            bubbles,
        }
    }
}

impl PreparedLane {
    fn categories(&self, view: Interval) -> impl Iterator<Item = Category> + '_ {
        let first = self.extents.first_after(0, view.start);
        let end = self.extents.starts.partition_point(|&start| start < view.end);
        let occurs = move |tally: &&Tally| tally.before.get(end).is_some_and(|sum| tally.before.get(first) < Some(sum));
        self.tallies.iter().filter(occurs).map(|tally| tally.category)
    }
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

fn tallies(lane: &Lane) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for (index, span) in lane.spans.iter().enumerate() {
        for tally in &mut tallies {
            let so_far = tally.before.last().copied().unwrap_or_default();
            tally.before.push(so_far);
        }
        for (part, category) in parts(span) {
            let is_only = category == Category::of(span.kind);
            if part.dur() == Ns::ZERO && !is_only {
                continue;
            }
            let at = tallies.iter().position(|tally| tally.category == category).unwrap_or_else(|| {
                tallies.push(Tally { category, before: vec![Ns::ZERO; index + 2] });
                tallies.len() - 1
            });
            if let Some(sum) = tallies.get_mut(at).and_then(|tally| tally.before.last_mut()) {
                *sum += part.dur();
            }
        }
    }
    tallies
}

fn links(recording: &Recording) -> Vec<Link> {
    let mut links = Vec::with_capacity(recording.span_count());
    for (lane, spans) in (0u32..).zip(&recording.lanes) {
        for (span, it) in (0u32..).zip(&spans.spans) {
            if it.correlation != Correlation::NONE {
                links.push(Link { correlation: it.correlation, lane, span });
            }
        }
    }
    links.sort();
    links
}
