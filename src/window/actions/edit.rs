//! Hazards as they are looked at and mended: what the commands about them and about edits do to the state.

use super::tools::Tools;
use crate::document::{Document, Edit, Origin, Place};
use crate::drawing::{Change, View};
use crate::time::Interval;
use crate::window::shown_run::verdict::Listed;
use crate::window::state::State;

impl State {
    /// The hazard of that number.
    pub(in crate::window) fn listed(&self, number: Option<usize>) -> Option<&Listed> {
        self.judged()?.listed.get(number?)
    }

    /// Selects a hazard in place of a span, and brings its operations into view.
    pub(in crate::window) fn select_hazard(&mut self, number: Option<usize>) {
        self.sight.hazard = number.filter(|number| self.listed(Some(*number)).is_some());
        let Some(number) = self.sight.hazard else { return };
        self.sight.selection = None;
        let Some(meant) = interval(self, number) else { return };
        let seen = self.sight.views.current().interval;
        if seen.start <= meant.start && meant.end <= seen.end {
            return;
        }
        let margin = meant.dur().scale(0.15);
        self.see(View::new(Interval::new(meant.start - margin, meant.end + margin)), Change::Jump);
    }

    /// The hazard after the selected one, the first again after the last.
    pub(in crate::window) fn next_hazard(&mut self) {
        let count = self.judged().map_or(0, |judged| judged.listed.len());
        let next = self.sight.hazard.map_or(0, |number| number + 1);
        self.select_hazard((count > 0).then(|| next % count.max(1)));
    }

    /// Mends the selected hazard, or the first that one edge mends.
    pub(in crate::window) fn fix_one(&mut self, tools: &mut Tools<'_>) {
        let selected = self.sight.hazard.filter(|number| self.listed(Some(*number)).is_some_and(|it| it.fix.is_some()));
        let first = self.judged().and_then(|judged| judged.listed.iter().position(|listed| listed.fix.is_some()));
        if let Some(number) = selected.or(first) {
            self.fix(number, tools);
        }
    }

    /// Puts the edge into the scenario that the hazard of that number misses, and runs it again.
    pub(in crate::window) fn fix(&mut self, number: usize, tools: &mut Tools<'_>) {
        let Some(listed) = self.listed(Some(number)) else { return };
        // Its paths are those of what ran: while something else is on its way, they may lead elsewhere.
        let ran = self.run.as_ref().and_then(|run| run.recording.scenario.as_ref());
        if ran.is_none_or(|ran| !ran.runs_like(self.document.scenario())) {
            return;
        }
        if let Some(fix) = listed.fix.clone() {
            self.edit(vec![fix], tools);
        }
    }

    /// Edits the open scenario. A preset stays as it is: a copy of it is edited. So is one of a file of which there is a copy
    /// from an earlier start, so that no two have the same name.
    fn edit(&mut self, edits: Vec<Edit>, tools: &mut Tools<'_>) {
        let before = self.document.clone();
        if let Err(error) = self.document.edit(edits) {
            self.fail(&error);
            return;
        }
        let of = match before.place() {
            Place::Preset(name) => Some(Origin::Preset(name)),
            Place::File(path) => Some(Origin::File(path.clone())).filter(|of| !self.is_first_copy(&before, of)),
            Place::Copy { .. } => None,
        };
        if let Some(of) = of {
            self.document.move_to(self.free_copy(&of));
            // Its own knobs are found again where they were.
            self.remembered.insert(before.place().clone(), before);
        }
        self.run_changed(tools);
    }

    fn is_first_copy(&self, before: &Document, of: &Origin) -> bool {
        before.is_edited() || matches!(self.free_copy(of), Place::Copy { number: 1, .. })
    }

    /// One step of the history back or forth, be it an edit or the turn of a knob.
    pub(in crate::window) fn travel_history(&mut self, step: fn(&mut Document) -> bool, tools: &mut Tools<'_>) {
        if step(&mut self.document) {
            self.run_changed(tools);
        }
    }

    fn run_changed(&mut self, tools: &mut Tools<'_>) {
        self.look_up();
        self.start(tools);
    }
}

/// From the first of a hazard's two operations to the end of the other.
pub(in crate::window) fn interval(state: &State, number: usize) -> Option<Interval> {
    let (run, listed) = (state.run.as_ref()?, state.listed(Some(number))?);
    let ends = listed.sides.iter().filter_map(|side| side.first());
    let spans = ends.filter_map(|(lane, span)| run.span(*lane, *span)).map(|span| span.interval());
    spans.reduce(|a, b| Interval::new(a.start.min(b.start), a.end.max(b.end)))
}
