//! What each action does to the state: the one place where it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use egui::Context;

use super::command::{Action, Command};
use super::dialog::{Dialog, Purpose};
use super::edits::Edits;
use super::gpus::{Found, GpuThread, Question};
use super::picture;
use super::run::{self, Job, News};
use super::settings::Target;
use super::state::{Banner, Document, Origin, Place, State};
use super::thread::Thread;
use super::travel;
use crate::drawing::ViewHistory;
use crate::scenario::{self, Knobs, LoadError, Scenario};
use crate::text::Lang;

/// What an action needs besides the state.
pub(super) struct Tools<'a> {
    pub(super) ctx: &'a Context,
    /// None when the thread could not be started.
    pub(super) model: Option<&'a mut ModelThread>,
    /// None when nobody asks for GPUs, or the thread could not be started.
    pub(super) gpus: Option<&'a mut GpuThread>,
    /// How long a frame waits for the model.
    pub(super) patience: Duration,
    /// Takes what is said later, when a screenshot has been written.
    pub(super) notices: &'a Sender<Banner>,
    /// Whether the thread of the model has died.
    pub(super) lost: bool,
    /// Whether the thread of the GPUs has died.
    pub(super) gpus_lost: bool,
}

/// The thread that runs the model, and reads recordings.
pub(super) type ModelThread = Thread<Job, News>;

impl State {
    /// Does what `action` asks for.
    pub(super) fn apply(&mut self, action: Action, tools: &mut Tools<'_>) {
        match action {
            Action::Do(command) => self.command(command, tools),
            Action::OpenPreset(name) => _ = self.open(Place::Preset(name), tools),
            Action::OpenFile(path) => _ = self.open(Place::File(path), tools),
            Action::SetKnob(id, value) => {
                let before = self.document.knobs.0.get(&id).cloned();
                match self.document.knobs.set(&self.document.scenario.knobs, &id, value) {
                    Ok(()) if self.document.knobs.0.get(&id) == before.as_ref() => {}
                    Ok(()) => self.start(tools),
                    Err(error) => self.fail(&error),
                }
            }
            Action::UseProfile(index) => {
                if index != self.profile && index < self.profiles.len() {
                    self.profile = index;
                    self.start(tools);
                }
            }
            Action::RunOn(target) => self.run_on(target, tools),
            Action::See(view, change) => self.see(view, change),
            Action::EndGesture => self.sight.views.end_gesture(),
            Action::Select(hit) => self.select(hit),
            Action::ShowGraph(number) => self.sight.graph = Some(number),
            Action::HoverNode(node) => self.sight.node = node,
            Action::SelectNode(node) => self.select_node(node),
            Action::Hover(hit) => self.sight.hovered = hit,
            Action::SelectHazard(number) => self.select_hazard(number),
            Action::HoverHazard(number) => self.sight.hovered_hazard = number,
            Action::Fix(number) => self.fix(number, tools),
            Action::Reopen(place) => _ = self.open(place, tools),
            Action::Discard(place) => self.discard(&place, tools),
            Action::TakeBack => self.take_back(tools),
            Action::Submit => self.submit(tools),
            Action::CloseDialog => self.dialog = None,
            Action::CloseBanner => self.banner = None,
        }
    }

