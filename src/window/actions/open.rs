//! Opening: a preset, a file, what was edited before, a recording or a trace.

use std::path::PathBuf;

use super::tools::Tools;
use crate::document::{Document, Place};
use crate::scenario::{self, LoadError};
use crate::window::background::model::Request;
use crate::window::background::read_file;
use crate::window::state::State;

impl State {
    /// Opens the preset that stands `by` places further in the course.
    pub(super) fn turn(&mut self, by: isize, tools: &mut Tools<'_>) {
        let presets = scenario::presets();
        let here = presets.iter().position(|preset| self.document.place().preset() == Some(preset.name));
        let there = match here {
            Some(here) => here.saturating_add_signed(by),
            None => 0,
        };
        if let Some(preset) = presets.get(there).filter(|_| here != Some(there)) {
            self.open(Place::Preset(preset.name), tools);
        }
    }

    /// Opens a scenario as [`Self::try_open`] does, and says in the banner when that fails; the answer is then `false`.
    pub(in crate::window) fn open(&mut self, place: Place, tools: &mut Tools<'_>) -> bool {
        match self.try_open(place, tools) {
            Ok(()) => true,
            Err(error) => {
                self.fail(&error);
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
        if self.viewed.is_none() && place == *self.document.place() && self.document.is_edited() {
            return Ok(());
        }
        let edited = self.remembered.get(&place).filter(|document| document.is_edited()).cloned();
        let opened = edited.map_or_else(|| Document::open(place.clone()), Ok)?;
        self.banner = None;
        self.replace(place, opened);
        self.look_up();
        self.start(tools);
        Ok(())
    }

    fn replace(&mut self, place: Place, opened: Document) {
        let left = std::mem::replace(&mut self.document, opened);
        // A copy that is as its preset or file again is discarded.
        if left.is_edited() || !matches!(left.place(), Place::Copy { .. }) {
            self.remembered.insert(left.place().clone(), left);
        } else {
            self.remembered.remove(left.place());
        }
        if let Some(known) = self.remembered.get(&place) {
            self.document.adopt_knobs(known.knobs());
        }
        self.settings.last = Some(place.to_string());
        if let Place::File(path) = place {
            self.list(path);
        }
        self.sight.follows = true;
    }

    /// Shows a recording or a trace in place of the open scenario, which stays as it is.
    pub(in crate::window) fn view(&mut self, path: PathBuf, tools: &mut Tools<'_>) {
        self.cancel_gpu(tools);
        self.banner = None;
        self.sight.follows = true;
        self.list(path.clone());
        self.viewed = Some(path.clone());
        self.submit_to_model(Request::Read(path), tools);
    }
}
