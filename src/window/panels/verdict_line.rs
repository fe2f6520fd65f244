//! Whether there are hazards, at a glance below the timeline.

use egui::{Align, Align2, Color32, FontId, Layout, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::drawing::color32;
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, semibold};
use crate::window::shown_run::verdict::{Judged, Judging};
use crate::window::state::WindowState;

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
pub(in crate::window) const SIGN: f32 = 22.0;

/// What the line says; none where there is no program to judge.
pub(in crate::window) fn said(state: &WindowState) -> Option<String> {
    let lang = state.settings.lang;
    let text = match &state.shown.judging {
        Judging::Nothing => return None,
        Judging::Done(judged) => return Some(sentence(judged, lang)),
        Judging::Pending => Key::JudgingPending,
        // Another run is on its way, and a verdict with it.
        Judging::Stopped if state.progress.model.is_some() => Key::JudgingPending,
        Judging::Stopped => Key::JudgingStopped,
    };
    Some(lang.text(text).to_owned())
}

/// One line: whether there are hazards. A click shows the first.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let Some(judged) = state.shown.judged() else { return not_yet(ui, palette, state, actions) };
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
        actions.push(WindowAction::SelectHazard(Some(0)));
    }
}

/// That the verdict is still to come, or does not come.
fn not_yet(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let Some(said) = said(state) else { return };
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 18.0), Layout::left_to_right(Align::Center), |ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(14.0, 18.0), Sense::hover());
        ui.painter().circle_stroke(pos2(rect.left() + 8.0, rect.center().y), 6.5, Stroke::new(1.3, palette.muted));
        ui.label(RichText::new(said).size(13.0).color(palette.muted));
        let cancel = WindowCommand::Cancel.offer();
        if matches!(state.shown.judging, Judging::Pending)
            && ui.small_button(lang.text(cancel.text)).on_hover_text(lang.text(Key::JudgingCancelHint)).clicked()
        {
            actions.push(WindowAction::Do(WindowCommand::Cancel));
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
pub(in crate::window) fn triangle(ui: &Ui, palette: &Palette, center: egui::Pos2, is_filled: bool) {
    let corners = [vec2(0.0, -7.5), vec2(8.0, 6.5), vec2(-8.0, 6.5)].map(|by| center + by);
    let fill = if is_filled { palette.alert } else { Color32::TRANSPARENT };
    let ink = if is_filled { color32(palette.theme.background) } else { palette.alert };
    ui.painter().add(egui::Shape::convex_polygon(corners.to_vec(), fill, Stroke::new(1.3, palette.alert)));
    ui.painter().text(center + vec2(0.0, 2.0), Align2::CENTER_CENTER, "!", FontId::new(10.0, semibold()), ink);
}
