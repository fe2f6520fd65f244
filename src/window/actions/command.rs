//! Everything that can be asked for by key or button. Buttons, keys and the sheet of keys are generated from it.

use egui::{Context, Key as Press, KeyboardShortcut, Modifiers};

use crate::text::Key;

/// Something that a person can ask for by key or button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::window) enum WindowCommand {
    Open,
    Save,
    Export,
    Screenshot,
    NextPreset,
    PreviousPreset,
    ResetKnobs,
    NextTarget,
    Cancel,
    Fit,
    ZoomIn,
    ZoomOut,
    PanLeft,
    PanRight,
    RedoView,
    UndoView,
    PreviousSpan,
    NextSpan,
    ToLaunch,
    ToExecution,
    BeginRange,
    EndRange,
    ZoomToRange,
    CopyRangeCsv,
    CopyRange,
    NextHazard,
    Fix,
    Redo,
    Undo,
    Graph,
    Clear,
    Projector,
    Language,
    Appearance,
    Keys,
}

/// How a command is offered.
#[derive(Clone, Copy, Debug)]
pub(in crate::window) struct Offer {
    /// On its button and in the sheet of keys.
    pub(in crate::window) text: Key,
    /// What it does, in a sentence.
    pub(in crate::window) hint: Key,
    /// The key.
    pub(in crate::window) shortcut: KeyboardShortcut,
}

impl Offer {
    /// Its keys as they are printed on a keyboard: `Ctrl+E`, `?`.
    pub(in crate::window) fn keys(&self, ctx: &Context) -> String {
        let named = ctx.format_shortcut(&self.shortcut);
        let printed = match self.shortcut.logical_key {
            Press::Comma => ",",
            Press::Period => ".",
            Press::OpenBracket => "[",
            Press::CloseBracket => "]",
            Press::Questionmark => "?",
            Press::Escape => "Esc",
            _as_it_is_named => return named,
        };
        match named.strip_suffix(self.shortcut.logical_key.name()) {
            Some(modifiers) => format!("{modifiers}{printed}"),
            None => named,
        }
    }
}

impl WindowCommand {
    /// All, in the order of the sheet of keys. Of two that differ only in Shift, the one with Shift comes first, because egui
    /// takes a shortcut without Shift for either.
    pub(in crate::window) const ALL: [Self; 35] = [
        Self::Open,
        Self::Save,
        Self::Export,
        Self::Screenshot,
        Self::NextPreset,
        Self::PreviousPreset,
        Self::ResetKnobs,
        Self::NextTarget,
        Self::Cancel,
        Self::Fit,
        Self::ZoomIn,
        Self::ZoomOut,
        Self::PanLeft,
        Self::PanRight,
        Self::RedoView,
        Self::UndoView,
        Self::PreviousSpan,
        Self::NextSpan,
        Self::ToLaunch,
        Self::ToExecution,
        Self::BeginRange,
        Self::EndRange,
        Self::ZoomToRange,
        Self::CopyRangeCsv,
        Self::CopyRange,
        Self::NextHazard,
        Self::Fix,
        Self::Redo,
        Self::Undo,
        Self::Graph,
        Self::Clear,
        Self::Projector,
        Self::Language,
        Self::Appearance,
        Self::Keys,
    ];

