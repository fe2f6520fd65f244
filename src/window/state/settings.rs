//! What the window remembers from one start to the next.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};

use crate::file::{self, ReadError, WriteError};
use crate::scenario::{LaneKind, LaneSet, Scenario};
use crate::text::Lang;

/// Far more than there is to remember.
const LIMIT_MIB: u64 = 1;

/// What runs the open scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::window) enum RunOn {
    /// The model.
    #[default]
    Model,
    /// What was recorded on a GPU elsewhere; the model where nothing was.
    Recording,
    /// The model at once, then the GPU of that number.
    Gpu(u32),
}

/// How the window looks, and what was open last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::window) struct Settings {
    /// Language of all texts.
    pub(in crate::window) lang: Lang,
    /// Whether it is dark.
    pub(in crate::window) dark: bool,
    /// Whether everything is large and the side panels are gone.
    pub(in crate::window) projector: bool,
    /// Name of the preset, or path of the file.
    pub(in crate::window) last: Option<String>,
    /// What runs it.
    pub(in crate::window) run_on: RunOn,
    /// Whether the course is shown; without a wish, where there is room.
    pub(in crate::window) course: Option<bool>,
    /// Whether the inspector is shown; without a wish, where there is room.
    pub(in crate::window) inspector: Option<bool>,
    /// Lanes that somebody folded or opened, against what the scenario of that name says.
    pub(in crate::window) folded: BTreeMap<String, BTreeMap<LaneKind, bool>>,
    /// Where the window stood when it was closed.
    pub(in crate::window) window: Option<WindowPlace>,
}

/// Where the window stood on its screen, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::window) struct WindowPlace {
    /// Width and height inside its frame.
    pub(in crate::window) size: [u32; 2],
    /// Its left upper corner, frame included, where the system tells it.
    pub(in crate::window) at: Option<[i32; 2]>,
}

/// A window at least that wide, in points, has room for the course at its left; one that wide for the inspector at its right.
const COURSE_FROM: f32 = 1100.0;
const INSPECTOR_FROM: f32 = 800.0;

impl Settings {
    /// Whether the course is shown in a window of `width` points. A lecture hall has no use for it.
    pub(in crate::window) fn shows_course(&self, width: f32) -> bool {
        !self.projector && self.course.unwrap_or(width >= COURSE_FROM)
    }

    /// Whether the inspector is.
    pub(in crate::window) fn shows_inspector(&self, width: f32) -> bool {
        !self.projector && self.inspector.unwrap_or(width >= INSPECTOR_FROM)
    }

    /// The lanes that are folded in the picture of `scenario`. Traces have none, and are remembered as one.
    pub(in crate::window) fn folded(&self, scenario: Option<&Scenario>) -> LaneSet {
        let said = LaneSet::but(scenario.map(|scenario| &scenario.lanes[..]));
        let wishes = self.folded.get(scenario.map_or("", |scenario| &scenario.name)).into_iter().flatten();
        wishes.fold(said, |set, (kind, is_folded)| set.with(*kind, *is_folded))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lang: Lang::En,
            dark: true,
            projector: false,
            last: None,
            run_on: RunOn::Model,
            course: None,
            inspector: None,
            folded: BTreeMap::new(),
            window: None,
        }
    }
}

/// Why settings are not used.
#[derive(Debug, thiserror::Error)]
pub(in crate::window) enum SettingsError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It holds something else.
    #[error("{path}: these are not settings ({source}); they are ignored, and replaced at the next change")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl Settings {
    /// Where settings are kept; none on a system without a home folder.
    pub(in crate::window) fn default_path() -> Option<PathBuf> {
        Some(ProjectDirs::from("", "", "streamscope")?.config_dir().join("settings.json"))
    }

    /// Reads settings; a file that does not exist yet is no error.
    pub(in crate::window) fn read(path: &Path) -> Result<Self, SettingsError> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = file::read_text(path, LIMIT_MIB)?;
        serde_json::from_str(&text).map_err(|source| SettingsError::Format { path: path.to_owned(), source })
    }

    /// Writes settings in place of the file.
    pub(in crate::window) fn write(&self, path: &Path) -> Result<(), WriteError> {
        let failed = |source| WriteError { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        file::replace(path, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_and_a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("settings.json");
        assert_eq!(Settings::read(&path).unwrap(), Settings::default());
        let last = Some("graph".to_owned());
        let settings = Settings {
            lang: Lang::Zh,
            dark: false,
            projector: true,
            last,
            run_on: RunOn::Gpu(1),
            course: Some(false),
            inspector: None,
            folded: BTreeMap::from([("graph".to_owned(), BTreeMap::from([(LaneKind::Memory, true)]))]),
            window: Some(WindowPlace { size: [1280, 720], at: Some([-10, 20]) }),
        };
        settings.write(&path).unwrap();
        assert_eq!(Settings::read(&path).unwrap(), settings);
        fs::write(&path, "{\"lang\": 3}").unwrap();
        assert!(Settings::read(&path).unwrap_err().to_string().contains("settings.json"));
    }
}
