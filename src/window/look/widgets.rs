//! The window's own widgets: switches, a choice among several, cards.

use egui::{
    Align2, Color32, CornerRadius, FontId, Frame, Painter, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

use super::palette::{CONTROL, Palette, semibold, strong};
use crate::drawing::drawable::Rect;
use crate::drawing::{EguiPainter, LegendItem};
use crate::text::Lang;
use crate::window::actions::{WindowAction, WindowCommand};

/// A pill with a switch in it.
pub(in crate::window) fn pill(ui: &mut Ui, palette: &Palette, label: &str, is_on: bool) -> Response {
    const SWITCH: Vec2 = vec2(22.0, 12.0);
    let font = FontId::proportional(12.5);
    let text = ui.painter().layout_no_wrap(label.to_owned(), font, palette.text);
    let size = vec2(text.size().x + SWITCH.x + 28.0, CONTROL.y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), is_on, label));
    let fill = if response.hovered() { palette.hovered } else { palette.raised };
    let line = if response.has_focus() { palette.accent } else { palette.line };
    ui.painter().rect(rect, CornerRadius::same(13), fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let track = Align2::LEFT_CENTER.anchor_size(rect.left_center() + vec2(9.0, 0.0), SWITCH);
    let on = ui.ctx().animate_bool_responsive(response.id, is_on);
    let track_color = palette.off.lerp_to_gamma(palette.on, on);
    ui.painter().rect_filled(track, CornerRadius::same(6), track_color);
    let knob = pos2(egui::lerp(track.left() + 6.0..=track.right() - 6.0, on), track.center().y);
    ui.painter().circle_filled(knob, 4.5, Color32::WHITE);
    let at = pos2(track.right() + 8.0, rect.center().y - text.size().y / 2.0);
    ui.painter().galley(at, text, palette.text);
    response
}

/// One of several, side by side. Returns the index of the one that was clicked.
pub(in crate::window) fn segments<'a>(
    ui: &mut Ui,
    palette: &Palette,
    labels: impl IntoIterator<Item = &'a str>,
    chosen: usize,
) -> Option<usize> {
    let mut clicked = None;
    Frame::new().fill(palette.raised).stroke(Stroke::new(1.0, palette.line)).corner_radius(7).inner_margin(2.0).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (i, label) in labels.into_iter().enumerate() {
                let is_chosen = i == chosen;
                let color = if is_chosen { palette.on_primary } else { palette.muted };
                let font = if is_chosen { FontId::new(12.0, semibold()) } else { FontId::proportional(12.0) };
                let text = ui.painter().layout_no_wrap(label.to_owned(), font, color);
                let (rect, response) =
                    ui.allocate_exact_size(vec2(text.size().x + 22.0, CONTROL.y - 5.0), Sense::click());
                response.widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), is_chosen, label));
                let fill = match (is_chosen, response.hovered()) {
                    (true, _) => palette.primary,
                    (false, true) => palette.hovered,
                    (false, false) => Color32::TRANSPARENT,
                };
                let line = if response.has_focus() { Stroke::new(1.0, palette.accent) } else { Stroke::NONE };
                ui.painter().rect(rect, CornerRadius::same(5), fill, line, StrokeKind::Inside);
                ui.painter().galley(rect.center() - text.size() / 2.0, text, color);
                if response.clicked() {
                    clicked = Some(i);
                }
            }
        },
    );
    clicked
}

/// A button for a command, with what it does and its key as tooltip.
pub(in crate::window) fn command_button(
    ui: &mut Ui,
    lang: Lang,
    command: WindowCommand,
    actions: &mut Vec<WindowAction>,
) -> Response {
    let offer = command.offer();
    let button = ui.add(egui::Button::new(lang.text(offer.text)).min_size(CONTROL));
    let button = button.on_hover_text(offer.told(ui.ctx(), lang));
    if button.clicked() {
        actions.push(WindowAction::Do(command));
    }
    button
}

/// A piece of what an entry of the legend stands for.
pub(in crate::window) fn swatch(painter: &Painter, palette: &Palette, item: LegendItem, rect: egui::Rect) {
    let drawn = item.swatch(Rect::new(rect.left(), rect.top(), rect.width(), rect.height()), &palette.theme);
    let mut shapes = Vec::new();
    EguiPainter::new(painter.ctx(), Vec2::ZERO).paint(painter.ctx(), [&drawn], &mut shapes);
    painter.extend(shapes);
}

/// Row and left edge of each of those `widths`, as words in a paragraph. Each holds the `gap` behind it, which the last of a row does not
/// need.
pub(in crate::window) fn flow(widths: &[f32], gap: f32, room: f32) -> Vec<(usize, f32)> {
    let mut at = (0, 0.0);
    let place = |width: &f32| {
        if at.1 > 0.0 && at.1 + width - gap > room {
            at = (at.0 + 1, 0.0);
        }
        let here = at;
        at.1 += width;
        here
    };
    widths.iter().map(place).collect()
}

/// The frame of a card.
pub(in crate::window) fn card(palette: &Palette) -> Frame {
    Frame::new()
        .fill(palette.panel)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(6)
        .inner_margin(egui::Margin::symmetric(12, 9))
}

/// The name of a part of the panel.
pub(in crate::window) fn heading(ui: &mut Ui, text: &str) {
    ui.label(strong(text, 13.5));
    ui.add_space(4.0);
}