    /// How it is offered.
    pub(in crate::window) fn offer(self) -> Offer {
        use Modifiers as M;
        let of = |text, hint, modifiers, press| Offer { text, hint, shortcut: KeyboardShortcut::new(modifiers, press) };
        let control_shift = M::COMMAND | M::SHIFT;
        match self {
            Self::Open => of(Key::Open, Key::OpenHint, M::COMMAND, Press::O),
            Self::Save => of(Key::Save, Key::SaveHint, M::COMMAND, Press::S),
            Self::Export => of(Key::Export, Key::ExportHint, M::COMMAND, Press::E),
            Self::Screenshot => of(Key::Screenshot, Key::ScreenshotHint, control_shift, Press::P),
            Self::NextPreset => of(Key::NextPreset, Key::NextPresetHint, M::NONE, Press::PageDown),
            Self::PreviousPreset => of(Key::PreviousPreset, Key::PreviousPresetHint, M::NONE, Press::PageUp),
            Self::ResetKnobs => of(Key::ResetKnobs, Key::ResetKnobsHint, M::NONE, Press::R),
            Self::NextTarget => of(Key::NextTarget, Key::NextTargetHint, M::NONE, Press::G),
            Self::Cancel => of(Key::Cancel, Key::CancelHint, M::COMMAND, Press::Period),
            Self::Fit => of(Key::Fit, Key::FitHint, M::NONE, Press::F),
            Self::ZoomIn => of(Key::ZoomIn, Key::ZoomInHint, M::NONE, Press::W),
            Self::ZoomOut => of(Key::ZoomOut, Key::ZoomOutHint, M::NONE, Press::S),
            Self::PanLeft => of(Key::PanLeft, Key::PanLeftHint, M::NONE, Press::A),
            Self::PanRight => of(Key::PanRight, Key::PanRightHint, M::NONE, Press::D),
            Self::RedoView => of(Key::RedoView, Key::RedoViewHint, control_shift, Press::Z),
            Self::UndoView => of(Key::UndoView, Key::UndoViewHint, M::COMMAND, Press::Z),
            Self::PreviousSpan => of(Key::PreviousSpan, Key::PreviousSpanHint, M::NONE, Press::Comma),
            Self::NextSpan => of(Key::NextSpan, Key::NextSpanHint, M::NONE, Press::Period),
            Self::ToLaunch => of(Key::ToLaunch, Key::ToLaunchHint, M::NONE, Press::OpenBracket),
            Self::ToExecution => of(Key::ToExecution, Key::ToExecutionHint, M::NONE, Press::CloseBracket),
            Self::BeginRange => of(Key::BeginRange, Key::BeginRangeHint, M::NONE, Press::I),
            Self::EndRange => of(Key::EndRange, Key::EndRangeHint, M::NONE, Press::O),
            Self::ZoomToRange => of(Key::ZoomToRange, Key::ZoomToRangeHint, M::NONE, Press::Enter),
            Self::CopyRangeCsv => of(Key::CopyRangeCsv, Key::CopyRangeCsvHint, M::SHIFT, Press::C),
            Self::CopyRange => of(Key::CopyRange, Key::CopyRangeHint, M::NONE, Press::C),
            Self::NextHazard => of(Key::NextHazard, Key::NextHazardHint, M::NONE, Press::H),
            Self::Fix => of(Key::Fix, Key::FixHint, M::NONE, Press::X),
            Self::Redo => of(Key::Redo, Key::RedoHint, M::SHIFT, Press::U),
            Self::Undo => of(Key::Undo, Key::UndoHint, M::NONE, Press::U),
            Self::Graph => of(Key::Graph, Key::GraphHint, M::NONE, Press::N),
            Self::Clear => of(Key::Clear, Key::ClearHint, M::NONE, Press::Escape),
            Self::Projector => of(Key::Projector, Key::ProjectorHint, M::NONE, Press::P),
            Self::Language => of(Key::Language, Key::LanguageHint, M::NONE, Press::L),
            Self::Appearance => of(Key::Appearance, Key::AppearanceHint, M::NONE, Press::T),
            Self::Keys => of(Key::Keys, Key::KeysHint, M::NONE, Press::Questionmark),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_are_named_as_they_are_printed() {
        let ctx = Context::default();
        let keys = |command: WindowCommand| command.offer().keys(&ctx);
        assert_eq!([WindowCommand::Keys, WindowCommand::ToLaunch, WindowCommand::Clear].map(keys), ["?", "[", "Esc"]);
        for command in WindowCommand::ALL {
            let shown = keys(*command);
            let is_word = |key: &str| ["Comma", "Period", "Bracket", "Question"].iter().any(|word| key.contains(word));
            assert!(!is_word(&shown), "{shown}");
        }
        assert!(keys(WindowCommand::Cancel).ends_with('.') && keys(WindowCommand::Export).ends_with('E'));
    }

    #[test]
    fn no_two_commands_share_a_key() {
        let shortcuts: HashSet<_> = WindowCommand::ALL.iter().map(|command| command.offer().shortcut).collect();
        assert_eq!(shortcuts.len(), WindowCommand::ALL.len());
    }

    #[test]
    fn a_shortcut_with_shift_is_looked_at_before_the_one_without() {
        for (i, command) in WindowCommand::ALL.iter().enumerate() {
            let KeyboardShortcut { modifiers, logical_key } = command.offer().shortcut;
            let shadowed = WindowCommand::ALL[..i].iter().map(|earlier| earlier.offer().shortcut).find(|earlier| {
                earlier.logical_key == logical_key
                    && !earlier.modifiers.shift
                    && earlier.modifiers | Modifiers::SHIFT == modifiers
            });
            assert_eq!(shadowed, None, "{command:?}");
        }
    }
}
