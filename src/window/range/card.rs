//! The numbers of the selected range, in the inspector.

use egui::{Align, Label, RichText, Ui};

use super::table::{RangePart, table};
use crate::analysis::RangeMetrics;
use crate::text::Lang;
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, strong};
use crate::window::look::table::{GAP, row};
use crate::window::look::widgets::command_button;
use crate::window::shown_run::ShownRun;

/// Size of its letters.
const TEXT: f32 = 12.0;
/// Columns of the numbers and of their shares.
const NUMBER: f32 = 62.0;
const SHARE: f32 = 44.0;

/// Shows the table, and what can be done with it.
pub(in crate::window) fn show(
    ui: &mut Ui,
    palette: &Palette,
    lang: Lang,
    run: &ShownRun,
    range: &RangeMetrics,
    actions: &mut Vec<WindowAction>,
) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        table(run, range, lang).iter().for_each(|part| show_part(ui, palette, part));
    });
    ui.add_space(6.0);
    ui.horizontal_wrapped(|ui| {
        for command in [WindowCommand::ZoomToRange, WindowCommand::CopyRange, WindowCommand::CopyRangeCsv] {
            command_button(ui, lang, command, actions);
        }
    });
}

fn show_part(ui: &mut Ui, palette: &Palette, part: &RangePart) {
    let name_width = (ui.available_width() - NUMBER - SHARE - 2.0 * GAP).max(60.0);
    ui.add(Label::new(strong(part.heading, TEXT)).wrap());
    for it in &part.rows {
        let name = RichText::new(&it.name).color(palette.muted).size(TEXT);
        let value = RichText::new(it.value.text()).size(TEXT);
        let share = RichText::new(it.value.share().unwrap_or_default()).color(palette.muted).size(TEXT);
        row(ui, [(name_width, Align::Min, name), (NUMBER, Align::Max, value), (SHARE, Align::Max, share)]);
    }
    if let Some(note) = part.note {
        ui.add(Label::new(RichText::new(note).size(11.0).color(palette.muted)).wrap());
    }
    ui.add_space(7.0);
}
