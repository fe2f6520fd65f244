//! What has to happen before what: one state machine over stream order, event versions, legacy barriers and captures.
//!
//! Operations are fed in the order in which the host issues them. Each piece of work becomes a [`Node`], and [`Order::edges`]
//! names its predecessors. The model waits for them, a checker follows them, and in a capture they are the graph's edges.

mod admit;
mod capture;
mod edges;
mod frontier;
mod legacy;

use std::collections::BTreeMap;

use super::cuda_error::CudaError;
use super::{EventId, GraphId, Program, StreamId, StreamKind};
pub use admit::Refusal;
pub use capture::Replayed;
use capture::{Capture, Captured};
use edges::Edges;
use frontier::Frontier;
use legacy::Barrier;

/// Work on the GPU: numbered in the order of issue, or within a graph that is being captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

impl Node {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why one node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// It stands before it in the same stream.
    Stream,
    /// A wait on an event of another stream.
    Event,
    /// The barrier of the legacy default stream.
    Legacy,
}

/// A predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node that has to be done.
    pub from: Node,
    /// Why.
    pub kind: EdgeKind,
}

/// Where a piece of work went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// To the GPU.
    Live(Node),
    /// Into a graph, where it will run at each replay.
    Captured(GraphId, Node),
}

#[derive(Clone, Debug, Default)]
struct StreamState {
    live: Frontier,
    /// The capture that the stream belongs to, and its frontier in there.
    capture: Option<(GraphId, Frontier)>,
    /// Last work of the legacy default stream that this stream has already waited for.
    legacy_seen: Option<Node>,
    /// Whether it is one of [`Barrier::open`].
    is_open: bool,
}

/// What an event stands for.
#[derive(Clone, Debug, Default)]
enum EventState {
    /// Nothing: a wait is no wait, a query succeeds.
    #[default]
    NeverRecorded,
    /// A record that runs on the GPU.
    Live(Node),
    /// The frontier of a capturing stream.
    Captured(GraphId, Vec<Node>),
}

/// The state machine.
#[derive(Clone, Debug)]
pub struct Order {
    kinds: Vec<StreamKind>,
    streams: Vec<StreamState>,
    events: Vec<EventState>,
    captures: BTreeMap<GraphId, Capture>,
    /// What came of captures that ended well.
    captured: BTreeMap<GraphId, Captured>,
    barrier: Barrier,
    nodes: u32,
    edges: Edges,
}

impl Order {
    /// Nothing has been issued yet.
    pub fn new(program: &Program) -> Self {
        Self {
            kinds: program.streams.iter().map(|stream| stream.kind).collect(),
            streams: vec![StreamState::default(); program.streams.len()],
            events: vec![EventState::default(); program.events.len()],
            captures: BTreeMap::new(),
            captured: BTreeMap::new(),
            barrier: Barrier::default(),
            nodes: 0,
            edges: Edges::default(),
        }
    }

    /// The predecessors of the work that was enqueued last.
    pub fn edges(&self) -> &[Edge] {
        self.edges.as_slice()
    }

    /// Puts work at the end of `stream`.
    ///
    /// # Errors
    /// 901 when the stream belongs to an invalidated capture, 906 when the work would tie the legacy default stream to a
    /// capturing blocking stream (which invalidates that capture).
    pub fn enqueue(&mut self, stream: StreamId) -> Result<Enqueued, CudaError> {
        self.edges.clear();
        if let Some(graph) = self.capturing(stream) {
            return self.enqueue_captured(stream, graph).map(|node| Enqueued::Captured(graph, node));
        }
        self.check_legacy(stream)?;
        let node = Node(self.nodes);
        self.nodes += 1;
        if let Some(state) = self.streams.get(stream.index()) {
            state.live.edges_into(&mut self.edges);
        }
        self.legacy_edges(stream);
        if let Some(state) = self.streams.get_mut(stream.index()) {
            state.live.advance(node);
            state.legacy_seen = self.barrier.last;
        }
        if self.kind(stream) == StreamKind::Legacy {
            self.barrier.last = Some(node);
        }
        self.note_work(stream);
        Ok(Enqueued::Live(node))
    }

