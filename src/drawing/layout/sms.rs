//! The SM map: one thin line for each SM, filled while a block of a kernel was on it. Only what was stamped is known; from
//! where nothing was kept any more, the lane is hatched.

use std::collections::BTreeMap;

use super::super::category::Category;
use super::super::drawable::{Anchor, Column, Drawable, Point, Rect, Text, Weight};
use super::super::fonts;
use super::super::view::TimeScale;
use super::{Options, Prepared};
use crate::recording::{Correlation, Lane, LaneKind, Recording};
use crate::text::Key;
use crate::time::{Interval, Ns};

/// Opacity by stream, so that two streams on one SM are told apart without hue.
const SHADES: [f32; 4] = [1.0, 0.55, 0.8, 0.4];

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
    let is_stream = |lane: &&Lane| matches!(lane.kind, LaneKind::Stream { .. });
    let lanes = recording.lanes.iter().filter(is_stream).enumerate();
    lanes.flat_map(|(index, lane)| lane.spans.iter().map(move |span| (span.correlation, index))).collect()
}

pub(super) fn draw(prepared: &Prepared, options: &Options<'_>, scale: TimeScale, inner: Rect, out: &mut Vec<Drawable>) {
    let map = &prepared.sms;
    let fill = options.theme.span(Category::Kernel).fill;
    let view = options.view.interval;
    let h = inner.h / map.sms.len().max(1) as f32;
    if let Some(until) = map.until.filter(|until| *until < view.end) {
        let rect = inner.columns(scale.x(until).max(inner.x), inner.right());
        let (ground, stripe) = (options.theme.lane, options.theme.border);
        out.push(Drawable::Hatch { rect, ground, stripe, outline: None });
        let size = 10.0 * options.density.scale();
        let said = options.lang.text(Key::SmsNotKept);
        if let Some(text) = fonts::fit(said, size, Weight::Regular, rect.w - 2.0 * size) {
            let at = Point::new(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + size / 3.0);
            let (anchor, weight, color) = (Anchor::Middle, Weight::Regular, options.theme.muted);
            out.push(Drawable::Text(Text { at, anchor, size, weight, color, text }));
        }
    }
    for (index, on_sm) in map.sms.iter().enumerate() {
        let seen = on_sm.iter().filter(|it| it.interval.end > view.start && it.interval.start < view.end);
        let mut columns: Vec<Column> = Vec::new();
        for it in seen {
            let left = scale.x(it.interval.start).max(inner.x);
            let right = scale.x(it.interval.end).max(left + options.pixel).min(inner.right());
            // Launches share an SM; the line is filled once.
            let left = columns.last().map_or(left, |last| left.max(last.right));
            if right > left {
                columns.push(Column { left, right, color: fill.with_alpha(it.shade) });
            }
        }
        if !columns.is_empty() {
            out.push(Drawable::Columns { y: inner.y + index as f32 * h, h, columns });
        }
    }
}
