//! The text that a scenario was read from.

use crate::json;

/// The text that a scenario was read from, in which what is found wrong with it later has its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    file: String,
    text: String,
}

impl SourceText {
    /// `file` names it in errors.
    pub fn new(file: &str, text: &str) -> Self {
        Self { file: file.to_owned(), text: text.to_owned() }
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `file:line:column` of the part that a JSON pointer names, or of the innermost part around it that is there.
    pub fn place(&self, pointer: &str) -> String {
        match json::locate(&self.text, pointer) {
            Some((line, column)) => format!("{}:{line}:{column}", self.file),
            None => self.file.clone(),
        }
    }

    /// The place of the part that a JSON pointer names, if one is known, or the file.
    pub fn place_or_file(&self, pointer: Option<&str>) -> String {
        pointer.map_or_else(|| self.file.clone(), |pointer| self.place(pointer))
    }
}
