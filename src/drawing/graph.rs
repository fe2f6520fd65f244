//! Where the nodes of a captured graph stand: a column for each step of dependency from left to right, branches below each other.
//!
//! A pure function of the graph. Columns and rows are numbers; how wide one is drawn is the window's affair. A run of equal nodes
//! in one chain is one box, since nobody can tell a thousand of them apart.

use crate::analysis::graph::{CapturedGraph, GraphNode};

/// Shorter runs are drawn node by node.
const SHORTEST_RUN: usize = 4;

/// A graph, laid out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLayout {
    /// Sorted by column, and by row within one.
    pub boxes: Vec<GraphBox>,
    /// Pairs of boxes, sorted by the column of the second.
    pub edges: Vec<(u32, u32)>,
    /// Number of columns.
    pub columns: u32,
    /// Number of rows.
    pub rows: u32,
    /// Most columns that an edge leads over.
    pub longest_edge: u32,
    /// For each node, its box.
    box_of: Vec<u32>,
}

/// One node, or a run of equal ones that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBox {
    /// In their order.
    pub nodes: Vec<u32>,
    /// Steps of dependency before it.
    pub column: u32,
    /// Its branch.
    pub row: u32,
}

impl GraphLayout {
    /// Lays `graph` out.
    pub fn new(graph: &CapturedGraph) -> Self {
        let runs = runs(graph);
        let mut run_of = vec![0; graph.nodes.len()];
        for (number, run) in runs.iter().enumerate() {
            for node in run {
                if let Some(of) = run_of.get_mut(*node as usize) {
                    *of = number as u32;
                }
            }
        }
        let links = Links::new(graph, &runs, &run_of);
        let places = places(graph, &runs, &links);
        let boxes = runs.into_iter().zip(&places);
        let mut boxes: Vec<(u32, GraphBox)> =
            boxes.zip(0..).map(|((nodes, &(column, row)), number)| (number, GraphBox { nodes, column, row })).collect();
        boxes.sort_by_key(|(_, it)| (it.column, it.row));
        let mut sorted = vec![0; boxes.len()];
        for (to, (from, _)) in boxes.iter().enumerate() {
            if let Some(place) = sorted.get_mut(*from as usize) {
                *place = to as u32;
            }
        }
        let boxes: Vec<GraphBox> = boxes.into_iter().map(|(_, it)| it).collect();
        let at = |run: u32| sorted.get(run as usize).copied().unwrap_or_default();
        let column = |run: u32| places.get(run as usize).map_or(0, |(column, _)| *column);
        let mut edges = Vec::new();
        let mut longest_edge = 0;
        for (to, before) in (0..).zip(&links.before) {
            for from in before {
                longest_edge = longest_edge.max(column(to) - column(*from));
                edges.push((at(*from), at(to)));
            }
        }
        edges.sort_unstable_by_key(|(from, to)| (*to, *from));
        Self {
            columns: boxes.iter().map(|it| it.column + 1).max().unwrap_or(0),
            rows: boxes.iter().map(|it| it.row + 1).max().unwrap_or(0),
            box_of: run_of.into_iter().map(at).collect(),
            boxes,
            edges,
            longest_edge,
        }
    }

    /// The box of a node.
    pub fn box_of(&self, node: u32) -> Option<u32> {
        self.box_of.get(node as usize).copied()
    }

    /// The boxes whose columns lie in `from..to`: a part of [`Self::boxes`].
    pub fn within(&self, from: u32, to: u32) -> std::ops::Range<usize> {
        let before = |column: u32| self.boxes.partition_point(|it| it.column < column);
        before(from)..before(to.max(from))
    }

    /// The edges that may cross the columns `from..to`.
    pub fn edges_within(&self, from: u32, to: u32) -> &[(u32, u32)] {
        let column = |number: u32| self.boxes.get(number as usize).map_or(0, |it| it.column);
        let start = self.edges.partition_point(|(_, end)| column(*end) < from);
        let last = to.saturating_add(self.longest_edge);
        let end = self.edges.partition_point(|(_, end)| column(*end) <= last);
        self.edges.get(start..end.max(start)).unwrap_or_default()
    }
}

fn same(a: &GraphNode, b: &GraphNode) -> bool {
    a.label == b.label && a.kind == b.kind && a.stream == b.stream
}

