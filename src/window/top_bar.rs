//! The top bar: what is open, where the picture comes from, and the commands that have a button.

use egui::{Align, Layout, RichText, Ui};

use super::command::{Action, Command};
use super::state::{Place, State};
use super::style::{Palette, strong};
use super::target;
use super::widgets::{command_button, segments};

/// Shows the bar.
pub(super) fn show(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    // What can go when there is little room, first to go first: the name of the file, then the scenario's title.
    let room = ui.available_width();
    ui.horizontal(|ui| {
        ui.label(strong("Streamscope", 16.0));
        ui.add_space(8.0);
        if room > 1060.0 || state.settings.projector {
            ui.label(RichText::new(state.document.scenario.title.get(lang)).size(14.0));
        }
        let place = match &state.document.place {
            Place::Preset(name) => format!("{name}.json"),
            Place::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        };
        if room > 1240.0 && !state.settings.projector {
            ui.label(RichText::new(place).size(12.0).color(palette.muted));
        }
        ui.add_space(12.0);
        target::chooser(ui, palette, state, actions);
        let profiles = state.profiles.iter().map(|profile| profile.title.as_str());
        if let Some(index) = segments(ui, palette, profiles, state.profile) {
            actions.push(Action::UseProfile(index));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for command in [Command::Keys, Command::Language, Command::Appearance, Command::Projector] {
                command_button(ui, lang, command, actions);
            }
            if !state.settings.projector {
                for command in [Command::Export, Command::Save, Command::Open] {
                    command_button(ui, lang, command, actions);
                }
            }
        });
    });
}
