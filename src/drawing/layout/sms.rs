//! The SM map: one thin line for each SM, filled while a block of a kernel was on it. Only what was stamped is known, and only
//! up to a limit.

use std::collections::BTreeMap;

use super::super::category::Category;
use super::super::drawable::{Column, Drawable, Rect};
use super::super::view::TimeScale;
use super::{Options, Prepared};
use crate::recording::{Correlation, Lane, LaneKind, Recording};
use crate::time::{Interval, Ns};

/// Opacity by stream, so that two streams on one SM are told apart without hue.
const SHADES: [f32; 4] = [1.0, 0.55, 0.8, 0.4];

/// The blocks of a recording by SM.
#[derive(Clone, Debug, Default)]
pub(super) struct SmMap {
    /// Sorted by SM; each SM's blocks by start.
    sms: Vec<Vec<Block>>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    interval: Interval,
    shade: f32,
}

impl SmMap {
    pub(super) fn new(recording: &Recording) -> Self {
        let Some(measured) = recording.measured.as_ref().filter(|measured| !measured.blocks.is_empty()) else {
            return Self::default();
        };
        let streams = streams_of_launches(recording);
        let mut by_sm: BTreeMap<u32, Vec<Block>> = BTreeMap::new();
        for block in &measured.blocks {
            let stream = streams.get(&block.correlation).copied().unwrap_or(0);
            let shade = SHADES.get(stream % SHADES.len()).copied().unwrap_or(1.0);
            by_sm.entry(block.sm).or_default().push(Block { interval: block.interval(), shade });
        }
        let mut sms: Vec<Vec<Block>> = by_sm.into_values().collect();
        sms.iter_mut().for_each(|blocks| blocks.sort_by_key(|block| (block.interval.start, block.interval.end)));
        Self { sms }
    }

    /// Whether no block is known.
    pub(super) fn is_empty(&self) -> bool {
        self.sms.is_empty()
    }

    /// How many SMs had a block at `at`.
    pub(super) fn busy(&self, at: Ns) -> usize {
        let has = |blocks: &&Vec<Block>| blocks.iter().any(|b| b.interval.start <= at && at < b.interval.end);
        self.sms.iter().filter(has).count()
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
    for (index, blocks) in map.sms.iter().enumerate() {
        let seen = blocks.iter().filter(|block| block.interval.end > view.start && block.interval.start < view.end);
        let mut columns: Vec<Column> = Vec::new();
        for block in seen {
            let left = scale.x(block.interval.start).max(inner.x);
            let right = scale.x(block.interval.end).max(left + options.pixel).min(inner.right());
            // Several blocks share an SM; the line is filled once.
            let left = columns.last().map_or(left, |last| left.max(last.right));
            if right > left {
                columns.push(Column { left, right, color: fill.with_alpha(block.shade) });
            }
        }
        if !columns.is_empty() {
            out.push(Drawable::Columns { y: inner.y + index as f32 * h, h, columns });
        }
    }
}
