//! What the window knows. Widgets read it and send actions; only [`super::apply`] changes it.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::captured::BoxId;
use super::dialog::Dialog;
use super::gpus::Found;
use super::judged::{Judged, Judging};
use super::run::Run;
use super::settings::{Settings, Target};
use crate::document::{Document, Origin, Place};
use crate::drawing::{Hit, View, ViewHistory};
use crate::gpu::DeviceInfo;
use crate::profile::Profile;
use crate::recording::Library;
use crate::scenario::Knobs;
use crate::time::{Interval, Ns};

/// What is said in the banner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Banner {
    /// Something went wrong; the sentence is English.
    Failure(String),
    /// A GPU did not do what was asked; the sentence is English. A recording may stand in.
    GpuFailure(String),
    /// A file was written.
    Written(PathBuf),
    /// What was edited there was discarded, and can still be had back.
    Discarded(Place),
}

/// What is seen of the run.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    /// The part of the time, and those before.
    pub(super) views: ViewHistory,
    /// Whether all is seen, so that a new run is fitted again.
    pub(super) follows: bool,
    /// What is selected.
    pub(super) selection: Option<Hit>,
    /// What the pointer is on.
    pub(super) hovered: Option<Hit>,
    /// The hazard that is selected in place of a span, by its number in the list.
    pub(super) hazard: Option<usize>,
    /// Which of the captured graphs is shown; without a choice, the first that is replayed.
    pub(super) graph: Option<usize>,
    /// The box of it that the pointer is on.
    pub(super) node: Option<BoxId>,
    /// The hazard whose card the pointer is on.
    pub(super) hovered_hazard: Option<usize>,
}

/// All of it.
#[derive(Debug)]
pub(super) struct State {
    /// The open scenario.
    pub(super) document: Document,
    /// The recording or trace that is shown in its place.
    pub(super) viewed: Option<PathBuf>,
    /// The settings of it of which there is a recording.
    pub(super) recorded: Vec<Knobs>,
    /// The last run that succeeded; it stays until there is another.
    pub(super) run: Option<Arc<Run>>,
    /// Whether its program keeps in order what has to be, as far as that is known.
    pub(super) judging: Judging,
    /// Counts the runs, so that a layout can be kept for one.
    pub(super) run_number: u64,
    /// Which part of the model's run in the background is done, 0–1.
    pub(super) progress: Option<f32>,
    /// Which part of the GPU's run is done, 0–1.
    pub(super) gpu_progress: Option<f32>,
    /// The GPUs there are.
    pub(super) gpus: Found,
    /// Recordings that can be shown.
    pub(super) library: Arc<Library>,
    /// What is seen of the run.
    pub(super) sight: Sight,
    /// Profiles that can be chosen.
    pub(super) profiles: Vec<Arc<Profile>>,
    /// The chosen one.
    pub(super) profile: usize,
    /// Language, appearance, projector.
    pub(super) settings: Settings,
    /// What went wrong, or was done.
    pub(super) banner: Option<Banner>,
    /// The open dialog.
    pub(super) dialog: Option<Dialog>,
    /// Whether the sheet of keys is shown.
    pub(super) keys_shown: bool,
    /// Whether the captured graph stands in place of the numbers, where there is one.
    pub(super) graph_shown: bool,
    /// Files that were opened in this session.
    pub(super) files: Vec<PathBuf>,
    /// Scenarios that were open before: their knob values, and those that were edited whole.
    pub(super) remembered: HashMap<Place, Document>,
    /// What was discarded last.
    pub(super) discarded: Option<Document>,
}

impl State {
    /// The GPU that is chosen, if it is there.
    pub(super) fn gpu(&self) -> Option<&DeviceInfo> {
        match self.settings.run_on {
            Target::Gpu(index) => self.gpus.device(index),
            Target::Model | Target::Recording => None,
        }
    }

    /// Sees what there is of the open scenario in the library.
    pub(super) fn look_up(&mut self) {
        let scenario = self.document.scenario();
        let settings = scenario.compared_settings().into_iter();
        self.recorded = settings.filter(|knobs| self.library.has(scenario, knobs)).collect();
    }

    /// Whether there is a recording of what is open, with its knobs as they are.
    pub(super) fn is_recorded(&self) -> bool {
        self.recorded.contains(self.document.knobs())
    }

    /// The verdict on the run that is shown, once it is known.
    pub(super) fn judged(&self) -> Option<&Judged> {
        match &self.judging {
            Judging::Done(judged) => Some(judged),
            Judging::Nothing | Judging::Pending | Judging::Stopped => None,
        }
    }

    /// What can be chosen now to run the open scenario.
    pub(super) fn targets(&self) -> Vec<Target> {
        let recording = self.is_recorded().then_some(Target::Recording);
        let gpus = self.gpus.devices().iter().map(|device| Target::Gpu(device.index));
        std::iter::once(Target::Model).chain(recording).chain(gpus).collect()
    }

    /// The edited copies that have not been saved, in the order of their names.
    pub(super) fn copies(&self) -> Vec<Place> {
        let all = self.remembered.keys().chain([self.document.place()]);
        let copies = all.filter_map(|place| match place {
            Place::Copy { of, number } => Some((of.clone(), *number)),
            Place::Preset(_) | Place::File(_) => None,
        });
        let copies: BTreeSet<_> = copies.collect();
        copies.into_iter().map(|(of, number)| Place::Copy { of, number }).collect()
    }

    /// A place for another copy.
    pub(super) fn free_copy(&self, of: &Origin) -> Place {
        let numbered = |number| Place::Copy { of: of.clone(), number };
        let taken = |place: &Place| self.remembered.contains_key(place) || self.document.place() == place;
        (1..u32::MAX).map(numbered).find(|place| !taken(place)).unwrap_or(numbered(u32::MAX))
    }
}

impl Sight {
    /// Sees all of `extent`.
    pub(super) fn fit(extent: Interval) -> Self {
        Self {
            views: ViewHistory::new(View::fit(extent)),
            follows: true,
            selection: None,
            hovered: None,
            graph: None,
            node: None,
            hazard: None,
            hovered_hazard: None,
        }
    }

    /// What to see of a new run: all, unless somebody has looked closer.
    pub(super) fn meet(&mut self, extent: Interval) {
        self.selection = None;
        self.hovered = None;
        self.graph = None;
        self.node = None;
        self.hazard = None;
        self.hovered_hazard = None;
        if self.follows {
            self.views = ViewHistory::new(View::fit(extent));
        }
    }
}

impl Default for Sight {
    fn default() -> Self {
        Self::fit(Interval::new(Ns::ZERO, Ns::from_us(100.0)))
    }
}
