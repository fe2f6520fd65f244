//! Launch and execution: where the spans of one operation are, and the arrow between them.

use super::super::drawable::{Drawable, Point, Rect};
use super::super::theme::Theme;
use super::{LaneLayout, Layout, Link, Prepared, RowKind};
use crate::recording::{Correlation, Recording, Span, SpanKind};

/// Rectangles drawn at most for one operation: a replayed graph has thousands of nodes.
const MOST: usize = 2000;

/// Where the spans of the operation are that are in view, at least one point wide each.
pub fn linked(layout: &Layout, recording: &Recording, prepared: &Prepared, correlation: Correlation) -> Vec<Rect> {
    prepared.linked(correlation).iter().take(MOST).filter_map(|&link| rect(layout, recording, link)).collect()
}

/// The arrow from the end of the launching call to the start of the first work on a stream. Its ends follow from time alone, so it
/// is right however small the spans are; `None` when both ends are out of view.
pub fn arrow(
    layout: &Layout,
    recording: &Recording,
    prepared: &Prepared,
    correlation: Correlation,
    theme: &Theme,
) -> Option<Drawable> {
    let links = prepared.linked(correlation);
    let of = |wanted: fn(RowKind) -> bool| {
        let placed = links.iter().filter_map(|&link| Some((link, lane(layout, link)?)));
        let found = placed.filter(|(_, lane)| wanted(lane.row));
        found.filter_map(|(link, lane)| Some((span(recording, link)?, lane))).min_by_key(|(span, _)| span.start)
    };
    let (call, host) = of(|row| matches!(row, RowKind::Host(_)))?;
    let (work, stream) = of(|row| matches!(row, RowKind::Stream(_)))?;
    let handed_over = if call.kind == SpanKind::Call { call.end } else { call.call };
    let (from, to) = (layout.scale.x(handed_over), layout.scale.x(work.start));
    let seen = layout.plot.x..=layout.plot.right();
    if !seen.contains(&from) && !seen.contains(&to) {
        return None;
    }
    let within = |x: f32| x.clamp(*seen.start(), *seen.end());
    Some(Drawable::Arrow {
        from: Point::new(within(from), host.inner.bottom()),
        to: Point::new(within(to), stream.inner.y),
        color: theme.arrow,
    })
}

fn lane(layout: &Layout, link: Link) -> Option<&LaneLayout> {
    layout.lanes.iter().find(|lane| lane.row.lane() == Some(link.lane as usize))
}

fn span(recording: &Recording, link: Link) -> Option<Span> {
    recording.lanes.get(link.lane as usize)?.spans.get(link.span as usize)
}

fn rect(layout: &Layout, recording: &Recording, link: Link) -> Option<Rect> {
    let (lane, span) = (lane(layout, link)?, span(recording, link)?);
    let (left, right) = (layout.scale.x(span.start), layout.scale.x(span.end));
    let right = right.max(left + 1.0);
    if right < layout.plot.x || left > layout.plot.right() {
        return None;
    }
    let clamp = |x: f32| x.clamp(layout.plot.x, layout.plot.right());
    Some(lane.inner.columns(clamp(left), clamp(right)))
}