/// Nodes in runs, each run in its order, the runs in the order of their first nodes.
fn runs(graph: &CapturedGraph) -> Vec<Vec<u32>> {
    let nodes = &graph.nodes;
    let mut followers = vec![0_u32; nodes.len()];
    for before in nodes.iter().flat_map(|node| &node.before) {
        if let Some(count) = followers.get_mut(*before as usize) {
            *count += 1;
        }
    }
    // For each node the run that it ends.
    let mut ends: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut chains: Vec<Vec<u32>> = Vec::new();
    for (number, node) in (0..).zip(nodes) {
        let joined = match node.before.as_slice() {
            [only] if followers.get(*only as usize) == Some(&1) => {
                let before = nodes.get(*only as usize).filter(|before| same(before, node));
                before.and_then(|_| ends.get(*only as usize).copied())
            }
            _ => None,
        };
        let chain = joined.unwrap_or_else(|| {
            chains.push(Vec::new());
            chains.len() - 1
        });
        if let Some(chain) = chains.get_mut(chain) {
            chain.push(number);
        }
        ends.push(chain);
    }
    let split = |chain: Vec<u32>| match chain.len() {
        0..SHORTEST_RUN => chain.into_iter().map(|node| vec![node]).collect(),
        _ => vec![chain],
    };
    let mut runs: Vec<Vec<u32>> = chains.into_iter().flat_map(split).collect();
    runs.sort_by_key(|run| run.first().copied());
    runs
}

/// What runs before what, among runs.
struct Links {
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
}

impl Links {
    fn new(graph: &CapturedGraph, runs: &[Vec<u32>], run_of: &[u32]) -> Self {
        let mut links = Self { before: vec![Vec::new(); runs.len()], after: vec![Vec::new(); runs.len()] };
        for (number, run) in (0..).zip(runs) {
            let first = run.first().and_then(|node| graph.nodes.get(*node as usize));
            let before = first.into_iter().flat_map(|node| &node.before);
            // A node waits only for earlier ones; what says otherwise comes from a damaged program, and is left out.
            let mut before: Vec<u32> =
                before.filter_map(|node| run_of.get(*node as usize).copied()).filter(|of| *of < number).collect();
            before.sort_unstable();
            before.dedup();
            for earlier in &before {
                if let Some(after) = links.after.get_mut(*earlier as usize) {
                    after.push(number);
                }
            }
            if let Some(place) = links.before.get_mut(number as usize) {
                *place = before;
            }
        }
        links
    }
}

/// A row while it is filled from left to right.
struct OpenRow {
    /// The run that stands last in it.
    tip: u32,
    /// The first column that something unrelated may stand in: behind all that follows from what the row holds.
    free: u32,
}

