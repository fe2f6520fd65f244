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
    #[error(
        "no window can be opened: {0}; start it on a desktop or through `ssh -X`, or use the command line, which needs no display, such as `streamscope run implicit-sync` or `streamscope figure implicit-sync -o figure.svg`"
    )]
    Display(String),
}

impl WindowError {
    /// There is no window, and the system or a library says why.
    pub(super) fn display(error: &impl std::fmt::Display) -> Self {
        let names = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"];
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if cfg!(target_os = "linux") && !names.into_iter().any(is_set) {
            return Self::Display("there is no display (neither WAYLAND_DISPLAY nor DISPLAY is set)".to_owned());
        }
        Self::Display(without_sources(&error.to_string()))
    }
}

/// An error without the places in source files that libraries put into theirs: those are of the machine that built them.
fn without_sources(error: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in error.split_whitespace() {
        if !word.contains(".rs:") {
            kept.push(word);
        } else if kept.last() == Some(&"at") {
            kept.pop();
        }
    }
    kept.join(" ").trim_end_matches('.').to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_the_machine_that_built_it_is_told() {
        let error =
            "winit EventLoopError: os error at /home/who/registry/winit/src/mod.rs:765: cannot reach the server.";
        assert_eq!(without_sources(error), "winit EventLoopError: os error cannot reach the server");
    }
}