    fn command(&mut self, command: Command, tools: &mut Tools<'_>) {
        match command {
            Command::Open => self.ask(Purpose::Open, String::new()),
            Command::Save => {
                let path = match &self.document.place {
                    Place::File(path) => path.display().to_string(),
                    Place::Preset(name) => format!("{name}.json"),
                    Place::Copy { of: Origin::Preset(name), .. } => format!("{name}-edited.json"),
                    Place::Copy { of: Origin::File(path), .. } => path.display().to_string(),
                };
                self.ask(Purpose::Save, path);
            }
            Command::Export => self.ask(Purpose::Export, format!("{}.svg", self.document.scenario.name)),
            Command::Screenshot => self.ask(Purpose::Screenshot, format!("{}-window.png", self.document.scenario.name)),
            Command::NextPreset => self.turn(1, tools),
            Command::PreviousPreset => self.turn(-1, tools),
            Command::ResetKnobs => {
                let defaults = Knobs::defaults(&self.document.scenario.knobs);
                if self.document.knobs != defaults {
                    self.document.knobs = defaults;
                    self.start(tools);
                }
            }
            Command::NextTarget => {
                let targets = self.targets();
                let here = targets.iter().position(|target| *target == self.settings.run_on).map_or(0, |at| at + 1);
                if let Some(next) = targets.get(here).or(targets.first()) {
                    self.run_on(*next, tools);
                }
            }
            Command::Cancel => self.cancel(tools),
            Command::Fit => self.fit(),
            Command::ZoomIn => self.zoom(1.25),
            Command::ZoomOut => self.zoom(0.8),
            Command::PanLeft => self.pan(-0.1),
            Command::PanRight => self.pan(0.1),
            Command::UndoView => self.travel_views(ViewHistory::undo),
            Command::RedoView => self.travel_views(ViewHistory::redo),
            Command::PreviousSpan => self.travel(travel::neighbour, -1),
            Command::NextSpan => self.travel(travel::neighbour, 1),
            Command::ToLaunch => self.travel(travel::along_link, -1),
            Command::ToExecution => self.travel(travel::along_link, 1),
            Command::NextHazard => self.next_hazard(),
            Command::Fix => self.fix_one(tools),
            Command::UndoEdit => self.travel_edits(Edits::undo, tools),
            Command::RedoEdit => self.travel_edits(Edits::redo, tools),
            Command::Graph => {
                self.graph_shown = !self.graph_shown;
                self.sight.node = None;
            }
            Command::Clear => self.clear(),
            Command::Projector => {
                self.settings.projector = !self.settings.projector;
                // Its card is not there any more, and cannot say that the pointer has left it.
                self.sight.hovered_hazard = None;
            }
            Command::Language => {
                self.settings.lang = match self.settings.lang {
                    Lang::En => Lang::Zh,
                    Lang::Zh => Lang::En,
                }
            }
            Command::Appearance => self.settings.dark = !self.settings.dark,
            Command::Keys => self.keys_shown = !self.keys_shown,
        }
    }

    fn fail(&mut self, error: &dyn std::error::Error) {
        self.banner = Some(Banner::Failure(error.to_string()));
    }

    fn ask(&mut self, purpose: Purpose, path: String) {
        self.dialog = Some(Dialog::new(purpose, path));
    }

    fn clear(&mut self) {
        if self.keys_shown {
            self.keys_shown = false;
        } else if self.sight.selection.is_some() {
            self.sight.selection = None;
        } else if self.sight.hazard.is_some() {
            self.sight.hazard = None;
        } else {
            self.banner = None;
        }
    }

    /// Opens the preset that stands `by` places further in the course.
    fn turn(&mut self, by: isize, tools: &mut Tools<'_>) {
        let presets = scenario::presets();
        let here = presets.iter().position(|preset| self.document.place.preset() == Some(preset.name));
        let there = match here {
            Some(here) => here.saturating_add_signed(by),
            None => 0,
        };
        if let Some(preset) = presets.get(there).filter(|_| here != Some(there)) {
            self.open(Place::Preset(preset.name), tools);
        }
    }

    /// Opens a scenario, with what was edited in it during this session; when that fails, what was open stays, and the answer
    /// is `false`.
    pub(super) fn open(&mut self, place: Place, tools: &mut Tools<'_>) -> bool {
        if place == self.document.place && self.document.is_edited() {
            return true;
        }
        let edited = self.remembered.get(&place).filter(|document| document.is_edited()).cloned();
        let opened = match edited {
            Some(document) => Ok(document),
            None => load(&place).map(|scenario| Document::new(place.clone(), scenario, &self.library)),
        };
        match opened {
            Err(error) => {
                self.fail(&error);
                false
            }
            Ok(opened) => {
                self.banner = None;
                self.replace(place, opened);
                self.start(tools);
                true
            }
        }
    }

    fn replace(&mut self, place: Place, opened: Document) {
        let left = std::mem::replace(&mut self.document, opened);
        // A copy that is as the preset again is none.
        if left.is_edited() || !matches!(left.place, Place::Copy { .. }) {
            self.remembered.insert(left.place.clone(), left);
        } else {
            self.remembered.remove(&left.place);
        }
        // A file may have changed since: values that no longer fit are left at their defaults.
        for (id, value) in self.remembered.get(&place).into_iter().flat_map(|known| &known.knobs.0) {
            let _unfit = self.document.knobs.set(&self.document.scenario.knobs, id, value.clone());
        }
        self.settings.last = Some(place.to_string());
        if let Place::File(path) = place {
            self.list(path);
        }
        self.sight.follows = true;
    }

    fn run_on(&mut self, target: Target, tools: &mut Tools<'_>) {
        if target != self.settings.run_on && self.targets().contains(&target) {
            self.settings.run_on = target;
            self.start(tools);
        }
    }