/// Column and row of each run. A branch stays in its row as long as its stream goes on.
fn places(graph: &CapturedGraph, runs: &[Vec<u32>], links: &Links) -> Vec<(u32, u32)> {
    let mut columns: Vec<u32> = Vec::with_capacity(runs.len());
    for before in &links.before {
        let last = before.iter().filter_map(|it| columns.get(*it as usize)).max();
        columns.push(last.map_or(0, |column| column + 1));
    }
    let stream = |run: u32| {
        let node = runs.get(run as usize).and_then(|run| run.first());
        node.and_then(|node| graph.nodes.get(*node as usize)).map(|node| node.stream)
    };
    let column_of = |run: u32| columns.get(run as usize).copied().unwrap_or(0);
    let mut rows: Vec<OpenRow> = Vec::new();
    let mut row_of: Vec<u32> = Vec::with_capacity(runs.len());
    for (run, before) in (0..).zip(&links.before) {
        let column = column_of(run);
        let continues = |earlier: &&u32| {
            let row = row_of.get(**earlier as usize).and_then(|row| rows.get(*row as usize));
            row.is_some_and(|row| row.tip == **earlier)
        };
        let is_own = |earlier: &&u32| stream(**earlier) == stream(run);
        // Another stream takes the row over only where its own has nothing more to put there.
        let is_left = |earlier: &&u32| {
            let mut after = links.after.get(**earlier as usize).into_iter().flatten();
            !after.any(|other| *other != run && stream(*other) == stream(**earlier))
        };
        let tips = || before.iter().filter(continues);
        let tip = tips().find(is_own).or_else(|| tips().find(is_left));
        let row = tip.and_then(|earlier| row_of.get(*earlier as usize).copied());
        let row = row.or_else(|| rows.iter().position(|row| row.free <= column).map(|row| row as u32));
        let row = row.unwrap_or_else(|| {
            rows.push(OpenRow { tip: run, free: 0 });
            rows.len() as u32 - 1
        });
        let after = links.after.get(run as usize).into_iter().flatten();
        let end = after.map(|other| column_of(*other)).max().unwrap_or(column) + 1;
        if let Some(row) = rows.get_mut(row as usize) {
            row.tip = run;
            row.free = row.free.max(end);
        }
        row_of.push(row);
    }
    columns.into_iter().zip(row_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::SpanKind;
    use std::sync::Arc;

    fn graph(nodes: &[(&str, u32, &[u32])]) -> CapturedGraph {
        let node = |&(label, stream, before): &(&str, u32, &[u32])| GraphNode {
            operation: 0,
            label: Arc::new(label.into()),
            kind: SpanKind::GraphKernel,
            stream,
            before: before.to_vec(),
        };
        CapturedGraph { nodes: nodes.iter().map(node).collect(), ..CapturedGraph::default() }
    }

    fn place(layout: &GraphLayout, node: u32) -> (u32, u32) {
        let it = &layout.boxes[layout.box_of(node).unwrap() as usize];
        (it.column, it.row)
    }

    fn hold(graph: &CapturedGraph, layout: &GraphLayout) {
        let mut taken = std::collections::HashSet::new();
        for it in &layout.boxes {
            assert!(taken.insert((it.column, it.row)), "two boxes at {:?}", (it.column, it.row));
            assert!(it.column < layout.columns && it.row < layout.rows);
        }
        let mut nodes: Vec<u32> = layout.boxes.iter().flat_map(|it| it.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        assert_eq!(nodes, (0..graph.nodes.len() as u32).collect::<Vec<_>>());
        for (from, to) in &layout.edges {
            assert!(layout.boxes[*from as usize].column < layout.boxes[*to as usize].column);
        }
        for (number, node) in (0..).zip(&graph.nodes) {
            for before in &node.before {
                let (from, to) = (layout.box_of(*before).unwrap(), layout.box_of(number).unwrap());
                assert!(from == to || layout.edges.contains(&(from, to)), "{before} → {number} is not drawn");
            }
        }
    }

    #[test]
    fn branches_stand_below_each_other_and_join_again() {
        let graph = graph(&[
            ("a", 1, &[]),
            ("side", 2, &[0]),
            ("b", 1, &[0]),
            ("side 2", 2, &[1]),
            ("c", 1, &[2, 3]),
            ("d", 1, &[4]),
        ]);
        let layout = GraphLayout::new(&graph);
        hold(&graph, &layout);
        let places: Vec<_> = (0..6).map(|node| place(&layout, node)).collect();
        assert_eq!(places, [(0, 0), (1, 1), (1, 0), (2, 1), (3, 0), (4, 0)]);
        assert_eq!((layout.columns, layout.rows, layout.longest_edge), (5, 2, 2));
        assert_eq!(layout.within(1, 2).len(), 2);
        assert_eq!(layout.edges_within(2, 3).len(), 4);
    }

    #[test]
    fn a_long_run_of_equal_nodes_is_one_box() {
        let mut nodes: Vec<(&str, u32, Vec<u32>)> = vec![("first", 1, vec![])];
        nodes.extend((0..1440).map(|before| ("mul", 1, vec![before])));
        nodes.push(("last", 1, vec![1440]));
        let nodes: Vec<_> = nodes.iter().map(|(label, stream, before)| (*label, *stream, before.as_slice())).collect();
        let graph = graph(&nodes);
        let layout = GraphLayout::new(&graph);
        hold(&graph, &layout);
        assert_eq!((layout.columns, layout.rows, layout.boxes[1].nodes.len()), (3, 1, 1440));
    }

    #[test]
    fn whatever_is_captured_edges_lead_forward_and_no_two_boxes_overlap() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let count = random(40) as u32;
            let mut graph = CapturedGraph::default();
            for number in 0..count {
                let label = ["a", "b"][random(2) as usize];
                let fewest = u64::from(number).min(2);
                let before = (0..random(fewest + 1)).map(|_| random(u64::from(number)) as u32);
                let mut before: Vec<u32> = before.collect();
                before.sort_unstable();
                before.dedup();
                let kind = SpanKind::GraphKernel;
                let stream = random(3) as u32;
                graph.nodes.push(GraphNode { operation: number, label: Arc::new(label.into()), kind, stream, before });
            }
            hold(&graph, &GraphLayout::new(&graph));
        }
    }
}
