//! What each action does to the state.

use super::tools::Tools;
use super::{WindowAction, WindowCommand};
use crate::document::{Document, Origin, Place};
use crate::drawing::{Hit, ViewHistory};
use crate::text::{Key, Lang};
use crate::window::range::table::{RangePart, table};
use crate::window::range::written;
use crate::window::shown_run::neighbours;
use crate::window::state::dialog::{Dialog, Purpose};
use crate::window::state::finder::Finder;
use crate::window::state::sentence::Sentence;
use crate::window::state::{Banner, WindowState};

impl WindowState {
    /// Does what `action` asks for.
    pub(in crate::window) fn apply(&mut self, action: WindowAction, tools: &mut Tools<'_>) {
        match action {
            WindowAction::Do(command) => self.command(command, tools),
            WindowAction::OpenPreset(name) => _ = self.open(Place::Preset(name), tools),
            WindowAction::OpenFile(path) => _ = self.open(Place::File(path), tools),
            WindowAction::SetKnob(id, value) => match self.documents.open.set_knob(&id, value) {
                Ok(false) => {}
                Ok(true) => self.run_scenario(tools),
                Err(error) => self.fail(Key::FailedToChange, &error),
            },
            WindowAction::TurnKnob { index, back } => self.turn_knob(index, back, tools),
            WindowAction::UseProfile(index) => {
                if index != self.profile && index < self.profiles.len() {
                    self.profile = index;
                    self.run_scenario(tools);
                }
            }
            WindowAction::RunOn(target) => self.run_on(target, tools),
            WindowAction::See(view, change) => self.shown.see(view, change),
            WindowAction::EndGesture => self.shown.views.end_gesture(),
            WindowAction::Select(hit) => self.shown.select(hit),
            WindowAction::SelectError(error) => self.shown.select_in_view(Hit::Error { error }),
            WindowAction::NextBubble(cause) => self.shown.next_bubble(cause),
            WindowAction::FoldLanes(kind) => self.fold(kind),
            WindowAction::SelectRange(range) => self.shown.select_range(range),
            WindowAction::ShowGraph(number) => self.shown.graph = Some(number),
            WindowAction::HoverBox(graph_box) => self.shown.graph_box = graph_box,
            WindowAction::SelectBox(graph_box) => self.shown.select_box(graph_box),
            WindowAction::Hover(hit) => self.shown.hovered = hit,
            WindowAction::HoverItem(item) => self.shown.hovered_item = item,
            WindowAction::SelectHazard(number) => self.shown.select_hazard(number),
            WindowAction::HoverHazard(number) => self.shown.hovered_hazard = number,
            WindowAction::Fix(number) => self.fix(number, tools),
            WindowAction::TakeAdvice(number) => self.take_advice(number, tools),
            WindowAction::Reopen(place) => _ = self.open(place, tools),
            WindowAction::Discard(place) => self.discard(&place, tools),
            WindowAction::TakeBack => self.take_back(tools),
            WindowAction::Submit => self.submit(tools),
            WindowAction::CloseDialog => self.dialog = None,
            WindowAction::CloseFinder => self.finder = None,
            WindowAction::CloseBanner => self.banner = None,
        }
    }

