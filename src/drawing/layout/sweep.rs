//! Which spans are drawn as themselves and which as occupancy of pixel columns.
//!
//! Folding small spans into bars would hide the gaps between them, and gaps are what we teach. So a span of at least
//! [`WIDE`] columns is drawn exactly, and the others only through how much of each column they fill. The work is
//! proportional to the number of columns, not of spans.

use std::ops::Range;

use super::category::{Category, parts};
use super::prepared::{Extents, PreparedLane};
use crate::recording::Spans;
use crate::time::{Interval, Ns};

/// Spans at least that many columns wide are always drawn exactly.
pub(super) const WIDE: usize = 3;

/// Part of a lane, as it is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The span with this index, as itself.
    Exact(usize),
    /// A stretch of at most one column that smaller spans touch.
    Column {
        /// When.
        within: Interval,
        /// Index of the first span that ends after `within.start`.
        first: usize,
        /// Index of the first span that ends after `within.end`.
        last: usize,
    },
}

/// Covers what happened within `view`, cut into `columns`, from left to right. As long as there are few, all are drawn as themselves.
pub(super) fn sweep(extents: &Extents, view: Interval, columns: usize) -> Vec<Piece> {
    let seen = seen(extents, view);
    if is_few(&seen, columns) { seen.map(Piece::Exact).collect() } else { folded(extents, view, columns) }
}

/// The same for what lies between `others`, so that both are folded where those are.
pub(super) fn sweep_between(extents: &Extents, others: &Extents, view: Interval, columns: usize) -> Vec<Piece> {
    if is_few(&seen(others, view), columns) { sweep(extents, view, columns) } else { folded(extents, view, columns) }
}

fn seen(extents: &Extents, view: Interval) -> Range<usize> {
    extents.first_after(0, view.start)..extents.starts.partition_point(|&start| start < view.end)
}

fn is_few(seen: &Range<usize>, columns: usize) -> bool {
    seen.len() * WIDE <= columns
}

/// Only what is wide is drawn as itself.
fn folded(extents: &Extents, view: Interval, columns: usize) -> Vec<Piece> {
    let first = extents.first_after(0, view.start);
    let grid = Grid { start: view.start, column: view.dur().0 as f64 / columns.max(1) as f64 };
    let wide = Ns((grid.column * WIDE as f64).ceil() as i64);
    let mut pieces = Vec::with_capacity(columns);
    let (mut at, mut next, mut column) = (view.start, first, 0);
    while let Some(start) = extents.start(next).filter(|&start| start < view.end && column < columns) {
        column = column.max(grid.index(start));
        at = at.max(grid.edge(column));
        let to = grid.edge(column + 1);
        let last = extents.first_after(next, to);
        let exact = extents.get(last).filter(|span| span.start < to && span.dur() >= wide);
        let within = Interval::new(at, exact.map_or(to, |span| span.start));
        if start < within.end && within.dur() > Ns::ZERO {
            pieces.push(Piece::Column { within, first: next, last });
        }
        match exact {
            Some(span) => {
                pieces.push(Piece::Exact(last));
                at = span.end;
                next = last + 1;
                column = grid.index(at);
            }
            None => {
                at = to;
                next = last;
                column += 1;
            }
        }
    }
    pieces
}

/// How much of a column is busy, and with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Occupancy {
    /// Time of all categories.
    pub(super) busy: Ns,
    /// The one with most time.
    pub(super) most: Category,
    /// Time of each, in the order of [`Category::ALL`].
    pub(super) times: [Ns; Category::ALL.len()],
}

/// What fills a column. `None` if nothing touches it.
pub(super) fn occupancy(lane: &PreparedLane, spans: &Spans, piece: Piece) -> Option<Occupancy> {
    let Piece::Column { within, first, last } = piece else { return None };
    // Spans of no length are shown, but fill nothing.
    let nothing = Category::of(spans.get(first)?.kind);
    let mut found = Occupancy { busy: Ns::ZERO, most: nothing, times: Default::default() };
    add_until(&mut found.times, lane, spans, first, within.start, -1);
    add_until(&mut found.times, lane, spans, last, within.end, 1);
    let mut longest = Ns::ZERO;
    for (time, category) in found.times.into_iter().zip(Category::ALL) {
        found.busy += time;
        if time > longest {
            (longest, found.most) = (time, category);
        }
    }
    Some(found)
}

