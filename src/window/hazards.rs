//! What the program fails to keep in order: at a glance below the timeline, and one by one in the right panel.

use egui::{
    Align, Align2, Button, Color32, CornerRadius, FontId, Frame, Label, Layout, Response, RichText, Role, Sense,
    Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::command::{Action, Command};
use super::inspector::heading;
use super::judged::{Judged, Judging, Listed};
use super::state::State;
use super::style::{Palette, semibold, strong};
use super::widgets::command_button;
use crate::analysis::hazard::{Class, Hazard, explain};
use crate::drawing::color32;
use crate::text::{Key, Lang};

/// What is said of a run as a whole.
fn sentence(judged: &Judged, lang: Lang) -> String {
    let Judged { hazards, fragile, spoiled, .. } = judged;
    let counted = |count: &usize, one: Key, many: Key| match count {
        1 => lang.text(one).to_owned(),
        _ => lang.fill(many, &[&count.to_string()]),
    };
    if *hazards == 0 {
        let none = lang.text(Key::HazardsNone);
        return match fragile {
            0 => none.to_owned(),
            1 => lang.fill(Key::FragileOnlyOne, &[none]),
            _ => lang.fill(Key::FragileOnlyMany, &[none, &fragile.to_string()]),
        };
    }
    let said = counted(hazards, Key::HazardsOne, Key::HazardsMany);
    let said = match spoiled {
        Some(true) => lang.fill(Key::HazardsSpoiled, &[&said]),
        Some(false) => lang.fill(Key::HazardsLucky, &[&said]),
        None => said,
    };
    let (stop, space) = if lang == Lang::En { (".", " ") } else { ("。", "") };
    match fragile {
        0 => said,
        _ => format!("{said}{stop}{space}{}{stop}", counted(fragile, Key::FragileOne, Key::FragileMany)),
    }
}

/// Room for the sign before the line.
pub(super) const SIGN: f32 = 22.0;

/// What the line says; none where there is no program to judge.
pub(super) fn said(state: &State) -> Option<String> {
    let lang = state.settings.lang;
    let text = match &state.judging {
        Judging::Nothing => return None,
        Judging::Done(judged) => return Some(sentence(judged, lang)),
        Judging::Pending => Key::JudgingPending,
        // Another run is on its way, and a verdict with it.
        Judging::Stopped if state.progress.is_some() => Key::JudgingPending,
        Judging::Stopped => Key::JudgingStopped,
    };
    Some(lang.text(text).to_owned())
}

/// One line: whether there are hazards. A click shows the first.
pub(super) fn line(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    let Some(judged) = state.judged() else { return not_yet(ui, palette, state, actions) };
    let is_clean = judged.hazards == 0;
    let said = sentence(judged, lang);
    let color = if is_clean { palette.text } else { palette.alert };
    let text = ui.painter().layout(said.clone(), FontId::new(13.0, semibold()), color, ui.available_width() - SIGN);
    let is_empty = judged.listed.is_empty();
    let sense = if is_empty { Sense::hover() } else { Sense::click() };
    let (rect, response) = ui.allocate_exact_size(vec2(text.size().x + SIGN, text.size().y.max(18.0)), sense);
    response.widget_info(|| WidgetInfo::labeled(if is_empty { Role::Label } else { Role::Button }, true, &said));
    let center = pos2(rect.left() + 8.0, rect.center().y);
    if is_clean {
        check(ui, palette, center);
    } else {
        triangle(ui, palette, center, judged.spoiled == Some(true));
    }
    let at = Align2::LEFT_CENTER.anchor_size(pos2(rect.left() + SIGN, rect.center().y), text.size()).min;
    if response.hovered() && !is_empty || response.has_focus() {
        let below = at.y + text.size().y;
        ui.painter().hline(at.x..=at.x + text.size().x, below, Stroke::new(1.0, color));
    }
    ui.painter().galley(at, text, color);
    if is_empty {
        response.on_hover_text(lang.text(Key::HazardsNoneHint));
    } else if response.on_hover_text(lang.text(Key::HazardsHint)).clicked() {
        actions.push(Action::SelectHazard(Some(0)));
    }
}

/// That the verdict is still to come, or does not come.
fn not_yet(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    let Some(said) = said(state) else { return };
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 18.0), Layout::left_to_right(Align::Center), |ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(14.0, 18.0), Sense::hover());
        ui.painter().circle_stroke(pos2(rect.left() + 8.0, rect.center().y), 6.5, Stroke::new(1.3, palette.muted));
        ui.label(RichText::new(said).size(13.0).color(palette.muted));
        let cancel = Command::Cancel.offer();
        if matches!(state.judging, Judging::Pending)
            && ui.small_button(lang.text(cancel.text)).on_hover_text(lang.text(Key::JudgingCancelHint)).clicked()
        {
            actions.push(Action::Do(Command::Cancel));
        }
    });
}

/// A tick in a disc: nothing is wrong.
fn check(ui: &Ui, palette: &Palette, center: egui::Pos2) {
    ui.painter().circle_filled(center, 7.5, palette.on);
    let tick = [vec2(-3.4, 0.2), vec2(-1.0, 2.6), vec2(3.4, -2.4)].map(|by| center + by);
    ui.painter().line(tick.to_vec(), Stroke::new(1.8, color32(palette.theme.background)));
}

