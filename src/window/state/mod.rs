//! What the window knows. Widgets read it and send actions; only [`super::actions`] changes it.

pub(in crate::window) mod dialog;
pub(in crate::window) mod gpus;
pub(in crate::window) mod settings;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use crate::document::{Document, Origin, Place};
use crate::drawing::{Hit, View, ViewHistory};
use crate::gpu::DeviceInfo;
use crate::profile::Profile;
use crate::recording::Library;
use crate::scenario::Knobs;
use crate::time::{Interval, Ns};
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::captured_graphs::BoxId;
use crate::window::shown_run::verdict::{Judged, Judging};
use dialog::Dialog;
use gpus::KnownGpus;
use settings::{Settings, Target};

/// What is said in the banner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::window) enum Banner {
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
pub(in crate::window) struct Sight {
    /// The part of the time, and those before.
    pub(in crate::window) views: ViewHistory,
    /// Whether all is seen, so that a new run is fitted again.
    pub(in crate::window) follows: bool,
    /// What is selected.
    pub(in crate::window) selection: Option<Hit>,
    /// What the pointer is on.
    pub(in crate::window) hovered: Option<Hit>,
    /// The hazard that is selected in place of a span, by its number in the list.
    pub(in crate::window) hazard: Option<usize>,
    /// Which of the captured graphs is shown; without a choice, the first that is replayed.
    pub(in crate::window) graph: Option<usize>,
    /// The box of it that the pointer is on.
    pub(in crate::window) node: Option<BoxId>,
    /// The hazard whose card the pointer is on.
    pub(in crate::window) hovered_hazard: Option<usize>,
}

/// All of it.
#[derive(Debug)]
pub(in crate::window) struct State {
    /// The open scenario.
    pub(in crate::window) document: Document,
    /// The recording or trace that is shown in its place.
    pub(in crate::window) viewed: Option<PathBuf>,
    /// The settings of it of which there is a recording.
    pub(in crate::window) recorded: Vec<Knobs>,
    /// The last run that succeeded; it stays until there is another.
    pub(in crate::window) run: Option<Arc<ShownRun>>,
    /// Whether its program keeps in order what has to be, as far as that is known.
    pub(in crate::window) judging: Judging,
    /// Counts the runs, so that a layout can be kept for one.
    pub(in crate::window) run_number: u64,
    /// Which part of the model's run in the background is done, 0–1.
    pub(in crate::window) progress: Option<f32>,
    /// Which part of the GPU's run is done, 0–1.
    pub(in crate::window) gpu_progress: Option<f32>,
    /// The GPUs there are.
    pub(in crate::window) gpus: KnownGpus,
    /// Recordings that can be shown.
    pub(in crate::window) library: Arc<Library>,
    /// What is seen of the run.
    pub(in crate::window) sight: Sight,
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
    /// Whether the sheet of keys is shown.
    pub(in crate::window) keys_shown: bool,
    /// Whether the captured graph stands in place of the numbers, where there is one.
    pub(in crate::window) graph_shown: bool,
    /// Files that were opened in this session.
    pub(in crate::window) files: Vec<PathBuf>,
    /// Scenarios that were open before: their knob values, and those that were edited whole.
    pub(in crate::window) remembered: HashMap<Place, Document>,
    /// What was discarded last.
    pub(in crate::window) discarded: Option<Document>,
}

impl State {
    /// The GPU that is chosen, if it is there.
    pub(in crate::window) fn gpu(&self) -> Option<&DeviceInfo> {
        match self.settings.run_on {
            Target::Gpu(index) => self.gpus.device(index),
            Target::Model | Target::Recording => None,
        }
    }

    /// Sees what there is of the open scenario in the library.
    pub(in crate::window) fn look_up(&mut self) {
        let scenario = self.document.scenario();
        let settings = scenario.compared_settings().into_iter();
        self.recorded = settings.filter(|knobs| self.library.has(scenario, knobs)).collect();
    }

    /// Whether there is a recording of what is open, with its knobs as they are.
    pub(in crate::window) fn is_recorded(&self) -> bool {
        self.recorded.contains(self.document.knobs())
    }

    /// The verdict on the run that is shown, once it is known.
    pub(in crate::window) fn judged(&self) -> Option<&Judged> {
        match &self.judging {
            Judging::Done(judged) => Some(judged),
            Judging::Nothing | Judging::Pending | Judging::Stopped => None,
        }
    }

    /// What can be chosen now to run the open scenario.
    pub(in crate::window) fn targets(&self) -> Vec<Target> {
        let recording = self.is_recorded().then_some(Target::Recording);
        let gpus = self.gpus.devices().iter().map(|device| Target::Gpu(device.index));
        std::iter::once(Target::Model).chain(recording).chain(gpus).collect()
    }

    /// The edited copies that have not been saved, in the order of their names.
    pub(in crate::window) fn copies(&self) -> Vec<Place> {
        let all = self.remembered.keys().chain([self.document.place()]);
        let copies = all.filter_map(|place| match place {
            Place::Copy { of, number } => Some((of.clone(), *number)),
            Place::Preset(_) | Place::File(_) => None,
        });
        let copies: BTreeSet<_> = copies.collect();
        copies.into_iter().map(|(of, number)| Place::Copy { of, number }).collect()
    }

    /// A place for another copy.
    pub(in crate::window) fn free_copy(&self, of: &Origin) -> Place {
        let numbered = |number| Place::Copy { of: of.clone(), number };
        let taken = |place: &Place| self.remembered.contains_key(place) || self.document.place() == place;
        (1..u32::MAX).map(numbered).find(|place| !taken(place)).unwrap_or(numbered(u32::MAX))
    }
}

impl Sight {
    /// Sees all of `extent`.
    pub(in crate::window) fn fit(extent: Interval) -> Self {
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
    pub(in crate::window) fn meet(&mut self, extent: Interval) {
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
