//! The memory lane: x is time, y is address space. A band is a segment, what is filled in it belongs to a tensor, what is hatched
//! is freed and waits for streams, and the rest is cached.

mod bands;
mod map;
mod measure;
mod overlaps;
mod shade;
mod usage;

#[cfg(test)]
mod tests;

pub(super) use map::MapLane;
pub(super) use usage::draw as draw_usage;

use std::ops::Range;
use std::sync::Arc;

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::theme::Rgba;
use super::super::view::TimeScale;
use super::rows::{PlacedRow, stream_name, stream_names};
use super::sms::not_kept;
use super::{Hit, LaneLayout, LaneMetrics, Options};
use crate::bytes::Bytes;
use crate::recording::{MemoryBlock, Recording};
use crate::text::Key;
use crate::time::{Interval, Ns};
use bands::{Bands, FRAMED};
use map::{Pieces, User};
use shade::Shade;

/// Rectangles drawn at most for themselves: a screen has no room for more, unless they lie on each other in a damaged file.
const MOST: usize = 4000;
/// What is narrower or lower than this many pixels is shaded.
const FINEST: f32 = 2.0;
/// The smallest letters.
const SMALLEST: f32 = 7.0;
/// What is narrower has no frame of its own.
const FRAMED_WIDTH: f32 = 4.0;
/// What is narrower has no name.
const NAMED_WIDTH: f32 = 12.0;

/// Draws segments, and the blocks in them, into `out`.
pub(super) fn draw(
    recording: &Recording,
    map: &MapLane,
    options: &Options<'_>,
    scale: TimeScale,
    placed: &PlacedRow,
    out: &mut Vec<Drawable>,
) {
    let pen =
        Pen { recording, map, options, scale, placed, bands: Bands::new(map, placed.inner, placed.metrics.scale) };
    pen.segments(out);
    pen.blocks(out);
    not_kept(recording.memory_map.until, options, scale, placed.inner, out);
}

/// Which pool and stream each part belongs to, right beside the bands, and the room that this takes. Nothing where all memory is
/// the default stream's.
pub(super) fn users(
    recording: &Recording,
    map: &MapLane,
    options: &Options<'_>,
    placed: &PlacedRow,
) -> (Vec<Drawable>, f32) {
    let bands = Bands::new(map, placed.inner, placed.metrics.scale);
    if bands.users.iter().all(|(user, _)| *user == User { pool: 0, stream: 0 }) {
        return (Vec::new(), 0.0);
    }
    let size = 9.0 * placed.metrics.scale;
    let mut room: f32 = 0.0;
    let label = |(user, (y, h)): &(User, (f32, f32))| {
        let said = match user.pool {
            0 => stream_name(recording, user.stream, options.lang),
            pool => options.lang.fill(Key::MemoryPool, &[&pool.to_string()]),
        };
        let text = fonts::fit(&said, size, Weight::Regular, 0.42 * options.gutter).filter(|_| *h >= 0.9 * size)?;
        room = room.max(fonts::width(&text, size, Weight::Regular) + size);
        let at = Point::new(placed.rect.x - 0.7 * size, y + h / 2.0 + 0.36 * size);
        let (anchor, weight, color) = (Anchor::End, Weight::Regular, options.theme.muted);
        Some(Drawable::Text(Text { at, anchor, size, weight, color, text }))
    };
    let drawn = bands.users.iter().filter_map(label).collect();
    (drawn, room)
}

/// What lies at `point`: a block, or a segment that is cached there. What is too thin to be pointed at is found within two points.
pub(super) fn hit(map: &MapLane, inner: Rect, metrics: LaneMetrics, scale: TimeScale, point: Point) -> Option<Hit> {
    const REACH: f32 = 2.0;
    let bands = Bands::new(map, inner, metrics.scale);
    let near = Interval::new(scale.time(point.x - REACH), scale.time(point.x + REACH) + Ns(1));
    let away = |at: f32, low: f32, high: f32| (low - at).max(at - high).max(0.0);
    let nearest = |pieces: &Pieces, rect: fn(&Bands, map::MapPlace, f32, f32) -> Rect| {
        let found = pieces.within(near).filter_map(|(index, place)| {
            let rect = rect(&bands, place, scale.x(place.time.start), scale.x(place.time.end));
            let distance = away(point.x, rect.x, rect.right()).max(away(point.y, rect.y, rect.bottom()));
            let is_thin = rect.w < 2.0 * REACH || rect.h < 2.0 * REACH;
            (distance <= if is_thin { REACH } else { 0.0 }).then_some((distance, index))
        });
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, index)| index)
    };
    let block = nearest(&map.blocks, Bands::rect).map(|block| Hit::Block { block });
    block.or_else(|| nearest(&map.segments, Bands::outer).map(|segment| Hit::Segment { segment }))
}

