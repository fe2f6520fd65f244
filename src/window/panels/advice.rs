//! What would help, as a list of changes that a click makes, and as one line for a full room.

use egui::{Button, Label, RichText, Ui};

use crate::advice::{Advice, Change, Effect};
use crate::scenario::{KnobValue, Scenario, Statement};
use crate::text::{Key, Lang};
use crate::window::actions::WindowAction;
use crate::window::look::palette::Palette;
use crate::window::look::widgets::heading;
use crate::window::state::WindowState;

/// How much is listed.
const MOST: usize = 8;

/// The list. A question about the machine is only told; what changes the scenario is a button.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    let Some(advised) = state.shown.advised() else { return };
    heading(ui, lang.text(Key::WhatHelps));
    if advised.advice.is_empty() {
        let none = lang.fill(Key::AdviceNone, &[&advised.tried.to_string()]);
        ui.add(Label::new(RichText::new(none).size(12.0).color(palette.muted)).wrap());
    }
    for (number, advice) in advised.advice.iter().take(MOST).enumerate() {
        let Some(said) = one(state, advice) else { continue };
        if advice.change.is_what_if() {
            let asked = lang.fill(Key::AdviceWhatIf, &[&said]);
            ui.add(Label::new(RichText::new(asked).size(12.0).color(palette.muted)).wrap());
        } else if ui.add(Button::new(RichText::new(said).size(12.0)).wrap()).clicked() {
            actions.push(WindowAction::TakeAdvice(number));
        }
        if let Some(effect) = effect(advice.effect, lang) {
            ui.indent(("effect", number), |ui| {
                ui.add(Label::new(RichText::new(effect).size(11.0).color(palette.muted)).wrap());
            });
        }
    }
    ui.add_space(12.0);
}

/// The best of it in one sentence: what keeps the program as it is, or else says that it does not.
pub(in crate::window) fn line(state: &WindowState) -> Option<String> {
    let lang = state.settings.lang;
    let is_worth_it = |advice: &&Advice| matches!(advice.effect, Effect::Same | Effect::Reads { .. });
    let changes = state.shown.advised()?.advice.iter().filter(|advice| !advice.change.is_what_if());
    let best = { changes }.find(is_worth_it)?;
    let said = one(state, best)?;
    Some(match effect(best.effect, lang) {
        Some(effect) => lang.fill(Key::AdviceLineBut, &[&said, &effect]),
        None => lang.fill(Key::AdviceLine, &[&said]),
    })
}

/// What to change, and what that saves.
fn one(state: &WindowState, advice: &Advice) -> Option<String> {
    let lang = state.settings.lang;
    let scenario = state.shown.run.as_ref()?.recording.scenario.as_ref()?;
    let what = match &advice.change {
        Change::SetKnobs(turned) => {
            let turned: Vec<String> = turned.iter().map(|(id, value)| knob(scenario, id, value, lang)).collect();
            turned.join(" + ")
        }
        Change::LeaveOut(at) => {
            let statement = scenario.statement(at).ok()?;
            lang.fill(Key::AdviceLeaveOut, &[&wait(statement)])
        }
        Change::WhatIf("host", _) => lang.text(Key::AdviceHost).to_owned(),
        Change::WhatIf("link", _) => lang.text(Key::AdviceLink).to_owned(),
        Change::WhatIf("kernels", _) => lang.text(Key::AdviceKernels).to_owned(),
        Change::WhatIf(figure, value) => format!("{figure} × {value}"),
    };
    let percent = format!("{:.0}", advice.share * 100.0);
    Some(lang.fill(Key::AdviceSaves, &[&what, &advice.saves.to_string(), &percent]))
}

/// A statement that waits, as short as it can be told from others.
fn wait(statement: &Statement) -> String {
    let word = statement.tag().word();
    let fields = serde_json::to_value(statement).unwrap_or_default();
    let fields = fields.get(word).and_then(|fields| fields.as_object()).into_iter().flatten();
    let names = fields.filter_map(|(_, value)| value.as_str());
    let said: Vec<&str> = std::iter::once(word).chain(names).collect();
    format!("“{}”", said.join(" "))
}

/// A knob and its value, as the bar of knobs has them.
fn knob(scenario: &Scenario, id: &str, value: &KnobValue, lang: Lang) -> String {
    let Some(knob) = scenario.knobs.iter().find(|knob| knob.id() == id) else { return id.to_owned() };
    lang.fill(Key::AdviceKnob, &[knob.label().get(lang), &knob.shown(value, lang)])
}

/// That the program does not do the same then.
fn effect(effect: Effect, lang: Lang) -> Option<String> {
    Some(match effect {
        Effect::Same => return None,
        Effect::Reads { after: 0, .. } => lang.text(Key::AdviceReadsNone).to_owned(),
        Effect::Reads { before, after } => lang.fill(Key::AdviceReads, &[&before.to_string(), &after.to_string()]),
        Effect::Measures => lang.text(Key::AdviceMeasures).to_owned(),
        Effect::LessWork => lang.text(Key::AdviceLessWork).to_owned(),
        Effect::OtherResult => lang.text(Key::AdviceOtherResult).to_owned(),
    })
}
