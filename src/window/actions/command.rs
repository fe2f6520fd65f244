//! Everything that can be asked for by key or button. Buttons, keys and the sheet of keys are generated from it.

use egui::{Context, Key as Press, KeyboardShortcut, Modifiers};

use crate::text::{Key, Lang};

/// Something that a person can ask for by key or button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::window) enum WindowCommand {
    Find,
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
    CoursePanel,
    InspectorPanel,
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
    /// Another key for the same, which nobody has to be told of.
    pub(in crate::window) also: Option<KeyboardShortcut>,
}

impl Offer {
    fn or(self, modifiers: Modifiers, press: Press) -> Self {
        Self { also: Some(KeyboardShortcut::new(modifiers, press)), ..self }
    }

    /// Its key as it stands on a keyboard.
    pub(in crate::window) fn written(&self, ctx: &Context) -> String {
        let KeyboardShortcut { modifiers, logical_key } = self.shortcut;
        let key = match logical_key {
            Press::ArrowLeft => "←",
            Press::ArrowRight => "→",
            Press::Escape => "Esc",
            other => other.symbol_or_name(),
        };
        match ctx.format_modifiers(modifiers) {
            none if none.is_empty() => key.to_owned(),
            held => format!("{held}+{key}"),
        }
    }

    /// What it does, and its key, for who points at its button.
    pub(in crate::window) fn told(&self, ctx: &Context, lang: Lang) -> String {
        lang.fill(Key::WithKey, &[lang.text(self.hint), &self.written(ctx)])
    }

    /// All its keys.
    pub(in crate::window) fn shortcuts(self) -> impl Iterator<Item = KeyboardShortcut> {
        std::iter::once(self.shortcut).chain(self.also)
    }
}

impl WindowCommand {
    /// All, in the order of the sheet of keys. Of two that differ only in Shift, the one with Shift comes first, because egui
    /// takes a shortcut without Shift for either.
    pub(in crate::window) const ALL: [Self; 38] = [
        Self::Find,
        Self::Open,
        Self::Screenshot,
        Self::Save,
        Self::Export,
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
        Self::CoursePanel,
        Self::InspectorPanel,
        Self::Clear,
        Self::Projector,
        Self::Language,
        Self::Appearance,
        Self::Keys,
    ];

    /// How it is offered.
    pub(in crate::window) fn offer(self) -> Offer {
        use Modifiers as M;
        let of = |text, hint, modifiers, press| {
            let shortcut = KeyboardShortcut::new(modifiers, press);
            Offer { text, hint, shortcut, also: None }
        };
        let control_shift = M::COMMAND | M::SHIFT;
        match self {
            Self::Find => of(Key::Find, Key::FindHint, control_shift, Press::P),
            Self::Open => of(Key::Open, Key::OpenHint, M::COMMAND, Press::O),
            Self::Save => of(Key::Save, Key::SaveHint, M::COMMAND, Press::S),
            Self::Export => of(Key::Export, Key::ExportHint, M::COMMAND, Press::E),
            Self::Screenshot => of(Key::Screenshot, Key::ScreenshotHint, control_shift, Press::S),
            Self::NextPreset => {
                of(Key::NextPreset, Key::NextPresetHint, M::NONE, Press::PageDown).or(M::COMMAND, Press::PageDown)
            }
            Self::PreviousPreset => {
                of(Key::PreviousPreset, Key::PreviousPresetHint, M::NONE, Press::PageUp).or(M::COMMAND, Press::PageUp)
            }
            Self::ResetKnobs => of(Key::ResetKnobs, Key::ResetKnobsHint, M::NONE, Press::R),
            Self::NextTarget => of(Key::NextTarget, Key::NextTargetHint, M::NONE, Press::G),
            Self::Cancel => of(Key::Cancel, Key::CancelHint, M::COMMAND, Press::Period),
            Self::Fit => of(Key::Fit, Key::FitHint, M::NONE, Press::F),
            Self::ZoomIn => of(Key::ZoomIn, Key::ZoomInHint, M::NONE, Press::W).or(M::NONE, Press::Plus),
            Self::ZoomOut => of(Key::ZoomOut, Key::ZoomOutHint, M::NONE, Press::S).or(M::NONE, Press::Minus),
            Self::PanLeft => of(Key::PanLeft, Key::PanLeftHint, M::NONE, Press::A),
            Self::PanRight => of(Key::PanRight, Key::PanRightHint, M::NONE, Press::D),
            Self::RedoView => of(Key::RedoView, Key::RedoViewHint, M::ALT, Press::ArrowRight),
            Self::UndoView => of(Key::UndoView, Key::UndoViewHint, M::ALT, Press::ArrowLeft),
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
            Self::Redo => of(Key::Redo, Key::RedoHint, control_shift, Press::Z).or(M::COMMAND, Press::Y),
            Self::Undo => of(Key::Undo, Key::UndoHint, M::COMMAND, Press::Z),
            Self::Graph => of(Key::Graph, Key::GraphHint, M::NONE, Press::N),
            Self::CoursePanel => of(Key::CoursePanel, Key::CoursePanelHint, M::NONE, Press::B),
            Self::InspectorPanel => of(Key::InspectorPanel, Key::InspectorPanelHint, M::NONE, Press::E),
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

    fn shortcuts() -> impl Iterator<Item = KeyboardShortcut> {
        WindowCommand::ALL.iter().flat_map(|command| command.offer().shortcuts())
    }

    #[test]
    fn keys_are_named_as_they_are_printed() {
        let ctx = Context::default();
        let keys = |command: WindowCommand| command.offer().written(&ctx);
        assert_eq!([WindowCommand::Keys, WindowCommand::ToLaunch, WindowCommand::Clear].map(keys), ["?", "[", "Esc"]);
        for command in WindowCommand::ALL {
            let shown = keys(command);
            let is_word = |key: &str| ["Comma", "Period", "Bracket", "Question"].iter().any(|word| key.contains(word));
            assert!(!is_word(&shown), "{shown}");
        }
        assert!(keys(WindowCommand::Cancel).ends_with('.') && keys(WindowCommand::Export).ends_with('E'));
    }

    #[test]
    fn no_two_commands_share_a_key() {
        let different: HashSet<_> = shortcuts().collect();
        assert_eq!(different.len(), shortcuts().count());
    }

    #[test]
    fn a_shortcut_with_shift_is_looked_at_before_the_one_without() {
        let all: Vec<KeyboardShortcut> = shortcuts().collect();
        for (i, KeyboardShortcut { modifiers, logical_key }) in all.iter().enumerate() {
            let shadowed = all[..i].iter().find(|earlier| {
                earlier.logical_key == *logical_key
                    && !earlier.modifiers.shift
                    && earlier.modifiers | Modifiers::SHIFT == *modifiers
            });
            assert_eq!(shadowed, None, "{modifiers:?} {logical_key:?}");
        }
    }
}