/// A warning triangle: filled when the run was spoiled, an outline when it only may be.
fn triangle(ui: &Ui, palette: &Palette, center: egui::Pos2, is_filled: bool) {
    let corners = [vec2(0.0, -7.5), vec2(8.0, 6.5), vec2(-8.0, 6.5)].map(|by| center + by);
    let fill = if is_filled { palette.alert } else { Color32::TRANSPARENT };
    let ink = if is_filled { color32(palette.theme.background) } else { palette.alert };
    ui.painter().add(egui::Shape::convex_polygon(corners.to_vec(), fill, Stroke::new(1.3, palette.alert)));
    ui.painter().text(center + vec2(0.0, 2.0), Align2::CENTER_CENTER, "!", FontId::new(10.0, semibold()), ink);
}

/// Shows the hazards one by one, and what can be done about them.
pub(super) fn show(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    if state.document.has_edits() {
        edited(ui, palette, state, actions);
    }
    let Some(judged) = state.judged() else { return };
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
            let is_selected = state.sight.hazard == Some(number);
            let card = card(ui, palette, lang, (number, listed), is_selected, actions);
            if card.contains_pointer() {
                pointed = Some(number);
            }
            if card.clicked() {
                actions.push(Action::SelectHazard((!is_selected).then_some(number)));
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
    if pointed != state.sight.hovered_hazard {
        actions.push(Action::HoverHazard(pointed));
    }
}

/// That the scenario is not what it was, and the way back.
fn edited(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    ui.horizontal(|ui| {
        if state.document.is_edited() {
            ui.label(RichText::new(lang.text(Key::EditedNotSaved)).size(12.0).color(palette.muted));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if state.document.can_redo() {
                command_button(ui, lang, Command::RedoEdit, actions);
            }
            if state.document.can_undo() {
                command_button(ui, lang, Command::UndoEdit, actions);
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
    (number, listed): (usize, &Listed),
    is_selected: bool,
    actions: &mut Vec<Action>,
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
            operations(ui, palette, &listed.hazard, is_calm);
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
    (number, listed): (usize, &Listed),
    is_calm: bool,
    actions: &mut Vec<Action>,
) {
    let hazard = &listed.hazard;
    ui.horizontal(|ui| {
        badge(ui, palette, hazard.class.id(), is_calm);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(fix) = &listed.fix {
                let color = if is_calm { palette.text } else { palette.on_primary };
                let button = Button::new(RichText::new(lang.text(Key::Fix)).color(color)).min_size(vec2(30.0, 22.0));
                let button = if is_calm { button } else { button.fill(palette.primary) };
                let hint = format!("{}\n{fix}", lang.text(Key::FixHint));
                if ui.add(button).on_hover_text(hint).clicked() {
                    actions.push(Action::Fix(number));
                }
            }
            if hazard.corrupted == Some(true) {
                let (rect, response) = ui.allocate_exact_size(vec2(18.0, 16.0), Sense::hover());
                triangle(ui, palette, rect.center(), true);
                response.on_hover_text(lang.text(Key::HazardSpoiled));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(strong(hazard.object.as_str(), 13.0)).truncate());
                if hazard.count > 1 {
                    let times = lang.fill(Key::HazardTimes, &[&hazard.count.to_string()]);
                    ui.add(Label::new(RichText::new(times).size(11.0).color(palette.muted)).truncate());
                }
            });
        });
    });
}

/// The class, on a ground of its own.
fn badge(ui: &mut Ui, palette: &Palette, class: &str, is_calm: bool) {
    let (color, fill) = if is_calm { (palette.muted, palette.hovered) } else { (palette.alert, palette.alert_ground) };
    let text = ui.painter().layout_no_wrap(class.to_owned(), FontId::new(10.5, semibold()), color);
    let (rect, response) = ui.allocate_exact_size(text.size() + vec2(12.0, 5.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, class));
    ui.painter().rect(rect, CornerRadius::same(4), fill, Stroke::new(1.0, color), StrokeKind::Inside);
    ui.painter().galley(rect.center() - text.size() / 2.0, text, color);
}

/// First and second operation, numbered as in the timeline.
fn operations(ui: &mut Ui, palette: &Palette, hazard: &Hazard, is_calm: bool) {
    let color = if is_calm { palette.muted } else { palette.alert };
    ui.horizontal_wrapped(|ui| {
        for (number, name) in [("1", &hazard.first.label), ("2", &hazard.second.label)] {
            if number == "2" {
                ui.label(RichText::new("→").size(12.0).color(palette.muted));
            }
            let (rect, _) = ui.allocate_exact_size(vec2(15.0, 15.0), Sense::hover());
            ui.painter().circle_filled(rect.center(), 7.5, color);
            let ink = color32(palette.theme.background);
            ui.painter().text(rect.center(), Align2::CENTER_CENTER, number, FontId::new(10.5, semibold()), ink);
            ui.label(strong(name.as_str(), 12.0));
        }
    });
}
