//! The right panel: what the scenario is about, what its run met, and what is pointed at or selected.

use egui::{Label, RichText, ScrollArea, Ui};

use super::{advice, errors, hazards};
use crate::text::Key;
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::graph::panel;
use crate::window::look::palette::Palette;
use crate::window::look::widgets::{command_button, heading};
use crate::window::range::card as range_card;
use crate::window::shown_run::captured_graphs::BoxId;
use crate::window::state::WindowState;
use crate::window::timeline::describe::describe;
use crate::window::timeline::description_card::card;

/// Shows the panel.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    ScrollArea::vertical().id_salt("inspector").auto_shrink(false).show(ui, |ui| {
        let about = state.document().scenario().about.as_ref();
        if let Some(about) = about.filter(|_| state.viewed.is_none()) {
            heading(ui, lang.text(Key::About));
            ui.add(Label::new(RichText::new(about.get(lang)).color(palette.muted)).wrap());
            ui.add_space(12.0);
        }
        errors::show(ui, palette, state, actions);
        hazards::show(ui, palette, state, actions);
        if let Some((run, range)) = state.shown.run.as_ref().zip(state.shown.range.as_ref()) {
            range_card::show(ui, palette, lang, run, range, actions);
            ui.add_space(8.0);
        }
        advice::show(ui, palette, state, actions);
        let shown = state.shown.hovered.or(state.shown.selection);
        let description = state.shown.run.as_ref().zip(shown).and_then(|(run, hit)| describe(run, hit, lang));
        heading(ui, lang.text(Key::Inspector));
        match description {
            Some(description) => {
                card(ui, palette, lang, &description);
                if let Some(node) = state
                    .shown
                    .run
                    .as_ref()
                    .zip(shown)
                    .and_then(|(run, hit)| run.captured.box_at(&run.recording, &run.prepared, hit))
                {
                    of_graph(ui, palette, state, node, actions);
                }
            }
            None => {
                ui.add(Label::new(RichText::new(lang.text(Key::InspectorEmpty)).color(palette.muted)).wrap());
            }
        }
    });
}

/// Where a node stands in its graph.
fn of_graph(ui: &mut Ui, palette: &Palette, state: &WindowState, node: BoxId, actions: &mut Vec<WindowAction>) {
    let Some(run) = &state.shown.run else { return };
    ui.add_space(10.0);
    heading(ui, state.settings.lang.text(Key::InItsGraph));
    panel::excerpt(ui, palette, state.settings.lang, run, node);
    if !state.graph_shown {
        ui.add_space(6.0);
        command_button(ui, state.settings.lang, WindowCommand::Graph, actions);
    }
}
