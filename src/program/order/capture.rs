//! Captures: which streams belong to them, what they have become a graph of, and what ends them.

use super::{EdgeKind, Enqueued, EventState, Frontier, Node, Order};
use crate::program::cuda_error::CudaError;
use crate::program::{EventId, GraphId, StreamId, StreamKind, ThreadId};
use crate::scenario::statement::graph::CaptureMode;

/// A capture under way.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    pub origin: StreamId,
    pub mode: CaptureMode,
    /// The host thread that began it.
    pub thread: ThreadId,
    /// The streams that belong to it.
    pub streams: Vec<StreamId>,
    pub graph: Captured,
    pub invalidated: bool,
}

/// What a capture holds so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Captured {
    /// For each node, the nodes before it.
    pub before: Vec<Vec<Node>>,
    /// Events that nodes of their own record, with the nodes, and events that such nodes wait for, at each replay anew.
    pub records: Vec<(EventId, Node)>,
    pub waits: Vec<EventId>,
}

/// A replay that has been queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The replay as a whole.
    pub node: Node,
    /// For each event that a node of the graph records, a node that stands for that one, and which of the graph it is. They
    /// follow `node` in number, in this order.
    pub records: Vec<(Node, Node)>,
}

impl Order {
    /// The graph that `stream` is being captured into.
    pub fn capturing(&self, stream: StreamId) -> Option<GraphId> {
        self.streams.get(stream.index())?.capture.as_ref().map(|(graph, _)| *graph)
    }

    /// Whether any capture is under way.
    pub fn is_capturing(&self) -> bool {
        !self.captures.is_empty()
    }

    /// The graphs whose captures `thread` has under way.
    pub fn captures_of(&self, thread: ThreadId) -> impl Iterator<Item = GraphId> {
        self.captures.iter().filter(move |(_, capture)| capture.thread == thread).map(|(graph, _)| *graph)
    }

    pub(super) fn enqueue_captured(&mut self, stream: StreamId, graph: GraphId) -> Result<Node, CudaError> {
        self.check_valid(graph)?;
        let capture = self.captures.get_mut(&graph).ok_or(CudaError::IllegalState)?;
        let before = &mut capture.graph.before;
        let node = Node(u32::try_from(before.len()).unwrap_or(u32::MAX));
        if let Some((_, frontier)) = self.streams.get_mut(stream.index()).and_then(|state| state.capture.as_mut()) {
            frontier.edges_into(&mut self.edges);
            frontier.advance(node);
        }
        before.push(self.edges.nodes().collect());
        Ok(node)
    }

    pub(super) fn join_capture(&mut self, stream: StreamId, graph: GraphId, nodes: &[Node]) {
        if let Some(state) = self.streams.get_mut(stream.index()) {
            if state.capture.is_none()
                && let Some(capture) = self.captures.get_mut(&graph)
            {
                capture.streams.push(stream);
            }
            let (_, frontier) = state.capture.get_or_insert_with(|| (graph, Frontier::default()));
            nodes.iter().for_each(|node| frontier.join(*node, EdgeKind::Event));
        }
    }

    /// Starts to capture `stream`.
    ///
    /// # Errors
    /// 900 on the legacy default stream, 401 when the stream captures already.
    pub fn begin_capture(
        &mut self,
        graph: GraphId,
        stream: StreamId,
        mode: CaptureMode,
        thread: ThreadId,
    ) -> Result<(), CudaError> {
        if self.kind(stream) == StreamKind::Legacy {
            return Err(CudaError::StreamCaptureUnsupported);
        }
        let Some(state) = self.streams.get_mut(stream.index()).filter(|state| state.capture.is_none()) else {
            return Err(CudaError::IllegalState);
        };
        state.capture = Some((graph, Frontier::default()));
        let (streams, graph_so_far) = (vec![stream], Captured::default());
        let capture = Capture { origin: stream, mode, thread, streams, graph: graph_so_far, invalidated: false };
        self.captures.insert(graph, capture);
        Ok(())
    }

