//! The sheet of keys, generated from the commands.

use egui::{Align2, Color32, Frame, Grid, RichText, ScrollArea, Ui, vec2};

use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, strong};
use crate::window::state::WindowState;

/// Gestures of the mouse, and what they do.
const GESTURES: [(Key, Key); 6] = [
    (Key::GestureWheel, Key::GestureWheelDoes),
    (Key::GestureSideways, Key::GestureSidewaysDoes),
    (Key::GestureDrag, Key::GestureDragDoes),
    (Key::GestureRange, Key::GestureRangeDoes),
    (Key::GestureDouble, Key::GestureDoubleDoes),
    (Key::GestureClick, Key::GestureClickDoes),
];

/// Shows the sheet, if it is asked for.
pub(in crate::window) fn show(ui: &Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    if !state.keys_shown {
        return;
    }
    let lang = state.settings.lang;
    let area = egui::Modal::default_area(egui::Id::unique("keys")).anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0));
    let modal =
        egui::Modal::new(egui::Id::unique("keys")).frame(Frame::window(ui.style()).inner_margin(20.0)).area(area);
    let shown = modal.show(ui.ctx(), |ui| {
        ui.label(strong(lang.text(Key::Keys), 15.0));
        ui.add_space(8.0);
        let height = ui.ctx().content_rect().height() - 110.0;
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
            sheet(ui, palette, lang);
        });
    });
    if shown.should_close() {
        actions.push(WindowAction::Do(WindowCommand::Keys));
    }
}

fn sheet(ui: &mut Ui, palette: &Palette, lang: Lang) {
    /// Columns of commands.
    const COLUMNS: usize = 3;
    let spacing = vec2(12.0, 4.0);
    ui.horizontal_top(|ui| {
        for (i, commands) in WindowCommand::ALL.chunks(WindowCommand::ALL.len().div_ceil(COLUMNS)).enumerate() {
            Grid::new(("keys", i)).num_columns(2).spacing(spacing).show(ui, |ui| {
                for command in commands {
                    let offer = command.offer();
                    key(ui, palette, &offer.written(ui.ctx()));
                    ui.label(lang.text(does(*command))).on_hover_text(lang.text(offer.hint));
                    ui.end_row();
                }
            });
            ui.add_space(18.0);
        }
    });
    ui.add_space(4.0);
    ui.separator();
    Grid::new("gestures").num_columns(2).spacing(spacing).show(ui, |ui| {
        key(ui, palette, "1 – 9");
        ui.label(lang.text(Key::KnobKeys));
        ui.end_row();
        for (gesture, does) in GESTURES {
            ui.label(RichText::new(lang.text(gesture)).color(palette.muted));
            ui.label(lang.text(does));
            ui.end_row();
        }
    });
}

/// What a key does: the word of its button, unless that only says what there will be.
fn does(command: WindowCommand) -> Key {
    let offer = command.offer();
    match command {
        WindowCommand::Language | WindowCommand::Appearance | WindowCommand::Projector => offer.hint,
        WindowCommand::Graph | WindowCommand::Keys => offer.hint,
        _says_what_it_does => offer.text,
    }
}

fn key(ui: &mut Ui, palette: &Palette, text: &str) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let stroke = egui::Stroke::new(1.0, palette.line);
        Frame::new().fill(Color32::TRANSPARENT).stroke(stroke).corner_radius(4).inner_margin(vec2(6.0, 1.0)).show(
            ui,
            |ui| {
                ui.label(RichText::new(text).monospace().size(11.0));
            },
        );
    });
}
