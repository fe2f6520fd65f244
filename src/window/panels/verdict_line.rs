//! What the run came to, at a glance below the timeline: errors first, then hazards.

use egui::{Align, Align2, Color32, FontId, Layout, Pos2, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::analysis::{Outcome, OutcomeId, outcome_sentence};
use crate::drawing::color32;
use crate::text::Key;
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, semibold};
use crate::window::shown_run::verdict::Judging;
use crate::window::state::WindowState;

/// Room for the sign before the line.
pub(in crate::window) const SIGN: f32 = 22.0;

/// What the run came to, as far as that is known: errors are, before there is a verdict.
pub(in crate::window) fn outcome(state: &WindowState) -> Option<Outcome> {
    let judged = state.shown.judged().map(|judged| judged.outcome.clone());
    judged.or_else(|| Outcome::failed(&state.shown.run.as_ref()?.recording))
}

/// What the line says; none where there is no program to judge.
pub(in crate::window) fn said(state: &WindowState) -> Option<String> {
    let lang = state.settings.lang;
    if let Some((run, outcome)) = state.shown.run.as_ref().zip(outcome(state)) {
        return Some(outcome_sentence(&run.recording, &outcome, lang));
    }
    let text = match &state.shown.judging {
        Judging::Nothing | Judging::Done(_) => return None,
        Judging::Pending => Key::JudgingPending,
        // Another run is on its way, and a verdict with it.
        Judging::Stopped if state.progress.model.is_some() => Key::JudgingPending,
        Judging::Stopped => Key::JudgingStopped,
    };
    Some(lang.text(text).to_owned())
}

/// Where a click on the line leads, and what says so.
fn leads_to(outcome: &Outcome) -> (Option<WindowAction>, Key) {
    match outcome {
        Outcome::Failed(_) => (Some(WindowAction::SelectError(0)), Key::ErrorHint),
        Outcome::Corrupted { .. } | Outcome::Hazards { .. } | Outcome::Fragile(_) => {
            (Some(WindowAction::SelectHazard(Some(0))), Key::HazardsHint)
        }
        Outcome::Right => (None, Key::HazardsNoneHint),
    }
}

/// One line: what the run came to. A click shows the first error or hazard.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let (Some(outcome), Some(said)) = (outcome(state), said(state)) else {
        return not_yet(ui, palette, state, actions);
    };
    let (click, hint) = leads_to(&outcome);
    let color = match outcome.id() {
        OutcomeId::Failed | OutcomeId::Corrupted | OutcomeId::Hazards => palette.alert,
        OutcomeId::Fragile | OutcomeId::Right => palette.text,
    };
    let text = ui.painter().layout(said.clone(), FontId::new(13.0, semibold()), color, ui.available_width() - SIGN);
    let sense = if click.is_some() { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(text.size().x + SIGN, text.size().y.max(18.0)), sense);
    let role = if click.is_some() { Role::Button } else { Role::Label };
    response.widget_info(|| WidgetInfo::labeled(role, true, &said));
    sign(ui, palette, pos2(rect.left() + 8.0, rect.top() + 9.0), outcome.id());
    let at = pos2(rect.left() + SIGN, rect.center().y - text.size().y / 2.0);
    if click.is_some() && (response.hovered() || response.has_focus()) {
        let below = at.y + text.size().y;
        ui.painter().hline(at.x..=at.x + text.size().x, below, Stroke::new(1.0, color));
    }
    ui.painter().galley(at, text, color);
    let is_clicked = response.on_hover_text(state.settings.lang.text(hint)).clicked();
    actions.extend(click.filter(|_| is_clicked));
}

/// The sign before the line.
fn sign(ui: &Ui, palette: &Palette, center: Pos2, outcome: OutcomeId) {
    match outcome {
        OutcomeId::Failed => cross(ui, palette, center),
        OutcomeId::Corrupted => triangle(ui, palette, center, true),
        OutcomeId::Hazards => triangle(ui, palette, center, false),
        OutcomeId::Fragile | OutcomeId::Right => check(ui, palette, center),
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

/// A cross in a disc: something failed.
fn cross(ui: &Ui, palette: &Palette, center: Pos2) {
    ui.painter().circle_filled(center, 7.5, palette.alert);
    for arm in [vec2(3.0, 3.0), vec2(3.0, -3.0)] {
        let ink = Stroke::new(1.8, color32(palette.theme.background));
        ui.painter().line_segment([center - arm, center + arm], ink);
    }
}

/// A tick in a disc: nothing is wrong.
fn check(ui: &Ui, palette: &Palette, center: Pos2) {
    ui.painter().circle_filled(center, 7.5, palette.on);
    let tick = [vec2(-3.4, 0.2), vec2(-1.0, 2.6), vec2(3.4, -2.4)].map(|by| center + by);
    ui.painter().line(tick.to_vec(), Stroke::new(1.8, color32(palette.theme.background)));
}

/// A warning triangle: filled when the run was spoiled, an outline when it only may be.
pub(in crate::window) fn triangle(ui: &Ui, palette: &Palette, center: Pos2, is_filled: bool) {
    let corners = [vec2(0.0, -7.5), vec2(8.0, 6.5), vec2(-8.0, 6.5)].map(|by| center + by);
    let fill = if is_filled { palette.alert } else { Color32::TRANSPARENT };
    let ink = if is_filled { color32(palette.theme.background) } else { palette.alert };
    ui.painter().add(egui::Shape::convex_polygon(corners.to_vec(), fill, Stroke::new(1.3, palette.alert)));
    ui.painter().text(center + vec2(0.0, 2.0), Align2::CENTER_CENTER, "!", FontId::new(10.0, semibold()), ink);
}