    /// Ends the capture of `graph` on `stream`.
    ///
    /// # Errors
    /// 401 when the stream is not part of one (the capture lives on), 908 from another thread than the one that began it unless
    /// it is relaxed (the capture is over nevertheless), 903 when the stream was forked into it, 901 when the capture was
    /// invalidated, 904 when a forked stream holds work that nothing waits for.
    pub fn end_capture(&mut self, graph: GraphId, stream: StreamId, thread: ThreadId) -> Result<(), CudaError> {
        let Some(capture) = self.captures.get(&graph) else { return Err(CudaError::IllegalState) };
        if self.capturing(stream) != Some(graph) {
            return Err(CudaError::IllegalState);
        }
        let is_wrong_thread = capture.thread != thread && capture.mode != CaptureMode::Relaxed;
        if !is_wrong_thread && capture.origin != stream {
            self.invalidate(graph);
            return Err(CudaError::StreamCaptureUnmatched);
        }
        let outcome = if is_wrong_thread {
            Err(CudaError::StreamCaptureWrongThread)
        } else if capture.invalidated {
            Err(CudaError::StreamCaptureInvalidated)
        } else if self.has_unjoined(graph, stream) {
            Err(CudaError::StreamCaptureUnjoined)
        } else {
            Ok(())
        };
        if let Some(capture) = self.captures.remove(&graph) {
            for stream in capture.streams {
                if let Some(state) = self.streams.get_mut(stream.index()) {
                    state.capture = None;
                }
            }
            if outcome.is_ok() {
                self.captured.insert(graph, capture.graph);
            }
        }
        outcome
    }

    /// Whether some captured work is not before the end of the origin's frontier.
    fn has_unjoined(&self, graph: GraphId, origin: StreamId) -> bool {
        let Some(capture) = self.captures.get(&graph) else { return false };
        let before = &capture.graph.before;
        let mut joined = vec![false; before.len()];
        let frontier = self.streams.get(origin.index()).and_then(|state| state.capture.as_ref());
        let mut open: Vec<Node> = frontier.map(|(_, frontier)| frontier.nodes().collect()).unwrap_or_default();
        while let Some(node) = open.pop() {
            if let Some(seen @ false) = joined.get_mut(node.index()) {
                *seen = true;
                open.extend(before.get(node.index()).into_iter().flatten());
            }
        }
        joined.contains(&false)
    }

    /// An event is recorded, or waited for, by a node of its own in the graph that `stream` is captured into.
    ///
    /// # Errors
    /// 401 outside a capture, 901 in one that is invalidated.
    pub(super) fn as_node(&mut self, event: EventId, stream: StreamId, records: bool) -> Result<Enqueued, CudaError> {
        self.edges.clear();
        let graph = self.capturing(stream).ok_or(CudaError::IllegalState)?;
        let node = self.enqueue_captured(stream, graph)?;
        if let Some(capture) = self.captures.get_mut(&graph) {
            match records {
                true => capture.graph.records.push((event, node)),
                false => capture.graph.waits.push(event),
            }
        }
        Ok(Enqueued::Captured(graph, node))
    }

