//! Opening: a preset, a file, what was edited before, a recording or a trace.

use std::path::PathBuf;

use super::tools::Tools;
use crate::document::{Document, Place};
use crate::scenario::{self, LoadError};
use crate::text::Key;
use crate::window::background::model::ModelRequest;
use crate::window::background::read_file;
use crate::window::state::WindowState;

impl WindowState {
    /// Opens the preset that stands `by` places further in the course.
    pub(super) fn step_in_course(&mut self, by: isize, tools: &mut Tools<'_>) {
        let presets = scenario::presets();
        let here = presets.iter().position(|preset| self.document().place().preset() == Some(preset.name));
        let there = match here {
            Some(here) => here.saturating_add_signed(by),
            None => 0,
        };
        if let Some(preset) = presets.get(there).filter(|_| here != Some(there)) {
            self.open(Place::Preset(preset.name), tools);
        }
    }

    /// Opens a scenario as [`Self::try_open`] does, and says in the banner when that fails; the answer is then `false`.
    pub(super) fn open(&mut self, place: Place, tools: &mut Tools<'_>) -> bool {
        match self.try_open(place, tools) {
            Ok(()) => true,
            Err(error) => {
                self.fail(Key::FailedToOpen, &error);
                false
            }
        }
    }

    /// Opens a scenario, with what was edited in it during this session; when that fails, what was open stays.
    pub(super) fn try_open(&mut self, place: Place, tools: &mut Tools<'_>) -> Result<(), LoadError> {
        if let Place::File(path) = &place
            && read_file::kind(path) != read_file::Kind::Scenario
        {
            self.view(path.clone(), tools);
            return Ok(());
        }
        if self.viewed.is_none() && place == *self.document().place() && self.document().is_edited() {
            return Ok(());
        }
        let name = place.to_string();
        let opened = match self.documents.edited_before(&place) {
            Some(edited) => edited,
            None => Document::open(place)?,
        };
        self.banner = None;
        self.documents.replace(opened);
        self.settings.last = Some(name);
        (self.shown.follows, self.shown.opens) = (true, true);
        self.look_up();
        self.run_scenario(tools);
        Ok(())
    }

    /// Shows a recording or a trace in place of the open scenario, which stays as it is.
    pub(in crate::window) fn view(&mut self, path: PathBuf, tools: &mut Tools<'_>) {
        self.cancel_gpu(tools);
        self.banner = None;
        (self.shown.follows, self.shown.opens) = (true, true);
        self.documents.list(path.clone());
        self.viewed = Some(path.clone());
        self.submit_to_model(ModelRequest::Read(path), tools);
    }
}
