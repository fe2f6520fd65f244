//! The right panel: what is pointed at or selected, what the scenario is about, and the errors of its run.

use egui::{Frame, Grid, Label, RichText, ScrollArea, Ui, vec2};

use super::captured::BoxId;
use super::command::{Action, Command};
use super::describe::{Description, describe};
use super::state::State;
use super::style::{Palette, strong};
use super::widgets::command_button;
use super::{graph, hazards};
use crate::recording::RunError;
use crate::text::{Key, Lang};

/// Shows the panel.
pub(super) fn show(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    ScrollArea::vertical().id_salt("inspector").auto_shrink(false).show(ui, |ui| {
        let about = state.document.scenario().about.as_ref();
        if let Some(about) = about.filter(|_| state.viewed.is_none()) {
            heading(ui, lang.text(Key::About));
            ui.add(Label::new(RichText::new(about.get(lang)).color(palette.muted)).wrap());
            ui.add_space(12.0);
        }
        hazards::show(ui, palette, state, actions);
        let shown = state.sight.hovered.or(state.sight.selection);
        let description = state.run.as_ref().zip(shown).and_then(|(run, hit)| describe(run, hit, lang));
        heading(ui, lang.text(Key::Inspector));
        match description {
            Some(description) => {
                card(ui, palette, lang, &description);
                if let Some(node) = state.run.as_ref().zip(shown).and_then(|(run, hit)| run.captured.box_at(run, hit)) {
                    of_graph(ui, palette, state, node, actions);
                }
            }
            None => {
                ui.add(Label::new(RichText::new(lang.text(Key::InspectorEmpty)).color(palette.muted)).wrap());
            }
        }
        let errors = state.run.iter().flat_map(|run| &run.recording.errors);
        for (i, error) in errors.enumerate() {
            if i == 0 {
                ui.add_space(12.0);
                heading(ui, lang.text(Key::RunErrors));
            }
            error_card(ui, palette, error);
        }
    });
}

/// Where a node stands in its graph.
fn of_graph(ui: &mut Ui, palette: &Palette, state: &State, node: BoxId, actions: &mut Vec<Action>) {
    let Some(run) = &state.run else { return };
    ui.add_space(10.0);
    heading(ui, state.settings.lang.text(Key::InItsGraph));
    graph::excerpt(ui, palette, run, node);
    if !state.graph_shown {
        ui.add_space(6.0);
        command_button(ui, state.settings.lang, Command::Graph, actions);
    }
}

/// The name of a part of the panel.
pub(super) fn heading(ui: &mut Ui, text: &str) {
    ui.label(strong(text, 13.5));
    ui.add_space(4.0);
}

/// A description as a card: name, facts, sentence, origin.
pub(super) fn card(ui: &mut Ui, palette: &Palette, lang: Lang, description: &Description) {
    ui.add(Label::new(strong(description.title.as_str(), 13.0)).wrap());
    // Long words wrap: a panel that is wider than it may be shows its right part only.
    let column = (ui.available_width() - 14.0) / 2.0;
    let facts = Grid::new("facts").num_columns(2).spacing(vec2(14.0, 4.0)).max_col_width(column);
    facts.show(ui, |ui| {
        for (key, value) in &description.facts {
            ui.label(RichText::new(lang.text(*key)).color(palette.muted).size(12.0));
            ui.label(RichText::new(value).size(12.0));
            ui.end_row();
        }
    });
    if let Some(sentence) = &description.sentence {
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(sentence).size(12.5)).wrap());
    }
    if let Some(origin) = &description.origin {
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(origin).monospace().size(11.0).color(palette.accent)).wrap());
    }
}

fn error_card(ui: &mut Ui, palette: &Palette, error: &RunError) {
    Frame::new().fill(palette.alert_ground).corner_radius(6).inner_margin(10.0).show(ui, |ui| {
        let code = error.code.map_or_else(String::new, |code| format!(" ({code})"));
        ui.add(Label::new(strong(format!("{}{code}", error.name), 12.0).color(palette.alert)).wrap());
        ui.add(Label::new(RichText::new(&error.text).size(12.0)).wrap());
        ui.add(Label::new(RichText::new(&error.at.path).monospace().size(11.0).color(palette.muted)).wrap());
    });
    ui.add_space(6.0);
}
