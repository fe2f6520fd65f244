//! The list of everything that can be done: type a few letters, and Enter does it.

use egui::{Align2, Button, Frame, Key as Press, Modifiers, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::course;
use crate::scenario::{Knob, KnobValue};
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::Palette;
use crate::window::state::WindowState;

/// Width of the list.
const WIDTH: f32 = 520.0;
/// Most of it that is seen at once.
const HEIGHT: f32 = 340.0;

/// Something that can be done.
struct Entry {
    text: String,
    /// Its key, or what kind of thing it is.
    beside: String,
    /// Lower case, all that is looked in.
    searched: String,
    action: WindowAction,
}

/// Shows the list, where it is open. What is typed goes straight into it: it is nobody else's.
pub(in crate::window) fn show(ui: &Ui, palette: &Palette, state: &mut WindowState, actions: &mut Vec<WindowAction>) {
    let Some(query) = state.finder.as_ref().map(|finder| finder.query.to_lowercase()) else { return };
    let lang = state.settings.lang;
    let words: Vec<&str> = query.split_whitespace().collect();
    let found: Vec<Entry> =
        entries(ui, state).into_iter().filter(|entry| words.iter().all(|word| entry.searched.contains(word))).collect();
    let Some(finder) = &mut state.finder else { return };
    let area = egui::Modal::default_area(egui::Id::unique("finder")).anchor(Align2::CENTER_TOP, vec2(0.0, 90.0));
    let frame = Frame::window(ui.style()).inner_margin(12.0);
    let modal = egui::Modal::new(egui::Id::unique("finder")).frame(frame).area(area);
    // The arrows move the choice, not the cursor in the field.
    let moved = ui.ctx().input_mut(|input| {
        let down = input.count_and_consume_key(Modifiers::NONE, Press::ArrowDown);
        let up = input.count_and_consume_key(Modifiers::NONE, Press::ArrowUp);
        (down, up)
    });
    finder.chosen = (finder.chosen + moved.0).saturating_sub(moved.1).min(found.len().saturating_sub(1));
    let mut done = None;
    let shown = modal.show(ui.ctx(), |ui| {
        ui.set_width(WIDTH);
        let hint = lang.text(Key::FindHint);
        let field = TextEdit::singleline(&mut finder.query).desired_width(f32::INFINITY).hint_text(hint);
        let field = ui.add(field.margin(vec2(8.0, 6.0)));
        if field.changed() {
            finder.chosen = 0;
        }
        if field.lost_focus() && ui.input(|input| input.key_pressed(Press::Enter)) {
            done = found.get(finder.chosen).map(|entry| entry.action.clone());
        } else {
            field.request_focus();
        }
        ui.add_space(6.0);
        if found.is_empty() {
            ui.label(RichText::new(lang.text(Key::FindNothing)).color(palette.muted));
        }
        ScrollArea::vertical().max_height(HEIGHT).auto_shrink([false, true]).show(ui, |ui| {
            for (i, entry) in found.iter().enumerate() {
                let is_chosen = i == finder.chosen;
                let beside = RichText::new(&entry.beside).color(palette.muted).size(11.0);
                let button = Button::selectable(is_chosen, &entry.text).right_text(beside);
                let response = ui.add(button.min_size(vec2(ui.available_width(), 24.0)));
                if is_chosen && moved != (0, 0) {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    done = Some(entry.action.clone());
                }
            }
        });
    });
    if done.is_some() || shown.should_close() {
        actions.push(WindowAction::CloseFinder);
    }
    actions.extend(done);
}

/// All that can be done now, commands first.
fn entries(ui: &Ui, state: &WindowState) -> Vec<Entry> {
    let lang = state.settings.lang;
    let commands = WindowCommand::ALL.into_iter().filter(|command| *command != WindowCommand::Find).map(|command| {
        let offer = command.offer();
        let searched = [Lang::En, Lang::Zh].map(|lang| format!("{} {}", lang.text(offer.text), lang.text(offer.hint)));
        Entry {
            text: lang.text(offer.hint).to_owned(),
            beside: offer.written(ui.ctx()),
            searched: searched.concat().to_lowercase(),
            action: WindowAction::Do(command),
        }
    });
    let scenarios = course::shipped().map(|course::Entry { name, title }| Entry {
        text: title.get(lang).to_owned(),
        beside: lang.text(Key::Course).to_owned(),
        searched: format!("{name} {} {}", title.get(Lang::En), title.get(Lang::Zh)).to_lowercase(),
        action: WindowAction::OpenPreset(name),
    });
    let knobs = state.document().scenario().knobs.iter().filter(|_| state.viewed.is_none());
    commands.chain(knobs.flat_map(|knob| settings(knob, lang))).chain(scenarios).collect()
}

/// What a knob can be turned to; a number has too many.
fn settings(knob: &Knob, lang: Lang) -> Vec<Entry> {
    let values: Vec<KnobValue> = match knob {
        Knob::Toggle { .. } => vec![KnobValue::Toggle(true), KnobValue::Toggle(false)],
        Knob::Choice { options, .. } => options.iter().map(|option| KnobValue::Choice(option.id.clone())).collect(),
        Knob::Number { .. } => Vec::new(),
    };
    let entry = |value: KnobValue| {
        let said = [lang, Lang::En, Lang::Zh].map(|lang| knob.said(&value, lang));
        let searched = format!("{} {said:?}", knob.id()).to_lowercase();
        let [text, ..] = said;
        let action = WindowAction::SetKnob(knob.id().to_owned(), value);
        Entry { text, beside: lang.text(Key::KnobKind).to_owned(), searched, action }
    };
    values.into_iter().map(entry).collect()
}
