//! The dialogs that ask for a path. They are the window's own, because a system dialog needs a desktop that has one.

use egui::{Align2, Ui, vec2};

use crate::text::Key;
use crate::window::actions::WindowAction;
use crate::window::look::palette::{Palette, strong};
use crate::window::state::WindowState;
use crate::window::state::dialog::Purpose;

/// Shows the open dialog. What is typed goes straight into it: it is nobody else's.
pub(in crate::window) fn show(ui: &Ui, palette: &Palette, state: &mut WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let Some(dialog) = &mut state.dialog else { return };
    let frame = egui::Frame::window(ui.style()).inner_margin(18.0);
    let modal = egui::Modal::new(egui::Id::unique("path"))
        .frame(frame)
        .area(egui::Modal::default_area(egui::Id::unique("path")).anchor(Align2::CENTER_TOP, vec2(0.0, 120.0)));
    let shown = modal.show(ui.ctx(), |ui| {
        ui.set_width(480.0);
        ui.label(strong(lang.text(dialog.title()), 15.0));
        ui.add_space(6.0);
        let label = ui.label(egui::RichText::new(lang.text(Key::PathOfFile)).color(palette.muted));
        let field = egui::TextEdit::singleline(&mut dialog.path)
            .desired_width(f32::INFINITY)
            .margin(vec2(8.0, 6.0))
            .font(egui::TextStyle::Monospace);
        let field = ui.add(field).labelled_by(label.id);
        if !dialog.focused {
            field.request_focus();
            dialog.focused = true;
        }
        if field.changed() {
            dialog.fault = None;
        }
        if dialog.purpose == Purpose::Export {
            ui.add_space(4.0);
            ui.checkbox(&mut dialog.whole, lang.text(Key::ExportWhole));
            ui.checkbox(&mut dialog.dark, lang.text(Key::ExportDark));
        }
        let asked = dialog.asks_about().map(|path| lang.fill(Key::ReplaceAsk, &[&path.display().to_string()]));
        if let Some(sentence) = asked.or_else(|| dialog.fault.as_ref().map(|fault| fault.said(lang))) {
            ui.add_space(6.0);
            ui.add(egui::Label::new(egui::RichText::new(sentence).color(palette.alert)).wrap());
        }
        ui.add_space(10.0);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let verb = egui::RichText::new(lang.text(dialog.verb())).color(palette.on_primary);
            let submit = egui::Button::new(verb).fill(palette.primary).min_size(vec2(84.0, 28.0));
            if ui.add_enabled(dialog.target().is_some(), submit).clicked() || entered {
                actions.push(WindowAction::Submit);
            }
            if ui.add(egui::Button::new(lang.text(Key::Cancel)).min_size(vec2(84.0, 28.0))).clicked() {
                actions.push(WindowAction::CloseDialog);
            }
        });
    });
    if shown.should_close() {
        actions.push(WindowAction::CloseDialog);
    }
}
