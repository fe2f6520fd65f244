//! What is known about something in the timeline, as a card: for the tooltip and the inspector.

use egui::{Grid, Label, RichText, Ui, vec2};

use crate::text::{Key, Lang};
use crate::window::look::palette::{Palette, strong};

/// One thing, described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::window) struct Description {
    /// Its name.
    pub(in crate::window) title: String,
    /// What there is to say, each with what it is.
    pub(in crate::window) facts: Vec<(Key, String)>,
    /// Why it is so.
    pub(in crate::window) sentence: Option<String>,
    /// Where in the scenario it comes from: the statement and the loop indices.
    pub(in crate::window) origin: Option<String>,
}

/// A description as a card: name, facts, sentence, origin.
pub(in crate::window) fn card(ui: &mut Ui, palette: &Palette, lang: Lang, description: &Description) {
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
