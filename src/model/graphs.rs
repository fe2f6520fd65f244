//! Captured graphs and their replays.

use super::host::Host;
use super::task::{TaskId, TaskKind};
use super::threads::Step;
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::{Edge, EdgeKind, Refusal};
use crate::program::{GraphId, Program, StreamId, TensorId};
use crate::recording::SpanKind;
use crate::scenario::HostOverhead;
use crate::scenario::statement::graph::CaptureMode;
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

impl Node {
    /// What an update compares.
    fn as_update(&self) -> (u32, &[u32]) {
        (self.operation, &self.after)
    }
}

/// A captured graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub origin: StreamId,
    pub nodes: Vec<Node>,
    /// The end of its latest replay: only one runs at a time.
    last: Option<TaskId>,
    /// Memory that its nodes allocate and do not free, and whether that is so since its latest replay.
    allocates: Vec<TensorId>,
    holds: bool,
    is_executable: bool,
    is_destroyed: bool,
    /// What became of its executable, when that took over the parameters of another graph.
    executable: Option<Vec<Node>>,
}

impl Graph {
    /// The nodes that a replay runs.
    fn nodes_now(&self) -> &[Node] {
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

    fn lend(&mut self, graph: GraphId) -> Option<Graph> {
        self.0.get_mut(graph.index())?.take()
    }

    fn give_back(&mut self, graph: GraphId, lent: Graph) {
        if let Some(place) = self.0.get_mut(graph.index()) {
            *place = Some(lent);
        }
    }

    pub fn begin(&mut self, graph: GraphId, origin: StreamId) {
        self.give_back(graph, Graph { origin, ..Graph::default() });
    }

    /// The executable is gone; the graph that it was made of may still become a part of another.
    pub fn destroy(&mut self, graph: GraphId) {
        if let Some(Some(graph)) = self.0.get_mut(graph.index()) {
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
        if let Some(graph) = self.0.get_mut(graph.index()).and_then(Option::as_mut) {
            let after = edges.iter().map(|edge| edge.from.0).collect();
            graph.nodes.push(Node { operation, stream, kind, after });
        }
    }
}

impl Host<'_> {
    pub(super) fn begin_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let mode = self.program.graphs.get(graph.index()).map_or(CaptureMode::Global, |graph| graph.mode);
        self.spend(SpanKind::Capture, self.profile.calls.capture_node_us);
        self.order.begin_capture(graph, stream, mode, self.thread)?;
        self.graphs.begin(graph, stream);
        Ok(())
    }

