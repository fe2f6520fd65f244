//! Captured graphs.

use super::task::{TaskId, TaskKind};
use crate::program::order::Edge;
use crate::program::{GraphId, StreamId, TensorId};

/// A node of a graph.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Index of the operation that was captured.
    pub operation: u32,
    /// The stream that it was captured from.
    pub stream: StreamId,
    pub kind: TaskKind,
    /// Nodes before it.
    pub after: Vec<u32>,
}

impl Node {
    /// What an update compares.
    pub fn as_update(&self) -> (u32, &[u32]) {
        (self.operation, &self.after)
    }
}

/// A captured graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub origin: StreamId,
    pub nodes: Vec<Node>,
    /// The end of its latest replay: only one runs at a time.
    pub last: Option<TaskId>,
    /// Memory that its nodes allocate and do not free, and whether that is so since its latest replay.
    pub allocates: Vec<TensorId>,
    pub holds: bool,
    pub is_executable: bool,
    is_destroyed: bool,
    /// What became of its executable, when that took over the parameters of another graph.
    pub executable: Option<Vec<Node>>,
}

impl Graph {
    /// The nodes that a replay runs.
    pub fn nodes_now(&self) -> &[Node] {
        self.executable.as_deref().unwrap_or(&self.nodes)
    }
}

/// All graphs.
#[derive(Clone, Debug)]
pub(super) struct Graphs(Vec<Option<Graph>>);

impl Graphs {
    pub fn new(count: usize) -> Self {
        Self(vec![None; count])
    }

    pub fn get(&self, graph: GraphId) -> Option<&Graph> {
        self.0.get(graph.index())?.as_ref()
    }

    pub fn get_mut(&mut self, graph: GraphId) -> Option<&mut Graph> {
        self.0.get_mut(graph.index())?.as_mut()
    }

    /// Takes a graph out, to be given back: a replay may hand over thousands of nodes.
    pub fn lend(&mut self, graph: GraphId) -> Option<Graph> {
        self.0.get_mut(graph.index())?.take()
    }

    pub fn give_back(&mut self, graph: GraphId, lent: Graph) {
        if let Some(place) = self.0.get_mut(graph.index()) {
            *place = Some(lent);
        }
    }

    pub fn begin(&mut self, graph: GraphId, origin: StreamId) {
        self.give_back(graph, Graph { origin, ..Graph::default() });
    }

    /// The executable is gone; the graph that it was made of may still become a part of another.
    pub fn destroy(&mut self, graph: GraphId) {
        if let Some(graph) = self.get_mut(graph) {
            (graph.is_executable, graph.is_destroyed, graph.executable) = (false, true, None);
        }
    }

    /// Whether none of these is executable any more.
    pub fn are_destroyed(&self, mut graphs: impl Iterator<Item = usize>) -> bool {
        graphs.all(|graph| self.0.get(graph).and_then(Option::as_ref).is_none_or(|graph| graph.is_destroyed))
    }

    /// The capture failed: there is no graph.
    pub fn discard(&mut self, graph: GraphId) {
        if let Some(place) = self.0.get_mut(graph.index()) {
            *place = None;
        }
    }

    /// Memory is allocated or freed: by a node of `graph`, or without one.
    pub fn note_memory(&mut self, graph: Option<GraphId>, tensor: TensorId, allocated: bool) {
        match graph.and_then(|graph| self.0.get_mut(graph.index())) {
            Some(Some(graph)) if allocated => graph.allocates.push(tensor),
            Some(Some(graph)) => graph.allocates.retain(|held| *held != tensor),
            Some(None) | None if allocated => {}
            Some(None) | None => {
                for graph in self.0.iter_mut().flatten().filter(|graph| graph.allocates.contains(&tensor)) {
                    graph.holds = false;
                }
            }
        }
    }

    pub fn add(&mut self, graph: GraphId, operation: u32, stream: StreamId, kind: TaskKind, edges: &[Edge]) {
        if let Some(graph) = self.get_mut(graph) {
            let after = edges.iter().map(|edge| edge.from.0).collect();
            graph.nodes.push(Node { operation, stream, kind, after });
        }
    }
}