    /// An event is recorded. Without `external` it stands for the work of `stream` so far; on a live stream the record is work
    /// itself. With it the record is a node of its own in the graph that `stream` is captured into.
    ///
    /// # Errors
    /// As [`Self::enqueue`], and with `external` 401 outside a capture.
    pub fn record(&mut self, event: EventId, stream: StreamId, external: bool) -> Result<Option<Enqueued>, CudaError> {
        if external {
            return self.as_node(event, stream, true).map(Some);
        }
        if let Some(graph) = self.capturing(stream) {
            self.check_valid(graph)?;
            let frontier = self.streams.get(stream.index()).and_then(|state| state.capture.as_ref());
            let nodes = frontier.map(|(_, frontier)| frontier.nodes().collect()).unwrap_or_default();
            if let Some(state) = self.events.get_mut(event.index()) {
                *state = EventState::Captured(graph, nodes);
            }
            self.edges.clear();
            return Ok(None);
        }
        let enqueued = self.enqueue(stream)?;
        if let (Enqueued::Live(node), Some(state)) = (enqueued, self.events.get_mut(event.index())) {
            *state = EventState::Live(node);
        }
        Ok(Some(enqueued))
    }

    /// Later work of `stream` waits for the most recent record of `event`; with `external` by a node of its own in the graph that
    /// `stream` is captured into, at each replay anew. On the legacy default stream a wait is a barrier like
    /// work there, so next to blocking streams it is a node: it comes after all their work, and they go on after it (CUDA Runtime
    /// API, "Stream synchronization behavior").
    ///
    /// # Errors
    /// 906 as [`Self::enqueue`] or when the legacy default stream would wait for captured work, 905 when a capturing stream would wait for uncaptured work, 902 when two captures would merge, 1 when the capture
    /// that the event belongs to is invalidated, 901 when the stream's own is, and with `external` 401 outside a capture.
    pub fn wait(&mut self, event: EventId, stream: StreamId, external: bool) -> Result<Option<Enqueued>, CudaError> {
        if external {
            return self.as_node(event, stream, false).map(Some);
        }
        let state = self.events.get(event.index()).cloned().unwrap_or_default();
        let own = self.capturing(stream);
        if let Some(graph) = own {
            self.check_valid(graph)?;
        }
        match (state, own) {
            (EventState::NeverRecorded, _) => {}
            (EventState::Live(node), None) => {
                self.check_legacy(stream)?;
                if let Some(state) = self.streams.get_mut(stream.index()) {
                    state.live.join(node, EdgeKind::Event);
                }
                self.note_work(stream);
                if self.kind(stream) == StreamKind::Legacy && self.barrier.has_blocking_work {
                    return self.enqueue(stream).map(Some);
                }
            }
            (EventState::Live(_), Some(graph)) => {
                self.invalidate(graph);
                return Err(CudaError::StreamCaptureIsolation);
            }
            (EventState::Captured(graph, _), None) if self.kind(stream) == StreamKind::Legacy => {
                self.invalidate(graph);
                return Err(CudaError::StreamCaptureImplicit);
            }
            (EventState::Captured(graph, nodes), None) => {
                if self.captures.get(&graph).is_none_or(|capture| capture.invalidated) {
                    return Err(CudaError::InvalidValue);
                }
                self.join_capture(stream, graph, &nodes);
            }
            (EventState::Captured(graph, nodes), Some(other)) if graph == other => {
                self.join_capture(stream, graph, &nodes);
            }
            (EventState::Captured(graph, _), Some(other)) => {
                self.invalidate(graph);
                self.invalidate(other);
                return Err(CudaError::StreamCaptureMerge);
            }
        }
        Ok(None)
    }

    /// What a synchronization of `stream` waits for.
    pub fn stream_frontier(&self, stream: StreamId) -> Vec<Node> {
        let mut nodes: Vec<Node> =
            self.streams.get(stream.index()).map(|state| state.live.nodes().collect()).unwrap_or_default();
        if self.kind(stream) == StreamKind::Legacy {
            // Work of the legacy stream waits for all blocking streams, and so does whoever waits for the stream. For what the
            // stream's own work has waited for already, that work stands.
            let open = self.barrier.open.iter().filter_map(|stream| self.streams.get(stream.index()));
            nodes.extend(open.filter_map(|state| state.live.last));
        }
        nodes
    }

    /// What a synchronization of the device waits for.
    pub fn device_frontier(&self) -> Vec<Node> {
        self.streams.iter().flat_map(|state| state.live.nodes()).collect()
    }

    /// What a synchronization with `event` waits for; `None` when it was never recorded.
    ///
    /// # Errors
    /// 907 when the event was last recorded in a capture.
    pub fn event_node(&self, event: EventId) -> Result<Option<Node>, CudaError> {
        match self.events.get(event.index()) {
            None | Some(EventState::NeverRecorded) => Ok(None),
            Some(EventState::Live(node)) => Ok(Some(*node)),
            Some(EventState::Captured(..)) => Err(CudaError::CapturedEvent),
        }
    }

    fn kind(&self, stream: StreamId) -> StreamKind {
        self.kinds.get(stream.index()).copied().unwrap_or(StreamKind::NonBlocking)
    }
}
