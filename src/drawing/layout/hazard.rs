//! A hazard in the picture: its two operations numbered, an arrow from one to the other, the bytes that both touch, and the moment
//! at which they were spoiled.

use std::ops::Range;

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::hazard_spans::{HazardSpans, SpanPlace};
use super::super::theme::{Rgba, Theme};
use super::{Layout, Prepared};
use crate::analysis::hazard::Hazard;
use crate::recording::{Recording, Span};
use crate::text::{Key, Lang};
use crate::time::{Interval, Ns};

/// Half the size of a number.
const BADGE: f32 = 8.0;
/// How far an arrow within one lane leaves it.
const BOW: f32 = 30.0;

/// What a hazard adds to a picture, from back to front; nothing of what is out of view.
pub fn hazard_marks(
    layout: &Layout,
    recording: &Recording,
    prepared: &Prepared,
    hazard: &Hazard,
    spans: &HazardSpans,
    (theme, lang): (&Theme, Lang),
) -> Vec<Drawable> {
    let pen = Pen { layout, recording, prepared, theme, lang };
    let mut out = Vec::new();
    for (lane, span) in spans.sides.iter().flatten() {
        if let Some(rect) = pen.span(*lane, *span).and_then(|span| pen.layout.stretch(*lane, span.interval())) {
            pen.frame(rect, &mut out);
        }
    }
    match spans.pair(recording) {
        Some(pair) => pen.pair(hazard, pair, &mut out),
        None => pen.alone(spans, &mut out),
    }
    out
}

struct Pen<'a> {
    layout: &'a Layout,
    recording: &'a Recording,
    prepared: &'a Prepared,
    theme: &'a Theme,
    lang: Lang,
}

