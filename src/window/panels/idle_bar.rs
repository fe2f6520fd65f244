//! What the GPU did with its time, to scale: busy, and idle for each cause. A part of the bar leads to its bubbles.

use egui::{Align2, CornerRadius, FontId, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::analysis::cause_key;
use crate::drawing::{Category, LegendItem, color32};
use crate::recording::Cause;
use crate::text::{Key, Lang};
use crate::time::Ns;
use crate::window::actions::WindowAction;
use crate::window::look::palette::{Palette, semibold};
use crate::window::look::widgets::swatch;
use crate::window::shown_run::ShownRun;

/// Height of the bar.
const HEIGHT: f32 = 18.0;
/// What is there at all is that wide at least.
const THINNEST: f32 = 2.0;
/// Between two parts.
const SEAM: f32 = 1.5;

/// A part of the GPU's time; without a cause, it was busy.
struct Part {
    cause: Option<Cause>,
    dur: Ns,
}

/// Shows the bar, and asks for the next bubble of the cause whose part is clicked.
pub(super) fn show(ui: &mut Ui, palette: &Palette, run: &ShownRun, lang: Lang, actions: &mut Vec<WindowAction>) {
    let parts = parts(run);
    let total: Ns = parts.iter().map(|part| part.dur).sum();
    ui.horizontal(|ui| {
        ui.label(RichText::new(lang.text(Key::WhereIdle)).size(12.0).color(palette.muted));
        let (bar, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        let said: Vec<String> = parts.iter().map(|part| part.said(lang)).collect();
        let said = lang.fill(Key::Says, &[lang.text(Key::WhereIdle), &lang.list(&said)]);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
        let mut left = bar.left();
        for (part, width) in parts.iter().zip(widths(&parts, total, bar.width())) {
            let rect = Rect::from_min_size(pos2(left, bar.top()), vec2((width - SEAM).max(1.0), bar.height()));
            left += width;
            part.show(ui, palette, rect, total, lang, actions);
        }
    });
}

/// Busy first, then the causes, most time first.
fn parts(run: &ShownRun) -> Vec<Part> {
    let metrics = &run.analysis.metrics;
    let mut idle: Vec<Part> =
        metrics.idle_by_cause.iter().map(|(cause, dur)| Part { cause: Some(*cause), dur: *dur }).collect();
    idle.sort_by_key(|part| std::cmp::Reverse(part.dur));
    let busy = Part { cause: None, dur: metrics.gpu_busy };
    std::iter::once(busy).chain(idle).filter(|part| part.dur > Ns::ZERO).collect()
}

/// To scale, but that the thinnest are seen: what they gain the widest lose.
fn widths(parts: &[Part], total: Ns, room: f32) -> Vec<f32> {
    let share = |part: &Part| room * part.dur.0 as f32 / total.0.max(1) as f32;
    let mut widths: Vec<f32> = parts.iter().map(|part| share(part).max(THINNEST + SEAM)).collect();
    let excess = widths.iter().sum::<f32>() - room;
    if let Some(widest) = widths.iter_mut().max_by(|a, b| a.total_cmp(b)) {
        *widest -= excess.max(0.0);
    }
    widths
}

impl Part {
    /// `launch-bound · 11.3 ms`.
    fn said(&self, lang: Lang) -> String {
        format!("{} · {}", lang.text(self.cause.map_or(Key::GpuBusyPart, cause_key)), self.dur)
    }

    fn show(&self, ui: &mut Ui, palette: &Palette, rect: Rect, total: Ns, lang: Lang, actions: &mut Vec<WindowAction>) {
        let busy = palette.theme.span(Category::Kernel);
        let said = self.said(lang);
        let percent = format!("{:.1}%", 100.0 * self.dur.0 as f64 / total.0.max(1) as f64);
        let leads = if self.cause.is_some() { Sense::click() } else { Sense::hover() };
        let response = ui.interact(rect, ui.scope_id().with(("part", self.cause)), leads);
        response.widget_info(|| {
            let role = if self.cause.is_some() { Role::Button } else { Role::Label };
            WidgetInfo::labeled(role, true, &said)
        });
        if let Some(cause) = self.cause {
            swatch(ui.painter(), palette, LegendItem::Idle(cause), rect);
            if response.clicked() {
                actions.push(WindowAction::NextBubble(cause));
            }
        } else {
            ui.painter().rect_filled(rect, CornerRadius::same(2), color32(busy.fill));
        }
        let ink = if self.cause.is_some() { palette.text } else { color32(busy.text) };
        let galley = ui.painter().layout_no_wrap(said.clone(), FontId::new(11.0, semibold()), ink);
        let pad =
            Rect::from_min_size(rect.left_center() - vec2(-3.0, galley.size().y / 2.0), galley.size() + vec2(6.0, 0.0));
        if pad.right() + 3.0 < rect.right() {
            if self.cause.is_some() {
                ui.painter().rect_filled(pad, CornerRadius::same(2), color32(palette.theme.pad));
            }
            let at = Align2::LEFT_CENTER.anchor_size(pad.left_center() + vec2(3.0, 0.0), galley.size()).min;
            ui.painter().galley(at, galley, ink);
        }
        if response.hovered() || response.has_focus() {
            ui.painter().rect_stroke(rect, CornerRadius::same(2), (1.5, palette.accent), egui::StrokeKind::Outside);
        }
        let hint = match self.cause {
            Some(_) => lang.fill(Key::IdlePartHint, &[&said, &percent]),
            None => format!("{said} · {percent}"),
        };
        response.on_hover_text(hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_to_scale_and_fill_the_bar() {
        let part = |dur| Part { cause: None, dur: Ns(dur) };
        let parts = [part(6_898_600), part(1_400)];
        let widths = widths(&parts, Ns(6_900_000), 800.0);
        assert!((widths.iter().sum::<f32>() - 800.0).abs() < 1e-3);
        assert!(widths[1] < 5.0, "{widths:?}");
    }
}
