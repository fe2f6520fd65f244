//! What is seen and selected: what the commands about view and selection do to the state.

use super::edit;
use crate::drawing::{Change, Hit, View, ViewHistory};
use crate::time::Ns;
use crate::window::shown_run::captured_graphs::BoxId;
use crate::window::shown_run::neighbours;
use crate::window::state::State;

impl State {
    /// Another part of the time is seen.
    pub(in crate::window) fn see(&mut self, view: View, change: Change) {
        if let Some(run) = &self.run {
            self.sight.views.set(view.clamp(run.prepared.extent()), change);
            self.sight.follows = false;
        }
    }

    /// To another view of the history; one that shows the whole run is fitted to the next run again.
    pub(in crate::window) fn travel_views(&mut self, way: fn(&mut ViewHistory) -> bool) {
        if way(&mut self.sight.views)
            && let Some(run) = &self.run
        {
            self.sight.follows = self.sight.views.current() == View::fit(run.prepared.extent());
        }
    }

    /// All of the run is seen, and of the next one too.
    pub(in crate::window) fn fit(&mut self) {
        if let Some(run) = &self.run {
            self.sight.views.set(View::fit(run.prepared.extent()), Change::Jump);
            self.sight.follows = true;
        }
    }

    /// Zooms around what is selected, if it is seen, or else around the middle.
    pub(in crate::window) fn zoom(&mut self, factor: f64) {
        let seen = self.sight.views.current().interval;
        let middle = seen.start + seen.dur().scale(0.5);
        let selected = match self.sight.hazard {
            Some(number) => edit::interval(self, number),
            None => self.run.as_ref().zip(self.sight.selection).and_then(|(run, hit)| neighbours::interval(run, hit)),
        };
        let at = selected.map(|it| it.start).filter(|at| (seen.start..seen.end).contains(at)).unwrap_or(middle);
        self.see(self.sight.views.current().zoom(factor, at), Change::Zoom);
    }

    /// Moves by a share of what is seen.
    pub(in crate::window) fn pan(&mut self, share: f64) {
        let view = self.sight.views.current();
        self.see(view.pan(view.interval.dur().scale(share)), Change::Pan);
    }

    /// Selects what `way` leads to, and shows it.
    pub(in crate::window) fn travel(&mut self, way: neighbours::Way, by: isize) {
        let Some(run) = &self.run else { return };
        if let Some(hit) = self.sight.selection.and_then(|from| way(run, from, by)) {
            self.select_in_view(hit);
        }
    }

    /// Selects something in place of a hazard. The graph that it is a node of is the one that is shown.
    pub(in crate::window) fn select(&mut self, hit: Option<Hit>) {
        self.sight.selection = hit;
        self.sight.hazard = None;
        if let Some((graph, _)) =
            self.run.as_ref().zip(hit).and_then(|(run, hit)| run.captured.node(&run.recording, &run.prepared, hit))
        {
            self.sight.graph = Some(graph);
        }
    }

    /// Selects what a box of a graph ran: where it is seen, or else where it ran first.
    pub(in crate::window) fn select_node(&mut self, node: BoxId) {
        let Some(run) = &self.run else { return };
        let stretches = run.captured.spans(&run.recording, &run.prepared, node);
        let mut hits = stretches.iter().map(|it| Hit::Span { lane: it.lane, span: it.first });
        let seen = self.sight.views.current().interval;
        let is_seen = |hit: &Hit| neighbours::interval(run, *hit).is_some_and(|it| seen.overlaps(it));
        let first = hits.clone().next();
        let found = hits.find(is_seen).or(first);
        if let Some(found) = found {
            self.select_in_view(found);
        }
    }

    /// Selects something, and moves the view to it if it is out of that.
    fn select_in_view(&mut self, hit: Hit) {
        self.select(Some(hit));
        let Some(run) = &self.run else { return };
        let view = self.sight.views.current();
        if let Some(it) = neighbours::interval(run, hit)
            && !view.interval.overlaps(it)
        {
            let half = view.interval.dur().scale(0.5);
            self.see(view.pan(it.start - view.interval.start - half + Ns(it.dur().0 / 2)), Change::Jump);
        }
    }
}
