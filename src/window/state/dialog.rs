//! The dialogs that ask for a path: what for, what is typed, and what stands in the way.

use std::path::{Path, PathBuf};

use super::sentence::Sentence;
use crate::text::Key;

/// What the path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::window) enum Purpose {
    /// Open a scenario.
    Open,
    /// Save the scenario.
    Save,
    /// Draw a figure.
    Export,
    /// Draw the window.
    Screenshot,
}

/// An open dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::window) struct Dialog {
    /// What for.
    pub(in crate::window) purpose: Purpose,
    /// What is typed so far.
    pub(in crate::window) path: String,
    /// For a figure: whether it shows the whole run rather than what is seen.
    pub(in crate::window) whole: bool,
    /// For a figure: whether it is dark.
    pub(in crate::window) dark: bool,
    /// Whether the text field has been given the keyboard.
    pub(in crate::window) focused: bool,
    /// The file that was found there: it is replaced only when that is confirmed.
    found: Option<PathBuf>,
    /// Why it could not be done.
    pub(in crate::window) fault: Option<Sentence>,
}

impl Dialog {
    /// Asks for a path, beginning with `path`.
    pub(in crate::window) fn new(purpose: Purpose, path: String) -> Self {
        Self { purpose, path, whole: false, dark: false, focused: false, found: None, fault: None }
    }

    /// The path, if one is typed.
    pub(in crate::window) fn target(&self) -> Option<PathBuf> {
        let path = self.path.trim();
        (!path.is_empty()).then(|| PathBuf::from(path))
    }

    /// Whether there is a file that would be replaced, and nobody has confirmed that yet.
    pub(in crate::window) fn has_to_ask(&self, path: &Path) -> bool {
        let writes = match self.purpose {
            Purpose::Open => false,
            Purpose::Save | Purpose::Export | Purpose::Screenshot => true,
        };
        writes && path.is_file() && self.found.as_deref() != Some(path)
    }

    /// Asks whether that file is to be replaced.
    pub(in crate::window) fn ask_to_replace(&mut self, path: PathBuf) {
        (self.found, self.fault, self.focused) = (Some(path), None, false);
    }

    /// Says why it could not be done; what is typed stays.
    pub(in crate::window) fn fail(&mut self, sentence: Sentence) {
        (self.found, self.fault, self.focused) = (None, Some(sentence), false);
    }

    /// The file that would be replaced, as long as its path is what is typed.
    pub(in crate::window) fn asks_about(&self) -> Option<&PathBuf> {
        self.found.as_ref().filter(|found| self.target().as_ref() == Some(*found))
    }

    /// What it is called.
    pub(in crate::window) fn title(&self) -> Key {
        match self.purpose {
            Purpose::Open => Key::OpenTitle,
            Purpose::Save => Key::SaveTitle,
            Purpose::Export => Key::ExportTitle,
            Purpose::Screenshot => Key::ScreenshotTitle,
        }
    }

    /// What its button says.
    pub(in crate::window) fn verb(&self) -> Key {
        match self.purpose {
            _ if self.asks_about().is_some() => Key::Replace,
            Purpose::Open => Key::Open,
            Purpose::Save => Key::Save,
            Purpose::Export => Key::Export,
            Purpose::Screenshot => Key::Screenshot,
        }
    }
}