    fn command(&mut self, command: WindowCommand, tools: &mut Tools<'_>) {
        match command {
            WindowCommand::Find => self.finder = Some(Finder::default()),
            WindowCommand::Open => self.ask(Purpose::Open, String::new()),
            WindowCommand::Save => {
                let path = match self.document().place() {
                    Place::File(path) => path.display().to_string(),
                    Place::Preset(name) => format!("{name}.json"),
                    Place::Copy { of: Origin::Preset(name), .. } => format!("{name}-edited.json"),
                    Place::Copy { of: Origin::File(path), .. } => path.display().to_string(),
                };
                self.ask(Purpose::Save, path);
            }
            WindowCommand::Export => self.ask(Purpose::Export, format!("{}.svg", self.document().scenario().name)),
            WindowCommand::Screenshot => {
                self.ask(Purpose::Screenshot, format!("{}-window.png", self.document().scenario().name));
            }
            WindowCommand::NextPreset => self.step_in_course(1, tools),
            WindowCommand::PreviousPreset => self.step_in_course(-1, tools),
            WindowCommand::ResetKnobs => {
                if self.documents.open.reset_knobs() {
                    self.run_scenario(tools);
                }
            }
            WindowCommand::NextTarget => {
                let targets = self.targets();
                let here = targets.iter().position(|target| *target == self.settings.run_on).map_or(0, |at| at + 1);
                if let Some(next) = targets.get(here).or(targets.first()) {
                    self.run_on(*next, tools);
                }
            }
            WindowCommand::Cancel => self.cancel(tools),
            WindowCommand::Fit => self.shown.fit(),
            WindowCommand::ZoomIn => self.shown.zoom(1.25),
            WindowCommand::ZoomOut => self.shown.zoom(0.8),
            WindowCommand::PanLeft => self.shown.pan(-0.1),
            WindowCommand::PanRight => self.shown.pan(0.1),
            WindowCommand::UndoView => self.shown.travel_views(ViewHistory::undo),
            WindowCommand::RedoView => self.shown.travel_views(ViewHistory::redo),
            WindowCommand::PreviousSpan => self.shown.travel(neighbours::neighbour, -1),
            WindowCommand::NextSpan => self.shown.travel(neighbours::neighbour, 1),
            WindowCommand::ToLaunch => self.shown.travel(neighbours::along_link, -1),
            WindowCommand::ToExecution => self.shown.travel(neighbours::along_link, 1),
            WindowCommand::BeginRange => self.shown.begin_range(),
            WindowCommand::EndRange => self.shown.end_range(),
            WindowCommand::ZoomToRange => self.shown.see_range(),
            WindowCommand::CopyRange => self.copy_range(tools, written::markdown),
            WindowCommand::CopyRangeCsv => self.copy_range(tools, |parts, _| written::csv(parts)),
            WindowCommand::NextHazard => self.shown.next_hazard(),
            WindowCommand::Fix => self.fix_one(tools),
            WindowCommand::Undo => self.travel_history(Document::undo, tools),
            WindowCommand::Redo => self.travel_history(Document::redo, tools),
            WindowCommand::Graph => {
                self.graph_shown = !self.graph_shown;
                self.shown.graph_box = None;
            }
            WindowCommand::CoursePanel => {
                let shown = self.settings.shows_course(tools.ctx.content_rect().width());
                (self.settings.course, self.settings.projector) = (Some(!shown), false);
            }
            WindowCommand::InspectorPanel => {
                let shown = self.settings.shows_inspector(tools.ctx.content_rect().width());
                (self.settings.inspector, self.settings.projector) = (Some(!shown), false);
            }
            WindowCommand::Clear => self.clear(),
            WindowCommand::Projector => {
                self.settings.projector = !self.settings.projector;
                // Its card is not there any more, and cannot say that the pointer has left it.
                self.shown.hovered_hazard = None;
            }
            WindowCommand::Language => {
                self.settings.lang = match self.settings.lang {
                    Lang::En => Lang::Zh,
                    Lang::Zh => Lang::En,
                }
            }
            WindowCommand::Appearance => self.settings.dark = !self.settings.dark,
            WindowCommand::Keys => self.keys_shown = !self.keys_shown,
        }
    }

    /// Turns the knob of that index to its next value. Of a recording that is viewed, there is nothing to turn.
    fn turn_knob(&mut self, index: usize, back: bool, tools: &mut Tools<'_>) {
        if self.viewed.is_some() {
            return;
        }
        let document = self.document();
        let Some(knob) = document.scenario().knobs.get(index) else { return };
        let turned = WindowAction::SetKnob(knob.id().to_owned(), knob.next(&document.knobs().of(knob), back));
        self.apply(turned, tools);
        self.documents.open.end_turn();
    }

    /// Says in the banner what has failed, and why.
    pub(super) fn fail(&mut self, what: Key, error: &dyn std::error::Error) {
        self.banner = Some(Banner::Failure(Sentence::about(what, error)));
    }

    fn ask(&mut self, purpose: Purpose, path: String) {
        self.dialog = Some(Dialog::new(purpose, path));
    }

    /// Puts the numbers of the selected range onto the clipboard.
    fn copy_range(&self, tools: &Tools<'_>, write: fn(&[RangePart], Lang) -> String) {
        let lang = self.settings.lang;
        if let Some((run, range)) = self.shown.run.as_ref().zip(self.shown.range.as_ref()) {
            tools.ctx.copy_text(write(&table(run, range, lang), lang));
        }
    }

    fn clear(&mut self) {
        if self.keys_shown {
            self.keys_shown = false;
        } else if !self.shown.deselect() {
            self.banner = None;
        }
    }
}
