//! Which part of the time is seen.

use super::RunView;
use crate::drawing::{View, ViewChange, ViewHistory};

impl RunView {
    /// Another part of the time is seen.
    pub(in crate::window) fn see(&mut self, view: View, change: ViewChange) {
        if let Some(run) = &self.run {
            self.views.set(view.clamp(run.prepared.extent()), change);
            self.follows = false;
        }
    }

    /// To another view of the history; one that shows the whole run is fitted to the next run again.
    pub(in crate::window) fn travel_views(&mut self, way: fn(&mut ViewHistory) -> bool) {
        if way(&mut self.views)
            && let Some(run) = &self.run
        {
            self.follows = self.views.current() == View::fit(run.prepared.extent());
        }
    }

    /// All of the run is seen, and of the next one too.
    pub(in crate::window) fn fit(&mut self) {
        if let Some(run) = &self.run {
            self.views.set(View::fit(run.prepared.extent()), ViewChange::Jump);
            self.follows = true;
        }
    }

    /// Zooms around what is selected, if it is seen, or else around the middle.
    pub(in crate::window) fn zoom(&mut self, factor: f64) {
        let seen = self.views.current().interval;
        let middle = seen.start + seen.dur().scale(0.5);
        let at = self
            .selected_interval()
            .map(|it| it.start)
            .filter(|at| (seen.start..seen.end).contains(at))
            .unwrap_or(middle);
        self.see(self.views.current().zoom(factor, at), ViewChange::Zoom);
    }

    /// Moves by a share of what is seen.
    pub(in crate::window) fn pan(&mut self, share: f64) {
        let view = self.views.current();
        self.see(view.pan(view.interval.dur().scale(share)), ViewChange::Pan);
    }
}
