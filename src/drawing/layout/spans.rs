//! The spans of a lane, and its bubbles.

use std::sync::Arc;

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::theme::{Rgba, Theme};
use super::super::view::TimeScale;
use super::category::{Category, parts};
use super::folded::Fold;
use super::lit::{self, Lit};
use super::prepared::PreparedTrack;
use super::rows::PlacedRow;
use super::sweep::{Piece, sweep, sweep_between};
use super::{LaneMetrics, Options, Prepared};
use crate::analysis::Bubble;
use crate::analysis::cause_key;
use crate::recording::{Lane, Recording, Span, SpanKind};
use crate::text::{Key, Lang};
use crate::time::Ns;

/// A bubble that wide has its duration written below it.
const CAPTIONED: f32 = 36.0;
/// Layers of a host call are told apart from this width on.
const LAYERED: f32 = 5.0;

/// Draws `lane` into `out`: bubbles at the back, then occupancy, then exact spans with their labels.
pub(super) fn draw(
    recording: &Recording,
    lane: &Lane,
    (prepared, index): (&Prepared, usize),
    options: &Options<'_>,
    scale: TimeScale,
    placed: &PlacedRow,
    out: &mut Vec<Drawable>,
) {
    let Some((prepared, track)) = prepared.lanes.get(index).zip(prepared.track(index)) else { return };
    let view = options.view.interval;
    let columns = (placed.inner.w / options.pixel.max(0.1)) as usize;
    let pen = Pen {
        recording,
        theme: options.theme,
        lang: options.lang,
        scale,
        inner: placed.inner,
        metrics: placed.metrics,
        is_silent: placed.is_folded,
        lit: options.lit,
    };
    let Options { theme, lit, .. } = *options;
    let fold = Fold { lane: prepared, spans: &lane.spans, track, theme, scale, inner: placed.inner, lit };
    let bubbles = sweep_between(&track.extents, &prepared.extents, view, columns);
    fold.idle(&bubbles, out);
    for piece in bubbles {
        if let Piece::Exact(index) = piece
            && let Some(bubble) = track.bubbles.get(index)
        {
            let from = out.len();
            pen.bubble(bubble, (placed.is_last && !placed.is_folded).then_some(placed.rect.bottom()), out);
            if lit.is_some_and(|lit| !lit.has_idle(bubble.cause)) {
                lit::dim(out.get_mut(from..).unwrap_or_default(), theme);
            }
        }
    }
    let pieces = sweep(&prepared.extents, view, columns);
    fold.busy(&pieces, out);
    for piece in pieces {
        if let Piece::Exact(index) = piece
            && let Some(span) = lane.spans.get(index)
        {
            let next = prepared.extents.start(index + 1);
            pen.span(&span, next, out);
        }
    }
}

/// Whether a bubble in view is wide enough for its duration to be written below the lane.
pub(super) fn has_captions(track: &PreparedTrack, options: &Options<'_>, scale: TimeScale, width: f32) -> bool {
    let least = CAPTIONED * options.density.scale();
    let pieces = sweep(&track.extents, options.view.interval, width as usize);
    let mut bubbles = pieces.iter().filter_map(|piece| match piece {
        Piece::Exact(index) => track.extents.get(*index),
        Piece::Column { .. } => None,
    });
    bubbles.any(|bubble| scale.width(bubble.intersect(options.view.interval).dur()) >= least)
}

/// What drawing one span needs to know.
struct Pen<'a> {
    recording: &'a Recording,
    theme: &'a Theme,
    lang: Lang,
    scale: TimeScale,
    inner: Rect,
    metrics: LaneMetrics,
    /// Whether there is no room for words.
    is_silent: bool,
    lit: Option<Lit>,
}

