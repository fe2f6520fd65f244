//! Puts tracks, lanes and names together from spans in any order. It needs no program: the executors' builder stands on it, and so
//! does the import of traces.

use super::names::Names;
use super::{Lane, NameId, Span, Spans, Track, TrackId, TrackKind};
use crate::text::Localized;
use crate::time::Ns;

/// How the spans of a track that overlap become rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One row: nothing overlaps. What does all the same is found when the recording is checked.
    One,
    /// Spans that lie within another get the row below it.
    Nested,
    /// Each span gets the first row that is free: branches of graphs on one stream, or two graphs that replay at once.
    SideBySide,
}

/// Tracks and names under way.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    names: Names,
    tracks: Vec<(Track, Rows, Vec<Span>)>,
}

impl Builder {
    /// The number of a name that is the same in both languages, new or known.
    pub fn name(&mut self, name: &str) -> NameId {
        self.names.same(name)
    }

    /// The number of a name, new or known.
    pub fn localized(&mut self, name: &Localized) -> NameId {
        self.names.localized(name)
    }

    /// One more track, below the others.
    pub fn track(&mut self, track: Track, rows: Rows) -> TrackId {
        let id = TrackId(self.tracks.len() as u32);
        self.tracks.push((track, rows, Vec::new()));
        id
    }

    /// A span of a track; nothing happens where there is no such track.
    pub fn add(&mut self, track: TrackId, span: Span) {
        if let Some((_, _, spans)) = self.tracks.get_mut(track.index()) {
            spans.push(span);
        }
    }

    /// Tracks, their lanes and the names, with time counted from `origin`. Copy engines and regions without spans are left out; a
    /// host thread or stream without spans has one empty lane.
    pub fn finish(self, origin: Ns) -> (Vec<Track>, Vec<Lane>, Vec<Localized>) {
        let mut tracks = Vec::with_capacity(self.tracks.len());
        let mut lanes = Vec::with_capacity(self.tracks.len());
        for (track, rows, mut spans) in self.tracks {
            let is_optional = matches!(track.kind, TrackKind::CopyEngine { .. } | TrackKind::Regions { .. });
            if is_optional && spans.is_empty() {
                continue;
            }
            let id = TrackId(tracks.len() as u32);
            sort(&mut spans, rows);
            let split = match rows {
                Rows::One => vec![spans.into_iter().map(|span| counted_from(span, origin)).collect()],
                Rows::Nested => nested(spans, origin),
                Rows::SideBySide => side_by_side(spans, origin),
            };
            lanes.extend((0..).zip(split).map(|(depth, spans)| Lane { track: id, depth, spans }));
            tracks.push(track);
        }
        (tracks, lanes, self.names.into_list())
    }
}

fn sort(spans: &mut [Span], rows: Rows) {
    // What holds others stands before them. Most tracks come in order, which a stable sort finds out in one pass.
    match rows {
        Rows::Nested => spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end))),
        Rows::One | Rows::SideBySide => spans.sort_by_key(|span| span.start),
    }
}

fn counted_from(span: Span, origin: Ns) -> Span {
    Span {
        start: span.start - origin,
        end: span.end - origin,
        call: span.call - origin,
        // Before that nothing is known.
        released: (span.released - origin).max(Ns::ZERO),
        ..span
    }
}

fn push(rows: &mut Vec<Spans>, depth: usize, span: Span) {
    if depth >= rows.len() {
        rows.resize_with(depth + 1, Spans::default);
    }
    if let Some(row) = rows.get_mut(depth) {
        row.push(span);
    }
}

fn nested(spans: Vec<Span>, origin: Ns) -> Vec<Spans> {
    let mut rows = vec![Spans::default()];
    let mut open: Vec<Ns> = Vec::new();
    for span in spans {
        while open.last().is_some_and(|end| *end <= span.start) {
            open.pop();
        }
        push(&mut rows, open.len(), counted_from(span, origin));
        open.push(span.end);
    }
    rows
}

fn side_by_side(spans: Vec<Span>, origin: Ns) -> Vec<Spans> {
    let mut rows = vec![Spans::default()];
    let mut free_from: Vec<Ns> = Vec::new();
    for span in spans {
        let depth = free_from.iter().position(|free| *free <= span.start).unwrap_or(free_from.len());
        match free_from.get_mut(depth) {
            Some(free) => *free = span.end,
            None => free_from.push(span.end),
        }
        push(&mut rows, depth, counted_from(span, origin));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Correlation, SpanKind};
    use crate::time::Interval;
    use proptest::prelude::*;

    fn rows_of(spans: &[(i64, i64)], rows: Rows) -> Vec<Vec<(i64, i64)>> {
        let mut builder = Builder::default();
        let track = builder.track(Track::new(TrackKind::HostThread { thread: 0 }), rows);
        for &(start, end) in spans {
            let interval = Interval::new(Ns(start), Ns(end));
            builder.add(track, Span::on_host(interval, SpanKind::Operation, NameId(0), Correlation::NONE));
        }
        let (_, lanes, _) = builder.finish(Ns::ZERO);
        lanes.iter().map(|lane| lane.spans.iter().map(|span| (span.start.0, span.end.0)).collect()).collect()
    }

    #[test]
    fn what_lies_within_another_gets_the_row_below() {
        let rows = rows_of(&[(5, 6), (0, 10), (2, 4), (2, 9), (12, 13)], Rows::Nested);
        assert_eq!(rows, [vec![(0, 10), (12, 13)], vec![(2, 9)], vec![(2, 4), (5, 6)]]);
    }

    #[test]
    fn branches_that_run_at_once_stand_side_by_side() {
        let rows = rows_of(&[(0, 10), (5, 15), (10, 12)], Rows::SideBySide);
        assert_eq!(rows, [vec![(0, 10), (10, 12)], vec![(5, 15)]]);
    }

    proptest! {
        #[test]
        fn no_two_spans_of_a_row_overlap_and_none_is_lost(
            parts in prop::collection::vec((0i64..200, 0i64..50), 0..60), nest in any::<bool>(),
        ) {
            let spans: Vec<(i64, i64)> = parts.iter().map(|&(start, dur)| (start, start + dur)).collect();
            let rows = rows_of(&spans, if nest { Rows::Nested } else { Rows::SideBySide });
            for row in &rows {
                prop_assert!(row.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{row:?}");
            }
            let mut held: Vec<(i64, i64)> = rows.concat();
            held.sort_unstable();
            let mut all = spans;
            all.sort_unstable();
            prop_assert_eq!(held, all);
        }
    }
}
