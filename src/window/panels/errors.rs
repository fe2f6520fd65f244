//! The errors of the run in the right panel: before all else that is said of it.

use egui::{Frame, Label, Response, RichText, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo};

use crate::analysis::error_cause;
use crate::drawing::Hit;
use crate::recording::RunError;
use crate::text::{Key, Lang};
use crate::window::actions::WindowAction;
use crate::window::look::palette::{Palette, strong};
use crate::window::look::widgets::heading;
use crate::window::state::WindowState;

/// Errors that have a card.
const MAX_SHOWN: usize = 20;

/// Shows the first errors; a click on one shows its call.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let Some(run) = &state.shown.run else { return };
    let errors = &run.recording.errors;
    if errors.is_empty() {
        return;
    }
    heading(ui, lang.text(Key::RunErrors));
    let is_selected = |number: &usize| state.shown.selection == Some(Hit::Error { error: *number });
    let selected = (0..errors.len()).find(is_selected);
    for (number, error) in errors.iter().enumerate().take(MAX_SHOWN) {
        let is_selected = selected == Some(number);
        // The others are told in one line each, so that many leave room for what stands below.
        let is_whole = selected.unwrap_or(0) == number;
        if card(ui, palette, lang, (number, error), is_selected, is_whole).clicked() {
            actions.push(WindowAction::SelectError(number));
        }
        ui.add_space(4.0);
    }
    if let Some(more) = errors.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        let more = lang.fill(Key::HazardsMore, &[&more.to_string()]);
        ui.label(RichText::new(more).color(palette.muted).size(12.0));
    }
    ui.add_space(6.0);
}

/// One error: name and number, the call, the cause, and where the call stands.
fn card(
    ui: &mut Ui,
    palette: &Palette,
    lang: Lang,
    (number, error): (usize, &RunError),
    is_selected: bool,
    is_whole: bool,
) -> Response {
    let title = error.title();
    let builder = UiBuilder::new().id_salt(("error", number)).sense(Sense::click());
    let shown = ui.scope_builder(builder, |ui| {
        let response = ui.response();
        let is_lit = response.contains_pointer() || response.has_focus() || is_selected;
        let line = Stroke::new(1.0, if is_lit { palette.alert } else { palette.alert_ground });
        let frame = Frame::new().fill(palette.alert_ground).stroke(line).corner_radius(6).inner_margin(if is_whole {
            10.0
        } else {
            6.0
        });
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = 3.0;
            ui.add(Label::new(strong(title.as_str(), 12.0).color(palette.alert)).wrap());
            if !is_whole {
                return;
            }
            let cause = error_cause(error, None, lang);
            ui.add(
                Label::new(RichText::new(lang.fill(Key::Says, &[error.at.label.get(lang), &cause])).size(12.0)).wrap(),
            );
            ui.add(Label::new(RichText::new(&error.at.path).monospace().size(11.0).color(palette.muted)).wrap());
        });
    });
    shown.response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_selected, &title));
    shown.response.on_hover_text(lang.text(Key::ErrorHint))
}
