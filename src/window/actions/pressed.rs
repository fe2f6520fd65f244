//! From keys to actions. They work whatever has the focus, but for a text field that is being typed into.

use egui::{Context, Event, Key as Press};

use super::{WindowAction, WindowCommand};

/// The keys of the first nine knobs.
pub(in crate::window) const KNOBS: [Press; 9] = [
    Press::Num1,
    Press::Num2,
    Press::Num3,
    Press::Num4,
    Press::Num5,
    Press::Num6,
    Press::Num7,
    Press::Num8,
    Press::Num9,
];

/// What the keys ask for that were pressed.
pub(in crate::window) fn pressed(ctx: &Context) -> Vec<WindowAction> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let is_ours = |command: &&WindowCommand| !belongs_to_another(ctx, command.offer().shortcut.logical_key);
    let is_pressed = |command: &&WindowCommand| {
        ctx.input_mut(|input| command.offer().shortcuts().any(|shortcut| input.consume_shortcut(&shortcut)))
    };
    let commands = WindowCommand::ALL.iter().filter(is_ours).filter(is_pressed);
    commands.map(|command| WindowAction::Do(*command)).chain(turned(ctx)).collect()
}

/// Enter and space act on what has the focus, and Escape closes an open list first.
fn belongs_to_another(ctx: &Context, key: Press) -> bool {
    match key {
        Press::Enter | Press::Space => ctx.memory(|memory| memory.focused().is_some()),
        Press::Escape => ctx.any_popup_open(),
        _ => false,
    }
}

/// The knobs whose numbers were pressed; with Shift, back. The key counts where it is, since with Shift it means another sign.
fn turned(ctx: &Context) -> Vec<WindowAction> {
    let turned = |event: &Event| {
        let Event::Key { key, physical_key, pressed: true, modifiers, .. } = event else { return None };
        let index = KNOBS.iter().position(|it| it == key || Some(*it) == *physical_key)?;
        (!modifiers.command && !modifiers.alt).then_some(WindowAction::TurnKnob { index, back: modifiers.shift })
    };
    ctx.input(|input| input.events.iter().filter_map(turned).collect())
}
