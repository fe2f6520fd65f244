//! The open scenario and those that were open before, each with what was edited in it during this session.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::document::drafts::Draft;
use crate::document::{Document, Edit, EditError, Origin, Place};
use crate::file::WriteError;

/// All scenarios of a session.
#[derive(Debug)]
pub(in crate::window) struct Documents {
    /// The open one.
    pub(in crate::window) open: Document,
    /// Files that were opened, scenarios and others.
    pub(in crate::window) files: Vec<PathBuf>,
    /// What was discarded last.
    pub(in crate::window) discarded: Option<Document>,
    /// Those that were open before: their knob values, and those that were edited whole.
    remembered: HashMap<Place, Document>,
}

impl Documents {
    /// With one that is open.
    pub(in crate::window) fn new(open: Document) -> Self {
        let files = match open.place() {
            Place::File(path) => vec![path.clone()],
            Place::Preset(_) | Place::Copy { .. } => Vec::new(),
        };
        Self { open, files, discarded: None, remembered: HashMap::new() }
    }

    /// The open one and those before.
    pub(in crate::window) fn all(&self) -> impl Iterator<Item = &Document> {
        self.remembered.values().chain([&self.open])
    }

    /// What is at that place, if it was opened.
    pub(in crate::window) fn at(&self, place: &Place) -> Option<&Document> {
        if place == self.open.place() { Some(&self.open) } else { self.remembered.get(place) }
    }

    fn is_edited_at(&self, place: &Place) -> bool {
        self.at(place).is_some_and(Document::is_edited)
    }

    /// What was edited at that place before and left.
    pub(in crate::window) fn edited_before(&self, place: &Place) -> Option<Document> {
        self.remembered.get(place).filter(|document| document.is_edited()).cloned()
    }

    /// Puts what was edited before this start into the list, at a place of its own.
    pub(in crate::window) fn restore(&mut self, draft: &Draft) -> Place {
        let place = self.free_copy(&draft.of);
        self.remembered.insert(place.clone(), Document::of_draft(place.clone(), draft));
        place
    }

    /// A file that is in the list from now on.
    pub(in crate::window) fn list(&mut self, path: PathBuf) {
        if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    /// The edited copies that have not been saved, in the order of their names.
    pub(in crate::window) fn copies(&self) -> Vec<Place> {
        let all = self.remembered.keys().chain([self.open.place()]);
        let copies = all.filter_map(|place| match place {
            Place::Copy { of, number } => Some((of.clone(), *number)),
            Place::Preset(_) | Place::File(_) => None,
        });
        let copies: BTreeSet<_> = copies.collect();
        copies.into_iter().map(|(of, number)| Place::Copy { of, number }).collect()
    }

    /// A place for another copy.
    fn free_copy(&self, of: &Origin) -> Place {
        let numbered = |number| Place::Copy { of: of.clone(), number };
        (1..u32::MAX).map(numbered).find(|place| self.at(place).is_none()).unwrap_or(numbered(u32::MAX))
    }

    /// Leaves the open one for another, which has its knobs as they were when it was left.
    pub(in crate::window) fn replace(&mut self, opened: Document) {
        let left = std::mem::replace(&mut self.open, opened);
        // A copy that is as its preset or file again is discarded.
        if left.is_edited() || !matches!(left.place(), Place::Copy { .. }) {
            self.remembered.insert(left.place().clone(), left);
        } else {
            self.remembered.remove(left.place());
        }
        if let Some(known) = self.remembered.get(self.open.place()) {
            self.open.adopt_knobs(known.knobs());
        }
        if let Place::File(path) = self.open.place().clone() {
            self.list(path);
        }
    }

    /// Edits the open one. A preset stays as it is: a copy of it is edited. So is one of a file of which there is a copy from an
    /// earlier start, so that no two have the same name.
    pub(in crate::window) fn edit(&mut self, edits: Vec<Edit>) -> Result<(), EditError> {
        let before = self.open.clone();
        self.open.edit(edits)?;
        let of = match before.place() {
            Place::Preset(name) => Some(Origin::Preset(name)),
            Place::File(path) => Some(Origin::File(path.clone())).filter(|of| !self.is_first_copy(&before, of)),
            Place::Copy { .. } => None,
        };
        if let Some(of) = of {
            self.open.move_to(self.free_copy(&of));
            // Its own knobs are found again where they were.
            self.remembered.insert(before.place().clone(), before);
        }
        Ok(())
    }

    fn is_first_copy(&self, before: &Document, of: &Origin) -> bool {
        before.is_edited() || matches!(self.free_copy(of), Place::Copy { number: 1, .. })
    }

    /// Writes the open one, which is that file from now on.
    pub(in crate::window) fn save(&mut self, path: &Path) -> Result<(), WriteError> {
        let before = self.open.place().clone();
        self.open.save(path)?;
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

    /// Discards what was edited at that place and not saved; whether there was anything. What is open stays so until something
    /// else is opened in its stead.
    pub(in crate::window) fn discard(&mut self, place: &Place) -> bool {
        let known = self.remembered.remove(place);
        if self.open.place() != place {
            self.discarded = known.filter(Document::is_edited);
            return self.discarded.is_some();
        }
        if self.open.is_edited() {
            self.discarded = Some(self.open.clone());
            // As its preset or file holds it, there is nothing to remember.
            self.open.discard_edits();
            return true;
        }
        false
    }

    /// Puts back what was discarded last, and says where it is now.
    pub(in crate::window) fn take_back(&mut self) -> Option<Place> {
        let mut document = self.discarded.take()?;
        // Something else may have been edited there since.
        let place = match document.draft() {
            Some(draft) if self.is_edited_at(document.place()) => self.free_copy(&draft.of),
            _ => document.place().clone(),
        };
        document.move_to(place.clone());
        self.remembered.insert(place.clone(), document);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::StatementPath;

    const PRESET: Place = Place::Preset("record-stream");

    fn opened(place: &Place) -> Documents {
        Documents::new(Document::open(place.clone()).unwrap())
    }

    /// Takes the first statement out.
    fn edit(documents: &mut Documents) {
        let mut paths: Vec<StatementPath> = Vec::new();
        documents.open.scenario().walk(|path, _| paths.push(path.clone()));
        documents.edit(vec![Edit::Remove { at: paths[0].clone() }]).unwrap();
    }

    #[test]
    fn an_edit_of_a_preset_is_made_in_a_copy_beside_it() {
        let mut documents = opened(&PRESET);
        edit(&mut documents);
        assert_eq!(documents.copies(), [documents.open.place().clone()]);
        assert!(documents.at(&PRESET).is_some_and(|preset| !preset.is_edited()));
    }

    #[test]
    fn what_was_discarded_comes_back_beside_what_was_edited_since() {
        let mut documents = opened(&PRESET);
        edit(&mut documents);
        let first = documents.open.place().clone();
        assert!(documents.discard(&first) && !documents.open.is_edited());
        documents.replace(Document::open(PRESET).unwrap());
        assert!(documents.copies().is_empty(), "a copy that is as its preset is not kept");
        edit(&mut documents);
        assert_eq!(*documents.open.place(), first);
        let second = documents.take_back().unwrap();
        assert_eq!(documents.copies(), [first, second]);
        assert_eq!(documents.take_back(), None);
    }
}
