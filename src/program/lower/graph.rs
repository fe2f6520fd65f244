//! Statements about CUDA graphs.

use super::super::{Action, Graph, GraphId, StreamId, StreamKind};
use super::names::Binding;
use super::{Lowering, Outcome, wrong};
use crate::profile::HostOp;
use crate::scenario::statement::graph as statement;
use crate::scenario::statement::graph::CaptureMode;
use crate::scenario::{HostOverhead, Name};
use crate::text::Key;

impl Lowering<'_> {
    /// `torch.cuda.graph` synchronizes the device, captures on a side stream and instantiates at the end
    /// (PyTorch, `torch/cuda/graphs.py`).
    pub(super) fn capture(&mut self, it: &statement::Capture) -> Outcome {
        let (graph, stream) = self.begin_capture(it)?;
        let before = std::mem::replace(&mut self.current, stream);
        self.nested("body", &it.body)?;
        self.current = before;
        self.end_capture(graph, stream, &it.graph)
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
        let began = self.captures.stream(graph).unwrap_or(self.current);
        let stream = it.stream.as_ref().map_or(Ok(began), |stream| self.stream_named(stream))?;
        self.captures.end(graph, self.threads.mark())?;
        self.push_about(Action::EndCapture { graph, stream }, None, Key::LabelEndCapture, "")
    }

    pub(super) fn instantiate(&mut self, it: &statement::Instantiate) -> Outcome {
        let graph = self.graph_named(&it.graph)?;
        self.captures.instantiate(graph);
        self.push_about(Action::Instantiate { graph }, None, Key::LabelInstantiate, "")
    }

    pub(super) fn update_graph(&mut self, it: &statement::Update) -> Outcome {
        let (graph, from) = (self.graph_named(&it.graph)?, self.graph_named(&it.from)?);
        self.push_about(Action::UpdateGraph { graph, from }, None, Key::LabelUpdate, &it.graph.to_string())
    }

    pub(super) fn child_graph(&mut self, it: &statement::Child) -> Outcome {
        let graph = self.graph_named(&it.graph)?;
        self.push_about(
            Action::ChildGraph { graph, stream: self.current },
            None,
            Key::LabelChild,
            &it.graph.to_string(),
        )
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
        let name = self.resolve(name)?.into_owned();
        let graph = GraphId(self.program.graphs.len() as u32);
        self.program.graphs.push(Graph { name, mode, pool });
        self.push_about(Action::BeginCapture { graph, stream }, None, Key::LabelBeginCapture, "")?;
        self.captures.begin(stream, pool, self.threads.mark());
        Ok(graph)
    }

    fn end_capture(&mut self, graph: GraphId, stream: StreamId, name: &Name) -> Outcome {
        self.captures.end(graph, self.threads.mark())?;
        self.push_about(Action::EndCapture { graph, stream }, None, Key::LabelEndCapture, "")?;
        self.captures.instantiate(graph);
        self.push_about(Action::Instantiate { graph }, None, Key::LabelInstantiate, "")?;
        let name = self.resolve(name)?;
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

    /// The number of the private pool: one that graphs share by name, or a new one.
    fn pool(&mut self, name: Option<&Name>) -> Outcome<u32> {
        let next = self.captures.next_pool();
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
        if !self.captures.is_executable(graph) {
            let name = &it.graph;
            return wrong(format!("`{name}` has been captured but is not executable; `instantiate` it first"));
        }
        self.captures.replay(graph)?;
        self.push_about(
            Action::Replay { graph, stream: self.current },
            Some(HostOp::Replay),
            Key::LabelReplay,
            &it.graph.to_string(),
        )
    }

    fn graph_named(&self, name: &Name) -> Outcome<GraphId> {
        Ok(*self.names.graph(&self.resolve(name)?)?)
    }
}
