//! The banner below the top bar: what went wrong, or was done.

use egui::{Frame, Margin, Panel, RichText, Ui};

use super::scenario_name::edited_name;
use crate::text::Key;
use crate::window::actions::WindowAction;
use crate::window::look::palette::Palette;
use crate::window::state::settings::RunOn;
use crate::window::state::{Banner, WindowState};

/// Shows the banner, if there is one.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let Some(banner) = &state.banner else { return };
    let lang = state.settings.lang;
    let (text, color, fill) = match banner {
        Banner::Failure(sentence) | Banner::GpuFailure(sentence) => {
            (sentence.said(lang), palette.alert, palette.alert_ground)
        }
        Banner::Written(path) => {
            (lang.fill(Key::Written, &[&path.display().to_string()]), palette.text, palette.selected)
        }
        Banner::Discarded(place) => {
            (lang.fill(Key::Discarded, &[&edited_name(place, lang)]), palette.text, palette.selected)
        }
    };
    let frame = Frame::new().fill(fill).inner_margin(Margin::symmetric(18, 7));
    Panel::top("banner").frame(frame).show_separator_line(false).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button(lang.text(Key::Close)).clicked() {
                    actions.push(WindowAction::CloseBanner);
                }
                let can_be_had = matches!(banner, Banner::Discarded(_)) && state.documents.discarded.is_some();
                if can_be_had && ui.button(lang.text(Key::TakeBack)).clicked() {
                    actions.push(WindowAction::TakeBack);
                }
                let is_offered = matches!(banner, Banner::GpuFailure(_)) && state.is_recorded();
                if is_offered && ui.button(lang.text(Key::OfferRecording)).clicked() {
                    actions.push(WindowAction::RunOn(RunOn::Recording));
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center).with_main_wrap(true), |ui| {
                    ui.add(egui::Label::new(RichText::new(text).color(color)).wrap().selectable(true));
                });
            });
        });
    });
}
