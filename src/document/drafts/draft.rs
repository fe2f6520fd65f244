//! One edited copy, and its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::document::Origin;
use crate::file::{self, ReadError, WriteError};
use crate::scenario::{self, Knobs, LoadError, Scenario};

/// A scenario has at most 16 MiB, and there is little around it.
const LIMIT_MIB: u64 = 20;
/// The version of the file that is written, and the newest that is read.
const VERSION: u32 = 1;

/// What is kept of an edited copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What was edited.
    pub of: Origin,
    /// What it has become.
    pub scenario: Arc<Scenario>,
    /// The values of its knobs.
    pub knobs: Knobs,
}

/// Why a file holds no draft that can be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum DraftError {
    /// The system refuses.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is damaged, or something else.
    #[error("{path}: no edited copy of a scenario ({source})")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A newer Streamscope wrote it.
    #[error("{path}: the copy has version {version}, and this program reads up to version {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// Its scenario is none.
    #[error(transparent)]
    Scenario(#[from] LoadError),
}

impl DraftError {
    /// Whether what the file holds is at fault, so that reading it again would not help.
    pub(super) fn is_damage(&self) -> bool {
        !matches!(self, Self::Read(ReadError::System { .. }))
    }
}

/// As it is written. What was edited comes first, so that a person who looks into the folder sees it at once.
#[derive(Serialize, Deserialize)]
struct Written<S> {
    streamscope_copy: u32,
    of: WrittenOrigin,
    #[serde(default)]
    knobs: Knobs,
    scenario: S,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenOrigin {
    Preset(String),
    File(String),
}

impl Draft {
    /// Puts it in place of the file.
    pub(super) fn write(&self, path: &Path) -> Result<(), WriteError> {
        let of = match &self.of {
            Origin::Preset(name) => WrittenOrigin::Preset((*name).to_owned()),
            // The next window may start elsewhere.
            Origin::File(path) => {
                let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                WrittenOrigin::File(whole.to_string_lossy().into_owned())
            }
        };
        let knobs = self.knobs.clone();
        let written = Written { streamscope_copy: VERSION, of, knobs, scenario: self.scenario.as_ref() };
        let text =
            serde_json::to_vec(&written).map_err(|error| WriteError { path: path.to_owned(), source: error.into() })?;
        file::replace(path, &text)
    }

    /// Reads it, as carefully as a scenario that somebody opens.
    pub(super) fn read(path: &Path) -> Result<Self, DraftError> {
        let text = file::read_text(path, LIMIT_MIB)?;
        let read: Result<Written<Scenario>, _> = serde_json::from_str(&text);
        let Written { streamscope_copy: version, of, knobs, scenario } =
            read.map_err(|source| DraftError::Format { path: path.to_owned(), source })?;
        if version > VERSION {
            return Err(DraftError::Version { path: path.to_owned(), version });
        }
        let of = match of {
            WrittenOrigin::Preset(name) => match scenario::preset(&name) {
                Some(preset) => Origin::Preset(preset.name),
                // Another version of the program shipped it.
                None => Origin::File(PathBuf::from(name)),
            },
            WrittenOrigin::File(path) => Origin::File(PathBuf::from(path)),
        };
        let scenario = scenario::load(&path.display().to_string(), &scenario::json(&scenario))?;
        Ok(Self { of, scenario: Arc::new(scenario), knobs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.json");
        for preset in scenario::presets() {
            let scenario = Arc::new(preset.scenario().unwrap());
            let knobs = Knobs::defaults(&scenario.knobs);
            for of in [Origin::Preset(preset.name), Origin::File(folder.path().join("a.json"))] {
                let draft = Draft { of, scenario: Arc::clone(&scenario), knobs: knobs.clone() };
                draft.write(&path).unwrap();
                assert_eq!(Draft::read(&path).unwrap(), draft, "{}", preset.name);
            }
        }
    }

    #[test]
    fn what_is_no_draft_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.json");
        for text in ["", "{", "[]", "{\"streamscope_copy\": 1}", "\u{0}\u{0}"] {
            std::fs::write(&path, text).unwrap();
            let error = Draft::read(&path).unwrap_err();
            assert!(error.is_damage() && error.to_string().contains("1.json"), "{error}");
        }
        assert!(!Draft::read(folder.path().join("none").as_path()).unwrap_err().is_damage());
    }
}
