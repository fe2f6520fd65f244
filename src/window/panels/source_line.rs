//! The line above the timeline that says where the picture comes from.

use egui::{Align, Button, Label, Layout, ProgressBar, RichText, Role, Ui, WidgetInfo, vec2};

use super::run_on::recorded;
use crate::recording::Executor;
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::Palette;
use crate::window::state::WindowState;
use crate::window::state::settings::RunOn;

/// Height of the line.
pub(in crate::window) const HEIGHT: f32 = 20.0;

/// Says where the picture comes from, whether a recording was wanted and this is none, and what will replace it.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let small = |text: String| Label::new(RichText::new(text).size(11.0).color(palette.muted)).truncate();
    let size = vec2(ui.available_width(), HEIGHT);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        if state.shown.run.is_some() {
            for (sign, command) in [("+", WindowCommand::ZoomIn), ("−", WindowCommand::ZoomOut)] {
                sign_button(ui, lang, sign, command, actions);
            }
            sign_button(ui, lang, lang.text(Key::FitSign), WindowCommand::Fit, actions);
            ui.add_space(6.0);
        }
        if state.shown.run.as_ref().is_some_and(|run| !run.captured.graphs.is_empty()) {
            let graph = WindowCommand::Graph.offer();
            let button = Button::selectable(state.graph_shown, RichText::new(lang.text(graph.text)).size(11.0)).small();
            if ui.add(button).on_hover_text(graph.told(ui.ctx(), lang)).clicked() {
                actions.push(WindowAction::Do(WindowCommand::Graph));
            }
        }
        if let Some((part, text)) = progress(state) {
            let cancel = WindowCommand::Cancel.offer();
            if ui.small_button(lang.text(cancel.text)).on_hover_text(lang.text(cancel.hint)).clicked() {
                actions.push(WindowAction::Do(WindowCommand::Cancel));
            }
            // The words stay where there is no room for the bar.
            if ui.available_width() > 480.0 {
                ui.visuals_mut().extreme_bg_color = palette.line;
                ui.add(ProgressBar::new(part).desired_width(96.0).desired_height(6.0).fill(palette.accent));
            }
            ui.add(small(text));
        }
        let Some(run) = &state.shown.run else { return };
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let source = &run.recording.source;
            if state.settings.run_on == RunOn::Recording && source.executor == Executor::Model {
                let line = format!("{} · {}", source.line(lang), lang.text(Key::NotRecorded));
                ui.add(small(line)).on_hover_text(recorded(state));
            } else {
                let left_out = run.left_out.iter().map(|left_out| left_out.get(lang).to_owned());
                let line: Vec<String> = std::iter::once(source.line(lang)).chain(left_out).collect();
                ui.add(small(line.join(" · ")));
            }
        });
    });
}

/// A small button for a command, with what it does and its key as tooltip.
fn sign_button(ui: &mut Ui, lang: Lang, sign: &str, command: WindowCommand, actions: &mut Vec<WindowAction>) {
    let offer = command.offer();
    let button = ui.add(Button::new(RichText::new(sign).size(11.0)).small().min_size(vec2(20.0, 18.0)));
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, lang.text(offer.text)));
    if button.on_hover_text(offer.told(ui.ctx(), lang)).clicked() {
        actions.push(WindowAction::Do(command));
    }
}

/// Which part is done of what runs in the background, and what that is: the model, which answers first, or a GPU.
fn progress(state: &WindowState) -> Option<(f32, String)> {
    let lang = state.settings.lang;
    let model = state.progress.model.map(|part| (part, lang.text(Key::Running).to_owned()));
    let gpu = |part| (part, lang.fill(Key::RunningOn, &[state.gpu().map_or("GPU", |device| &device.name)]));
    model.or_else(|| state.progress.gpu.map(gpu))
}
