//! What a person calls a scenario.

use std::path::Path;

use crate::document::{Document, Origin, Place};
use crate::text::{Key, Lang};
use crate::window::state::WindowState;

/// What a person calls a scenario: its file, and whether it holds what was not saved.
pub(in crate::window) fn name(state: &WindowState, place: &Place) -> String {
    match place {
        Place::File(path) if !state.documents.at(place).is_some_and(Document::is_edited) => file_name(path),
        Place::Preset(name) => format!("{name}.json"),
        Place::File(_) | Place::Copy { .. } => edited_name(place, state.settings.lang),
    }
}

/// What a person calls what was edited there.
pub(in crate::window) fn edited_name(place: &Place, lang: Lang) -> String {
    let (name, number) = match place {
        Place::Preset(name) => ((*name).to_owned(), 1),
        Place::File(path) => (file_name(path), 1),
        Place::Copy { of: Origin::Preset(name), number } => ((*name).to_owned(), *number),
        Place::Copy { of: Origin::File(path), number } => (file_name(path), *number),
    };
    match number {
        1 => lang.fill(Key::Edited, &[&name]),
        number => lang.fill(Key::EditedAgain, &[&name, &number.to_string()]),
    }
}

pub(in crate::window) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
