//! What is selected in a run: a span, a box of a graph, a hazard; and moving from one to the next.

use super::RunView;
use crate::drawing::{Hit, View, ViewChange};
use crate::recording::Cause;
use crate::time::{Interval, Ns};
use crate::window::shown_run::captured_graphs::BoxId;
use crate::window::shown_run::neighbours;

impl RunView {
    /// Selects what `way` leads to, and shows it.
    pub(in crate::window) fn travel(&mut self, way: neighbours::Way, by: isize) {
        let Some(run) = &self.run else { return };
        if let Some(hit) = self.selection.and_then(|from| way(run, from, by)) {
            self.select_in_view(hit);
        }
    }

    /// Selects something in place of a hazard. The graph that it is a node of is the one that is shown.
    pub(in crate::window) fn select(&mut self, hit: Option<Hit>) {
        self.selection = hit;
        self.hazard = None;
        if let Some((graph, _)) =
            self.run.as_ref().zip(hit).and_then(|(run, hit)| run.captured.node(&run.recording, &run.prepared, hit))
        {
            self.graph = Some(graph);
        }
    }

    /// Selects what a box of a graph ran: where it is seen, or else where it ran first.
    pub(in crate::window) fn select_box(&mut self, graph_box: BoxId) {
        let Some(run) = &self.run else { return };
        let stretches = run.captured.spans(&run.recording, &run.prepared, graph_box);
        let mut hits = stretches.iter().map(|it| Hit::Span { lane: it.lane, span: it.first });
        let seen = self.views.current().interval;
        let is_seen = |hit: &Hit| neighbours::interval(run, *hit).is_some_and(|it| seen.overlaps(it));
        let first = hits.clone().next();
        let found = hits.find(is_seen).or(first);
        if let Some(found) = found {
            self.select_in_view(found);
        }
    }

    /// Selects something, and moves the view to it if it is out of that.
    pub(in crate::window) fn select_in_view(&mut self, hit: Hit) {
        self.select(Some(hit));
        let Some(run) = &self.run else { return };
        let view = self.views.current();
        if let Some(it) = neighbours::interval(run, hit)
            && !view.interval.overlaps(it)
        {
            let half = view.interval.dur().scale(0.5);
            self.see(view.pan(it.start - view.interval.start - half + Ns(it.dur().0 / 2)), ViewChange::Jump);
        }
    }

    /// Selects the longest bubble of `cause`, or the next longest where one of them is selected, and looks close enough to see it.
    pub(in crate::window) fn next_bubble(&mut self, cause: Cause) {
        /// The least part of the view that it fills, and the part that it fills where it would be less.
        const LEAST: f64 = 0.04;
        const GOOD: f64 = 0.2;
        let Some(run) = self.run.clone() else { return };
        let bubbles = run.idle_because(cause);
        let here = bubbles.iter().position(|hit| Some(*hit) == self.selection).map_or(0, |at| at + 1);
        let Some(&hit) = bubbles.get(here).or(bubbles.first()) else { return };
        if let Some(it) = neighbours::interval(&run, hit)
            && (it.dur().0 as f64) < LEAST * self.views.current().interval.dur().0 as f64
        {
            let margin = it.dur().scale((1.0 / GOOD - 1.0) / 2.0);
            self.see(View::new(Interval::new(it.start - margin, it.end + margin)), ViewChange::Jump);
        }
        self.select_in_view(hit);
    }

    /// Selects a hazard in place of a span, and brings its operations into view.
    pub(in crate::window) fn select_hazard(&mut self, number: Option<usize>) {
        self.hazard = number.filter(|number| self.listed(Some(*number)).is_some());
        let Some(number) = self.hazard else { return };
        self.selection = None;
        let Some(meant) = self.hazard_interval(number) else { return };
        let seen = self.views.current().interval;
        if seen.start <= meant.start && meant.end <= seen.end {
            return;
        }
        let margin = meant.dur().scale(0.15);
        self.see(View::new(Interval::new(meant.start - margin, meant.end + margin)), ViewChange::Jump);
    }

    /// The hazard after the selected one, the first again after the last.
    pub(in crate::window) fn next_hazard(&mut self) {
        let count = self.judged().map_or(0, |judged| judged.listed.len());
        let next = self.hazard.map_or(0, |number| number + 1);
        self.select_hazard((count > 0).then(|| next % count.max(1)));
    }

    /// From the first of a hazard's two operations to the end of the other.
    pub(super) fn hazard_interval(&self, number: usize) -> Option<Interval> {
        let (run, listed) = (self.run.as_ref()?, self.listed(Some(number))?);
        let places = match listed.spans.pair(&run.recording) {
            Some([first, second]) => vec![first.0, second.0],
            None => listed.spans.sides.iter().filter_map(|side| side.first().copied()).collect(),
        };
        let spans = places.iter().filter_map(|(lane, span)| run.span(*lane, *span)).map(|span| span.interval());
        spans.reduce(|a, b| Interval::new(a.start.min(b.start), a.end.max(b.end)))
    }

    /// The selected hazard if one edge mends it, or else the first that one mends.
    pub(in crate::window) fn hazard_to_fix(&self) -> Option<usize> {
        let selected = self.hazard.filter(|number| self.listed(Some(*number)).is_some_and(|it| it.fix.is_some()));
        let first = || self.judged()?.listed.iter().position(|listed| listed.fix.is_some());
        selected.or_else(first)
    }

    /// Selects nothing any more, the range first; whether anything was.
    pub(in crate::window) fn deselect(&mut self) -> bool {
        self.range.take().is_some() || self.selection.take().is_some() || self.hazard.take().is_some()
    }
}