    /// A captured graph becomes part of the one that `stream` is captured into. Returns that one, and for each node of the
    /// child the nodes before it there.
    ///
    /// # Errors
    /// 1 outside a capture or where there is no such child, 901 in a capture that is invalidated.
    pub fn add_child(&mut self, child: GraphId, stream: StreamId) -> Result<(GraphId, Vec<Vec<Node>>), CudaError> {
        self.edges.clear();
        let graph = self.capturing(stream).ok_or(CudaError::InvalidValue)?;
        self.check_valid(graph)?;
        let child = self.captured.get(&child).cloned().ok_or(CudaError::InvalidValue)?;
        let capture = self.captures.get_mut(&graph).ok_or(CudaError::IllegalState)?;
        let (_, frontier) = self
            .streams
            .get_mut(stream.index())
            .and_then(|state| state.capture.as_mut())
            .ok_or(CudaError::IllegalState)?;
        let first = capture.graph.before.len() as u32;
        let start: Vec<Node> = frontier.nodes().collect();
        let mut is_leaf = vec![true; child.before.len()];
        let mut added = Vec::with_capacity(child.before.len());
        for before in &child.before {
            for node in before {
                if let Some(leaf) = is_leaf.get_mut(node.index()) {
                    *leaf = false;
                }
            }
            let inside = before.iter().map(|node| Node(first + node.0));
            added.push(if before.is_empty() { start.clone() } else { inside.collect() });
        }
        capture.graph.before.extend(added.iter().cloned());
        let moved = |(event, node): (EventId, Node)| (event, Node(first + node.0));
        capture.graph.records.extend(child.records.into_iter().map(moved));
        capture.graph.waits.extend(child.waits);
        let leaves = is_leaf.iter().enumerate().filter(|(_, leaf)| **leaf).map(|(index, _)| Node(first + index as u32));
        if !added.is_empty() {
            *frontier = Frontier::default();
            leaves.for_each(|leaf| frontier.join(leaf, EdgeKind::Stream));
        }
        Ok((graph, added))
    }

    /// Puts a replay at the end of `stream`; the events that nodes of its graph record stand for those from now on.
    ///
    /// # Errors
    /// As [`Self::enqueue`], and 900 into a capture.
    pub fn replay(&mut self, graph: GraphId, stream: StreamId) -> Result<Replayed, CudaError> {
        let (waits, records) =
            self.captured.get(&graph).map(|graph| (graph.waits.clone(), graph.records.clone())).unwrap_or_default();
        if self.capturing(stream).is_none() {
            for event in waits {
                if let Some(EventState::Live(node)) = self.events.get(event.index()).cloned()
                    && let Some(state) = self.streams.get_mut(stream.index())
                {
                    state.live.join(node, EdgeKind::Event);
                    self.note_work(stream);
                }
            }
        }
        match self.enqueue(stream)? {
            Enqueued::Captured(graph, _) => {
                self.invalidate(graph);
                Err(CudaError::StreamCaptureUnsupported)
            }
            Enqueued::Live(node) => {
                let mut replayed = Replayed { node, records: Vec::new() };
                for (event, captured) in records {
                    let record = Node(self.nodes);
                    self.nodes += 1;
                    if let Some(state) = self.events.get_mut(event.index()) {
                        *state = EventState::Live(record);
                    }
                    replayed.records.push((record, captured));
                }
                Ok(replayed)
            }
        }
    }

    /// The executable `graph` takes over what `from` records and waits for.
    pub fn update(&mut self, graph: GraphId, from: GraphId) {
        if let Some(captured) = self.captured.get(&from).cloned() {
            self.captured.insert(graph, captured);
        }
    }

    /// An error inside a capture: every use of its streams fails until it ends.
    pub fn invalidate(&mut self, graph: GraphId) {
        if let Some(capture) = self.captures.get_mut(&graph) {
            capture.invalidated = true;
        }
    }

    /// A question about `event` that the capture which recorded it last does not survive.
    ///
    /// # Errors
    /// 907 when there is such a capture.
    pub(super) fn ask_event(&mut self, event: EventId) -> Result<(), CudaError> {
        match self.events.get(event.index()) {
            Some(EventState::Captured(graph, _)) => {
                self.invalidate(*graph);
                Err(CudaError::CapturedEvent)
            }
            None | Some(EventState::NeverRecorded | EventState::Live(_)) => Ok(()),
        }
    }

    pub(super) fn check_valid(&self, graph: GraphId) -> Result<(), CudaError> {
        match self.captures.get(&graph) {
            Some(capture) if capture.invalidated => Err(CudaError::StreamCaptureInvalidated),
            _ => Ok(()),
        }
    }
}
