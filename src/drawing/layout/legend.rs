//! The legend: what is seen in a view, how it looks and what it is called.

use super::super::drawable::{Drawable, Rect};
use super::super::theme::{Rgba, Theme};
use super::category::{Category, LAYERS};
use super::folded::idle_times;
use super::prepared::{Extents, PreparedLane};
use super::rows::lane_kind;
use super::sweep::{Piece, occupancy};
use super::{Prepared, RowKind};
use crate::analysis::cause_key;
use crate::recording::{Cause, Executor, Recording, Spans};
use crate::scenario::{LaneKind, LaneSet};
use crate::text::{Key, Lang};
use crate::time::{Interval, Ns};

/// Something that looks like nothing else in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LegendItem {
    /// Stretches of lanes.
    Kind(Category),
    /// Bubbles put down to this.
    Idle(Cause),
    /// The memory of a tensor; the colours are those of tensors, so one of them stands for all.
    Block {
        /// Which of the theme's colours for tensors.
        hue: usize,
    },
    /// Freed memory that waits for a stream.
    Waiting {
        /// Which of the theme's colours for tensors.
        hue: usize,
    },
    /// Memory that is free for its stream.
    Cached,
    /// Addresses that no block ever had.
    Unused,
}

/// A run whose legend is asked for, and the lanes of it that are not drawn.
pub type LegendOf<'a> = (&'a Recording, &'a Prepared, LaneSet);