    pub(super) fn end_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        self.spend(SpanKind::Capture, self.profile.calls.capture_node_us);
        let ended = self.order.end_capture(graph, stream, self.thread);
        if ended.is_err() && ended != Err(CudaError::IllegalState) {
            self.graphs.discard(graph);
        }
        Ok(ended?)
    }

    /// A capture that failed has said so already: what depends on it is skipped. A graph that allocates memory can be made
    /// executable once only.
    pub(super) fn instantiate(&mut self, graph: GraphId) -> Result<(), Refusal> {
        let Some(Some(graph)) = self.graphs.0.get_mut(graph.index()) else { return Ok(()) };
        if graph.is_executable && !graph.allocates.is_empty() {
            return Err(CudaError::NotSupported.into());
        }
        graph.is_executable = true;
        let nodes = graph.nodes.len() as f64;
        self.spend(SpanKind::Capture, self.profile.calls.instantiate_us.at(nodes));
        Ok(())
    }

    /// Whether the graph that `stream` is captured into allocates a tensor, as it has to before it can free it.
    pub(super) fn may_free(&self, stream: StreamId, tensor: TensorId) -> bool {
        let graph = self.order.capturing(stream).and_then(|graph| self.graphs.get(graph));
        graph.is_none_or(|graph| graph.allocates.contains(&tensor))
    }

    /// The update takes over parameters, so nodes and edges must be the same (CUDA driver API, `cuGraphExecUpdate`).
    pub(super) fn update_graph(&mut self, graph: GraphId, from: GraphId) -> Result<(), Refusal> {
        let Some((old, new)) = self.graphs.get(graph).zip(self.graphs.get(from)) else { return Ok(()) };
        let (old, new) = (old.nodes_now(), new.nodes.clone());
        let fits = effects::can_update(self.program, old.iter().map(Node::as_update), new.iter().map(Node::as_update));
        self.spend(SpanKind::Capture, self.profile.calls.graph_launch_us.at(new.len() as f64));
        if !fits {
            return Err(CudaError::GraphExecUpdateFailure.into());
        }
        self.order.update(graph, from);
        if let Some(Some(graph)) = self.graphs.0.get_mut(graph.index()) {
            graph.executable = Some(new);
        }
        Ok(())
    }

    pub(super) fn child_graph(&mut self, child: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let (graph, before) = self.order.add_child(child, stream)?;
        let nodes = self.graphs.get(child).map(|child| child.nodes.clone()).unwrap_or_default();
        if let Some(Some(graph)) = self.graphs.0.get_mut(graph.index()) {
            for (node, before) in nodes.into_iter().zip(before) {
                graph.nodes.push(Node { after: before.iter().map(|node| node.0).collect(), ..node });
            }
        }
        self.spend(SpanKind::Call, self.profile.calls.capture_node_us);
        Ok(())
    }

    /// With its last graph a private pool goes too.
    pub(super) fn destroy_graph(&mut self, graph: GraphId) {
        self.graphs.destroy(graph);
        let pool = self.program.graphs.get(graph.index()).map_or(0, |graph| graph.pool);
        let sharing = self.program.graphs.iter().enumerate().filter(|(_, graph)| graph.pool == pool);
        if self.graphs.are_destroyed(sharing.map(|(index, _)| index)) {
            self.allocator.release_pool(pool);
        }
    }

    /// Launches a graph: one call and one place in the queue, then a task for each node.
    pub(super) fn replay(&mut self, graph: GraphId, stream: StreamId) -> Result<Step, Refusal> {
        // A capture that failed has said so already: what depends on it is skipped.
        if self.graphs.get(graph).is_none() {
            return Ok(Step::Done);
        }
        if let Some(wait) = self.wait_for_room(stream) {
            return Ok(wait);
        }
        let Some(captured) = self.graphs.get(graph).filter(|captured| is_free(captured, self.program)) else {
            return Err(CudaError::InvalidValue.into());
        };
        let running = captured.last.filter(|last| self.device.task(*last).is_some_and(|task| task.ended > self.now));
        let calls = &self.profile.calls;
        let nodes = captured.nodes_now().len();
        let mut call_us = calls.graph_launch_us.at(nodes as f64);
        if running.is_some() {
            call_us += calls.graph_relaunch_node_us * nodes as f64;
        }
        let replayed = self.order.replay(graph, stream)?;
        let mut after = self.predecessors();
        if let Some(last) = running.filter(|last| after.iter().all(|(task, _)| task != last)) {
            after.push((last, EdgeKind::Stream));
        }
        self.spend(SpanKind::Call, call_us);
        let visible = self.now + Ns::from_us(self.profile.latencies.graph_launch_us);
        if self.device.memory.given.has_returned() {
            let operations = captured_operations(self.graphs.get(graph));
            operations.into_iter().for_each(|operation| self.look_for_fault(operation));
        }
        let start = self.device.submit(self.new_task(TaskKind::GraphStart, stream), visible, &after, None);
        // The graph is lent out while its nodes are handed over, since it may have thousands.
        if let Some(mut captured) = self.graphs.lend(graph) {
            let first = self.device.task_count() as u32;
            captured.last = Some(self.submit_nodes(&captured, graph, stream, start, visible));
            captured.holds = !captured.allocates.is_empty();
            self.tasks.extend(replayed.records.iter().map(|(_, node)| TaskId(first + node.0)));
            self.graphs.give_back(graph, captured);
        }
        Ok(Step::Done)
    }

    fn submit_nodes(&mut self, graph: &Graph, id: GraphId, stream: StreamId, start: TaskId, visible: Ns) -> TaskId {
        let first = self.device.task_count() as u32;
        let priority = self.new_task(TaskKind::GraphStart, stream).priority;
        let nodes = graph.nodes_now();
        let mut is_leaf = vec![true; nodes.len()];
        for node in nodes {
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
            self.device.submit(task, visible, &after, None);
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

fn captured_operations(graph: Option<&Graph>) -> Vec<u32> {
    graph.map(|graph| graph.nodes_now().iter().map(|node| node.operation).collect()).unwrap_or_default()
}

/// A graph that allocates memory cannot run again before that is freed (CUDA driver API, `cuGraphLaunch`); PyTorch asks for it
/// to be freed by the launch (`aten/src/ATen/cuda/CUDAGraph.cpp`).
fn is_free(graph: &Graph, program: &Program) -> bool {
    !graph.holds || program.host == HostOverhead::Pytorch
}
