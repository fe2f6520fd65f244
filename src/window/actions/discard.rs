//! Edited copies that nobody wants any more, and having them back.

use super::tools::Tools;
use crate::document::Place;
use crate::scenario;
use crate::window::state::{Banner, WindowState};

impl WindowState {
    /// Discards what was edited at that place and not saved. What it was made of is opened in its stead, if it is open.
    pub(super) fn discard(&mut self, place: &Place, tools: &mut Tools<'_>) {
        let is_open = self.document().place() == place;
        if !self.documents.discard(place) {
            return;
        }
        if is_open {
            self.open_instead(place, tools);
        }
        self.banner = Some(Banner::Discarded(place.clone()));
    }

    /// Leaves the open document, whose edits have been discarded.
    fn open_instead(&mut self, place: &Place, tools: &mut Tools<'_>) {
        let origin = match place {
            Place::Copy { of, .. } => of.place(),
            Place::File(_) | Place::Preset(_) => place.clone(),
        };
        let is_open = self.open(origin.clone(), tools);
        if !is_open && origin != *place {
            // Its file has gone, and there is nothing that a copy could be of.
            let first = scenario::presets().first().map(|preset| Place::Preset(preset.name));
            let _shipped = first.map(|first| self.open(first, tools));
        } else if !is_open {
            // A file that has gone is shown as it was.
            self.look_up();
            self.run_scenario(tools);
        }
    }

    /// Puts back what was discarded last, and opens it.
    pub(super) fn take_back(&mut self, tools: &mut Tools<'_>) {
        let Some(place) = self.documents.take_back() else { return };
        self.open(place, tools);
        if matches!(self.banner, Some(Banner::Discarded(_))) {
            self.banner = None;
        }
    }
}
