//! Captured graphs and their replays.

use super::host::{Call, Failure, Host};
use super::task::{TaskId, TaskKind};
use crate::program::cuda_error::CudaError;
use crate::program::order::{Edge, EdgeKind, Enqueued};
use crate::program::{GraphId, StreamId};
use crate::recording::SpanKind;
use crate::scenario::HostOverhead;
use crate::time::Ns;

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

/// A captured graph.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub origin: StreamId,
    pub nodes: Vec<Node>,
    /// The end of its latest replay: only one runs at a time.
    last: Option<TaskId>,
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

    fn lend(&mut self, graph: GraphId) -> Option<Graph> {
        self.0.get_mut(graph.index())?.take()
    }

    fn give_back(&mut self, graph: GraphId, lent: Graph) {
        if let Some(place) = self.0.get_mut(graph.index()) {
            *place = Some(lent);
        }
    }

    pub fn begin(&mut self, graph: GraphId, origin: StreamId) {
        self.give_back(graph, Graph { origin, nodes: Vec::new(), last: None });
    }

    /// The capture failed: there is no graph.
    pub fn discard(&mut self, graph: GraphId) {
        if let Some(place) = self.0.get_mut(graph.index()) {
            *place = None;
        }
    }

    pub fn add(&mut self, graph: GraphId, operation: u32, stream: StreamId, kind: TaskKind, edges: &[Edge]) {
        if let Some(graph) = self.0.get_mut(graph.index()).and_then(Option::as_mut) {
            let after = edges.iter().map(|edge| edge.from.0).collect();
            graph.nodes.push(Node { operation, stream, kind, after });
        }
    }
}

impl Host<'_> {
    /// Launches a graph: one call and one place in the queue, then a task for each node.
    pub(super) fn replay(&mut self, call: Call, graph: GraphId, stream: StreamId) -> Result<(), Failure> {
        // A capture that failed has said so already: what depends on it is skipped.
        let Some(captured) = self.graphs.get(graph) else { return Ok(()) };
        let running = captured.last.filter(|last| self.device.task(*last).is_some_and(|task| task.ended > self.now));
        let calls = &self.profile.calls;
        let nodes = captured.nodes.len();
        let mut call_us = calls.graph_launch_us.at(nodes as f64);
        if running.is_some() {
            call_us += calls.graph_relaunch_node_us * nodes as f64;
        }
        self.wait_for_room(call, stream);
        match self.order.enqueue(stream)? {
            Enqueued::Live(_) => {}
            Enqueued::Captured(..) => return Err(CudaError::StreamCaptureUnsupported.into()),
        }
        let mut after = self.predecessors();
        if let Some(last) = running.filter(|last| after.iter().all(|(task, _)| task != last)) {
            after.push((last, EdgeKind::Stream));
        }
        self.spend(call, SpanKind::Call, call_us);
        let visible = self.now + Ns::from_us(self.profile.latencies.graph_launch_us);
        let start = self.device.submit(self.new_task(TaskKind::GraphStart, stream), visible, &after);
        // The graph is lent out while its nodes are handed over, since it may have thousands.
        if let Some(mut captured) = self.graphs.lend(graph) {
            captured.last = Some(self.submit_nodes(&captured, graph, stream, start, visible));
            self.graphs.give_back(graph, captured);
        }
        Ok(())
    }

    fn submit_nodes(&mut self, graph: &Graph, id: GraphId, stream: StreamId, start: TaskId, visible: Ns) -> TaskId {
        let first = self.device.task_count() as u32;
        let priority = self.new_task(TaskKind::GraphStart, stream).priority;
        let mut is_leaf = vec![true; graph.nodes.len()];
        for node in &graph.nodes {
            let mut after: Vec<(TaskId, EdgeKind)> = Vec::with_capacity(node.after.len().max(1));
            for before in &node.after {
                after.push((TaskId(first + before), EdgeKind::Stream));
                if let Some(leaf) = is_leaf.get_mut(*before as usize) {
                    *leaf = false;
                }
            }
            if after.is_empty() {
                after.push((start, EdgeKind::Stream));
            }
            let mut task = self.new_task(node.kind, node.stream);
            // PyTorch instantiates graphs so that their nodes keep their priorities; by default the launch has one for all.
            if self.program.host == HostOverhead::Cuda {
                task.priority = priority;
            }
            task.operation = node.operation;
            task.in_graph = true;
            // A graph's main line is shown where it was launched; its branches where they were captured.
            task.lane = if node.stream == graph.origin { stream.0 } else { node.stream.0 };
            self.device.submit(task, visible, &after);
        }
        let leaves = is_leaf.iter().enumerate().filter(|(_, leaf)| **leaf);
        let mut after: Vec<(TaskId, EdgeKind)> =
            leaves.map(|(index, _)| (TaskId(first + index as u32), EdgeKind::Stream)).collect();
        if after.is_empty() {
            after.push((start, EdgeKind::Stream));
        }
        let task = self.new_task(TaskKind::GraphEnd(id), stream);
        self.submit(task, visible, &after)
    }
}
