//! What the window starts with: settings, profiles, the first scenario.

use std::path::PathBuf;

use super::state::settings::Settings;
use crate::document::{Document, Place};
use crate::profile::{self, ProfileError};
use crate::scenario::{self, LoadError};
use crate::worker;

/// What the window starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// A preset's name or the path of a scenario; without one, what was open last.
    pub scenario: Option<String>,
    /// Profile of the model: the name of a shipped one, or a file.
    pub profile: Option<String>,
    /// Where settings are kept; without a path they are forgotten.
    pub settings: Option<PathBuf>,
    /// What leads to the process that runs scenarios on a GPU; without one, this program.
    pub worker: Option<worker::Command>,
}

impl Start {
    /// With the settings of this user.
    pub fn of_user(scenario: Option<String>, profile: Option<String>, worker: Option<worker::Command>) -> Self {
        Self { scenario, profile, settings: Settings::default_path(), worker }
    }
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// A profile cannot be had.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The scenario cannot be opened, and neither can any shipped one.
    #[error(transparent)]
    Scenario(#[from] LoadError),
    /// No display, or one without OpenGL.
    #[error("no window can be opened: {0}; the command line needs no display, see `streamscope --help`")]
    Display(String),
}

/// The shipped profiles, and the one that was asked for if it is a file; and which of them is asked for.
pub(super) fn profiles(name: Option<&str>) -> Result<(Vec<profile::Profile>, usize), ProfileError> {
    let mut profiles = Vec::new();
    for (id, _) in profile::SHIPPED {
        profiles.push(profile::shipped(id)?);
    }
    let Some(name) = name else { return Ok((profiles, 0)) };
    if let Some(index) = profile::SHIPPED.iter().position(|(id, _)| *id == name) {
        return Ok((profiles, index));
    }
    profiles.push(profile::open(name)?);
    let last = profiles.len() - 1;
    Ok((profiles, last))
}

/// A preset by name, or a scenario from a file.
pub(super) fn open_by_name(name: &str) -> Result<Document, LoadError> {
    let place = match scenario::preset(name) {
        Some(preset) => Place::Preset(preset.name),
        None => Place::File(PathBuf::from(name)),
    };
    Document::open(place)
}

/// The preset that a first start shows.
pub(super) fn open_first() -> Result<Document, LoadError> {
    open_by_name("implicit-sync")
}