impl Pen<'_> {
    /// The visible extent of `start..end`; unless `next` comes sooner, at least one point wide.
    fn extent(&self, start: Ns, end: Ns, next: Option<Ns>) -> Rect {
        let clamp = |x: f32| x.clamp(self.inner.x, self.inner.right());
        let left = self.scale.x(start);
        let limit = next.map_or(f32::INFINITY, |next| self.scale.x(next));
        let right = self.scale.x(end).max((left + 1.0).min(limit));
        self.inner.columns(clamp(left), clamp(right))
    }

    fn span(&self, span: &Span, next: Option<Ns>, out: &mut Vec<Drawable>) {
        let whole = self.extent(span.start, span.end, next);
        if whole.w < LAYERED {
            let longest = parts(span).into_iter().max_by_key(|(part, _)| part.dur());
            return self.fill(longest.map_or(Category::of(span.kind), |(_, category)| category), whole, span, out);
        }
        for (part, category) in parts(span) {
            if part.dur() > Ns::ZERO || category == Category::of(span.kind) {
                let rect = self.extent(part.start, part.end, Some(part.end));
                if rect.w > 0.0 {
                    self.fill(category, rect, span, out);
                }
            }
        }
    }

    fn fill(&self, category: Category, rect: Rect, span: &Span, out: &mut Vec<Drawable>) {
        let from = out.len();
        self.bright(category, rect, span, out);
        if self.lit.is_some_and(|lit| !lit.has_part(category)) {
            lit::dim(out.get_mut(from..).unwrap_or_default(), self.theme);
        }
    }

    fn bright(&self, category: Category, rect: Rect, span: &Span, out: &mut Vec<Drawable>) {
        let fill = self.theme.span(category).fill;
        let name = self.recording.name_in(span.name, self.lang);
        match category {
            Category::Blocked => {
                let outline = Some(fill).filter(|_| rect.w >= 4.0);
                out.push(Drawable::Hatch {
                    rect,
                    ground: fill.with_alpha(0.26),
                    stripe: fill.with_alpha(0.75),
                    outline,
                });
                self.padded(&[&self.lang.fill(Key::BlockedIn, &[name]), name], rect, out);
            }
            Category::Python | Category::Dispatcher | Category::Aten => {
                out.push(Drawable::Box { rect, radius: 0.0, fill, outline: None });
                // A layer that was emulated has no name of its own.
                let is_layer = !matches!(span.kind, SpanKind::Operation | SpanKind::Python);
                let text = if is_layer { self.lang.text(category.key()) } else { name };
                self.label(text, category, rect, out);
            }
            Category::Annotation | Category::Driver | Category::Work | Category::Allocation | Category::Capture => {
                out.push(Drawable::Box { rect, radius: 0.0, fill, outline: None });
                self.label(name, category, rect, out);
            }
            _ => {
                out.push(Drawable::Box { rect, radius: (rect.w / 5.0).min(2.0), fill, outline: None });
                self.label(name, category, rect, out);
            }
        }
    }

    /// A bubble as hatching in the colour of its cause, its duration below the lane where there is room `below`.
    fn bubble(&self, bubble: &Bubble, below: Option<f32>, out: &mut Vec<Drawable>) {
        const THINNEST: f32 = 1.5;
        let scale = self.metrics.scale;
        let rect = self.extent(bubble.interval.start, bubble.interval.end, Some(bubble.interval.end));
        if rect.w < THINNEST {
            return;
        }
        let (ground, stripe) = self.theme.idle(bubble.cause);
        out.push(Drawable::Hatch { rect, ground, stripe, outline: None });
        let Some(below) = below.filter(|_| rect.w >= CAPTIONED * scale) else { return };
        let size = 9.5 * scale;
        let short = bubble.interval.dur().to_string();
        let long = format!("{short} · {}", self.lang.text(cause_key(bubble.cause)));
        let text = if fonts::width(&long, size, Weight::SemiBold) <= rect.w { long } else { short };
        out.push(Drawable::Text(Text {
            at: Point::new(rect.x + rect.w / 2.0, below + 9.5 * scale),
            anchor: Anchor::Middle,
            size,
            weight: Weight::SemiBold,
            color: self.theme.cause(bubble.cause),
            text: text.into(),
        }));
    }

    /// A label directly on a fill.
    fn label(&self, text: &str, category: Category, rect: Rect, out: &mut Vec<Drawable>) {
        let margin = 6.0 * self.metrics.scale;
        let color = self.theme.span(category).text;
        if let Some(text) = self.whole(text, rect.w - 2.0 * margin) {
            out.push(Drawable::Text(self.text(text, rect.x + margin, color)));
        }
    }

    /// A label on a pad, for hatching: the first of `texts` that fits.
    fn padded(&self, texts: &[&str], rect: Rect, out: &mut Vec<Drawable>) {
        let (outer, inner) = (5.0 * self.metrics.scale, 5.0 * self.metrics.scale);
        let size = self.label_size();
        let room = rect.w - 2.0 * (outer + inner);
        let Some(text) = texts.iter().find_map(|text| self.whole(text, room)) else { return };
        let h = size + 6.0 * self.metrics.scale;
        let w = fonts::width(&text, size, Weight::Regular) + 2.0 * inner;
        let pad = Rect::new(rect.x + outer, rect.y + (rect.h - h) / 2.0, w, h);
        out.push(Drawable::Box { rect: pad, radius: 2.0, fill: self.theme.pad, outline: None });
        out.push(Drawable::Text(self.text(text, pad.x + inner, self.theme.span(Category::Blocked).text)));
    }

    /// The text where there is room for all of it: twenty times the same beginning says nothing.
    fn whole(&self, text: &str, room: f32) -> Option<Arc<str>> {
        let fits = !self.is_silent
            && room > 0.0
            && !text.is_empty()
            && fonts::width(text, self.label_size(), Weight::Regular) <= room;
        fits.then(|| text.into())
    }

    fn text(&self, text: Arc<str>, x: f32, color: Rgba) -> Text {
        let size = self.label_size();
        // Capitals are about 0.73 of the size high: this puts them in the middle.
        let baseline = self.inner.y + self.inner.h / 2.0 + 0.36 * size;
        Text { at: Point::new(x, baseline), anchor: Anchor::Start, size, weight: Weight::Regular, color, text }
    }

    fn label_size(&self) -> f32 {
        10.5 * self.metrics.scale
    }
}
