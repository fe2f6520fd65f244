//! The bar of knobs: a pill for a toggle, a slider for a number, segments for a choice.

use egui::{DragValue, RichText, Slider, Ui, vec2};

use crate::scenario::{Knob, KnobValue, Knobs};
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::Palette;
use crate::window::look::widgets::{command_button, pill, segments};
use crate::window::state::WindowState;

/// Shows a control for each knob of the open scenario.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let document = state.document();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(10.0, 6.0);
        if state.viewed.is_some() {
            ui.label(RichText::new(lang.text(Key::ViewedKnobs)).color(palette.muted));
            return;
        }
        if document.scenario().knobs.is_empty() {
            ui.label(RichText::new(lang.text(Key::NoKnobs)).color(palette.muted));
        }
        for knob in &document.scenario().knobs {
            let value = document.knobs().0.get(knob.id()).cloned().unwrap_or_else(|| knob.default_value());
            let turned = ui.push_id(knob.id(), |ui| control(ui, palette, lang, knob, &value)).inner;
            if let Some(value) = turned {
                actions.push(WindowAction::SetKnob(knob.id().to_owned(), value));
            }
        }
        if *document.knobs() != Knobs::defaults(&document.scenario().knobs) {
            command_button(ui, lang, WindowCommand::ResetKnobs, actions);
        }
    });
}

/// The control of one knob; the value that it was turned to.
fn control(ui: &mut Ui, palette: &Palette, lang: Lang, knob: &Knob, value: &KnobValue) -> Option<KnobValue> {
    let label = knob.label().get(lang);
    match (knob, value) {
        (Knob::Toggle { .. }, KnobValue::Toggle(is_on)) => {
            pill(ui, palette, label, *is_on).clicked().then(|| KnobValue::Toggle(!is_on))
        }
        (Knob::Number { min, max, step, .. }, KnobValue::Number(number)) => {
            number_control(ui, palette, label, *number, Range { min: *min, max: *max, step: step.unwrap_or(1.0) })
        }
        (Knob::Choice { options, .. }, KnobValue::Choice(id)) => {
            let chosen = options.iter().position(|option| option.id == *id).unwrap_or(usize::MAX);
            ui.label(RichText::new(label).color(palette.muted));
            let clicked = segments(ui, palette, options.iter().map(|option| option.label.get(lang)), chosen)?;
            options.get(clicked).map(|option| KnobValue::Choice(option.id.clone()))
        }
        (Knob::Toggle { .. } | Knob::Number { .. } | Knob::Choice { .. }, _) => None,
    }
}

/// What a number may be.
#[derive(Clone, Copy)]
struct Range {
    min: f64,
    max: f64,
    step: f64,
}

impl Range {
    /// The nearest allowed value.
    fn nearest(self, value: f64) -> f64 {
        let value = self.min + ((value - self.min) / self.step).round() * self.step;
        value.clamp(self.min, self.max)
    }
}

fn number_control(ui: &mut Ui, palette: &Palette, label: &str, number: f64, range: Range) -> Option<KnobValue> {
    let Range { min, max, step } = range;
    let mut turned = number;
    let name = ui.label(RichText::new(label).color(palette.muted));
    let is_wide = min > 0.0 && max / min >= 100.0;
    let slider = Slider::new(&mut turned, min..=max).step_by(step).show_value(false).logarithmic(is_wide);
    ui.add(slider).labelled_by(name.id);
    let field = DragValue::new(&mut turned).range(min..=max).speed(step.max((max - min) / 400.0));
    ui.add(field).labelled_by(name.id);
    let turned = range.nearest(turned);
    (turned != number).then_some(KnobValue::Number(turned))
}
