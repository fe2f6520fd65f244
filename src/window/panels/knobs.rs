//! The bar of knobs: a pill for a toggle, a slider for a number, segments for a choice.

use std::ops::Range;

use egui::{Color32, ComboBox, DragValue, FontId, RichText, Slider, Ui, vec2};

use crate::scenario::{ChoiceOption, Knob, KnobValue, Knobs};
use crate::text::{Key, Lang};
use crate::window::actions::pressed::KNOBS;
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, semibold};
use crate::window::look::widgets::{command_button, flow, pill, segments};
use crate::window::state::WindowState;

/// Between two knobs.
const GAP: f32 = 10.0;

/// Shows a control for each knob of the open scenario, in as many rows as it takes: no knob is ever broken in two.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let document = state.document();
    let knobs = &document.scenario().knobs;
    ui.spacing_mut().item_spacing = vec2(GAP, 6.0);
    if state.viewed.is_some() || knobs.is_empty() {
        let why = if state.viewed.is_some() { Key::ViewedKnobs } else { Key::NoKnobs };
        ui.label(RichText::new(lang.text(why)).color(palette.muted));
        return;
    }
    let is_turned = *document.knobs() != Knobs::defaults(knobs);
    let reset = text_width(ui, lang.text(Key::ResetKnobs), CONTROL_TEXT) + 26.0;
    let room = ui.available_width();
    let sizes: Vec<KnobSize> = knobs.iter().map(|knob| KnobSize::new(ui, knob, lang, room)).collect();
    let widths = sizes.iter().map(|size| size.width).chain(is_turned.then_some(reset));
    let rows = rows(&widths.collect::<Vec<_>>(), room);
    for row in rows {
        ui.horizontal(|ui| {
            for i in row {
                match knobs.get(i).zip(sizes.get(i)) {
                    Some((knob, size)) => one(ui, palette, state, (i, knob), size.is_folded, actions),
                    None => _ = command_button(ui, lang, WindowCommand::ResetKnobs, actions),
                }
            }
        });
    }
}

/// Which of the widths stand in which row.
fn rows(widths: &[f32], room: f32) -> Vec<Range<usize>> {
    let with_gaps: Vec<f32> = widths.iter().map(|width| width + GAP).collect();
    let mut rows: Vec<Range<usize>> = Vec::new();
    for (i, (row, _)) in flow(&with_gaps, GAP, room).into_iter().enumerate() {
        match rows.get_mut(row) {
            Some(row) => row.end = i + 1,
            None => rows.push(i..i + 1),
        }
    }
    rows
}

/// The control of the knob `i`, and what it asks for.
fn one(
    ui: &mut Ui,
    palette: &Palette,
    state: &WindowState,
    (i, knob): (usize, &Knob),
    is_folded: bool,
    actions: &mut Vec<WindowAction>,
) {
    let lang = state.settings.lang;
    let value = state.document().knobs().of(knob);
    let shown = ui.push_id(knob.id(), |ui| control(ui, palette, lang, knob, &value, is_folded));
    if i < KNOBS.len() {
        shown.response.on_hover_text(lang.fill(Key::KnobKeyHint, &[&(i + 1).to_string()]));
    }
    if let Some(value) = shown.inner {
        actions.push(WindowAction::SetKnob(knob.id().to_owned(), value));
    }
}

/// Size of letters in segments, and on buttons.
const SEGMENT_TEXT: f32 = 12.0;
const CONTROL_TEXT: f32 = 12.5;
/// Width of a list to choose from, where segments would be too wide.
const LIST: f32 = 150.0;

fn text_width(ui: &Ui, text: &str, size: f32) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), FontId::new(size, semibold()), Color32::PLACEHOLDER).size().x
}

/// How a knob's control fits into the bar.
struct KnobSize {
    /// How wide it is, or a little less.
    width: f32,
    /// Whether there is no room for the options of a choice side by side.
    is_folded: bool,
}

