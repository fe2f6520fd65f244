//! What the open dialog asks for: saving above all.

use std::path::{Path, PathBuf};

use super::export;
use super::tools::Tools;
use crate::document::Place;
use crate::file::WriteError;
use crate::text::Key;
use crate::window::state::dialog::{Dialog, Purpose};
use crate::window::state::sentence::Sentence;
use crate::window::state::{Banner, WindowState};

impl WindowState {
    /// Carries out what the dialog asks for. It stays open, and says why, when that fails; it asks before another file than
    /// the open one is replaced.
    pub(super) fn submit(&mut self, tools: &mut Tools<'_>) {
        let Some(mut dialog) = self.dialog.take() else { return };
        let Some(path) = dialog.target() else {
            self.dialog = Some(dialog);
            return;
        };
        let is_own = dialog.purpose == Purpose::Save && *self.document().place() == Place::File(path.clone());
        if !is_own && dialog.has_to_ask(&path) {
            dialog.ask_to_replace(path);
            self.dialog = Some(dialog);
        } else if let Err(sentence) = self.carry_out(&dialog, path, tools) {
            dialog.fail(sentence);
            self.dialog = Some(dialog);
        }
    }

    /// What a dialog asks for; what to say when that fails.
    fn carry_out(&mut self, dialog: &Dialog, path: PathBuf, tools: &mut Tools<'_>) -> Result<(), Sentence> {
        match dialog.purpose {
            Purpose::Open => {
                let opened = self.try_open(Place::File(path), tools);
                return opened.map_err(|error| Sentence::about(Key::FailedToOpen, error));
            }
            Purpose::Screenshot => return export::screenshot(tools.ctx, path, tools.notices.clone()),
            Purpose::Save => self.save(&path).map_err(|error| Sentence::about(Key::FailedToSave, error))?,
            Purpose::Export => export::export(self, dialog, &path)?,
        }
        self.banner = Some(Banner::Written(path));
        Ok(())
    }

    /// Writes the open scenario, which is that file from now on.
    fn save(&mut self, path: &Path) -> Result<(), WriteError> {
        self.documents.save(path)?;
        self.settings.last = Some(path.display().to_string());
        Ok(())
    }
}
