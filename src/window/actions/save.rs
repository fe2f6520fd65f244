//! What the open dialog asks for: saving above all.

use std::path::{Path, PathBuf};

use super::export;
use super::tools::Tools;
use crate::document::{Document, Origin, Place};
use crate::file::WriteError;
use crate::window::state::dialog::{Dialog, Purpose};
use crate::window::state::{Banner, State};

impl State {
    /// Carries out what the dialog asks for. It stays open, and says why, when that fails; it asks before another file than
    /// the open one is replaced.
    pub(super) fn submit(&mut self, tools: &mut Tools<'_>) {
        let Some(mut dialog) = self.dialog.take() else { return };
        let Some(path) = dialog.target() else {
            self.dialog = Some(dialog);
            return;
        };
        let is_own = dialog.purpose == Purpose::Save && *self.document.place() == Place::File(path.clone());
        if !is_own && dialog.has_to_ask(&path) {
            dialog.ask_to_replace(path);
            self.dialog = Some(dialog);
        } else if let Err(sentence) = self.carry_out(&dialog, path, tools) {
            dialog.fail(sentence);
            self.dialog = Some(dialog);
        }
    }

    /// What a dialog asks for; a sentence when that fails.
    fn carry_out(&mut self, dialog: &Dialog, path: PathBuf, tools: &mut Tools<'_>) -> Result<(), String> {
        match dialog.purpose {
            Purpose::Open => return self.try_open(Place::File(path), tools).map_err(|error| error.to_string()),
            Purpose::Screenshot => return export::screenshot(tools.ctx, path, tools.notices.clone()),
            Purpose::Save => self.save(&path).map_err(|error| error.to_string())?,
            Purpose::Export => export::export(self, dialog, &path)?,
        }
        self.banner = Some(Banner::Written(path));
        Ok(())
    }

    pub(in crate::window) fn list(&mut self, path: PathBuf) {
        if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    /// Writes the open scenario, which is that file from now on.
    fn save(&mut self, path: &Path) -> Result<(), WriteError> {
        let before = self.document.place().clone();
        self.document.save(path)?;
        self.settings.last = Some(path.display().to_string());
        self.list(path.to_owned());
        let place = Place::File(path.to_owned());
        // What was edited in the file that this one has taken the place of is not lost with it.
        if before != place
            && let Some(mut other) = self.remembered.remove(&place).filter(Document::is_edited)
        {
            other.move_to(self.free_copy(&Origin::File(path.to_owned())));
            self.remembered.insert(other.place().clone(), other);
        }
        if matches!(before, Place::Copy { .. }) {
            self.remembered.remove(&before);
        }
        Ok(())
    }
}
