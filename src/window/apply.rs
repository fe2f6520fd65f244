//! What each action does to the state: the one place where it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use egui::Context;

use super::command::{Action, Command};
use super::dialog::{Dialog, Purpose};
use super::gpus::{Found, GpuThread, Question};
use super::picture;
use super::run::{self, Job, News, Request};
use super::settings::Target;
use super::state::{Banner, State};
use super::thread::Thread;
use super::travel;
use super::viewing;
use crate::document::{Document, Origin, Place};
use crate::drawing::ViewHistory;
use crate::file::WriteError;
use crate::scenario::{self, LoadError};
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
pub(super) type ModelThread = Thread<Request, News>;

impl State {
    /// Does what `action` asks for.
    pub(super) fn apply(&mut self, action: Action, tools: &mut Tools<'_>) {
        match action {
            Action::Do(command) => self.command(command, tools),
            Action::OpenPreset(name) => _ = self.open(Place::Preset(name), tools),
            Action::OpenFile(path) => _ = self.open(Place::File(path), tools),
            Action::SetKnob(id, value) => match self.document.set_knob(&id, value) {
                Ok(false) => {}
                Ok(true) => self.start(tools),
                Err(error) => self.fail(&error),
            },
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
                let path = match self.document.place() {
                    Place::File(path) => path.display().to_string(),
                    Place::Preset(name) => format!("{name}.json"),
                    Place::Copy { of: Origin::Preset(name), .. } => format!("{name}-edited.json"),
                    Place::Copy { of: Origin::File(path), .. } => path.display().to_string(),
                };
                self.ask(Purpose::Save, path);
            }
            Command::Export => self.ask(Purpose::Export, format!("{}.svg", self.document.scenario().name)),
            Command::Screenshot => {
                self.ask(Purpose::Screenshot, format!("{}-window.png", self.document.scenario().name));
            }
            Command::NextPreset => self.turn(1, tools),
            Command::PreviousPreset => self.turn(-1, tools),
            Command::ResetKnobs => {
                if self.document.reset_knobs() {
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
            Command::UndoEdit => self.travel_history(Document::undo, tools),
            Command::RedoEdit => self.travel_history(Document::redo, tools),
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

    pub(super) fn fail(&mut self, error: &dyn std::error::Error) {
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
        let here = presets.iter().position(|preset| self.document.place().preset() == Some(preset.name));
        let there = match here {
            Some(here) => here.saturating_add_signed(by),
            None => 0,
        };
        if let Some(preset) = presets.get(there).filter(|_| here != Some(there)) {
            self.open(Place::Preset(preset.name), tools);
        }
    }

    /// Opens a scenario as [`Self::try_open`] does, and says in the banner when that fails; the answer is then `false`.
    pub(super) fn open(&mut self, place: Place, tools: &mut Tools<'_>) -> bool {
        match self.try_open(place, tools) {
            Ok(()) => true,
            Err(error) => {
                self.fail(&error);
                false
            }
        }
    }

    /// Opens a scenario, with what was edited in it during this session; when that fails, what was open stays.
    fn try_open(&mut self, place: Place, tools: &mut Tools<'_>) -> Result<(), LoadError> {
        if let Place::File(path) = &place
            && viewing::kind(path) != viewing::Kind::Scenario
        {
            self.view(path.clone(), tools);
            return Ok(());
        }
        if self.viewed.is_none() && place == *self.document.place() && self.document.is_edited() {
            return Ok(());
        }
        let edited = self.remembered.get(&place).filter(|document| document.is_edited()).cloned();
        let opened = edited.map_or_else(|| Document::open(place.clone()), Ok)?;
        self.banner = None;
        self.replace(place, opened);
        self.look_up();
        self.start(tools);
        Ok(())
    }

    fn replace(&mut self, place: Place, opened: Document) {
        let left = std::mem::replace(&mut self.document, opened);
        // A copy that is as its preset or file again is discarded.
        if left.is_edited() || !matches!(left.place(), Place::Copy { .. }) {
            self.remembered.insert(left.place().clone(), left);
        } else {
            self.remembered.remove(left.place());
        }
        if let Some(known) = self.remembered.get(&place) {
            self.document.adopt_knobs(known.knobs());
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
        let shows_recording = self.settings.run_on == Target::Recording && self.is_recorded();
        let job = Job {
            scenario: Arc::clone(self.document.scenario()),
            knobs: self.document.knobs().clone(),
            profile: Arc::clone(profile),
            recorded: shows_recording.then(|| Arc::clone(&self.library)),
        };
        self.viewed = None;
        self.start_gpu(&job, tools);
        self.submit_to_model(Request::Run(job), tools);
    }

    /// Asks the thread of the model, or does it here where there is none.
    pub(super) fn submit_to_model(&mut self, request: Request, tools: &mut Tools<'_>) {
        match &mut tools.model {
            Some(model) => {
                model.submit(request);
                self.stop_judging();
                self.progress = Some(0.0);
                self.listen(tools);
            }
            None => run::carry_out(&request, &mut |_| true, &mut |news| self.hear(news, tools)),
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

    /// Carries out what the dialog asks for. It stays open, and says why, when that fails; it asks before another file than
    /// the open one is replaced.
    fn submit(&mut self, tools: &mut Tools<'_>) {
        let Some(mut dialog) = self.dialog.take() else { return };
        let Some(path) = dialog.target() else {
            self.dialog = Some(dialog);
            return;
        };
        let is_own = dialog.purpose == Purpose::Save && *self.document.place() == Place::File(path.clone());
        if !is_own && dialog.has_to_ask(&path) {
            dialog.ask_to_replace(path);
            self.dialog = Some(dialog);
        } else if let Err(sentence) = self.carry_out(&dialog, path, tools) {
            dialog.fail(sentence);
            self.dialog = Some(dialog);
        }
    }

    /// What a dialog asks for; a sentence when that fails.
    fn carry_out(&mut self, dialog: &Dialog, path: PathBuf, tools: &mut Tools<'_>) -> Result<(), String> {
        match dialog.purpose {
            Purpose::Open => return self.try_open(Place::File(path), tools).map_err(|error| error.to_string()),
            Purpose::Screenshot => return picture::screenshot(tools.ctx, path, tools.notices.clone()),
            Purpose::Save => self.save(&path).map_err(|error| error.to_string())?,
            Purpose::Export => picture::export(self, dialog, &path)?,
        }
        self.banner = Some(Banner::Written(path));
        Ok(())
    }

    pub(super) fn list(&mut self, path: PathBuf) {
        if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    /// Writes the open scenario, which is that file from now on.
    fn save(&mut self, path: &Path) -> Result<(), WriteError> {
        let before = self.document.place().clone();
        self.document.save(path)?;
        self.settings.last = Some(path.display().to_string());
        self.list(path.to_owned());
        let place = Place::File(path.to_owned());
        // What was edited in the file that this one has taken the place of is not lost with it.
        if before != place
            && let Some(mut other) = self.remembered.remove(&place).filter(Document::is_edited)
        {
            other.move_to(self.free_copy(&Origin::File(path.to_owned())));
            self.remembered.insert(other.place().clone(), other);
        }
        if matches!(before, Place::Copy { .. }) {
            self.remembered.remove(&before);
        }
        Ok(())
    }
}
