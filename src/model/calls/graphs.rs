//! Calls of graphs: capturing, instantiating, launching.

use super::super::graph::{Graph, Node};
use super::super::host::Host;
use super::super::step::Step;
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::Refusal;
use crate::program::{GraphId, Program, StreamId, TensorId};
use crate::recording::SpanKind;
use crate::scenario::HostOverhead;
use crate::scenario::statement::graph::CaptureMode;
use crate::time::Ns;

impl Host<'_> {
    pub(super) fn begin_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let mode = self.program.graphs.get(graph.index()).map_or(CaptureMode::Global, |graph| graph.mode);
        self.spend(SpanKind::Capture, self.profile.calls.capture_node_us);
        self.gpu.order.begin_capture(graph, stream, mode, self.thread.id)?;
        self.gpu.graphs.begin(graph, stream);
        Ok(())
    }

    pub(super) fn end_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        self.spend(SpanKind::Capture, self.profile.calls.capture_node_us);
        let ended = self.gpu.order.end_capture(graph, stream, self.thread.id);
        if ended.is_err() && ended != Err(CudaError::IllegalState) {
            self.gpu.graphs.discard(graph);
        }
        Ok(ended?)
    }

    /// A capture that failed has said so already: what depends on it is skipped. A graph that allocates memory can be made
    /// executable once only.
    pub(super) fn instantiate(&mut self, graph: GraphId) -> Result<(), Refusal> {
        let Some(graph) = self.gpu.graphs.get_mut(graph) else { return Ok(()) };
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
        let graph = self.gpu.order.capturing(stream).and_then(|graph| self.gpu.graphs.get(graph));
        graph.is_none_or(|graph| graph.allocates.contains(&tensor))
    }

    /// The update takes over parameters, so nodes and edges must be the same (CUDA driver API, `cuGraphExecUpdate`).
    pub(super) fn update_graph(&mut self, graph: GraphId, from: GraphId) -> Result<(), Refusal> {
        let Some((old, new)) = self.gpu.graphs.get(graph).zip(self.gpu.graphs.get(from)) else { return Ok(()) };
        let (old, new) = (old.nodes_now(), new.nodes.clone());
        let fits = effects::can_update(self.program, old.iter().map(Node::as_update), new.iter().map(Node::as_update));
        self.spend(SpanKind::Capture, self.profile.calls.graph_launch_us.at(new.len() as f64));
        if !fits {
            return Err(CudaError::GraphExecUpdateFailure.into());
        }
        self.gpu.order.update(graph, from);
        if let Some(graph) = self.gpu.graphs.get_mut(graph) {
            graph.executable = Some(new);
        }
        Ok(())
    }

    pub(super) fn child_graph(&mut self, child: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let (graph, before) = self.gpu.order.add_child(child, stream)?;
        let nodes = self.gpu.graphs.get(child).map(|child| child.nodes.clone()).unwrap_or_default();
        if let Some(graph) = self.gpu.graphs.get_mut(graph) {
            for (node, before) in nodes.into_iter().zip(before) {
                graph.nodes.push(Node { after: before.iter().map(|node| node.0).collect(), ..node });
            }
        }
        self.spend(SpanKind::Call, self.profile.calls.capture_node_us);
        Ok(())
    }

    /// With its last graph a private pool goes too.
    pub(super) fn destroy_graph(&mut self, graph: GraphId) {
        self.gpu.graphs.destroy(graph);
        let pool = self.program.graphs.get(graph.index()).map_or(0, |graph| graph.pool);
        let sharing = self.program.graphs.iter().enumerate().filter(|(_, graph)| graph.pool == pool);
        if self.gpu.graphs.are_destroyed(sharing.map(|(index, _)| index)) {
            self.storage.allocator.release_pool(pool);
        }
    }

    /// Launches a graph: one call and one place in the queue, then a task for each node.
    pub(super) fn replay(&mut self, graph: GraphId, stream: StreamId) -> Result<Step, Refusal> {
        // A capture that failed has said so already: what depends on it is skipped.
        if self.gpu.graphs.get(graph).is_none() {
            return Ok(Step::Done);
        }
        if let Some(wait) = self.wait_for_room(stream) {
            return Ok(wait);
        }
        let Some(captured) = self.gpu.graphs.get(graph).filter(|captured| is_free(captured, self.program)) else {
            return Err(CudaError::InvalidValue.into());
        };
        let calls = &self.profile.calls;
        let nodes = captured.nodes_now().len() as f64;
        let running = self.gpu.running_replay(graph, self.thread.now);
        let again_us = if running.is_some() { calls.graph_relaunch_node_us * nodes } else { 0.0 };
        let replayed = self.gpu.order.replay(graph, stream)?;
        self.spend(SpanKind::Call, calls.graph_launch_us.at(nodes) + again_us);
        let visible = self.thread.now + Ns::from_us(self.profile.latencies.graph_launch_us);
        self.look_for_faults(graph);
        let records = replayed.records.iter().map(|(_, node)| *node);
        let issue = self.issue();
        self.gpu.replay(graph, stream, issue, visible, running, records);
        self.thread.host_time.launched(self.thread.now);
        Ok(Step::Done)
    }

    /// Whether nodes of a graph touch memory that has been given back to the driver.
    fn look_for_faults(&mut self, graph: GraphId) {
        if self.gpu.device.memory.given.has_returned() {
            let nodes = self.gpu.graphs.get(graph).map_or(&[][..], Graph::nodes_now);
            let operations: Vec<u32> = nodes.iter().map(|node| node.operation).collect();
            operations.into_iter().for_each(|operation| self.gpu.look_for_fault(operation));
        }
    }
}

/// A graph that allocates memory cannot run again before that is freed (CUDA driver API, `cuGraphLaunch`); PyTorch asks for it
/// to be freed by the launch (`aten/src/ATen/cuda/CUDAGraph.cpp`).
fn is_free(graph: &Graph, program: &Program) -> bool {
    !graph.holds || program.host == HostOverhead::Pytorch
}
