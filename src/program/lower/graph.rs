//! Statements about CUDA graphs.

use super::super::effects::{self, InCapture};
use super::super::{Action, Graph, GraphId, MAX_GRAPH_NODES, StreamId, StreamKind};
use super::names::Binding;
use super::{LowerError, Lowering, Outcome};
use crate::profile::HostOp;
use crate::scenario::statement::graph as statement;
use crate::scenario::statement::graph::CaptureMode;
use crate::scenario::{HostOverhead, Name};

/// Most nodes that one graph may have.
const MAX_NODES: u64 = 500_000;

impl Lowering {
    /// `torch.cuda.graph` synchronizes the device, captures on a side stream and instantiates at the end
    /// (PyTorch, `torch/cuda/graphs.py`).
    pub(super) fn capture(&mut self, it: &statement::Capture) -> Result<(), LowerError> {
        let (graph, stream) = self.begin_capture(it).map_err(|message| self.error(message))?;
        let before = std::mem::replace(&mut self.current, stream);
        let outcome = self.nested("body", &it.body);
        self.current = before;
        outcome?;
        self.end_capture(graph, stream, &it.graph).map_err(|message| self.error(message))
    }

    /// The calls of a program that captures without `torch.cuda.graph`.
    pub(super) fn begin_capture_only(&mut self, it: &statement::BeginCapture) -> Outcome {
        let stream = self.stream_or_current(it.stream.as_ref())?;
        let pool = self.pool(it.pool.as_ref())?;
        let graph = self.new_graph(&it.graph, it.mode, pool, stream)?;
        let name = self.resolve(&it.graph)?;
        self.bind(&name, Binding::Graph(graph))
    }

    pub(super) fn end_capture_only(&mut self, it: &statement::EndCapture) -> Outcome {
        let graph = self.graph_named(&it.graph)?;
        let began = self.capture_streams.get(graph.index()).copied().unwrap_or(self.current);
        let stream = it.stream.as_ref().map_or(Ok(began), |stream| self.stream_named(stream))?;
        self.count_nodes(graph)?;
        self.push(Action::EndCapture { graph, stream }, None, "end capture")
    }

    pub(super) fn instantiate(&mut self, it: &statement::Instantiate) -> Outcome {
        let graph = self.graph_named(&it.graph)?;
        self.executable.insert(graph);
        self.push(Action::Instantiate { graph }, None, "instantiate")
    }

    pub(super) fn update_graph(&mut self, it: &statement::Update) -> Outcome {
        let (graph, from) = (self.graph_named(&it.graph)?, self.graph_named(&it.from)?);
        self.push(Action::UpdateGraph { graph, from }, None, &format!("update {}", it.graph))
    }

    pub(super) fn child_graph(&mut self, it: &statement::Child) -> Outcome {
        let graph = self.graph_named(&it.graph)?;
        self.push(Action::ChildGraph { graph, stream: self.current }, None, &format!("child {}", it.graph))
    }

    fn begin_capture(&mut self, it: &statement::Capture) -> Outcome<(GraphId, StreamId)> {
        let stream = match &it.stream {
            Some(stream) => self.stream_named(stream)?,
            None => self.side_stream(),
        };
        let pool = self.pool(it.pool.as_ref())?;
        if self.program.host == HostOverhead::Pytorch {
            self.push(Action::SyncDevice, Some(HostOp::Synchronize), "synchronize")?;
        }
        let graph = self.new_graph(&it.graph, it.mode, pool, stream)?;
        Ok((graph, stream))
    }

    fn new_graph(&mut self, name: &Name, mode: CaptureMode, pool: u32, stream: StreamId) -> Outcome<GraphId> {
        let name = self.resolve(name)?;
        let graph = GraphId(self.program.graphs.len() as u32);
        self.program.graphs.push(Graph { name, mode, pool });
        self.graph_nodes.push(0);
        self.capture_streams.push(stream);
        self.capture_counts.push(self.count);
        self.push(Action::BeginCapture { graph, stream }, None, "begin capture")?;
        Ok(graph)
    }

    fn end_capture(&mut self, graph: GraphId, stream: StreamId, name: &Name) -> Outcome {
        self.count_nodes(graph)?;
        self.push(Action::EndCapture { graph, stream }, None, "end capture")?;
        self.executable.insert(graph);
        self.push(Action::Instantiate { graph }, None, "instantiate")?;
        let name = self.resolve(name)?;
        self.bind(&name, Binding::Graph(graph))
    }

    /// Nodes that the graph has at most: all that this thread has issued since its capture began, and what others have.
    fn count_nodes(&mut self, graph: GraphId) -> Outcome {
        let begins = |action: &Action| matches!(action, Action::BeginCapture { graph: begun, .. } if *begun == graph);
        let own = self.program.operations.iter().rev().take_while(|operation| !begins(&operation.action));
        let own: Vec<Action> = own.map(|operation| operation.action).collect();
        let nodes_of = |action: &Action| match *action {
            Action::ChildGraph { graph, .. } => self.graph_nodes.get(graph.index()).copied().unwrap_or(0),
            action => {
                let is_node = matches!(effects::in_capture(&action), InCapture::Node | InCapture::NodeOrUnsafe(_));
                u64::from(is_node && effects::enqueues(&action).is_some())
            }
        };
        let since = self.count - self.capture_counts.get(graph.index()).copied().unwrap_or(self.count);
        // The begin itself is neither.
        let others = since.saturating_sub(own.len() + 1) as u64;
        let nodes = own.iter().map(nodes_of).fold(others, u64::saturating_add);
        if nodes > MAX_NODES {
            return Err(format!(
                "the graph has more than {MAX_NODES} nodes; lower a loop count or use fewer child graphs"
            ));
        }
        if let Some(place) = self.graph_nodes.get_mut(graph.index()) {
            *place = nodes;
        }
        Ok(())
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
    fn pool(&mut self, name: Option<&Name>) -> Outcome<u32> {
        let next = self.program.graphs.iter().map(|graph| graph.pool).max().unwrap_or(0) + 1;
        let Some(name) = name else { return Ok(next) };
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
        if !self.executable.contains(&graph) {
            return Err(format!("`{}` has been captured but is not executable; `instantiate` it first", it.graph));
        }
        self.replayed_nodes += self.graph_nodes.get(graph.index()).copied().unwrap_or(0);
        if self.replayed_nodes > MAX_GRAPH_NODES {
            return Err(format!(
                "the replays of this program run more than {MAX_GRAPH_NODES} graph nodes; lower a loop count"
            ));
        }
        self.push(Action::Replay { graph, stream: self.current }, Some(HostOp::Replay), &format!("replay {}", it.graph))
    }
}
