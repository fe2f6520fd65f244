//! What is known about something in the timeline, as a card: for the tooltip and the inspector.

use egui::{Align, FontId, Label, RichText, Ui};

use crate::text::{Key, Lang};
use crate::window::look::palette::{Palette, strong};
use crate::window::look::table::{GAP, row};

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
    let room = ui.available_width() - GAP;
    let wide =
        |text: &str| ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(12.0), palette.text).size().x;
    let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(wide).fold(0.0, f32::max).ceil();
    let names = widest(&mut description.facts.iter().map(|(key, _)| lang.text(*key))).min(room / 2.0);
    let values = widest(&mut description.facts.iter().map(|(_, value)| value.as_str())).min(room - names);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        for (key, value) in &description.facts {
            let name = RichText::new(lang.text(*key)).color(palette.muted).size(12.0);
            row(ui, [(names, Align::Min, name), (values, Align::Min, RichText::new(value).size(12.0))]);
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
