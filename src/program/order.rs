//! What has to happen before what: one state machine over stream order, event versions, legacy barriers and captures.
//!
//! Operations are fed in the order in which the host issues them. Each piece of work becomes a [`Node`], and [`Order::edges`]
//! names its predecessors. The model waits for them, a checker follows them, and in a capture they are the graph's edges.

use std::collections::BTreeMap;

use super::cuda_error::CudaError;
use super::{EventId, GraphId, Program, StreamId, StreamKind};
use crate::scenario::statement::graph::CaptureMode;

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

/// What the next work of a stream has to wait for.
#[derive(Clone, Debug, Default)]
struct Frontier {
    /// Last work of the stream itself.
    last: Option<Node>,
    /// What waits have added since.
    joined: Vec<Edge>,
}

impl Frontier {
    fn edges_into(&self, edges: &mut Vec<Edge>) {
        edges.extend(self.last.map(|from| Edge { from, kind: EdgeKind::Stream }));
        for join in &self.joined {
            if edges.iter().all(|edge| edge.from != join.from) {
                edges.push(*join);
            }
        }
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        self.last.into_iter().chain(self.joined.iter().map(|edge| edge.from))
    }

    fn advance(&mut self, node: Node) {
        self.last = Some(node);
        self.joined.clear();
    }

    fn join(&mut self, from: Node, kind: EdgeKind) {
        if self.last != Some(from) && self.joined.iter().all(|edge| edge.from != from) {
            self.joined.push(Edge { from, kind });
        }
    }
}

#[derive(Clone, Debug, Default)]
struct StreamState {
    live: Frontier,
    /// The capture that the stream belongs to, and its frontier in there.
    capture: Option<(GraphId, Frontier)>,
    /// Last work of the legacy default stream that this stream has already waited for.
    legacy_seen: Option<Node>,
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

#[derive(Clone, Debug)]
struct Capture {
    origin: StreamId,
    mode: CaptureMode,
    /// For each node, the nodes before it.
    before: Vec<Vec<Node>>,
    invalidated: bool,
}

/// The state machine.
#[derive(Clone, Debug)]
pub struct Order {
    kinds: Vec<StreamKind>,
    streams: Vec<StreamState>,
    events: Vec<EventState>,
    captures: BTreeMap<GraphId, Capture>,
    legacy_last: Option<Node>,
    nodes: u32,
    edges: Vec<Edge>,
}

impl Order {
    /// Nothing has been issued yet.
    pub fn new(program: &Program) -> Self {
        Self {
            kinds: program.streams.iter().map(|stream| stream.kind).collect(),
            streams: vec![StreamState::default(); program.streams.len()],
            events: vec![EventState::default(); program.events.len()],
            captures: BTreeMap::new(),
            legacy_last: None,
            nodes: 0,
            edges: Vec::new(),
        }
    }

    /// The predecessors of the work that was enqueued last.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The graph that `stream` is being captured into.
    pub fn capturing(&self, stream: StreamId) -> Option<GraphId> {
        self.streams.get(stream.index())?.capture.as_ref().map(|(graph, _)| *graph)
    }

    /// The strictest mode of the captures under way; `None` without one.
    pub fn capture_mode(&self) -> Option<CaptureMode> {
        let strictness = |mode: &CaptureMode| match mode {
            CaptureMode::Global => 2,
            CaptureMode::ThreadLocal => 1,
            CaptureMode::Relaxed => 0,
        };
        self.captures.values().map(|capture| capture.mode).max_by_key(strictness)
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
            state.legacy_seen = self.legacy_last;
        }
        if self.kind(stream) == StreamKind::Legacy {
            self.legacy_last = Some(node);
        }
        Ok(Enqueued::Live(node))
    }

    fn enqueue_captured(&mut self, stream: StreamId, graph: GraphId) -> Result<Node, CudaError> {
        let capture = self.captures.get_mut(&graph).ok_or(CudaError::IllegalState)?;
        if capture.invalidated {
            return Err(CudaError::StreamCaptureInvalidated);
        }
        let node = Node(u32::try_from(capture.before.len()).unwrap_or(u32::MAX));
        if let Some((_, frontier)) = self.streams.get_mut(stream.index()).and_then(|state| state.capture.as_mut()) {
            frontier.edges_into(&mut self.edges);
            frontier.advance(node);
        }
        capture.before.push(self.edges.iter().map(|edge| edge.from).collect());
        Ok(node)
    }