/// Where a block is drawn; `None` when it is out of view.
pub(super) fn block_rect(
    map: &MapLane,
    lane: &LaneLayout,
    metrics: LaneMetrics,
    scale: TimeScale,
    block: usize,
) -> Option<Rect> {
    let place = map.blocks.place(block)?;
    place_rect(map, lane, metrics, scale, place)
}

/// Where a range of addresses is drawn at that time; `None` where it is out of view.
pub(super) fn addresses_rect(
    map: &MapLane,
    lane: &LaneLayout,
    metrics: LaneMetrics,
    scale: TimeScale,
    addresses: Range<u64>,
    time: Interval,
) -> Option<Rect> {
    place_rect(map, lane, metrics, scale, map.place_of(addresses, time)?)
}

fn place_rect(
    map: &MapLane,
    lane: &LaneLayout,
    metrics: LaneMetrics,
    scale: TimeScale,
    place: map::MapPlace,
) -> Option<Rect> {
    let (left, right) = (scale.x(place.time.start), scale.x(place.time.end));
    let (left, right) = (left.max(lane.inner.x), right.max(left + 1.0).min(lane.inner.right()));
    let bands = Bands::new(map, lane.inner, metrics.scale);
    (left < right).then(|| bands.rect(place, left, right))
}

/// What drawing a piece needs to know.
struct Pen<'a> {
    recording: &'a Recording,
    map: &'a MapLane,
    options: &'a Options<'a>,
    scale: TimeScale,
    placed: &'a PlacedRow,
    bands: Bands,
}

