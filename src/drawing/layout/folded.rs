//! What is too small to be drawn as itself: columns of pixels, each filled from its foot by the share of it that was busy. Above
//! that, where a stream had nothing to do, lies the hatching of the bubble's cause: idleness is seen at any zoom.

use super::super::drawable::{Column, Drawable, Rect};
use super::super::theme::{Rgba, Theme};
use super::super::view::TimeScale;
use super::category::Category;
use super::lit::{Lit, dimmed};
use super::prepared::{PreparedLane, PreparedTrack};
use super::sweep::{Occupancy, Piece, occupancy};
use crate::recording::{Cause, Spans};
use crate::time::{Interval, Ns};

/// What fills less of a column is drawn that high, in points, so that it is seen at all.
const LEAST: f32 = 2.0;
/// A blank narrower than this is no blank but rounding, in points.
const BLANK: f32 = 0.5;

/// What the columns of a lane are drawn from.
pub(super) struct Fold<'a> {
    pub(super) lane: &'a PreparedLane,
    pub(super) spans: &'a Spans,
    pub(super) track: &'a PreparedTrack,
    pub(super) theme: &'a Theme,
    pub(super) scale: TimeScale,
    pub(super) inner: Rect,
    pub(super) lit: Option<Lit>,
}

/// A column in which a stream had nothing to do for a while.
#[derive(Clone, Copy, Debug)]
struct IdleColumn {
    within: Interval,
    /// That of most of the time.
    cause: Cause,
    idle: Ns,
}

impl Fold<'_> {
    /// The columns of `bubbles`, those of one cause in one hatching; what was neither idle nor busy stays clear.
    pub(super) fn idle(&self, bubbles: &[Piece], out: &mut Vec<Drawable>) {
        let columns: Vec<IdleColumn> = bubbles.iter().filter_map(|&piece| idle_column(self.track, piece)).collect();
        let is_one = |a: &IdleColumn, b: &IdleColumn| a.cause == b.cause && a.within.end == b.within.start;
        for run in columns.chunk_by(is_one) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                let rect = self.inner.columns(self.scale.x(first.within.start), self.scale.x(last.within.end));
                let (ground, stripe) = self.theme.idle(first.cause);
                let mut hatch = Drawable::Hatch { rect, ground, stripe, outline: None };
                if self.lit.is_some_and(|lit| !lit.has_idle(first.cause)) {
                    hatch.recolor(|color| dimmed(color, self.theme));
                }
                out.push(hatch);
            }
        }
        let mut at = 0;
        let blanks: Vec<Column> = columns.iter().filter_map(|column| self.blank(*column, &mut at)).collect();
        self.push(blanks, out);
    }

    /// The columns of `pieces`, filled by what was busy.
    pub(super) fn busy(&self, pieces: &[Piece], out: &mut Vec<Drawable>) {
        let least = LEAST / self.inner.h.max(LEAST);
        let (mut columns, mut lit) = (Vec::new(), Vec::new());
        for &piece in pieces {
            let Piece::Column { within, .. } = piece else { continue };
            let Some(found) = occupancy(self.lane, self.spans, piece) else { continue };
            let hue = self.hue(&found);
            let color = if self.lit.is_some() { dimmed(hue, self.theme) } else { hue };
            columns.push(self.column(within, (0.0, self.share(found.busy, within).max(least)), color));
            if let Some((time, color)) = self.lit.and_then(|lit| lit.part_of(&found, self.theme)) {
                lit.push(self.column(within, (0.0, self.share(time, within).max(least)), color));
            }
        }
        self.push(columns, out);
        self.push(lit, out);
    }

    /// Where a column was neither idle nor busy in this lane: before the stream's first operation, or busy in another lane of it.
    /// `at` is a span that does not end after the column begins.
    fn blank(&self, IdleColumn { within, idle, .. }: IdleColumn, at: &mut usize) -> Option<Column> {
        let first = self.lane.extents.first_after(*at, within.start);
        let last = self.lane.extents.first_after(first, within.end);
        *at = first;
        let found = occupancy(self.lane, self.spans, Piece::Column { within, first, last });
        let busy = self.share(found.map_or(Ns::ZERO, |found| found.busy), within);
        let idle = self.share(idle, within);
        ((1.0 - idle - busy) * self.inner.h > BLANK).then(|| self.column(within, (busy, 1.0 - idle), self.theme.lane))
    }

    fn share(&self, part: Ns, of: Interval) -> f32 {
        (part.0 as f64 / of.dur().0.max(1) as f64) as f32
    }

    fn column(&self, within: Interval, filled: (f32, f32), color: Rgba) -> Column {
        Column { left: self.scale.x(within.start), right: self.scale.x(within.end), filled, color }
    }

    fn push(&self, columns: Vec<Column>, out: &mut Vec<Drawable>) {
        if !columns.is_empty() {
            out.push(Drawable::Columns { y: self.inner.y, h: self.inner.h, columns });
        }
    }

    /// The hue of the category with most time. The layers of host calls mix, as in the distance they would to the eye: the driver
    /// must not look like all of a call because Python's part is cut in three.
    fn hue(&self, found: &Occupancy) -> Rgba {
        let layers = [Category::Python, Category::Dispatcher, Category::Aten, Category::Driver];
        let time = |category: Category| found.times.get(category as usize).map_or(0, |time| time.0) as f32;
        let total: f32 = layers.iter().map(|&layer| time(layer)).sum();
        let is_call =
            found.times.iter().zip(Category::ALL).all(|(it, other)| layers.contains(&other) || total >= it.0 as f32);
        if total <= 0.0 || !is_call {
            return self.theme.span(found.most).fill;
        }
        let mean = |channel: fn(Rgba) -> u8| {
            let sum: f32 =
                layers.iter().map(|&layer| time(layer) * f32::from(channel(self.theme.span(layer).fill))).sum();
            (sum / total).round() as u8
        };
        Rgba { r: mean(|c| c.r), g: mean(|c| c.g), b: mean(|c| c.b), a: 255 }
    }
}

/// How long a stream was idle within a column of its bubbles, and what for; `None` for a bubble that is drawn as itself.
fn idle_column(track: &PreparedTrack, piece: Piece) -> Option<IdleColumn> {
    let Piece::Column { within, .. } = piece else { return None };
    let mut found: Option<IdleColumn> = None;
    let mut most = Ns::ZERO;
    for (time, cause) in idle_times(track, piece)?.into_iter().zip(Cause::ALL).filter(|(time, _)| *time > Ns::ZERO) {
        let column = found.get_or_insert(IdleColumn { within, cause, idle: Ns::ZERO });
        column.idle += time;
        if time > most {
            (most, column.cause) = (time, cause);
        }
    }
    found
}

/// How long a stream was idle within a column of its bubbles, for each cause in the order of [`Cause::ALL`].
pub(super) fn idle_times(track: &PreparedTrack, piece: Piece) -> Option<[Ns; Cause::ALL.len()]> {
    let Piece::Column { within, first, last } = piece else { return None };
    let mut times = [Ns::ZERO; Cause::ALL.len()];
    for (index, at, sign) in [(first, within.start, -1), (last, within.end, 1)] {
        let bubble = track.bubbles.get(index).map(|bubble| (bubble.interval, bubble.cause));
        track.tallies.until(index, bubble, at, |cause, time| {
            if let Some(slot) = times.get_mut(cause as usize) {
                *slot += Ns(sign * time.0);
            }
        });
    }
    Some(times)
}