    /// Runs the scenario with its knobs as they are, and waits for it as long as a frame may take. The model answers, unless
    /// a recording is wanted and there is one; a GPU that is chosen answers later.
    pub(super) fn start(&mut self, tools: &mut Tools<'_>) {
        let Some(profile) = self.profiles.get(self.profile) else { return };
        let shows_recording = self.settings.run_on == Target::Recording && self.document.is_recorded();
        let job = Job {
            scenario: Arc::clone(&self.document.scenario),
            knobs: self.document.knobs.clone(),
            profile: Arc::clone(profile),
            recorded: shows_recording.then(|| Arc::clone(&self.library)),
        };
        self.start_gpu(&job, tools);
        match &mut tools.model {
            Some(model) => {
                model.submit(job);
                self.stop_judging();
                self.progress = Some(0.0);
                self.listen(tools);
            }
            None => run::carry_out(&job, &mut |_| true, &mut |news| self.hear(news, tools)),
        }
    }

    /// Lets the chosen GPU run the job, or gives up on what one runs now.
    fn start_gpu(&mut self, job: &Job, tools: &mut Tools<'_>) {
        if matches!(self.banner, Some(Banner::GpuFailure(_))) {
            self.banner = None;
        }
        let device = self.gpu().map(|device| device.index);
        match (device, &mut tools.gpus) {
            (Some(device), Some(gpus)) => {
                gpus.submit(Question::Run(job.clone(), device));
                self.gpu_progress = Some(0.0);
            }
            _ => self.cancel_gpu(tools),
        }
    }

    fn cancel(&mut self, tools: &mut Tools<'_>) {
        self.cancel_model(tools);
        self.cancel_gpu(tools);
    }

    pub(super) fn cancel_model(&mut self, tools: &mut Tools<'_>) {
        if let Some(model) = &mut tools.model {
            model.cancel();
        }
        self.progress = None;
        self.stop_judging();
    }

    pub(super) fn cancel_gpu(&mut self, tools: &mut Tools<'_>) {
        if self.gpu_progress.take().is_some()
            && let Some(gpus) = &mut tools.gpus
        {
            gpus.cancel();
        }
    }

    /// Looks for GPUs.
    pub(super) fn ask_for_gpus(&mut self, tools: &mut Tools<'_>) {
        if let Some(gpus) = &mut tools.gpus {
            gpus.submit(Question::Devices);
            self.gpus = Found::Asked;
        }
    }

    /// Carries out what the dialog asks for. It stays open when that fails.
    fn submit(&mut self, tools: &mut Tools<'_>) {
        let Some(dialog) = self.dialog.take() else { return };
        let Some(path) = dialog.target() else { return };
        let written = match dialog.purpose {
            Purpose::Open => {
                self.open(Place::File(path), tools);
                return;
            }
            Purpose::Screenshot => return picture::screenshot(tools.ctx, path, tools.notices.clone()),
            Purpose::Save => scenario::save(&self.document.scenario, &path).map_err(|error| error.to_string()),
            Purpose::Export => picture::export(self, &dialog, &path),
        };
        match written {
            Err(sentence) => {
                self.banner = Some(Banner::Failure(sentence));
                self.dialog = Some(Dialog { focused: false, ..dialog });
            }
            Ok(()) => {
                if dialog.purpose == Purpose::Save {
                    self.settle(&path);
                }
                self.banner = Some(Banner::Written(path));
            }
        }
    }

    fn list(&mut self, path: PathBuf) {
        if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    /// The open scenario is that file from now on.
    fn settle(&mut self, path: &Path) {
        self.settings.last = Some(path.display().to_string());
        self.list(path.to_owned());
        let place = Place::File(path.to_owned());
        // What was edited in the file that this one has taken the place of is not lost with it.
        if self.document.place != place
            && let Some(other) = self.remembered.remove(&place).filter(Document::is_edited)
        {
            let place = self.free_copy(&Origin::File(path.to_owned()));
            self.remembered.insert(place.clone(), Document { place, ..other });
        }
        if matches!(self.document.place, Place::Copy { .. }) {
            self.remembered.remove(&self.document.place);
        }
        self.document.place = place;
        self.document.edits.keep(&self.document.scenario);
    }
}

/// Reads a scenario.
pub(super) fn load(place: &Place) -> Result<Scenario, LoadError> {
    match place {
        Place::Copy { of, .. } => load(&of.place()),
        Place::File(path) => scenario::open(path),
        Place::Preset(name) => scenario::load(&format!("{name}.json"), scenario::preset(name).map_or("", |it| it.text)),
    }
}
