//! The selected range: a stretch of time and its numbers.

use super::RunView;
use crate::drawing::{View, ViewChange};
use crate::time::Interval;
use crate::window::shown_run::neighbours;

impl RunView {
    /// Selects a stretch of time, or none any more.
    pub(in crate::window) fn select_range(&mut self, range: Option<Interval>) {
        let counted = self.run.as_ref().zip(range.filter(|range| range.start < range.end));
        self.range = counted.map(|(run, range)| run.analysis.range(&run.recording, range));
    }

    /// Lets the range begin where what is selected begins; it ends where it did, or with that.
    pub(in crate::window) fn begin_range(&mut self) {
        let Some(selected) = self.selected_interval() else { return };
        let end = self.range.as_ref().map(|range| range.interval.end).filter(|end| *end > selected.start);
        self.select_range(Some(Interval::new(selected.start, end.unwrap_or(selected.end))));
    }

    /// Lets the range end where what is selected ends; it begins where it did, or with that.
    pub(in crate::window) fn end_range(&mut self) {
        let Some(selected) = self.selected_interval() else { return };
        let start = self.range.as_ref().map(|range| range.interval.start).filter(|start| *start < selected.end);
        self.select_range(Some(Interval::new(start.unwrap_or(selected.start), selected.end)));
    }

    /// Sees the range alone.
    pub(in crate::window) fn see_range(&mut self) {
        if let Some(range) = &self.range {
            self.see(View::new(range.interval), ViewChange::Jump);
        }
    }

    /// When that was which is selected.
    pub(super) fn selected_interval(&self) -> Option<Interval> {
        match self.hazard {
            Some(number) => self.hazard_interval(number),
            None => self.run.as_ref().zip(self.selection).and_then(|(run, hit)| neighbours::interval(run, hit)),
        }
    }
}