/// What is seen of `shown` within `view`: kinds in the order of [`Category::ALL`], then causes of idle time, most time first, then memory.
/// A cause that has no more than `least` is left out. Looks at sums, not at spans: it takes as long for a million of them.
pub fn legend(shown: &[LegendOf<'_>], view: Interval, least: Ns) -> Vec<LegendItem> {
    let kinds = kinds(shown, view).into_iter().map(LegendItem::Kind);
    let causes = causes(shown, view, least).into_iter().map(LegendItem::Idle);
    kinds.chain(causes).chain(memory(shown, view)).collect()
}

impl LegendItem {
    /// What it is called. A GPU run spends the time of the layers above the driver in a busy wait, and says so.
    pub fn name(self, shown: &[&Recording], lang: Lang) -> String {
        let is_emulated = || shown.iter().any(|recording| recording.source.executor == Executor::Gpu);
        let key = match self {
            Self::Kind(layer) if LAYERS.contains(&layer) && is_emulated() => {
                return lang.fill(Key::Emulated, &[lang.text(layer.key())]);
            }
            Self::Idle(cause) => return lang.fill(Key::IdleBecause, &[lang.text(cause_key(cause))]),
            Self::Kind(category) => category.key(),
            Self::Block { .. } => Key::KindBlock,
            Self::Waiting { .. } => Key::KindWaiting,
            Self::Cached => Key::KindCached,
            Self::Unused => Key::KindUnused,
        };
        lang.text(key).to_owned()
    }

    /// A piece of it.
    pub fn swatch(self, rect: Rect, theme: &Theme) -> Drawable {
        let solid = |fill| Drawable::Box { rect, radius: 1.5, fill, outline: None };
        let hatch = |(ground, stripe)| Drawable::Hatch { rect, ground, stripe, outline: Some(stripe) };
        let held = |color: Rgba| hatch((color.with_alpha(0.26), color.with_alpha(0.75)));
        match self {
            Self::Kind(Category::Blocked) => held(theme.span(Category::Blocked).fill),
            Self::Kind(category) => solid(theme.span(category).fill),
            Self::Idle(cause) => hatch(theme.idle(cause)),
            Self::Block { hue } => solid(theme.tensor(hue).fill),
            Self::Waiting { hue } => held(theme.tensor_stripe(hue)),
            Self::Cached => Drawable::Box { rect, radius: 0.0, fill: theme.background, outline: Some(theme.tick) },
            Self::Unused => solid(theme.unused()),
        }
    }

    /// Whether it is found in a row that is no lane of spans.
    pub(super) fn is_in(self, row: RowKind) -> bool {
        match self {
            Self::Kind(_) | Self::Idle(_) => row.lane().is_some(),
            Self::Block { .. } | Self::Waiting { .. } | Self::Cached | Self::Unused => row == RowKind::Memory,
        }
    }
}

/// All of `view` as if it were one column.
fn column(extents: &Extents, view: Interval) -> Piece {
    let first = extents.first_after(0, view.start);
    Piece::Column { within: view, first, last: extents.first_after(first, view.end) }
}

fn kinds(shown: &[LegendOf<'_>], view: Interval) -> Vec<Category> {
    let mut found = Vec::new();
    for (recording, prepared, hidden) in shown {
        for (index, (lane, prepared)) in recording.lanes.iter().zip(&prepared.lanes).enumerate() {
            let is_hidden = recording.track_of(index).is_some_and(|track| hidden.contains(lane_kind(track.kind)));
            if !is_hidden {
                found.extend(kinds_of(prepared, &lane.spans, view));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn kinds_of(lane: &PreparedLane, spans: &Spans, view: Interval) -> Vec<Category> {
    let piece = column(&lane.extents, view);
    let Piece::Column { first, .. } = piece else { return Vec::new() };
    let is_seen = lane.extents.start(first).is_some_and(|start| start < view.end);
    let Some(found) = occupancy(lane, spans, piece).filter(|_| is_seen) else { return Vec::new() };
    if found.busy == Ns::ZERO {
        return vec![found.most];
    }
    let timed = Category::ALL.into_iter().zip(found.times).filter(|(_, time)| *time > Ns::ZERO);
    timed.map(|(category, _)| category).collect()
}

fn causes(shown: &[LegendOf<'_>], view: Interval, least: Ns) -> Vec<Cause> {
    let mut idle = Cause::ALL.map(|cause| (cause, Ns::ZERO)).to_vec();
    let open = shown.iter().filter(|(_, _, hidden)| !hidden.contains(LaneKind::Streams));
    let tracks = open.flat_map(|(_, prepared, _)| &prepared.tracks);
    for times in tracks.filter_map(|track| idle_times(track, column(&track.extents, view))) {
        idle.iter_mut().zip(times).for_each(|((_, sum), time)| *sum += time);
    }
    idle.retain(|(_, time)| *time > least);
    idle.sort_by_key(|&(_, time)| std::cmp::Reverse(time));
    idle.into_iter().map(|(cause, _)| cause).collect()
}

fn memory(shown: &[LegendOf<'_>], view: Interval) -> Vec<LegendItem> {
    let is_drawn =
        |(_, prepared, hidden): &&LegendOf<'_>| !hidden.contains(LaneKind::Memory) && prepared.memory_peaks().is_some();
    let drawn: Vec<&LegendOf<'_>> = shown.iter().filter(is_drawn).collect();
    let Some((recording, prepared, _)) = drawn.first() else { return Vec::new() };
    let hue = prepared.memory.first_hue(&recording.memory_map);
    let waits = drawn.iter().any(|(recording, it, _)| it.memory.is_waited_for(&recording.memory_map, view));
    let is_shortened = drawn.iter().any(|(_, it, _)| it.memory.is_shortened());
    let kinds = [
        Some(LegendItem::Block { hue }),
        waits.then_some(LegendItem::Waiting { hue }),
        Some(LegendItem::Cached),
        is_shortened.then_some(LegendItem::Unused),
    ];
    kinds.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::category::parts;
    use super::super::testing::{recording, span, stream, with_tracks};
    use super::*;
    use crate::recording::{Lane, Span, SpanKind, Track, TrackId, TrackKind};
    use proptest::prelude::*;

    fn seen(recording: &Recording, view: Interval) -> Vec<LegendItem> {
        legend(&[(recording, &Prepared::new(recording), LaneSet::NONE)], view, Ns::ZERO)
    }

    fn between(start: i64, end: i64) -> Interval {
        Interval::new(Ns(start), Ns(end))
    }

    /// Calls of a host thread, their second half in the driver.
    fn calls(times: &[(i64, i64)]) -> Recording {
        let call =
            |&(start, end): &(i64, i64)| Span { call: Ns((start + end) / 2), ..span(start, end, SpanKind::Call, 0) };
        let spans = times.iter().map(call).collect();
        let thread = Track::named(TrackKind::HostThread { thread: 0 }, "main");
        with_tracks(vec![thread], vec![Lane { track: TrackId(0), depth: 0, spans }])
    }

    #[test]
    fn of_a_call_only_the_layers_in_view_are_listed() {
        let recording = calls(&[(0, 1000)]);
        assert_eq!(seen(&recording, between(600, 900)), [LegendItem::Kind(Category::Driver)]);
        assert_eq!(seen(&recording, between(0, 100)), [LegendItem::Kind(Category::Python)]);
        assert_eq!(seen(&recording, between(1000, 2000)), []);
    }

    #[test]
    fn idle_time_is_listed_where_it_is_seen_and_long_enough() {
        let lane = |spans: Vec<Span>| Lane { track: TrackId(0), depth: 0, spans: spans.into_iter().collect() };
        let kernels = [(0, 100), (400, 500), (500, 600)];
        let spans = kernels.map(|(start, end)| span(start, end, SpanKind::Kernel, 0)).to_vec();
        let recording = with_tracks(vec![stream()], vec![lane(spans)]);
        let idle = |view, least| {
            let items = legend(&[(&recording, &Prepared::new(&recording), LaneSet::NONE)], view, Ns(least));
            items.iter().filter(|item| matches!(item, LegendItem::Idle(_))).count()
        };
        assert_eq!((idle(between(0, 600), 0), idle(between(0, 600), 299), idle(between(0, 600), 300)), (1, 1, 0));
        assert_eq!((idle(between(400, 600), 0), idle(between(390, 600), 9), idle(between(390, 600), 10)), (0, 1, 0));
    }

    proptest! {
        #[test]
        fn kinds_are_those_of_which_some_time_is_in_view(
            lengths in prop::collection::vec((0i64..50, 1i64..80), 0..40), start in -50i64..2000, dur in 1i64..1000,
        ) {
            let mut at = 0;
            let times: Vec<(i64, i64)> = lengths.iter().map(|(gap, dur)| {
                let start = at + gap;
                at = start + dur;
                (start, at)
            }).collect();
            let recording = calls(&times);
            let view = between(start, start + dur);
            let spans = recording.lanes.iter().flat_map(|lane| &lane.spans);
            let overlapping = spans.flat_map(|span| parts(&span)).filter(|(part, _)| part.intersect(view).dur() > Ns::ZERO);
            let mut expected: Vec<Category> = overlapping.map(|(_, category)| category).collect();
            expected.sort_unstable();
            expected.dedup();
            let found: Vec<LegendItem> = expected.into_iter().map(LegendItem::Kind).collect();
            prop_assert_eq!(seen(&recording, view), found);
        }
    }

    #[test]
    fn every_kind_and_cause_has_a_swatch_and_a_name() {
        let recording = recording(Vec::new());
        let kinds = Category::ALL.into_iter().map(LegendItem::Kind);
        let causes = Cause::ALL.iter().copied().map(LegendItem::Idle);
        for item in kinds.chain(causes) {
            let is_hatched = matches!(item.swatch(Rect::default(), &Theme::dark()), Drawable::Hatch { .. });
            assert_eq!(is_hatched, !matches!(item, LegendItem::Kind(it) if it != Category::Blocked), "{item:?}");
            assert!(!item.name(&[&recording], Lang::Zh).is_empty());
        }
    }
}
