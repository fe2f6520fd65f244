//! Edited copies that nobody wants any more, and having them back.

use super::tools::Tools;
use crate::document::{Document, Place};
use crate::scenario;
use crate::window::state::{Banner, State};

impl State {
    /// Discards what was edited at that place and not saved. What it was made of is opened in its stead, if it is open.
    pub(in crate::window) fn discard(&mut self, place: &Place, tools: &mut Tools<'_>) {
        let known = self.remembered.remove(place);
        if self.document.place() != place {
            self.discarded = known.filter(Document::is_edited);
        } else if self.document.is_edited() {
            self.discarded = Some(self.document.clone());
            self.open_instead(place, tools);
        } else {
            return;
        }
        if self.discarded.is_some() {
            self.banner = Some(Banner::Discarded(place.clone()));
        }
    }

    /// Leaves the open document without remembering it.
    fn open_instead(&mut self, place: &Place, tools: &mut Tools<'_>) {
        // As its preset or file holds it, there is nothing to remember.
        self.document.discard_edits();
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
            self.start(tools);
        }
    }

    fn is_edited_at(&self, place: &Place) -> bool {
        let open = Some(&self.document).filter(|open| open.place() == place);
        open.or(self.remembered.get(place)).is_some_and(Document::is_edited)
    }

    /// Puts back what was discarded last, and opens it.
    pub(in crate::window) fn take_back(&mut self, tools: &mut Tools<'_>) {
        let Some(mut document) = self.discarded.take() else { return };
        // Something else may have been edited there since.
        let place = match document.draft() {
            Some(draft) if self.is_edited_at(document.place()) => self.free_copy(&draft.of),
            _ => document.place().clone(),
        };
        document.move_to(place.clone());
        self.remembered.insert(place.clone(), document);
        self.open(place, tools);
        if matches!(self.banner, Some(Banner::Discarded(_))) {
            self.banner = None;
        }
    }
}
