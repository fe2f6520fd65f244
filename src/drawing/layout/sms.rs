//! The SM map: one thin line for each SM, filled while a block of a kernel was on it. Only what was stamped is known; from
//! where nothing was kept any more, the lane is hatched.

use std::collections::BTreeMap;

use super::super::category::Category;
use super::super::drawable::{Anchor, Column, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::theme::Rgba;
use super::super::view::TimeScale;
use super::{Options, Prepared};
use crate::recording::{Correlation, Recording};
use crate::text::Key;
use crate::time::{Interval, Ns};

/// Opacity by stream, so that two streams on one SM are told apart without hue.
const SHADES: [f32; 4] = [1.0, 0.55, 0.8, 0.4];

/// What is there at all is seen.
const FAINTEST: f32 = 0.12;

/// What a recording knows of the SMs.
#[derive(Clone, Debug, Default)]
pub(super) struct SmMap {
    /// Sorted by SM; each SM's stretches by start.
    sms: Vec<Vec<Stretch>>,
    /// From here on nothing was kept.
    until: Option<Ns>,
}

/// A stretch in which an SM had blocks of one launch.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    interval: Interval,
    shade: f32,
}

impl SmMap {
    pub(super) fn new(recording: &Recording) -> Self {
        let Some(measured) = recording.measured.as_ref().filter(|measured| !measured.sms.is_empty()) else {
            return Self::default();
        };
        let streams = streams_of_launches(recording);
        let mut by_sm: BTreeMap<u32, Vec<Stretch>> = BTreeMap::new();
        for span in &measured.sms {
            let stream = streams.get(&span.correlation).copied().unwrap_or(0);
            let shade = SHADES.get(stream % SHADES.len()).copied().unwrap_or(1.0);
            by_sm.entry(span.sm).or_default().push(Stretch { interval: span.interval(), shade });
        }
        let mut sms: Vec<Vec<Stretch>> = by_sm.into_values().collect();
        sms.iter_mut().for_each(|on_sm| on_sm.sort_by_key(|it| (it.interval.start, it.interval.end)));
        Self { sms, until: measured.sms_until }
    }

    /// Whether no block is known.
    pub(super) fn is_empty(&self) -> bool {
        self.sms.is_empty()
    }

    /// How many SMs had a block at `at`; `None` where nothing was kept.
    pub(super) fn busy(&self, at: Ns) -> Option<usize> {
        let has = |on_sm: &&Vec<Stretch>| on_sm.iter().any(|it| it.interval.start <= at && at < it.interval.end);
        self.until.is_none_or(|until| at < until).then(|| self.sms.iter().filter(has).count())
    }
}

/// For each launch, which of the streams it was on, counted from 0.
fn streams_of_launches(recording: &Recording) -> BTreeMap<Correlation, usize> {
    let streams = recording.streams().enumerate();
    let lanes = streams.flat_map(|(index, (track, _))| recording.lanes_of(track).map(move |(_, lane)| (index, lane)));
    lanes.flat_map(|(index, lane)| lane.spans.correlations().iter().map(move |it| (*it, index))).collect()
}

pub(super) fn draw(prepared: &Prepared, options: &Options<'_>, scale: TimeScale, inner: Rect, out: &mut Vec<Drawable>) {
    let map = &prepared.sms;
    let fill = options.theme.span(Category::Kernel).fill;
    let view = options.view.interval;
    let h = inner.h / map.sms.len().max(1) as f32;
    not_kept(map.until, options, scale, inner, out);
    for (index, on_sm) in map.sms.iter().enumerate() {
        let seen = on_sm.iter().filter(|it| it.interval.end > view.start && it.interval.start < view.end);
        let columns = columns(seen, scale, inner, options.pixel.max(0.1), fill);
        if !columns.is_empty() {
            out.push(Drawable::Columns { y: inner.y + index as f32 * h, h, columns });
        }
    }
}

