//! What the program fails to keep in order, one by one in the right panel.

use egui::{
    Align, Align2, Button, CornerRadius, FontId, Frame, Label, Layout, Response, RichText, Role, Sense, Stroke,
    StrokeKind, Ui, UiBuilder, WidgetInfo, vec2,
};

use super::verdict_line::triangle;
use crate::analysis::hazard::{Class, Hazard, class_key, explain, object};
use crate::drawing::color32;
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, semibold, strong};
use crate::window::look::widgets::{command_button, heading};
use crate::window::shown_run::verdict::ListedHazard;
use crate::window::state::WindowState;

/// Shows the hazards one by one, and what can be done about them.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    if state.document().has_edits() {
        edited(ui, palette, state, actions);
    }
    let Some(judged) = state.shown.judged() else { return };
    let mut pointed = None;
    for (part, (title, count)) in
        judged.parts().into_iter().zip([(Key::Hazards, judged.hazards), (Key::Fragile, judged.fragile)])
    {
        let mut shown = 0;
        for (number, listed) in part {
            if shown == 0 {
                heading(ui, lang.text(title));
            }
            shown += 1;
            let is_selected = state.shown.hazard == Some(number);
            let card = card(ui, palette, lang, (number, listed), is_selected, actions);
            if card.contains_pointer() {
                pointed = Some(number);
            }
            if card.clicked() {
                actions.push(WindowAction::SelectHazard((!is_selected).then_some(number)));
            }
            ui.add_space(6.0);
        }
        if shown < count {
            let more = lang.fill(Key::HazardsMore, &[&(count - shown).to_string()]);
            ui.label(RichText::new(more).color(palette.muted).size(12.0));
        }
        if shown > 0 {
            ui.add_space(6.0);
        }
    }
    if pointed != state.shown.hovered_hazard {
        actions.push(WindowAction::HoverHazard(pointed));
    }
}

/// That the scenario is not what it was, and the way back.
fn edited(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    ui.horizontal(|ui| {
        if state.document().is_edited() {
            ui.label(RichText::new(lang.text(Key::EditedNotSaved)).size(12.0).color(palette.muted));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if state.document().can_redo() {
                command_button(ui, lang, WindowCommand::Redo, actions);
            }
            if state.document().can_undo() {
                command_button(ui, lang, WindowCommand::Undo, actions);
            }
        });
    });
    ui.add_space(10.0);
}

/// One hazard. A click on the card itself selects it.
fn card(
    ui: &mut Ui,
    palette: &Palette,
    lang: Lang,
    (number, listed): (usize, &ListedHazard),
    is_selected: bool,
    actions: &mut Vec<WindowAction>,
) -> Response {
    let is_calm = listed.hazard.class == Class::Fragile;
    let builder = UiBuilder::new().id_salt(("hazard", number)).sense(Sense::click());
    let shown = ui.scope_builder(builder, |ui| {
        let response = ui.response();
        let is_lit = response.contains_pointer() || response.has_focus() || is_selected;
        let line = match (is_lit, is_calm) {
            (true, false) => palette.alert,
            (true, true) => palette.muted,
            (false, _) => palette.line,
        };
        let frame = Frame::new().fill(if is_selected { palette.hovered } else { palette.raised });
        frame.stroke(Stroke::new(1.0, line)).corner_radius(6).inner_margin(10.0).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing = vec2(6.0, 5.0);
            head(ui, palette, lang, (number, listed), is_calm, actions);
            operations(ui, palette, lang, &listed.hazard, is_calm);
            ui.add(Label::new(RichText::new(explain(&listed.hazard, lang)).size(12.0)).wrap());
            if listed.fix.is_none() && !is_calm {
                ui.add(Label::new(RichText::new(lang.text(Key::NoFix)).size(11.0).color(palette.muted)).wrap());
            }
        });
    });
    let said = explain(&listed.hazard, lang);
    shown.response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_selected, &said));
    shown.response
}

/// Class and object, and the button that mends it where one edge does: in one line, so that little room shows many.
fn head(
    ui: &mut Ui,
    palette: &Palette,
    lang: Lang,
    (number, listed): (usize, &ListedHazard),
    is_calm: bool,
    actions: &mut Vec<WindowAction>,
) {
    let hazard = &listed.hazard;
    ui.horizontal(|ui| {
        badge(ui, palette, lang, hazard.class, is_calm);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(fix) = &listed.fix {
                let color = if is_calm { palette.text } else { palette.on_primary };
                let button = Button::new(RichText::new(lang.text(Key::Fix)).color(color)).min_size(vec2(30.0, 22.0));
                let button = if is_calm { button } else { button.fill(palette.primary) };
                let hint = format!("{}\n{fix}", lang.text(Key::FixHint));
                if ui.add(button).on_hover_text(hint).clicked() {
                    actions.push(WindowAction::Fix(number));
                }
            }
            if hazard.corrupted == Some(true) {
                let (rect, response) = ui.allocate_exact_size(vec2(18.0, 16.0), Sense::hover());
                triangle(ui, palette, rect.center(), true);
                response.on_hover_text(lang.text(Key::HazardSpoiled));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(strong(object(hazard, lang), 13.0)).truncate());
                if hazard.count > 1 {
                    let times = lang.fill(Key::HazardTimes, &[&hazard.count.to_string()]);
                    ui.add(Label::new(RichText::new(times).size(11.0).color(palette.muted)).truncate());
                }
            });
        });
    });
}

/// The class, on a ground of its own; it says what it stands for.
fn badge(ui: &mut Ui, palette: &Palette, lang: Lang, class: Class, is_calm: bool) {
    let (color, fill) = if is_calm { (palette.muted, palette.hovered) } else { (palette.alert, palette.alert_ground) };
    let text = ui.painter().layout_no_wrap(class.id().to_owned(), FontId::new(10.5, semibold()), color);
    let (rect, response) = ui.allocate_exact_size(text.size() + vec2(12.0, 5.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, class.id()));
    response.on_hover_text(lang.text(class_key(class)));
    ui.painter().rect(rect, CornerRadius::same(4), fill, Stroke::new(1.0, color), StrokeKind::Inside);
    ui.painter().galley(rect.center() - text.size() / 2.0, text, color);
}

/// First and second operation, numbered as in the timeline.
fn operations(ui: &mut Ui, palette: &Palette, lang: Lang, hazard: &Hazard, is_calm: bool) {
    let color = if is_calm { palette.muted } else { palette.alert };
    ui.horizontal_wrapped(|ui| {
        for (number, label) in [("1", &hazard.first.label), ("2", &hazard.second.label)] {
            if number == "2" {
                ui.label(RichText::new("→").size(12.0).color(palette.muted));
            }
            let (rect, _) = ui.allocate_exact_size(vec2(15.0, 15.0), Sense::hover());
            ui.painter().circle_filled(rect.center(), 7.5, color);
            let ink = color32(palette.theme.background);
            ui.painter().text(rect.center(), Align2::CENTER_CENTER, number, FontId::new(10.5, semibold()), ink);
            ui.label(strong(label.get(lang), 12.0));
        }
    });
}
