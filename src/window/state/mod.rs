//! What the window knows. Widgets read it and send actions; only [`super::actions`] changes it.

pub(in crate::window) mod dialog;
pub(in crate::window) mod documents;
pub(in crate::window) mod finder;
pub(in crate::window) mod gpus;
pub(in crate::window) mod progress;
pub(in crate::window) mod recordings;
pub(in crate::window) mod run_view;
pub(in crate::window) mod sentence;
pub(in crate::window) mod settings;

use std::path::PathBuf;
use std::sync::Arc;

use crate::document::{Document, Place};
use crate::gpu::DeviceInfo;
use crate::profile::Profile;
use crate::scenario::{LaneKind, LaneSet, Scenario};
use dialog::Dialog;
use documents::Documents;
use finder::Finder;
use gpus::KnownGpus;
use progress::BackgroundProgress;
use recordings::Recordings;
use run_view::RunView;
use sentence::Sentence;
use settings::{RunOn, Settings};

/// What is said in the banner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::window) enum Banner {
    /// Something went wrong.
    Failure(Sentence),
    /// A GPU did not do what was asked. A recording may stand in.
    GpuFailure(Sentence),
    /// A file was written.
    Written(PathBuf),
    /// What was edited there was discarded, and can still be had back.
    Discarded(Place),
}

/// All of it, in parts that own their fields.
#[derive(Debug)]
pub(in crate::window) struct WindowState {
    /// The open scenario, and those before.
    pub(in crate::window) documents: Documents,
    /// The recording or trace that is shown in place of the open scenario.
    pub(in crate::window) viewed: Option<PathBuf>,
    /// The run that is shown, and what of it is seen.
    pub(in crate::window) shown: RunView,
    /// How far the runs in the background have come.
    pub(in crate::window) progress: BackgroundProgress,
    /// The GPUs there are.
    pub(in crate::window) gpus: KnownGpus,
    /// Recordings that can be shown.
    pub(in crate::window) recordings: Recordings,
    /// Profiles that can be chosen.
    pub(in crate::window) profiles: Vec<Arc<Profile>>,
    /// The chosen one.
    pub(in crate::window) profile: usize,
    /// Language, appearance, projector.
    pub(in crate::window) settings: Settings,
    /// What went wrong, or was done.
    pub(in crate::window) banner: Option<Banner>,
    /// The open dialog.
    pub(in crate::window) dialog: Option<Dialog>,
    /// The list of everything that can be done, where it is open.
    pub(in crate::window) finder: Option<Finder>,
    /// Whether the sheet of keys is shown.
    pub(in crate::window) keys_shown: bool,
    /// Whether the captured graph stands in place of the numbers, where there is one.
    pub(in crate::window) graph_shown: bool,
}

impl WindowState {
    /// The open scenario.
    pub(in crate::window) fn document(&self) -> &Document {
        &self.documents.open
    }

    /// What the shown picture is of: the open scenario, or what a viewed recording ran; a trace ran none that is known.
    fn pictured(&self) -> Option<&Scenario> {
        match self.viewed {
            None => Some(self.document().scenario()),
            Some(_) => self.shown.run.as_ref()?.recording.scenario.as_ref(),
        }
    }

    /// The lanes that are folded to a strip.
    pub(in crate::window) fn folded(&self) -> LaneSet {
        self.settings.folded(self.pictured())
    }

    /// Folds lanes that are open, and opens those that are folded.
    pub(in crate::window) fn fold(&mut self, kind: LaneKind) {
        let is_folded = self.folded().contains(kind);
        let name = self.pictured().map_or_else(String::new, |scenario| scenario.name.clone());
        self.settings.folded.entry(name).or_default().insert(kind, !is_folded);
    }

    /// The GPU that is chosen, if it is there.
    pub(in crate::window) fn gpu(&self) -> Option<&DeviceInfo> {
        match self.settings.run_on {
            RunOn::Gpu(index) => self.gpus.device(index),
            RunOn::Model | RunOn::Recording => None,
        }
    }

    /// Whether there is a recording of what is open, with its knobs as they are.
    pub(in crate::window) fn is_recorded(&self) -> bool {
        self.recordings.settings.contains(self.document().knobs())
    }

    /// Sees what recordings there are of what is open.
    pub(in crate::window) fn look_up(&mut self) {
        self.recordings.look_up(self.documents.open.scenario());
    }

    /// What can be chosen now to run the open scenario.
    pub(in crate::window) fn targets(&self) -> Vec<RunOn> {
        let recording = self.is_recorded().then_some(RunOn::Recording);
        let gpus = self.gpus.devices().iter().map(|device| RunOn::Gpu(device.index));
        std::iter::once(RunOn::Model).chain(recording).chain(gpus).collect()
    }
}