/// Adds, `sign` times, the time of each category before `at`, where `index` is the first span that ends after `at`.
fn add_until(
    times: &mut [Ns; Category::ALL.len()],
    lane: &PreparedLane,
    spans: &Spans,
    index: usize,
    at: Ns,
    sign: i64,
) {
    let parts = spans.get(index).map(|span| parts(&span));
    lane.tallies.until(index, parts.into_iter().flatten(), at, |category, time| {
        if let Some(slot) = times.get_mut(category as usize) {
            *slot += Ns(sign * time.0);
        }
    });
}

/// Columns of equal width, with edges at whole nanoseconds.
struct Grid {
    start: Ns,
    column: f64,
}

impl Grid {
    fn edge(&self, column: usize) -> Ns {
        self.start + Ns((column as f64 * self.column).round() as i64)
    }

    /// The column that `at` lies in.
    fn index(&self, at: Ns) -> usize {
        let guess = ((at - self.start).0.max(0) as f64 / self.column.max(f64::MIN_POSITIVE)) as usize;
        // The edges are rounded, so `at` may lie one column further on either side.
        let mut column = guess.saturating_sub(1);
        while self.edge(column + 1) <= at && column < guess + 2 {
            column += 1;
        }
        column
    }
}

impl Extents {
    pub(super) fn start(&self, index: usize) -> Option<Ns> {
        self.starts.get(index).copied()
    }

    pub(super) fn get(&self, index: usize) -> Option<Interval> {
        Some(Interval::new(*self.starts.get(index)?, *self.ends.get(index)?))
    }

    /// The first of the stretches `from..` that ends after `at`: leaps of doubling length, then a binary search.
    pub(super) fn first_after(&self, from: usize, at: Ns) -> usize {
        let mut low = from;
        let mut leap = 1;
        while self.ends.get(low + leap - 1).is_some_and(|&end| end <= at) {
            low += leap;
            leap *= 2;
        }
        let high = (low + leap).min(self.ends.len());
        low + self.ends.get(low..high).map_or(0, |ends| ends.partition_point(|&end| end <= at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::layout::testing::{lane, prepared};
    use crate::recording::SpanKind;
    use proptest::prelude::*;

    /// Spans with gaps before them, mixed kinds.
    fn spans() -> impl Strategy<Value = Vec<(i64, i64, SpanKind)>> {
        let kind = prop_oneof![Just(SpanKind::Kernel), Just(SpanKind::Memset), Just(SpanKind::Event)];
        prop::collection::vec((0i64..30, 0i64..40, kind), 0..200).prop_map(|parts| {
            let mut at = 0;
            let mut spans = Vec::new();
            for (gap, dur, kind) in parts {
                spans.push((at + gap, at + gap + dur, kind));
                at += gap + dur;
            }
            spans
        })
    }

    proptest! {
        #[test]
        fn pieces_hold_all_the_time_that_was_busy_and_no_other(
            spans in spans(), start in -50i64..2000, dur in 1i64..3000, columns in 1usize..120,
        ) {
            let lane = lane(&spans);
            let prepared = prepared(&lane);
            let view = Interval::new(Ns(start), Ns(start + dur));
            let busy = |within: Interval| -> Ns { lane.spans.iter().map(|s| s.interval().intersect(within).dur()).sum() };
            let mut held = Ns::ZERO;
            let mut reached = view.start;
            for piece in sweep(&prepared.extents, view, columns) {
                let (within, time) = match piece {
                    Piece::Exact(i) => {
                        let within = lane.spans.get(i).unwrap().interval().intersect(view);
                        (within, within.dur())
                    }
                    Piece::Column { within, .. } => {
                        let found = occupancy(&prepared, &lane.spans, piece).unwrap();
                        prop_assert_eq!(found.busy, busy(within));
                        let times = Category::ALL.map(|category| -> Ns {
                            let some = lane.spans.iter().filter(|s| Category::of(s.kind) == category);
                            some.map(|s| s.interval().intersect(within).dur()).sum()
                        });
                        prop_assert_eq!(found.times, times);
                        prop_assert!(times.iter().all(|&time| time <= times[found.most as usize]));
                        (within, found.busy)
                    }
                };
                prop_assert!(within.start >= reached, "{:?} before {:?}", within, reached);
                reached = within.end;
                held += time;
            }
            prop_assert_eq!(held, busy(view));
        }

        #[test]
        fn leaping_finds_what_a_search_finds(spans in spans(), from in 0usize..50, at in 0i64..3000) {
            let extents = prepared(&lane(&spans)).extents;
            let from = from.min(extents.ends.len());
            let searched = from + extents.ends[from..].partition_point(|&end| end <= Ns(at));
            prop_assert_eq!(extents.first_after(from, Ns(at)), searched);
        }
    }
}
