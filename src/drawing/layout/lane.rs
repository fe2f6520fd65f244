//! One lane: its names, its box and what is in it.

use super::super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::view::TimeScale;
use super::rows::{PlacedRow, RowKind};
use super::{LaneLayout, Options, Prepared, errors, lit, memory, queue, sms, spans};
use crate::bytes::Bytes;
use crate::recording::Recording;
use crate::text::Key;

/// Draws the row where it was placed.
pub(super) fn draw(
    recording: &Recording,
    prepared: &Prepared,
    options: &Options<'_>,
    scale: TimeScale,
    placed: &PlacedRow,
) -> LaneLayout {
    let PlacedRow { row, rect, inner, metrics, .. } = *placed;
    let (title, mut under) = row.names(recording, options.lang);
    if row == RowKind::Memory && prepared.memory.is_steady {
        let (allocated, _) = prepared.memory.peaks();
        under = options.lang.fill(Key::MemorySteady, &[&Bytes(allocated).to_string()]);
    }
    let theme = options.theme;
    let mut drawables = vec![Drawable::Box { rect, radius: 4.0, fill: theme.lane, outline: Some(theme.border) }];
    match row {
        RowKind::Memory if placed.is_folded => {
            memory::draw_usage(&prepared.memory, options, scale, placed, &mut drawables);
        }
        RowKind::Queue => queue::draw(prepared, options, scale, placed, &mut drawables),
        RowKind::Sms => sms::draw(prepared, options, scale, inner, &mut drawables),
        RowKind::Memory => memory::draw(recording, &prepared.memory, options, scale, placed, &mut drawables),
        RowKind::MemoryUse => memory::draw_usage(&prepared.memory, options, scale, placed, &mut drawables),
        RowKind::Host(index) | RowKind::Regions(index) | RowKind::Stream(index) | RowKind::Copy(index) => {
            if let Some(lane) = recording.lanes.get(index) {
                spans::draw(recording, lane, (prepared, index), options, scale, placed, &mut drawables);
            }
        }
    }
    if row.lane().is_none() && options.lit.is_some_and(|lit| !lit.has_row(row)) {
        lit::dim(drawables.get_mut(1..).unwrap_or_default(), theme);
    }
    if let RowKind::Host(index) = row {
        errors::draw(prepared, index, options, scale, rect, metrics, &mut drawables);
    }
    let (mut beside, room) = match row {
        RowKind::Memory if !placed.is_folded => memory::users(recording, &prepared.memory, options, placed),
        _ => (Vec::new(), 0.0),
    };
    if placed.is_first {
        // Of several low rows the upper two are high enough for both lines.
        let named = if placed.is_last || placed.is_folded { rect } else { Rect { h: 2.0 * rect.h, ..rect } };
        beside.extend(names(&title, &under, named, options, metrics.scale, room));
    }
    let names = beside;
    LaneLayout { row, title, under, is_folded: placed.is_folded, rect, inner, drawables, names }
}

/// Name and under-title left of the box and `beside` it; a name alone stands in the middle, and there is no room for more beside a low lane.
fn names(title: &str, under: &str, rect: Rect, options: &Options<'_>, scale: f32, beside: f32) -> Vec<Drawable> {
    let x = rect.x - 8.0 * scale - beside;
    let room = options.gutter - 12.0 * scale - beside;
    let middle = rect.y + rect.h / 2.0;
    let line = |text: &str, size: f32, weight, color, y| {
        let text = fonts::fit(text, size, weight, room)?;
        Some(Drawable::Text(Text { at: Point::new(x, y), anchor: Anchor::End, size, weight, color, text }))
    };
    const BOTH: f32 = 23.0;
    let under = if rect.h < BOTH * scale { "" } else { under };
    let lift = if under.is_empty() { 4.0 } else { -1.0 } * scale;
    /// Lower lanes have smaller names.
    const LOW: f32 = 13.0;
    let (size, color) = if rect.h < LOW * scale { (9.5, options.theme.muted) } else { (11.5, options.theme.text) };
    let title = line(title, size * scale, Weight::SemiBold, color, middle + lift);
    let under = line(under, 9.5 * scale, Weight::Regular, options.theme.muted, middle + 11.0 * scale);
    title.into_iter().chain(under).collect()
}
