//! What is outlined in the timeline: the operation that is pointed at or selected, and the two of a hazard.

use egui::{Align2, Color32, FontId, Rect, Stroke, StrokeKind, Ui, vec2};

use crate::drawing::layout::{arrow, linked};
use crate::drawing::{EguiPainter, Hit, Layout, color32};
use crate::recording::Correlation;
use crate::time::Interval;
use crate::window::look::palette::{Palette, semibold};
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::captured_graphs::SpanStretch;
use crate::window::shown_run::verdict::ListedHazard;

fn correlation(run: &ShownRun, hit: Hit) -> Option<Correlation> {
    match hit {
        Hit::Span { lane, span } => run.span(lane, span).map(|span| span.correlation),
        Hit::Bubble { .. } | Hit::Error { .. } | Hit::Queue { .. } | Hit::Sms { .. } => None,
        Hit::Block { .. } | Hit::Segment { .. } | Hit::Memory { .. } => None,
    }
}

/// Outlines everything that belongs to the operation; for the selection, with an arrow from launch to execution.
pub(super) fn operation(
    ui: &Ui,
    palette: &Palette,
    run: &ShownRun,
    layout: &Layout,
    area: Rect,
    hit: Option<Hit>,
    with_arrow: bool,
) {
    let painter = ui.painter().with_clip_rect(area);
    let outline = |rect: crate::drawing::drawable::Rect| {
        let rect = Rect::from_min_size(area.min + vec2(rect.x, rect.y), vec2(rect.w, rect.h));
        painter.rect_stroke(rect.expand(1.0), 2.0, Stroke::new(1.5, palette.accent), StrokeKind::Outside);
    };
    if let Some(Hit::Block { block }) = hit
        && let Some(rect) = layout.block(&run.prepared, block)
    {
        outline(rect);
    }
    if let Some(Hit::Error { error }) = hit
        && let Some(rect) = layout.error(&run.prepared, error)
    {
        outline(rect);
    }
    let Some(correlation) = hit.and_then(|hit| correlation(run, hit)).filter(|it| *it != Correlation::NONE) else {
        return;
    };
    linked(layout, &run.recording, &run.prepared, correlation).into_iter().for_each(outline);
    if with_arrow && let Some(arrow) = arrow(layout, &run.recording, &run.prepared, correlation, &palette.theme) {
        let mut shapes = Vec::new();
        EguiPainter::new(ui.ctx(), area.min.to_vec2()).paint(ui.ctx(), [&arrow], &mut shapes);
        painter.extend(shapes);
    }
}

/// Outlines stretches of spans.
pub(super) fn stretches(
    ui: &Ui,
    color: Color32,
    run: &ShownRun,
    layout: &Layout,
    area: Rect,
    stretches: &[SpanStretch],
) {
    let painter = ui.painter().with_clip_rect(area);
    for SpanStretch { lane, first, last } in stretches {
        let ends = run.span(*lane, *first).zip(run.span(*lane, *last));
        let rect = ends.and_then(|(first, last)| rect(layout, area, *lane, Interval::new(first.start, last.end)));
        if let Some(rect) = rect {
            painter.rect_stroke(rect.expand(1.0), 2.0, Stroke::new(1.5, color), StrokeKind::Outside);
        }
    }
}

/// Outlines the two operations of a hazard and numbers them, as its card does.
pub(super) fn hazard(ui: &Ui, palette: &Palette, run: &ShownRun, layout: &Layout, area: Rect, listed: &ListedHazard) {
    let painter = ui.painter().with_clip_rect(area);
    let color = palette.alert;
    for (side, number) in listed.sides.iter().zip(["1", "2"]) {
        let rects = side.iter().filter_map(|(lane, span)| {
            let span = run.span(*lane, *span)?;
            rect(layout, area, *lane, span.interval())
        });
        let mut rects = rects.peekable();
        let first = rects.peek().copied();
        for rect in rects {
            painter.rect_stroke(rect.expand(1.0), 2.0, Stroke::new(2.0, color), StrokeKind::Outside);
        }
        if let Some(first) = first {
            let center = first.left_top() + vec2(first.width().min(20.0) / 2.0, 0.0);
            let center = center.min(area.max - vec2(9.0, 9.0)).max(area.min + vec2(9.0, 9.0));
            painter.circle(center, 8.0, color, Stroke::new(1.5, palette.background));
            let ink = color32(palette.theme.background);
            painter.text(center, Align2::CENTER_CENTER, number, FontId::new(11.0, semibold()), ink);
        }
    }
}

/// Where a stretch of a lane is, if it is in view; at least two points wide.
fn rect(layout: &Layout, area: Rect, lane: usize, it: Interval) -> Option<Rect> {
    let lane = layout.lanes.iter().find(|drawn| drawn.row.lane() == Some(lane))?;
    let (left, right) = (layout.scale.x(it.start), layout.scale.x(it.end));
    let right = right.max(left + 2.0);
    if right < layout.plot.x || left > layout.plot.right() {
        return None;
    }
    let within = |x: f32| x.clamp(layout.plot.x, layout.plot.right());
    let rect = lane.inner.columns(within(left), within(right));
    Some(Rect::from_min_size(area.min + vec2(rect.x, rect.y), vec2(rect.w, rect.h)))
}
