//! Edits of the open scenario, what mends hazards among them, and the way back.

use super::tools::Tools;
use crate::advice::Change;
use crate::document::Document;
use crate::text::Key;
use crate::window::state::WindowState;

impl WindowState {
    /// Mends the selected hazard, or the first that one edge mends.
    pub(super) fn fix_one(&mut self, tools: &mut Tools<'_>) {
        if let Some(number) = self.shown.hazard_to_fix() {
            self.fix(number, tools);
        }
    }

    /// Puts the edge into the scenario that the hazard of that number misses, and runs it again.
    pub(super) fn fix(&mut self, number: usize, tools: &mut Tools<'_>) {
        let Some(listed) = self.shown.listed(Some(number)) else { return };
        // Its paths are those of what ran: while something else is on its way, they may lead elsewhere.
        let ran = self.shown.run.as_ref().and_then(|run| run.recording.scenario.as_ref());
        if ran.is_none_or(|ran| !ran.runs_like(self.document().scenario())) {
            return;
        }
        let Some(fix) = listed.fix.clone() else { return };
        match self.documents.edit(vec![fix]) {
            Ok(()) => self.run_changed(tools),
            Err(error) => self.fail(Key::FailedToChange, &error),
        }
    }

    /// Makes a change that would help, as one step of the history, and runs what comes of it.
    pub(super) fn take_advice(&mut self, number: usize, tools: &mut Tools<'_>) {
        let advice = self.shown.advised().and_then(|advised| advised.advice.get(number));
        let Some(change) = advice.map(|advice| advice.change.clone()) else { return };
        let ran = self.shown.run.as_ref().and_then(|run| run.recording.scenario.as_ref());
        if ran.is_none_or(|ran| !ran.runs_like(self.document().scenario())) {
            return;
        }
        if let Change::SetKnobs(turned) = change {
            match self.documents.open.set_knobs(turned) {
                Ok(_) => self.run_scenario(tools),
                Err(error) => self.fail(Key::FailedToChange, &error),
            }
        } else if let Some(edit) = change.edit() {
            match self.documents.edit(vec![edit]) {
                Ok(()) => self.run_changed(tools),
                Err(error) => self.fail(Key::FailedToChange, &error),
            }
        }
    }

    /// One step of the history back or forth, be it an edit or the turn of a knob.
    pub(super) fn travel_history(&mut self, step: fn(&mut Document) -> bool, tools: &mut Tools<'_>) {
        if step(&mut self.documents.open) {
            self.run_changed(tools);
        }
    }

    fn run_changed(&mut self, tools: &mut Tools<'_>) {
        self.look_up();
        self.run_scenario(tools);
    }
}
