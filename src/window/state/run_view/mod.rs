//! A run that is shown: what ran, what it was found to be, which part of it is seen, and what is selected.

mod part_of_time;
mod range;
mod selection;

use std::sync::Arc;

use crate::advice::Advised;
use crate::analysis::RangeMetrics;
use crate::drawing::{Hit, LegendItem, View, ViewChange, ViewHistory};
use crate::time::{Interval, Ns};
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::captured_graphs::BoxId;
use crate::window::shown_run::verdict::{Judged, Judging, ListedHazard};

/// All that belongs to one shown run, and nothing of another.
#[derive(Debug)]
pub(in crate::window) struct RunView {
    /// The last run that succeeded; it stays until there is another.
    pub(in crate::window) run: Option<Arc<ShownRun>>,
    /// Counts the runs, so that a layout can be kept for one.
    pub(in crate::window) number: u64,
    /// Whether its program keeps in order what has to be, as far as that is known.
    pub(in crate::window) judging: Judging,
    /// What would make it faster, as far as that is known.
    pub(in crate::window) advising: Advising,
    /// The part of the time that is seen, and those before.
    pub(in crate::window) views: ViewHistory,
    /// Whether all is seen, so that a new run is fitted again.
    pub(in crate::window) follows: bool,
    /// Whether the next run is the first of what was just opened, which may say what of it is seen.
    pub(in crate::window) opens: bool,
    /// What is selected.
    pub(in crate::window) selection: Option<Hit>,
    /// The stretch of time that is selected beside it, with its numbers.
    pub(in crate::window) range: Option<RangeMetrics>,
    /// What the pointer is on.
    pub(in crate::window) hovered: Option<Hit>,
    /// The hazard that is selected in place of a span, by its number in the list.
    pub(in crate::window) hazard: Option<usize>,
    /// The hazard whose card the pointer is on.
    pub(in crate::window) hovered_hazard: Option<usize>,
    /// Which of the captured graphs is shown; without a choice, the first that is replayed.
    pub(in crate::window) graph: Option<usize>,
    /// The box of it that the pointer is on.
    pub(in crate::window) graph_box: Option<BoxId>,
    /// The entry of the legend that the pointer is on.
    pub(in crate::window) hovered_item: Option<LegendItem>,
}

/// How far the search for advice has come.
#[derive(Debug, Default)]
pub(in crate::window) enum Advising {
    /// There is none, or it was given up.
    #[default]
    Nothing,
    /// The model is looking for it.
    Pending,
    /// It is known.
    Done(Advised),
}

impl Default for RunView {
    fn default() -> Self {
        let extent = Interval::new(Ns::ZERO, Ns::from_us(100.0));
        Self {
            run: None,
            number: 0,
            judging: Judging::Nothing,
            advising: Advising::Nothing,
            views: ViewHistory::new(View::fit(extent)),
            follows: true,
            opens: true,
            selection: None,
            range: None,
            hovered: None,
            hazard: None,
            hovered_hazard: None,
            graph: None,
            graph_box: None,
            hovered_item: None,
        }
    }
}

impl RunView {
    /// Shows a new run: all of it, unless somebody has looked closer.
    pub(in crate::window) fn show(&mut self, run: Arc<ShownRun>) {
        let extent = run.prepared.extent();
        let range = self.range.as_ref().map(|range| range.interval).filter(|range| range.overlaps(extent));
        let views = if self.follows { ViewHistory::new(View::fit(extent)) } else { self.views.clone() };
        let first = run.recording.scenario.as_ref().and_then(|scenario| scenario.view).filter(|_| self.opens);
        *self = Self {
            judging: if run.has_program { Judging::Pending } else { Judging::Nothing },
            run: Some(run),
            number: self.number + 1,
            views,
            follows: self.follows,
            opens: false,
            ..Self::default()
        };
        if let Some(first) = first {
            let interval = Interval::new(Ns::from_us(first.from_us), Ns::from_us(first.to_us));
            self.see(View::new(interval), ViewChange::Jump);
        }
        // Of the same time, so that a flip of a knob tells what it changed there.
        self.select_range(range);
    }

    /// Takes a verdict, unless another run is shown by now.
    pub(in crate::window) fn show_verdict(&mut self, of: &Arc<ShownRun>, judged: Judged) {
        if self.run.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, of)) {
            self.advising = if judged.is_advised(of) { Advising::Pending } else { Advising::Nothing };
            self.judging = Judging::Done(judged);
        }
    }

    /// Takes advice, unless another run is shown by now.
    pub(in crate::window) fn show_advice(&mut self, of: &Arc<ShownRun>, advised: Advised) {
        if self.run.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, of)) {
            self.advising = Advising::Done(advised);
        }
    }

    /// What would make the run faster, once it is known.
    pub(in crate::window) fn advised(&self) -> Option<&Advised> {
        match &self.advising {
            Advising::Done(advised) => Some(advised),
            Advising::Nothing | Advising::Pending => None,
        }
    }

    /// The verdict does not come, or only by chance.
    pub(in crate::window) fn stop_judging(&mut self) {
        if matches!(self.judging, Judging::Pending) {
            self.judging = Judging::Stopped;
        }
        if matches!(self.advising, Advising::Pending) {
            self.advising = Advising::Nothing;
        }
    }

    /// The verdict on the run, once it is known.
    pub(in crate::window) fn judged(&self) -> Option<&Judged> {
        match &self.judging {
            Judging::Done(judged) => Some(judged),
            Judging::Nothing | Judging::Pending | Judging::Stopped => None,
        }
    }

    /// The hazard of that number.
    pub(in crate::window) fn listed(&self, number: Option<usize>) -> Option<&ListedHazard> {
        self.judged()?.listed.get(number?)
    }
}
