//! Statements about CUDA graphs.

use super::super::effects::{self, InCapture};
use super::super::{Action, Graph, GraphId, MAX_GRAPH_NODES, StreamId, StreamKind};
use super::names::Binding;
use super::{LowerError, Lowering, Outcome};
use crate::profile::HostOp;
use crate::scenario::HostOverhead;
use crate::scenario::statement::graph as statement;

impl Lowering {
    /// `torch.cuda.graph` synchronizes the device, captures on a side stream and instantiates at the end
    /// (PyTorch, `torch/cuda/graphs.py`).
    pub(super) fn capture(&mut self, it: &statement::Capture) -> Result<(), LowerError> {
        let (graph, stream) = self.begin_capture(it).map_err(|message| self.error(message))?;
        let before = std::mem::replace(&mut self.current, stream);
        let outcome = self.nested("body", &it.body);
        self.current = before;
        self.capturing = false;
        outcome?;
        self.end_capture(graph, stream, it).map_err(|message| self.error(message))
    }

    fn begin_capture(&mut self, it: &statement::Capture) -> Outcome<(GraphId, StreamId)> {
        if self.capturing {
            return Err("a capture inside a capture is not executed yet".to_owned());
        }
        let name = self.resolve(&it.graph)?;
        let stream = match &it.stream {
            Some(stream) => self.stream_named(stream)?,
            None => self.side_stream(),
        };
        let pool = self.pool(it)?;
        let graph = GraphId(self.program.graphs.len() as u32);
        self.program.graphs.push(Graph { name, mode: it.mode, pool });
        self.graph_nodes.push(0);
        if self.program.host == HostOverhead::Pytorch {
            self.push(Action::SyncDevice, Some(HostOp::Synchronize), "synchronize")?;
        }
        self.push(Action::BeginCapture { graph, stream }, None, "begin capture")?;
        self.capturing = true;
        Ok((graph, stream))
    }

    fn end_capture(&mut self, graph: GraphId, stream: StreamId, it: &statement::Capture) -> Outcome {
        let captured = self.program.operations.iter().rev();
        let captured = captured.take_while(|operation| !matches!(operation.action, Action::BeginCapture { .. }));
        let is_node = |action: &Action| {
            effects::in_capture(action, self.program.host) == InCapture::Node && effects::enqueues(action).is_some()
        };
        let nodes = captured.filter(|operation| is_node(&operation.action)).count() as u64;
        if let Some(place) = self.graph_nodes.get_mut(graph.index()) {
            *place = nodes;
        }
        self.push(Action::EndCapture { graph, stream }, None, "end capture")?;
        self.push(Action::Instantiate { graph }, None, "instantiate")?;
        let name = self.resolve(&it.graph)?;
        self.bind(&name, Binding::Graph(graph))
    }

    /// The stream that captures where the scenario names none.
    fn side_stream(&mut self) -> StreamId {
        match self.names.get("capture stream") {
            Some(Binding::Stream(stream)) => *stream,
            _ => {
                let stream = self.new_stream("capture", StreamKind::NonBlocking, 0);
                self.names.bind("capture stream", Binding::Stream(stream));
                stream
            }
        }
    }

    /// The number of the private pool: one that graphs share by name, or a new one. 0 is the ordinary pool.
    fn pool(&mut self, it: &statement::Capture) -> Outcome<u32> {
        let next = self.program.graphs.iter().map(|graph| graph.pool).max().unwrap_or(0) + 1;
        let Some(name) = &it.pool else { return Ok(next) };
        let name = format!("pool {}", self.resolve(name)?);
        match self.names.get(&name) {
            Some(Binding::Pool(pool)) => Ok(*pool),
            _ => {
                self.names.bind(&name, Binding::Pool(next));
                Ok(next)
            }
        }
    }

    pub(super) fn replay(&mut self, it: &statement::Replay) -> Outcome {
        let graph = self.graph_named(&it.graph)?;
        self.replayed_nodes += self.graph_nodes.get(graph.index()).copied().unwrap_or(0);
        if self.replayed_nodes > MAX_GRAPH_NODES {
            return Err(format!(
                "the replays of this program run more than {MAX_GRAPH_NODES} graph nodes; lower a loop count"
            ));
        }
        self.push(Action::Replay { graph, stream: self.current }, Some(HostOp::Replay), &format!("replay {}", it.graph))
    }
}
