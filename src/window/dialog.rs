//! The dialogs that ask for a path. They are the window's own, because a system dialog needs a desktop that has one.

use std::path::{Path, PathBuf};

use egui::{Align2, Ui, vec2};

use super::command::Action;
use super::state::State;
use super::style::{Palette, strong};
use crate::text::Key;

/// What the path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Open a scenario.
    Open,
    /// Save the scenario.
    Save,
    /// Draw a figure.
    Export,
    /// Draw the window.
    Screenshot,
}

/// An open dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dialog {
    /// What for.
    pub(super) purpose: Purpose,
    /// What is typed so far.
    pub(super) path: String,
    /// For a figure: whether it shows the whole run rather than what is seen.
    pub(super) whole: bool,
    /// For a figure: whether it is dark.
    pub(super) dark: bool,
    /// Whether the text field has been given the keyboard.
    focused: bool,
    /// The file that was found there: it is replaced only when that is confirmed.
    found: Option<PathBuf>,
    /// Why it could not be done; the sentence is English.
    fault: Option<String>,
}

impl Dialog {
    /// Asks for a path, beginning with `path`.
    pub(super) fn new(purpose: Purpose, path: String) -> Self {
        Self { purpose, path, whole: false, dark: false, focused: false, found: None, fault: None }
    }

    /// The path, if one is typed.
    pub(super) fn target(&self) -> Option<PathBuf> {
        let path = self.path.trim();
        (!path.is_empty()).then(|| PathBuf::from(path))
    }

    /// Whether there is a file that would be replaced, and nobody has confirmed that yet.
    pub(super) fn has_to_ask(&self, path: &Path) -> bool {
        let writes = match self.purpose {
            Purpose::Open => false,
            Purpose::Save | Purpose::Export | Purpose::Screenshot => true,
        };
        writes && path.is_file() && self.found.as_deref() != Some(path)
    }

    /// Asks whether that file is to be replaced.
    pub(super) fn ask_to_replace(&mut self, path: PathBuf) {
        (self.found, self.fault, self.focused) = (Some(path), None, false);
    }

    /// Says why it could not be done; what is typed stays.
    pub(super) fn fail(&mut self, sentence: String) {
        (self.found, self.fault, self.focused) = (None, Some(sentence), false);
    }

    /// The file that would be replaced, as long as its path is what is typed.
    fn asks_about(&self) -> Option<&PathBuf> {
        self.found.as_ref().filter(|found| self.target().as_ref() == Some(*found))
    }

    fn title(&self) -> Key {
        match self.purpose {
            Purpose::Open => Key::OpenTitle,
            Purpose::Save => Key::SaveTitle,
            Purpose::Export => Key::ExportTitle,
            Purpose::Screenshot => Key::ScreenshotTitle,
        }
    }

    fn verb(&self) -> Key {
        match self.purpose {
            _ if self.asks_about().is_some() => Key::Replace,
            Purpose::Open => Key::Open,
            Purpose::Save => Key::Save,
            Purpose::Export => Key::Export,
            Purpose::Screenshot => Key::Screenshot,
        }
    }
}

/// Shows the open dialog. What is typed goes straight into it: it is nobody else's.
pub(super) fn show(ui: &Ui, palette: &Palette, state: &mut State, actions: &mut Vec<Action>) {
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
        if let Some(sentence) = asked.as_ref().or(dialog.fault.as_ref()) {
            ui.add_space(6.0);
            ui.add(egui::Label::new(egui::RichText::new(sentence).color(palette.alert)).wrap());
        }
        ui.add_space(10.0);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let verb = egui::RichText::new(lang.text(dialog.verb())).color(palette.on_primary);
            let submit = egui::Button::new(verb).fill(palette.primary).min_size(vec2(84.0, 28.0));
            if ui.add_enabled(dialog.target().is_some(), submit).clicked() || entered {
                actions.push(Action::Submit);
            }
            if ui.add(egui::Button::new(lang.text(Key::Close)).min_size(vec2(84.0, 28.0))).clicked() {
                actions.push(Action::CloseDialog);
            }
        });
    });
    if shown.should_close() {
        actions.push(Action::CloseDialog);
    }
}