impl KnobSize {
    fn new(ui: &Ui, knob: &Knob, lang: Lang, room: f32) -> Self {
        /// The field of a number.
        const FIELD: f32 = 60.0;
        let label = text_width(ui, knob.label().get(lang), CONTROL_TEXT);
        let segment = |option: &ChoiceOption| text_width(ui, option.label.get(lang), SEGMENT_TEXT) + 24.0;
        match knob {
            Knob::Toggle { .. } => Self { width: label + 52.0, is_folded: false },
            Knob::Number { .. } => {
                Self { width: label + GAP + ui.spacing().slider_width + GAP + FIELD, is_folded: false }
            }
            Knob::Choice { options, .. } => {
                let side_by_side = label + GAP + options.iter().map(segment).sum::<f32>() + 6.0;
                let is_folded = side_by_side > room;
                Self { width: if is_folded { label + GAP + LIST } else { side_by_side }, is_folded }
            }
        }
    }
}

/// The control of one knob; the value that it was turned to.
fn control(
    ui: &mut Ui,
    palette: &Palette,
    lang: Lang,
    knob: &Knob,
    value: &KnobValue,
    is_folded: bool,
) -> Option<KnobValue> {
    let label = knob.label().get(lang);
    match (knob, value) {
        (Knob::Toggle { .. }, KnobValue::Toggle(is_on)) => {
            pill(ui, palette, label, *is_on).clicked().then(|| KnobValue::Toggle(!is_on))
        }
        (Knob::Number { min, max, step, .. }, KnobValue::Number(number)) => {
            number_control(ui, palette, label, *number, Limits { min: *min, max: *max, step: step.unwrap_or(1.0) })
        }
        (Knob::Choice { options, .. }, KnobValue::Choice(id)) => {
            let chosen = options.iter().position(|option| option.id == *id).unwrap_or(usize::MAX);
            let name = ui.label(RichText::new(label).color(palette.muted));
            let labels = options.iter().map(|option| option.label.get(lang));
            let clicked = if is_folded {
                let shown = labels.clone().nth(chosen).unwrap_or_default();
                let list = ComboBox::from_id_salt("options").width(LIST).truncate().selected_text(shown);
                let list = list.show_ui(ui, |ui| {
                    let item = |(i, label)| ui.selectable_label(i == chosen, label).clicked().then_some(i);
                    labels.enumerate().filter_map(item).last()
                });
                list.response.labelled_by(name.id);
                list.inner.flatten()
            } else {
                segments(ui, palette, labels, chosen)
            };
            options.get(clicked?).map(|option| KnobValue::Choice(option.id.clone()))
        }
        (Knob::Toggle { .. } | Knob::Number { .. } | Knob::Choice { .. }, _) => None,
    }
}

/// What a number may be.
#[derive(Clone, Copy)]
struct Limits {
    min: f64,
    max: f64,
    step: f64,
}

impl Limits {
    /// The nearest allowed value.
    fn nearest(self, value: f64) -> f64 {
        let value = self.min + ((value - self.min) / self.step).round() * self.step;
        value.clamp(self.min, self.max)
    }
}

fn number_control(ui: &mut Ui, palette: &Palette, label: &str, number: f64, limits: Limits) -> Option<KnobValue> {
    let Limits { min, max, step } = limits;
    let mut turned = number;
    let name = ui.label(RichText::new(label).color(palette.muted));
    let is_wide = min > 0.0 && max / min >= 100.0;
    let slider = Slider::new(&mut turned, min..=max).step_by(step).show_value(false).logarithmic(is_wide);
    ui.add(slider).labelled_by(name.id);
    let field = DragValue::new(&mut turned).range(min..=max).speed(step.max((max - min) / 400.0));
    ui.add(field).labelled_by(name.id);
    let turned = limits.nearest(turned);
    (turned != number).then_some(KnobValue::Number(turned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_what_fits_and_what_never_fits_has_one_of_its_own() {
        assert_eq!(rows(&[100.0, 100.0, 50.0, 900.0, 20.0], 265.0), [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(rows(&[100.0, 100.0, 50.0], 270.0).len(), 1);
        assert_eq!(rows(&[], 270.0), Vec::<Range<usize>>::new());
    }
}