impl Pen<'_> {
    fn span(&self, lane: usize, span: usize) -> Option<Span> {
        self.recording.lanes.get(lane)?.spans.get(span)
    }

    /// A line two points thick around something.
    fn frame(&self, rect: Rect, out: &mut Vec<Drawable>) {
        let color = self.theme.alert;
        for by in [-1.0, -2.0] {
            let (rect, fill) = (rect.inset(by), color.with_alpha(0.0));
            out.push(Drawable::Box { rect, radius: 0.0, fill, outline: Some(color) });
        }
    }

    /// Both operations are in the timeline.
    fn pair(&self, hazard: &Hazard, [first, second]: [(SpanPlace, Span); 2], out: &mut Vec<Drawable>) {
        self.bytes(hazard, first.1, second.1, out);
        let rects = [&first, &second].map(|(place, span)| self.layout.stretch(place.0, span.interval()));
        let [Some(from), Some(to)] = rects else {
            for (rect, number) in rects.into_iter().zip(["1", "2"]) {
                out.extend(rect.into_iter().flat_map(|rect| self.badge(Self::corner(rect), number)));
            }
            return;
        };
        if hazard.corrupted == Some(true) {
            self.moment(hazard, [from, to], second.1, out);
        }
        let (tail, mut tip) = (Self::corner(from), Self::corner(to));
        let is_same_lane = first.0.0 == second.0.0;
        if is_same_lane && (tail.x - tip.x).abs() < 2.5 * BADGE {
            tip.x = tail.x + 2.5 * BADGE;
        }
        // On a ground of its own, so that it is seen over spans of any colour.
        for (width, color) in [(5.0, self.theme.background), (2.0, self.theme.alert)] {
            out.push(self.arrow(tail, tip, is_same_lane, width, color));
        }
        out.extend(self.badge(tail, "1"));
        out.extend(self.badge(tip, "2"));
    }

    /// Only one operation is in the timeline.
    fn alone(&self, spans: &HazardSpans, out: &mut Vec<Drawable>) {
        for (side, number) in spans.sides.iter().zip(["1", "2"]) {
            let first =
                side.iter().find_map(|(lane, span)| self.layout.stretch(*lane, self.span(*lane, *span)?.interval()));
            out.extend(first.into_iter().flat_map(|rect| self.badge(Self::corner(rect), number)));
        }
    }

    /// Where the number of a span stands: at its left upper corner.
    fn corner(rect: Rect) -> Point {
        Point::new(rect.x + rect.w.min(20.0) / 2.0, rect.y)
    }

    /// From one number to the other: over the lane or, where there is no room above it, under it; or down or up to another lane.
    fn arrow(&self, tail: Point, tip: Point, is_same_lane: bool, width: f32, color: Rgba) -> Drawable {
        let rim = BADGE + 1.5;
        if is_same_lane {
            let up = if tail.y - BOW >= self.layout.plot.y { -1.0 } else { 1.0 };
            let [from, to] = [tail, tip].map(|at| Point::new(at.x, at.y + up * rim));
            let controls = [from, to].map(|at| Point::new(at.x, at.y + up * BOW));
            return Drawable::Curve { from, controls, to, width, color };
        }
        let down = if tip.y > tail.y { 1.0 } else { -1.0 };
        let (from, to) = (Point::new(tail.x, tail.y + down * rim), Point::new(tip.x, tip.y - down * rim));
        // One that has little height still leaves and arrives upright.
        let reach = ((to.y - from.y).abs() * 0.55).max(0.5 * BOW);
        let controls = [Point::new(from.x, from.y + down * reach), Point::new(to.x, to.y - down * reach)];
        Drawable::Curve { from, controls, to, width, color }
    }

    fn badge(&self, at: Point, number: &str) -> [Drawable; 3] {
        let plot = self.layout.plot;
        let x = at.x.clamp(plot.x + BADGE, (plot.right() - BADGE).max(plot.x + BADGE));
        let around = |half: f32| Rect::new(x - half, at.y - half, 2.0 * half, 2.0 * half);
        let disc = |half: f32, fill| Drawable::Box { rect: around(half), radius: half, fill, outline: None };
        let (anchor, size, weight) = (Anchor::Middle, 11.0, Weight::SemiBold);
        let (at, color) = (Point::new(x, at.y + 4.0), self.theme.background);
        let number = Text { at, anchor, size, weight, color, text: number.into() };
        [disc(BADGE + 1.5, self.theme.background), disc(BADGE, self.theme.alert), Drawable::Text(number)]
    }

    /// Where the second operation began to spoil what the first one works with: a line through the lanes of both, with a flash.
    fn moment(&self, hazard: &Hazard, [first, second]: [Rect; 2], spoiler: Span, out: &mut Vec<Drawable>) {
        let plot = self.layout.plot;
        let x = self.layout.scale.x(spoiler.start);
        if !(plot.x..=plot.right()).contains(&x) {
            return;
        }
        let (color, top, bottom) = (self.theme.alert, first.y.min(second.y), first.bottom().max(second.bottom()));
        let line = |from: Point, to: Point, width: f32| Drawable::Line { from, to, width, color };
        out.push(line(Point::new(x, top), Point::new(x, bottom), 1.2));
        let middle = (top + bottom) / 2.0;
        let flash =
            [(3.0, -9.0), (-3.0, 1.0), (3.0, -1.0), (-3.0, 9.0)].map(|(dx, dy)| Point::new(x + dx, middle + dy));
        out.extend(flash.iter().zip(flash.iter().skip(1)).map(|(from, to)| line(*from, *to, 2.2)));
        const SIZE: f32 = 11.0;
        let key = if hazard.access.is_second_write() { Key::OverwrittenHere } else { Key::ReadTooEarly };
        let text = self.lang.text(key);
        let w = fonts::width(text, SIZE, Weight::SemiBold);
        // Below, where no number stands.
        let left = (x - w / 2.0).clamp(plot.x + 4.0, (plot.right() - w - 4.0).max(plot.x + 4.0));
        let middle = bottom + 7.0;
        let pad = Rect::new(left - 4.0, middle - 8.5, w + 8.0, 17.0);
        out.push(Drawable::Box { rect: pad, radius: 3.0, fill: self.theme.background, outline: Some(color) });
        let at = Point::new(left, middle + 4.0);
        let (anchor, weight) = (Anchor::Start, Weight::SemiBold);
        out.push(Drawable::Text(Text { at, anchor, size: SIZE, weight, color, text: text.into() }));
    }

    /// The bytes that both touch, where the memory map shows them: from when the first one has them until both are done.
    fn bytes(&self, hazard: &Hazard, first: Span, second: Span, out: &mut Vec<Drawable>) {
        let done = first.end.max(second.end);
        let Some((addresses, since)) = self.shared_addresses(hazard, first, second) else { return };
        let time = Interval::new(since.min(first.start).min(second.start), done);
        if let Some(rect) = self.layout.addresses(self.prepared, addresses, time) {
            self.frame(rect, out);
        }
    }

    /// The addresses that a tensor of that name had, and since when each, until `by`.
    fn blocks_of(&self, name: &str, by: Ns) -> impl Iterator<Item = (Range<u64>, Ns)> {
        let blocks = self.recording.memory_map.blocks.iter();
        let known = blocks.filter(move |block| self.recording.name(block.owner) == name && block.start <= by);
        known.map(|block| (block.address..block.address.saturating_add(block.bytes), block.start))
    }

    /// The addresses that both touch, and since when they belonged to what the first one touches.
    fn shared_addresses(&self, hazard: &Hazard, first: Span, second: Span) -> Option<(Range<u64>, Ns)> {
        match &hazard.shared().second_object {
            None => {
                let (block, _) = self.blocks_of(&hazard.object, first.start.max(second.start)).last()?;
                let (from, to) = hazard.shared().range.unwrap_or((0, block.end - block.start));
                let address = |offset: u64| block.start.saturating_add(offset).min(block.end);
                Some((address(from)..address(to), first.start))
            }
            Some(name) => {
                let (new, taken) = self.blocks_of(name, second.start).last()?;
                let both = |(old, since): (Range<u64>, Ns)| {
                    let both = old.start.max(new.start)..old.end.min(new.end);
                    (!both.is_empty()).then_some((both, since))
                };
                self.blocks_of(&hazard.object, taken).filter_map(both).last()
            }
        }
    }
}