    /// An event stands for the work of `stream` so far. On a live stream the record is work itself.
    ///
    /// # Errors
    /// As [`Self::enqueue`].
    pub fn record(&mut self, event: EventId, stream: StreamId) -> Result<Option<Node>, CudaError> {
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
        match self.enqueue(stream)? {
            Enqueued::Live(node) => {
                if let Some(state) = self.events.get_mut(event.index()) {
                    *state = EventState::Live(node);
                }
                Ok(Some(node))
            }
            Enqueued::Captured(..) => Ok(None),
        }
    }

    /// Later work of `stream` waits for the most recent record of `event`. A wait on the legacy default stream holds back
    /// later work of every blocking stream too.
    ///
    /// # Errors
    /// 905 when a capturing stream would wait for uncaptured work, 902 when two captures would merge, 1 when the capture
    /// that the event belongs to is invalidated, 901 when the stream's own is.
    pub fn wait(&mut self, event: EventId, stream: StreamId) -> Result<(), CudaError> {
        let state = self.events.get(event.index()).cloned().unwrap_or_default();
        let own = self.capturing(stream);
        if let Some(graph) = own {
            self.check_valid(graph)?;
        }
        match (state, own) {
            (EventState::NeverRecorded, _) => {}
            (EventState::Live(node), None) => {
                if self.kind(stream) == StreamKind::Legacy {
                    self.legacy_wait(node);
                }
                if let Some(state) = self.streams.get_mut(stream.index()) {
                    state.live.join(node, EdgeKind::Event);
                }
            }
            (EventState::Live(_), Some(graph)) => {
                self.invalidate(graph);
                return Err(CudaError::StreamCaptureIsolation);
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
        Ok(())
    }

    /// A wait on the legacy default stream is a barrier like work there: it comes after all work of the blocking streams, and
    /// they go on after it (CUDA Runtime API, "Stream synchronization behavior").
    fn legacy_wait(&mut self, node: Node) {
        let mut before: Vec<Node> = vec![node];
        for (state, kind) in self.streams.iter().zip(&self.kinds) {
            if *kind != StreamKind::NonBlocking {
                before.extend(state.live.nodes());
            }
        }
        for (state, kind) in self.streams.iter_mut().zip(&self.kinds) {
            if *kind != StreamKind::NonBlocking {
                before.iter().for_each(|node| state.live.join(*node, EdgeKind::Legacy));
            }
        }
    }

    fn join_capture(&mut self, stream: StreamId, graph: GraphId, nodes: &[Node]) {
        if let Some(state) = self.streams.get_mut(stream.index()) {
            let (_, frontier) = state.capture.get_or_insert_with(|| (graph, Frontier::default()));
            nodes.iter().for_each(|node| frontier.join(*node, EdgeKind::Event));
        }
    }

    /// Starts to capture `stream`.
    ///
    /// # Errors
    /// 900 on the legacy default stream, 401 when the stream captures already.
    pub fn begin_capture(&mut self, graph: GraphId, stream: StreamId, mode: CaptureMode) -> Result<(), CudaError> {
        if self.kind(stream) == StreamKind::Legacy {
            return Err(CudaError::StreamCaptureUnsupported);
        }
        let Some(state) = self.streams.get_mut(stream.index()).filter(|state| state.capture.is_none()) else {
            return Err(CudaError::IllegalState);
        };
        state.capture = Some((graph, Frontier::default()));
        self.captures.insert(graph, Capture { origin: stream, mode, before: Vec::new(), invalidated: false });
        Ok(())
    }

    /// Ends the capture of `graph` on `stream`.
    ///
    /// # Errors
    /// 401 when the stream is not part of one, 903 when it was forked into it, 901 when the capture was invalidated, 904
    /// when a forked stream holds work that nothing waits for.
    pub fn end_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), CudaError> {
        let Some(capture) = self.captures.get(&graph) else { return Err(CudaError::IllegalState) };
        if self.capturing(stream) != Some(graph) {
            return Err(CudaError::IllegalState);
        }
        if capture.origin != stream {
            self.invalidate(graph);
            return Err(CudaError::StreamCaptureUnmatched);
        }
        let outcome = if capture.invalidated {
            Err(CudaError::StreamCaptureInvalidated)
        } else if self.has_unjoined(graph, stream) {
            Err(CudaError::StreamCaptureUnjoined)
        } else {
            Ok(())
        };
        self.captures.remove(&graph);
        for state in &mut self.streams {
            if state.capture.as_ref().is_some_and(|(of, _)| *of == graph) {
                state.capture = None;
            }
        }
        outcome
    }

    /// Whether some captured work is not before the end of the origin's frontier.
    fn has_unjoined(&self, graph: GraphId, origin: StreamId) -> bool {
        let Some(capture) = self.captures.get(&graph) else { return false };
        let mut joined = vec![false; capture.before.len()];
        let frontier = self.streams.get(origin.index()).and_then(|state| state.capture.as_ref());
        let mut open: Vec<Node> = frontier.map(|(_, frontier)| frontier.nodes().collect()).unwrap_or_default();
        while let Some(node) = open.pop() {
            if let Some(seen @ false) = joined.get_mut(node.index()) {
                *seen = true;
                open.extend(capture.before.get(node.index()).into_iter().flatten());
            }
        }
        joined.contains(&false)
    }

    /// An error inside a capture: every use of its streams fails until it ends.
    pub fn invalidate(&mut self, graph: GraphId) {
        if let Some(capture) = self.captures.get_mut(&graph) {
            capture.invalidated = true;
        }
    }

    /// An error that concerns every capture under way.
    pub fn invalidate_all(&mut self) {
        self.captures.values_mut().for_each(|capture| capture.invalidated = true);
    }

    /// What a synchronization of `stream` waits for.
    pub fn stream_frontier(&self, stream: StreamId) -> Vec<Node> {
        let mut nodes: Vec<Node> =
            self.streams.get(stream.index()).map(|state| state.live.nodes().collect()).unwrap_or_default();
        if self.kind(stream) == StreamKind::Legacy {
            // Work of the legacy stream waits for all blocking streams, and so does whoever waits for the stream.
            for (state, kind) in self.streams.iter().zip(&self.kinds) {
                if *kind == StreamKind::Blocking {
                    nodes.extend(state.live.last);
                }
            }
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

    /// A question about `event` that the capture which recorded it last does not survive.
    ///
    /// # Errors
    /// 907 when there is such a capture.
    pub fn ask_event(&mut self, event: EventId) -> Result<(), CudaError> {
        match self.events.get(event.index()) {
            Some(EventState::Captured(graph, _)) => {
                self.invalidate(*graph);
                Err(CudaError::CapturedEvent)
            }
            None | Some(EventState::NeverRecorded | EventState::Live(_)) => Ok(()),
        }
    }

    fn kind(&self, stream: StreamId) -> StreamKind {
        self.kinds.get(stream.index()).copied().unwrap_or(StreamKind::NonBlocking)
    }

    fn check_valid(&self, graph: GraphId) -> Result<(), CudaError> {
        match self.captures.get(&graph) {
            Some(capture) if capture.invalidated => Err(CudaError::StreamCaptureInvalidated),
            _ => Ok(()),
        }
    }

    /// Work of the legacy default stream would wait for a blocking stream that captures.
    fn check_legacy(&mut self, stream: StreamId) -> Result<(), CudaError> {
        if self.kind(stream) != StreamKind::Legacy || self.captures.is_empty() {
            return Ok(());
        }
        let blocking = self.kinds.iter().zip(&self.streams).find_map(|(kind, state)| {
            let (graph, _) = state.capture.as_ref()?;
            (*kind == StreamKind::Blocking).then_some(*graph)
        });
        match blocking {
            Some(graph) => {
                self.invalidate(graph);
                Err(CudaError::StreamCaptureImplicit)
            }
            None => Ok(()),
        }
    }

    /// Work of the legacy default stream waits for all blocking streams; work of a blocking stream for its last work.
    fn legacy_edges(&mut self, stream: StreamId) {
        match self.kind(stream) {
            StreamKind::NonBlocking => {}
            StreamKind::Legacy => {
                for (state, kind) in self.streams.iter().zip(&self.kinds) {
                    if *kind != StreamKind::Blocking {
                        continue;
                    }
                    // What the legacy stream has waited for before, its own last work stands for.
                    let last = state.live.last.filter(|from| Some(*from) > self.legacy_last);
                    for from in last.into_iter().chain(state.live.joined.iter().map(|edge| edge.from)) {
                        if self.edges.iter().all(|edge| edge.from != from) {
                            self.edges.push(Edge { from, kind: EdgeKind::Legacy });
                        }
                    }
                }
            }
            StreamKind::Blocking => {
                let seen = self.streams.get(stream.index()).and_then(|state| state.legacy_seen);
                if let Some(from) = self.legacy_last.filter(|_| seen != self.legacy_last)
                    && self.edges.iter().all(|edge| edge.from != from)
                {
                    self.edges.push(Edge { from, kind: EdgeKind::Legacy });
                }
            }
        }
    }
}
