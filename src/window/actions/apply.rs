//! What each action does to the state.

use super::tools::Tools;
use super::{Action, Command};
use crate::document::{Document, Origin, Place};
use crate::drawing::ViewHistory;
use crate::text::Lang;
use crate::window::shown_run::neighbours;
use crate::window::state::dialog::{Dialog, Purpose};
use crate::window::state::{Banner, State};

impl State {
    /// Does what `action` asks for.
    pub(in crate::window) fn apply(&mut self, action: Action, tools: &mut Tools<'_>) {
        match action {
            Action::Do(command) => self.command(command, tools),
            Action::OpenPreset(name) => _ = self.open(Place::Preset(name), tools),
            Action::OpenFile(path) => _ = self.open(Place::File(path), tools),
            Action::SetKnob(id, value) => match self.documents.open.set_knob(&id, value) {
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
            Action::See(view, change) => self.shown.see(view, change),
            Action::EndGesture => self.shown.views.end_gesture(),
            Action::Select(hit) => self.shown.select(hit),
            Action::ShowGraph(number) => self.shown.graph = Some(number),
            Action::HoverBox(graph_box) => self.shown.graph_box = graph_box,
            Action::SelectBox(graph_box) => self.shown.select_box(graph_box),
            Action::Hover(hit) => self.shown.hovered = hit,
            Action::SelectHazard(number) => self.shown.select_hazard(number),
            Action::HoverHazard(number) => self.shown.hovered_hazard = number,
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
                let path = match self.document().place() {
                    Place::File(path) => path.display().to_string(),
                    Place::Preset(name) => format!("{name}.json"),
                    Place::Copy { of: Origin::Preset(name), .. } => format!("{name}-edited.json"),
                    Place::Copy { of: Origin::File(path), .. } => path.display().to_string(),
                };
                self.ask(Purpose::Save, path);
            }
            Command::Export => self.ask(Purpose::Export, format!("{}.svg", self.document().scenario().name)),
            Command::Screenshot => {
                self.ask(Purpose::Screenshot, format!("{}-window.png", self.document().scenario().name));
            }
            Command::NextPreset => self.turn(1, tools),
            Command::PreviousPreset => self.turn(-1, tools),
            Command::ResetKnobs => {
                if self.documents.open.reset_knobs() {
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
            Command::Fit => self.shown.fit(),
            Command::ZoomIn => self.shown.zoom(1.25),
            Command::ZoomOut => self.shown.zoom(0.8),
            Command::PanLeft => self.shown.pan(-0.1),
            Command::PanRight => self.shown.pan(0.1),
            Command::UndoView => self.shown.travel_views(ViewHistory::undo),
            Command::RedoView => self.shown.travel_views(ViewHistory::redo),
            Command::PreviousSpan => self.shown.travel(neighbours::neighbour, -1),
            Command::NextSpan => self.shown.travel(neighbours::neighbour, 1),
            Command::ToLaunch => self.shown.travel(neighbours::along_link, -1),
            Command::ToExecution => self.shown.travel(neighbours::along_link, 1),
            Command::NextHazard => self.shown.next_hazard(),
            Command::Fix => self.fix_one(tools),
            Command::Undo => self.travel_history(Document::undo, tools),
            Command::Redo => self.travel_history(Document::redo, tools),
            Command::Graph => {
                self.graph_shown = !self.graph_shown;
                self.shown.graph_box = None;
            }
            Command::Clear => self.clear(),
            Command::Projector => {
                self.settings.projector = !self.settings.projector;
                // Its card is not there any more, and cannot say that the pointer has left it.
                self.shown.hovered_hazard = None;
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

    pub(in crate::window) fn fail(&mut self, error: &dyn std::error::Error) {
        self.banner = Some(Banner::Failure(error.to_string()));
    }

    fn ask(&mut self, purpose: Purpose, path: String) {
        self.dialog = Some(Dialog::new(purpose, path));
    }

    fn clear(&mut self) {
        if self.keys_shown {
            self.keys_shown = false;
        } else if !self.shown.deselect() {
            self.banner = None;
        }
    }
}
