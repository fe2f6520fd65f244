//! The spans of each operation, and who ended last before a time.

use crate::recording::{Correlation, Lane, Recording, Span, Track};
use crate::time::Ns;

/// A span by the index of its lane and its own there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub lane: u32,
    pub span: u32,
}

/// The spans of each operation on some of a recording's lanes.
pub(super) struct Links<'r> {
    recording: &'r Recording,
    lanes: Vec<u32>,
    /// By correlation: where its places begin. They stand in the order of lanes and of time.
    first: Vec<u32>,
    places: Vec<Place>,
}

impl<'r> Links<'r> {
    /// Those on tracks that are `wanted`.
    pub fn new(recording: &'r Recording, wanted: impl Fn(&Track) -> bool) -> Self {
        let is_wanted = |lane: &u32| recording.track_of(*lane as usize).is_some_and(&wanted);
        let lanes: Vec<u32> = (0..recording.lanes.len() as u32).filter(is_wanted).collect();
        let correlations =
            |lane: &u32| recording.lanes.get(*lane as usize).map_or(&[][..], |it| it.spans.correlations());
        let most = lanes.iter().flat_map(correlations).map(|it| it.0).max().unwrap_or(0) as usize;
        let mut first = vec![0_u32; most + 2];
        for Correlation(number) in lanes.iter().flat_map(correlations) {
            if let Some(count) = first.get_mut(*number as usize + 1) {
                *count += 1;
            }
        }
        for number in 1..first.len() {
            let before = first.get(number - 1).copied().unwrap_or(0);
            if let Some(begin) = first.get_mut(number) {
                *begin += before;
            }
        }
        let mut next = first.clone();
        let count = first.last().copied().unwrap_or(0) as usize;
        let mut places = vec![Place { lane: 0, span: 0 }; count];
        for lane in &lanes {
            for (span, Correlation(number)) in (0..).zip(correlations(lane)) {
                let Some(at) = next.get_mut(*number as usize) else { continue };
                if let Some(place) = places.get_mut(*at as usize) {
                    *place = Place { lane: *lane, span };
                }
                *at += 1;
            }
        }
        Self { recording, lanes, first, places }
    }

    fn lane(&self, lane: u32) -> Option<&'r Lane> {
        self.recording.lanes.get(lane as usize)
    }

    fn end(&self, place: Place) -> Option<Ns> {
        self.lane(place.lane)?.spans.ends().get(place.span as usize).copied()
    }

    /// The spans of an operation, in the order of lanes and of time.
    pub fn of(&self, correlation: Correlation) -> &[Place] {
        let number = correlation.0 as usize;
        let bounds =
            self.first.get(number).zip(self.first.get(number + 1)).filter(|_| correlation != Correlation::NONE);
        bounds.and_then(|(from, to)| self.places.get(*from as usize..*to as usize)).unwrap_or_default()
    }

    /// Of the spans of an operation, the one that ended last by `at`.
    pub fn last_of(&self, correlation: Correlation, at: Ns) -> Option<(Place, Ns)> {
        let mut rest = self.of(correlation);
        let mut found: Option<(Place, Ns)> = None;
        while let Some(first) = rest.first() {
            let (row, others) = rest.split_at(rest.partition_point(|place| place.lane == first.lane));
            let over = row.partition_point(|place| self.end(*place).is_some_and(|end| end <= at));
            found = later(found, over.checked_sub(1).and_then(|last| self.with_end(*row.get(last)?)));
            rest = others;
        }
        found
    }

    /// Of all spans on lanes that are `wanted`, the one that ended last by `at`.
    pub fn last_by(&self, at: Ns, wanted: impl Fn(usize) -> bool) -> Option<(Place, Ns)> {
        let lanes = self.lanes.iter().filter(|lane| wanted(**lane as usize));
        lanes.fold(None, |found, lane| {
            let ends = self.lane(*lane).map_or(&[][..], |lane| lane.spans.ends());
            let over = ends.partition_point(|end| *end <= at).checked_sub(1);
            later(found, over.and_then(|span| self.with_end(Place { lane: *lane, span: span as u32 })))
        })
    }

    /// The spans that were under way at `at`, one a lane at most.
    pub fn under_way(&self, at: Ns) -> impl Iterator<Item = (Place, Span)> {
        self.lanes.iter().filter_map(move |lane| {
            let spans = &self.lane(*lane)?.spans;
            let span = spans.starts().partition_point(|start| *start < at).checked_sub(1)?;
            let found = spans.get(span).filter(|span| span.end > at)?;
            Some((Place { lane: *lane, span: span as u32 }, found))
        })
    }

    fn with_end(&self, place: Place) -> Option<(Place, Ns)> {
        Some((place, self.end(place)?))
    }
}

/// The one that ended later; of two at once the first.
pub(super) fn later(known: Option<(Place, Ns)>, other: Option<(Place, Ns)>) -> Option<(Place, Ns)> {
    match (known, other) {
        (Some((_, known_end)), Some((_, end))) if end > known_end => other,
        (None, other) => other,
        (known, _) => known,
    }
}
