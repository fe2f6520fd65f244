//! The graphs that a run's program captures, laid out, and which span is which node.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::analysis::graph::{CapturedGraph, captured};
use crate::drawing::graph::GraphLayout;
use crate::drawing::{Hit, Prepared, SpanPlace};
use crate::program::Program;
use crate::recording::{Correlation, NameId, Recording, Span};
use crate::text::{Lang, Localized};

/// Spans of replays that are looked through at most, and stretches that are pointed out at most.
const MAX_VISITED: usize = 1_000_000;
const MAX_FOUND: usize = 2000;

/// Neighbouring spans of one lane, from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::window) struct SpanStretch {
    pub(in crate::window) lane: usize,
    pub(in crate::window) first: usize,
    pub(in crate::window) last: usize,
}

/// A box of a graph: the graph's number, and the box's.
pub(in crate::window) type BoxId = (usize, u32);

/// All graphs of a program.
#[derive(Debug, Default)]
pub(in crate::window) struct CapturedGraphs {
    pub(in crate::window) graphs: Vec<LaidOutGraph>,
    replays: HashMap<Correlation, usize>,
}

/// A graph, ready to be drawn.
#[derive(Debug)]
pub(in crate::window) struct LaidOutGraph {
    pub(in crate::window) graph: CapturedGraph,
    pub(in crate::window) layout: GraphLayout,
    /// Its replays that are in the timeline.
    pub(in crate::window) replays: Vec<Correlation>,
    /// Nodes of one branch and English name, in the order in which they run. The main line has no stream: it runs where it is replayed.
    alike: HashMap<(Option<u32>, Arc<str>), Vec<u32>>,
}

impl CapturedGraphs {
    /// Finds the graphs of `program`.
    pub(in crate::window) fn new(program: &Program) -> Self {
        let mut all = Self::default();
        for graph in captured(program) {
            let correlation = |operation: &u32| Correlation::of(program, *operation as usize);
            let replays: Vec<Correlation> = graph.replays.iter().filter_map(correlation).collect();
            all.replays.extend(replays.iter().map(|correlation| (*correlation, all.graphs.len())));
            let mut alike: HashMap<_, Vec<u32>> = HashMap::new();
            // Nodes share their labels.
            let mut names: HashMap<*const Localized, Arc<str>> = HashMap::new();
            for (number, node) in (0..).zip(&graph.nodes) {
                let branch = (node.stream != graph.origin).then_some(node.stream);
                let name = names.entry(Arc::as_ptr(&node.label)).or_insert_with(|| node.label.get(Lang::En).into());
                alike.entry((branch, Arc::clone(name))).or_default().push(number);
            }
            all.graphs.push(LaidOutGraph { layout: GraphLayout::new(&graph), graph, replays, alike });
        }
        all
    }

    /// The node that a span is of: the graph's number, and the node's.
    pub(in crate::window) fn node(&self, recording: &Recording, prepared: &Prepared, hit: Hit) -> Option<(usize, u32)> {
        let Hit::Span { lane, span } = hit else { return None };
        let it = recording.lanes.get(lane)?.spans.get(span)?;
        let stream = stream(recording, lane)?;
        let number = *self.replays.get(&it.correlation)?;
        let alike = self.graphs.get(number)?.alike(Some(stream), recording.name(it.name))?;
        let earlier = spans(recording, prepared, it.correlation)
            .filter(|(place, other)| place.0 == lane && place.1 < span && other.name == it.name);
        Some((number, *alike.get(earlier.count())?))
    }

    /// The box of the node that a span is of.
    pub(in crate::window) fn box_at(&self, recording: &Recording, prepared: &Prepared, hit: Hit) -> Option<BoxId> {
        let (graph, node) = self.node(recording, prepared, hit)?;
        Some((graph, self.graphs.get(graph)?.layout.box_of(node)?))
    }

    /// Where a box ran, in each replay.
    pub(in crate::window) fn spans(
        &self,
        recording: &Recording,
        prepared: &Prepared,
        (graph, number): BoxId,
    ) -> Vec<SpanStretch> {
        let known = self.graphs.get(graph).and_then(|shown| {
            let nodes = &shown.layout.boxes.get(number as usize)?.nodes;
            Some((shown, nodes, shown.graph.nodes.get(*nodes.first()? as usize)?))
        });
        let Some((shown, nodes, first)) = known else { return Vec::new() };
        let branch = (first.stream != shown.graph.origin).then_some(first.stream);
        let label = first.label.get(Lang::En);
        let Some(alike) = shown.alike.get(&(branch, label.into())) else { return Vec::new() };
        let Some(name) = recording.names.iter().position(|name| name.get(Lang::En) == label) else {
            return Vec::new();
        };
        let name = NameId(name as u32);
        let wanted: HashSet<u32> = nodes.iter().copied().collect();
        let mut found: Vec<SpanStretch> = Vec::new();
        let mut visited = 0;
        for replay in &shown.replays {
            let mut rank = 0;
            for (place, span) in spans(recording, prepared, *replay) {
                visited += 1;
                let is_own = || {
                    let stream = stream(recording, place.0);
                    shown.alike(stream, label).is_some_and(|other| std::ptr::eq(other, alike))
                };
                if span.name == name && is_own() {
                    if alike.get(rank).is_some_and(|node| wanted.contains(node)) {
                        let (lane, span) = place;
                        match found.last_mut().filter(|it| it.lane == lane && it.last + 1 == span && rank > 0) {
                            Some(stretch) => stretch.last = span,
                            None => found.push(SpanStretch { lane, first: span, last: span }),
                        }
                    }
                    rank += 1;
                }
            }
            if visited > MAX_VISITED || found.len() > MAX_FOUND {
                break;
            }
        }
        found
    }
}

impl LaidOutGraph {
    /// The nodes of that name that run on a stream.
    fn alike(&self, stream: Option<u32>, label: &str) -> Option<&Vec<u32>> {
        let label: Arc<str> = label.into();
        let main = (None, Arc::clone(&label));
        stream.and_then(|stream| self.alike.get(&(Some(stream), label))).or_else(|| self.alike.get(&main))
    }
}

/// What a replay ran on streams, lane by lane.
fn spans<'r>(
    recording: &'r Recording,
    prepared: &'r Prepared,
    replay: Correlation,
) -> impl Iterator<Item = (SpanPlace, Span)> {
    let places = prepared.linked(replay).iter().map(|link| (link.lane as usize, link.span as usize));
    places.filter_map(|place| {
        stream(recording, place.0)?;
        Some((place, recording.lanes.get(place.0)?.spans.get(place.1)?))
    })
}

fn stream(recording: &Recording, lane: usize) -> Option<u32> {
    recording.track_of(lane)?.stream()
}
