//! What is outlined in the timeline: what is pointed at or selected with all that belongs to it, and the two operations of a hazard.

use egui::{Color32, Rect, Stroke, StrokeKind, Ui, vec2};

use crate::drawing::layout::hazard_marks;
use crate::drawing::{EguiPainter, Hit, Layout, drawable, layout};
use crate::text::Lang;
use crate::time::Interval;
use crate::window::look::palette::Palette;
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::captured_graphs::SpanStretch;
use crate::window::shown_run::verdict::ListedHazard;

/// Outlines what is pointed at or selected, and lightly what belongs to it; for the selection, with arrows along its chain.
pub(super) fn chain(
    ui: &Ui,
    palette: &Palette,
    run: &ShownRun,
    layout: &Layout,
    area: Rect,
    hit: Option<Hit>,
    is_selected: bool,
) {
    let Some(hit) = hit else { return };
    let chain = layout::chain(layout, &run.recording, &run.prepared, hit, &palette.theme);
    let painter = ui.painter().with_clip_rect(area);
    let placed = |rect: drawable::Rect| Rect::from_min_size(area.min + vec2(rect.x, rect.y), vec2(rect.w, rect.h));
    let outline = |rect: drawable::Rect, width: f32, color: Color32| {
        painter.rect_stroke(placed(rect).expand(1.0), 2.0, Stroke::new(width, color), StrokeKind::Outside);
    };
    let faint = palette.accent.gamma_multiply(0.6);
    for rect in chain.parts.into_iter().chain(chain.waited_for.filter(|_| is_selected)) {
        outline(rect, 1.0, faint);
    }
    for rect in chain.through.into_iter().filter(|_| is_selected) {
        painter.rect_filled(placed(rect), 0.0, palette.accent.gamma_multiply(0.22));
        outline(rect, 1.0, faint);
    }
    if let Some(rect) = chain.subject {
        outline(rect, if is_selected { 2.0 } else { 1.5 }, palette.accent);
    }
    if is_selected {
        let mut shapes = Vec::new();
        EguiPainter::new(ui.ctx(), area.min.to_vec2()).paint(ui.ctx(), &chain.arrows, &mut shapes);
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

/// Draws the two operations of a hazard, numbered as on its card, and how they meet.
pub(super) fn hazard(
    ui: &Ui,
    palette: &Palette,
    lang: Lang,
    run: &ShownRun,
    layout: &Layout,
    area: Rect,
    listed: &ListedHazard,
) {
    let look = (&palette.theme, lang);
    let marks = hazard_marks(layout, &run.recording, &run.prepared, &listed.hazard, &listed.spans, look);
    let mut shapes = Vec::new();
    EguiPainter::new(ui.ctx(), area.min.to_vec2()).paint(ui.ctx(), &marks, &mut shapes);
    ui.painter().with_clip_rect(area).extend(shapes);
}

/// Where a stretch of a lane is, if it is in view.
fn rect(layout: &Layout, area: Rect, lane: usize, it: Interval) -> Option<Rect> {
    let rect = layout.stretch(lane, it)?;
    Some(Rect::from_min_size(area.min + vec2(rect.x, rect.y), vec2(rect.w, rect.h)))
}