impl Pen<'_> {
    /// Those in view that are large enough for a rectangle; the others are shaded, in the colour and strength that `shade` says.
    fn rects(
        &self,
        pieces: &Pieces,
        rect: fn(&Bands, map::MapPlace, f32, f32) -> Rect,
        shade: impl Fn(usize) -> (Rgba, f32),
        out: &mut Vec<Drawable>,
    ) -> Vec<(usize, Rect)> {
        let inner = self.placed.inner;
        let pixel = self.options.pixel.max(0.1);
        let visible = |(index, place): (usize, map::MapPlace)| {
            let (left, right) = (self.scale.x(place.time.start), self.scale.x(place.time.end));
            (index, rect(&self.bands, place, left.max(inner.x), right.min(inner.right())))
        };
        let mut large = Vec::new();
        let mut shading: Option<Shade> = None;
        for (index, rect) in pieces.within(self.options.view.interval).map(visible) {
            if rect.w >= FINEST * pixel && rect.h >= FINEST * pixel && large.len() < MOST {
                large.push((index, rect));
            } else {
                let (color, share) = shade(index);
                shading.get_or_insert_with(|| Shade::new(inner, pixel)).add(rect, color, share);
            }
        }
        out.extend(shading.map(Shade::finish).into_iter().flatten());
        large
    }

    fn segments(&self, out: &mut Vec<Drawable>) {
        let theme = self.options.theme;
        for (index, rect) in self.rects(&self.map.segments, Bands::outer, |_| (theme.tick, 0.5), out) {
            let outline = Some(theme.tick).filter(|_| rect.h >= FRAMED && rect.w >= FRAMED_WIDTH);
            out.push(Drawable::Box { rect, radius: 0.0, fill: theme.background, outline });
            let Some(place) = self.map.segments.place(index) else { continue };
            let unused = self.map.regions.get(place.region).map_or(&[][..], |region| &region.measure.unused);
            for (low, high) in unused.iter().map(|(low, high)| (low.max(place.low), high.min(place.high))) {
                let rect = self.bands.rect(map::MapPlace { low, high, ..place }, rect.x, rect.right());
                if rect.h >= 1.0 {
                    out.push(Drawable::Box { rect, radius: 0.0, fill: theme.unused(), outline: None });
                }
            }
        }
    }

    fn blocks(&self, out: &mut Vec<Drawable>) {
        let blocks = &self.recording.memory_map.blocks;
        let theme = self.options.theme;
        let hue = |block: &MemoryBlock| self.map.hue(block.owner.0);
        let shade = |index: usize| {
            let Some(block) = blocks.get(index) else { return (theme.tick, 1.0) };
            // From afar, hatching is as light as that.
            (theme.tensor(hue(block)).fill, if block.waits_for.is_some() { 0.5 } else { 1.0 })
        };
        for (index, rect) in self.rects(&self.map.blocks, Bands::rect, shade, out) {
            let Some(block) = blocks.get(index) else { continue };
            let (look, edge) = (theme.tensor(hue(block)), theme.tensor_edge(hue(block)));
            let outline = Some(edge).filter(|_| rect.h >= FRAMED && rect.w >= FRAMED_WIDTH);
            if let Some(streams) = &block.waits_for {
                let stripe = theme.tensor_stripe(hue(block)).with_alpha(0.65);
                let outline = outline.map(|_| stripe);
                out.push(Drawable::Hatch { rect, ground: look.fill.with_alpha(0.22), stripe, outline });
                self.waiting(block, streams, rect, out);
            } else {
                out.push(Drawable::Box { rect, radius: 0.0, fill: look.fill, outline });
                self.owned(block, look.text, rect, out);
            }
        }
    }

    /// The owner's name, and the size where there is room.
    fn owned(&self, block: &MemoryBlock, color: Rgba, rect: Rect, out: &mut Vec<Drawable>) {
        if rect.w < NAMED_WIDTH {
            return;
        }
        let name = self.recording.name(block.owner);
        let long = format!("{name} · {}", Bytes(block.bytes));
        if let Some((text, at, size)) = self.label(&[&long, name], rect, 4.0) {
            let (anchor, weight) = (Anchor::Start, Weight::Regular);
            out.push(Drawable::Text(Text { at, anchor, size, weight, color, text }));
        }
    }

    /// Whom it belonged to and what it waits for, on a pad.
    fn waiting(&self, block: &MemoryBlock, streams: &[u32], rect: Rect, out: &mut Vec<Drawable>) {
        if rect.w < NAMED_WIDTH {
            return;
        }
        let name = self.recording.name(block.owner);
        // While a capture puts off asking, there are none.
        let long = match stream_names(self.recording, streams, self.options.lang).as_str() {
            "" => name.to_owned(),
            streams => self.options.lang.fill(Key::MemoryWaits, &[name, streams]),
        };
        let margin = 3.0 * self.placed.metrics.scale;
        let Some((text, at, size)) = self.label(&[&long, name], rect, 2.0 * margin) else { return };
        let w = fonts::width(&text, size, Weight::Regular) + 2.0 * margin;
        let h = (size + margin).min(rect.h - 1.0);
        let pad = Rect::new(at.x - margin, rect.y + (rect.h - h) / 2.0, w, h);
        let theme = self.options.theme;
        out.push(Drawable::Box { rect: pad, radius: 2.0, fill: theme.pad, outline: None });
        let (anchor, weight, color) = (Anchor::Start, Weight::Regular, theme.text);
        out.push(Drawable::Text(Text { at, anchor, size, weight, color, text }));
    }

    /// The first of `texts` that fits whole, or what fits of the last; where it begins, and its size.
    fn label(&self, texts: &[&str], rect: Rect, margin: f32) -> Option<(Arc<str>, Point, f32)> {
        let scale = self.placed.metrics.scale;
        let size = (rect.h - 1.0).clamp(0.0, 10.0 * scale);
        if size < SMALLEST {
            return None;
        }
        let room = rect.w - 2.0 * margin * scale;
        let whole = texts.iter().find(|text| fonts::width(text, size, Weight::Regular) <= room);
        let text = whole.or(texts.last()).filter(|text| !text.is_empty())?;
        let text = fonts::fit(text, size, Weight::Regular, room)?;
        Some((text, Point::new(rect.x + margin * scale, rect.y + rect.h / 2.0 + 0.36 * size), size))
    }
}
