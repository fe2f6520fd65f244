//! What the open scenario runs on: the chooser in the top bar, and the line that says where the picture comes from.

use egui::{Align, Button, ComboBox, Label, Layout, ProgressBar, RichText, Ui, vec2};

use super::command::{Action, Command};
use super::gpus::Found;
use super::settings::Target;
use super::state::State;
use super::style::{CONTROL, Palette};
use crate::recording::Executor;
use crate::scenario::{Knob, KnobValue, Knobs, Scenario};
use crate::text::{Key, Lang};

/// Shows what runs the scenario, and on a click what else could. Where there is little room, a GPU is only its number.
pub(super) fn chooser(ui: &mut Ui, palette: &Palette, state: &State, is_tight: bool, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    // A GPU that is not there, or not yet, runs nothing.
    let chosen = match state.settings.run_on {
        Target::Gpu(_) if state.gpu().is_none() => Target::Model,
        chosen => chosen,
    };
    let shown = match chosen {
        Target::Gpu(index) if is_tight => format!("GPU {index}"),
        // What is wanted stays so for the next setting; what is shown now is the model.
        Target::Recording if !state.is_recorded() => lang.text(Key::OnModelForNow).to_owned(),
        _ => name(state, chosen),
    };
    let chooser = ComboBox::from_id_salt("run on").width(0.0).height(f32::INFINITY).selected_text(shown);
    let shown = chooser.show_ui(ui, |ui| {
        ui.set_min_width(190.0);
        let gpus = state.gpus.devices().iter().map(|device| Target::Gpu(device.index));
        for target in [Target::Model, Target::Recording].into_iter().chain(gpus) {
            let is_there = target != Target::Recording || state.is_recorded();
            let item = Button::selectable(target == chosen, name(state, target)).min_size(vec2(190.0, CONTROL.y));
            let item = ui.add_enabled(is_there, item).on_disabled_hover_text(recorded(state));
            if item.clicked() {
                actions.push(Action::RunOn(target));
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

fn name(state: &State, target: Target) -> String {
    let lang = state.settings.lang;
    match target {
        Target::Model => lang.text(Key::OnModel).to_owned(),
        Target::Recording => lang.text(Key::OnRecording).to_owned(),
        Target::Gpu(index) => {
            let device = state.gpus.device(index).map_or("", |device| &device.name);
            lang.fill(Key::OnGpu, &[&index.to_string(), device])
        }
    }
}

/// Why no GPU can be chosen.
fn about_gpus(gpus: &Found, lang: Lang) -> Option<String> {
    match gpus {
        Found::NotAsked | Found::Devices(_) => None,
        Found::Asked => Some(lang.text(Key::GpusAsked).to_owned()),
        Found::Nothing(sentence) => Some(lang.fill(Key::GpusNothing, &[sentence])),
    }
}

/// Says where the picture comes from, whether a recording was wanted and this is none, and what will replace it.
pub(super) fn source_line(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    let small = |text: String| Label::new(RichText::new(text).size(11.0).color(palette.muted)).truncate();
    let size = vec2(ui.available_width(), 20.0);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        if state.run.as_ref().is_some_and(|run| !run.captured.graphs.is_empty()) {
            let graph = Command::Graph.offer();
            let hint = format!("{} ({})", lang.text(graph.hint), ui.ctx().format_shortcut(&graph.shortcut));
            let button = Button::selectable(state.graph_shown, RichText::new(lang.text(graph.text)).size(11.0)).small();
            if ui.add(button).on_hover_text(hint).clicked() {
                actions.push(Action::Do(Command::Graph));
            }
        }
        if let Some((part, text)) = progress(state) {
            let cancel = Command::Cancel.offer();
            if ui.small_button(lang.text(cancel.text)).on_hover_text(lang.text(cancel.hint)).clicked() {
                actions.push(Action::Do(Command::Cancel));
            }
            // The words stay where there is no room for the bar.
            if ui.available_width() > 480.0 {
                ui.visuals_mut().extreme_bg_color = palette.line;
                ui.add(ProgressBar::new(part).desired_width(96.0).desired_height(6.0).fill(palette.accent));
            }
            ui.add(small(text));
        }
        let Some(run) = &state.run else { return };
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let source = &run.recording.source;
            if state.settings.run_on == Target::Recording && source.executor == Executor::Model {
                let line = format!("{} · {}", source.line(lang), lang.text(Key::NotRecorded));
                ui.add(small(line)).on_hover_text(recorded(state));
            } else {
                let left_out = run.left_out.iter().map(String::as_str);
                let line: Vec<_> = std::iter::once(source.line(lang)).chain(left_out.map(str::to_owned)).collect();
                ui.add(small(line.join(" · ")));
            }
        });
    });
}

/// Which part is done of what runs in the background, and what that is: the model, which answers first, or a GPU.
fn progress(state: &State) -> Option<(f32, String)> {
    let lang = state.settings.lang;
    let model = state.progress.map(|part| (part, lang.text(Key::Running).to_owned()));
    let gpu = |part| (part, lang.fill(Key::RunningOn, &[state.gpu().map_or("GPU", |device| &device.name)]));
    model.or_else(|| state.gpu_progress.map(gpu))
}

/// Of which settings of the open scenario there are recordings.
fn recorded(state: &State) -> String {
    let lang = state.settings.lang;
    if state.recorded.is_empty() {
        return lang.text(Key::RecordedNever).to_owned();
    }
    let scenario = state.document.scenario();
    let settings = state.recorded.iter().map(|knobs| format!("\n· {}", setting(scenario, knobs, lang)));
    std::iter::once(lang.text(Key::RecordedSettings).to_owned()).chain(settings).collect()
}

/// The knobs that are not at their defaults, in the words of the window.
fn setting(scenario: &Scenario, knobs: &Knobs, lang: Lang) -> String {
    let turned = scenario.knobs.iter().filter_map(|knob| {
        let value = knobs.0.get(knob.id()).filter(|value| **value != knob.default_value())?;
        let shown = match (knob, value) {
            (_, KnobValue::Toggle(is_on)) => lang.text(if *is_on { Key::SwitchOn } else { Key::SwitchOff }).to_owned(),
            (Knob::Choice { options, .. }, KnobValue::Choice(id)) => {
                let option = options.iter().find(|option| option.id == *id);
                option.map_or_else(|| id.clone(), |option| option.label.get(lang).to_owned())
            }
            (_, value) => value.to_string(),
        };
        Some(format!("{}: {shown}", knob.label().get(lang)))
    });
    let turned: Vec<String> = turned.collect();
    if turned.is_empty() { lang.text(Key::AllDefaults).to_owned() } else { turned.join(", ") }
}
