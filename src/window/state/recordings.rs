//! Recordings that can be shown in place of a run.

use std::sync::Arc;

use crate::recording::Library;
use crate::scenario::{Knobs, Scenario};

/// The recordings there are, and those of the open scenario.
#[derive(Debug)]
pub(in crate::window) struct Recordings {
    /// All of them.
    pub(in crate::window) library: Arc<Library>,
    /// The settings of the open scenario of which there is one.
    pub(in crate::window) settings: Vec<Knobs>,
}

impl Recordings {
    /// Those of `library`.
    pub(in crate::window) fn new(library: Arc<Library>, open: &Scenario) -> Self {
        let mut recordings = Self { library, settings: Vec::new() };
        recordings.look_up(open);
        recordings
    }

    /// Sees what there is of the open scenario.
    pub(in crate::window) fn look_up(&mut self, open: &Scenario) {
        let settings = open.compared_settings().into_iter();
        self.settings = settings.filter(|knobs| self.library.has(open, knobs)).collect();
    }
}