/// Says where a lane ends of which more was not kept.
pub(super) fn not_kept(
    until: Option<Ns>,
    options: &Options<'_>,
    scale: TimeScale,
    inner: Rect,
    out: &mut Vec<Drawable>,
) {
    let Some(until) = until.filter(|until| *until < options.view.interval.end) else { return };
    let rect = inner.columns(scale.x(until).max(inner.x), inner.right());
    let (ground, stripe) = (options.theme.lane, options.theme.border);
    out.push(Drawable::Hatch { rect, ground, stripe, outline: None });
    let size = 10.0 * options.density.scale();
    let said = options.lang.text(Key::NotKept);
    if let Some(text) = fonts::fit(said, size, Weight::Regular, rect.w - 2.0 * size) {
        let at = Point::new(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + size / 3.0);
        let (anchor, weight, color) = (Anchor::Middle, Weight::Regular, options.theme.muted);
        out.push(Drawable::Text(Text { at, anchor, size, weight, color, text }));
    }
}

/// The line of one SM. A stretch of two pixels or more is drawn as it is; narrower ones share their pixel, which is the more
/// opaque the more of it they fill.
fn columns<'a>(
    stretches: impl Iterator<Item = &'a Stretch>,
    scale: TimeScale,
    inner: Rect,
    pixel: f32,
    fill: Rgba,
) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    // The pixel that narrow stretches share now: its left edge, and how much of it they fill.
    let mut shared: Option<(f32, f32)> = None;
    let flush = |shared: &mut Option<(f32, f32)>, columns: &mut Vec<Column>| {
        if let Some((left, filled)) = shared.take() {
            let left = columns.last().map_or(left, |last: &Column| left.max(last.right));
            columns.push(Column {
                left,
                right: left + pixel,
                filled: Column::WHOLE,
                color: fill.with_alpha((filled / pixel).clamp(FAINTEST, 1.0)),
            });
        }
    };
    for it in stretches {
        let (from, to) = (scale.x(it.interval.start).max(inner.x), scale.x(it.interval.end).min(inner.right()));
        if to - from >= 2.0 * pixel {
            flush(&mut shared, &mut columns);
            // Launches share an SM; the line is filled once.
            let left = columns.last().map_or(from, |last| from.max(last.right));
            if to > left {
                columns.push(Column { left, right: to, filled: Column::WHOLE, color: fill.with_alpha(it.shade) });
            }
            continue;
        }
        let left = inner.x + ((from - inner.x) / pixel).floor() * pixel;
        let filled = (to - from).max(0.0) * it.shade;
        match &mut shared {
            Some((at, sum)) if *at == left => *sum += filled,
            _ => {
                flush(&mut shared, &mut columns);
                shared = Some((left, filled));
            }
        }
    }
    flush(&mut shared, &mut columns);
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches in ns, on a line of 100 points for 1000 ns.
    fn line(stretches: &[(i64, i64)]) -> Vec<(f32, f32, u8)> {
        let view = super::super::View::fit(Interval::new(Ns::ZERO, Ns(1000)));
        let scale = view.scale(0.0, 100.0);
        let stretches: Vec<Stretch> = stretches
            .iter()
            .map(|(start, end)| Stretch { interval: Interval::new(Ns(*start), Ns(*end)), shade: 1.0 })
            .collect();
        let inner = Rect::new(0.0, 0.0, 100.0, 1.0);
        let columns = columns(stretches.iter(), scale, inner, 1.0, Rgba::hex(0));
        columns.iter().map(|column| (column.left, column.right, column.color.a)).collect()
    }

    #[test]
    fn what_is_narrower_than_a_pixel_is_as_opaque_as_it_is_long() {
        let half = line(&[(0, 1), (2, 4), (6, 8)]);
        assert_eq!(half.len(), 1);
        assert!((100..=155).contains(&half[0].2), "{half:?}");
        assert!(line(&[(0, 9)])[0].2 > half[0].2);
        let long = line(&[(100, 500), (500, 900)]);
        assert_eq!(long.len(), 2);
        assert!(long[0].1 <= long[1].0 && long.iter().all(|column| column.2 == 255), "{long:?}");
    }
}
