//! A sentence that stays in the window's language when that is switched.

use std::fmt::Display;

use crate::text::{Key, Lang};

/// A text of the table and what it is about: names, paths, and the English text of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::window) struct Sentence {
    key: Key,
    parts: Vec<String>,
}

impl Sentence {
    /// The text of `key`, which is about nothing.
    pub(in crate::window) fn new(key: Key) -> Self {
        Self { key, parts: Vec::new() }
    }

    /// The text of `key` about `part`, such as an error.
    pub(in crate::window) fn about(key: Key, part: impl Display) -> Self {
        Self { key, parts: vec![part.to_string()] }
    }

    /// The same, about one thing more.
    pub(in crate::window) fn and(mut self, part: impl Display) -> Self {
        self.parts.push(part.to_string());
        self
    }

    /// In the language of the window.
    pub(in crate::window) fn said(&self, lang: Lang) -> String {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        lang.fill(self.key, &parts)
    }
}
