//! What the open scenario runs on: the chooser in the top bar.

use egui::{Align, Button, ComboBox, Label, Layout, RichText, Ui, vec2};

use crate::scenario::{Knobs, Scenario};
use crate::text::{Key, Lang};
use crate::window::actions::WindowAction;
use crate::window::look::palette::{CONTROL, Palette};
use crate::window::state::WindowState;
use crate::window::state::gpus::KnownGpus;
use crate::window::state::settings::RunOn;

/// Shows what runs the scenario, and on a click what else could. Where there is little room, a GPU is only its number.
pub(in crate::window) fn chooser(
    ui: &mut Ui,
    palette: &Palette,
    state: &WindowState,
    is_tight: bool,
    actions: &mut Vec<WindowAction>,
) {
    let lang = state.settings.lang;
    // A GPU that is not there, or not yet, runs nothing.
    let chosen = match state.settings.run_on {
        RunOn::Gpu(_) if state.gpu().is_none() => RunOn::Model,
        chosen => chosen,
    };
    let shown = match chosen {
        RunOn::Gpu(index) if is_tight => format!("GPU {index}"),
        // What is wanted stays so for the next setting; what is shown now is the model.
        RunOn::Recording if !state.is_recorded() => lang.text(Key::OnModelForNow).to_owned(),
        _ => name(state, chosen),
    };
    let chooser = ComboBox::from_id_salt("run on").width(0.0).height(f32::INFINITY).selected_text(shown);
    let shown = chooser.show_ui(ui, |ui| {
        ui.set_min_width(190.0);
        let gpus = state.gpus.devices().iter().map(|device| RunOn::Gpu(device.index));
        for target in [RunOn::Model, RunOn::Recording].into_iter().chain(gpus) {
            let is_there = target != RunOn::Recording || state.is_recorded();
            let item = Button::selectable(target == chosen, name(state, target)).min_size(vec2(190.0, CONTROL.y));
            let item = ui.add_enabled(is_there, item).on_disabled_hover_text(recorded(state));
            if item.clicked() {
                actions.push(WindowAction::RunOn(target));
            }
        }
        if let Some(sentence) = about_gpus(&state.gpus, lang) {
            ui.set_max_width(320.0);
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                ui.add(Label::new(RichText::new(sentence).small().color(palette.muted)).wrap());
            });
        }
    });
    let mut hint = lang.text(Key::RunOnHint).to_owned();
    if let Some(sentence) = about_gpus(&state.gpus, lang) {
        hint = format!("{hint}\n{sentence}");
    }
    shown.response.on_hover_text(hint);
}

fn name(state: &WindowState, target: RunOn) -> String {
    let lang = state.settings.lang;
    match target {
        RunOn::Model => lang.text(Key::OnModel).to_owned(),
        RunOn::Recording => lang.text(Key::OnRecording).to_owned(),
        RunOn::Gpu(index) => {
            let device = state.gpus.device(index).map_or("", |device| &device.name);
            lang.fill(Key::OnGpu, &[&index.to_string(), device])
        }
    }
}

/// Why no GPU can be chosen.
fn about_gpus(gpus: &KnownGpus, lang: Lang) -> Option<String> {
    match gpus {
        KnownGpus::NotAsked | KnownGpus::Devices(_) => None,
        KnownGpus::Asked => Some(lang.text(Key::GpusAsked).to_owned()),
        KnownGpus::Nothing(sentence) => Some(lang.fill(Key::GpusNothing, &[&sentence.said(lang)])),
    }
}

/// Of which settings of the open scenario there are recordings.
pub(in crate::window) fn recorded(state: &WindowState) -> String {
    let lang = state.settings.lang;
    if state.recordings.settings.is_empty() {
        return lang.text(Key::RecordedNever).to_owned();
    }
    let scenario = state.document().scenario();
    let settings = state.recordings.settings.iter().map(|knobs| format!("\n· {}", setting(scenario, knobs, lang)));
    std::iter::once(lang.text(Key::RecordedSettings).to_owned()).chain(settings).collect()
}

/// The knobs that are not at their defaults, in the words of the window.
fn setting(scenario: &Scenario, knobs: &Knobs, lang: Lang) -> String {
    let turned = scenario.knobs.iter().filter_map(|knob| {
        let value = knobs.0.get(knob.id()).filter(|value| **value != knob.default_value())?;
        Some(knob.said(value, lang))
    });
    let turned: Vec<String> = turned.collect();
    if turned.is_empty() { lang.text(Key::AllDefaults).to_owned() } else { lang.list(&turned) }
}
