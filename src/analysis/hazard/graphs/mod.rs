//! Captured graphs: what their nodes touch, and their replays.

mod branches;
mod meant;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::accesses::By;
use super::clocks::{Clocks, Stamp};
use super::judge::Judge;
use super::{Class, Conflict};
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::Refusal;
use crate::program::{Action, BufferId, GraphId, Operation, Place, Program, Region, StreamId, TensorId, ThreadId};
use crate::scenario::HostOverhead;
use branches::parts;

/// Bytes that a node touches. Addresses are those of the capture.
#[derive(Clone, Debug)]
struct Touch {
    start: u64,
    end: u64,
    place: Place,
    writes: bool,
    by: By,
}

#[derive(Clone, Debug)]
struct Node {
    operation: u32,
    /// The stream that it was captured from.
    stream: StreamId,
    /// Nodes of one line are in order: those of one stream that came with the same child graph, at whatever depth.
    line: u32,
    before: Vec<u32>,
    touches: Vec<Touch>,
}

/// A graph from its capture on.
#[derive(Clone, Debug, Default)]
struct Graph {
    nodes: Vec<Node>,
    is_captured: bool,
    /// Number of the latest access when the capture ended.
    captured_at: u32,
    /// The latest replay, and the number of the latest access then.
    replayed: Option<(Stamp, u32)>,
    /// What replays run, if that is no longer what was captured.
    updated: Option<Vec<Node>>,
    /// Whether branches have been judged as replays run them now.
    is_judged: bool,
    /// Memory that its nodes allocate and do not free, and whether it is held since the latest replay.
    allocates: Vec<TensorId>,
    holds: bool,
}

impl Graph {
    fn nodes_now(&self) -> &[Node] {
        self.updated.as_deref().unwrap_or(&self.nodes)
    }
}

impl Node {
    /// What an update compares.
    fn as_update(&self) -> (u32, &[u32]) {
        (self.operation, &self.before)
    }
}

/// What work wrote that ran while a graph was captured and is not in it.
#[derive(Clone, Debug)]
struct Uncaptured {
    graph: GraphId,
    operation: u32,
    start: u64,
    end: u64,
    place: Place,
}

/// All graphs.
#[derive(Debug)]
pub(super) struct Graphs {
    graphs: Vec<Graph>,
    uncaptured: Vec<Uncaptured>,
    /// Pairs of an operation that ran during a capture and a captured one that have been reported.
    uncaptured_pairs: HashSet<(u32, u32)>,
    /// Buffers that the host wrote during a capture: by which operation, of which graph, and whether that was replayed since.
    host_writes: HashMap<BufferId, HostWrite>,
    /// Lines so far, beside those of the streams.
    lines: u32,
}

/// The host wrote to a buffer while a graph was captured.
#[derive(Clone, Copy, Debug)]
struct HostWrite {
    operation: u32,
    graph: GraphId,
    offset: u64,
    bytes: u64,
    /// Whether the graph was replayed since.
    replayed: bool,
}

impl Graphs {
    pub fn new(program: &Program) -> Self {
        Self {
            graphs: vec![Graph::default(); program.graphs.len()],
            uncaptured: Vec::new(),
            uncaptured_pairs: HashSet::new(),
            host_writes: HashMap::new(),
            lines: program.streams.len() as u32,
        }
    }

    fn get_mut(&mut self, graph: GraphId) -> Option<&mut Graph> {
        self.graphs.get_mut(graph.index())
    }

    pub fn destroy(&mut self, graph: GraphId) {
        if let Some(graph) = self.get_mut(graph) {
            graph.is_captured = false;
        }
    }

    /// Memory of a graph is freed by a call of its own.
    pub fn freed_outside(&mut self, tensor: TensorId) {
        for graph in self.graphs.iter_mut().filter(|graph| graph.allocates.contains(&tensor)) {
            graph.holds = false;
        }
    }

    /// Whether a pair of operations has been reported as one that a capture tore apart.
    pub fn is_uncaptured(&self, first: u32, second: u32) -> bool {
        self.uncaptured_pairs.contains(&(first, second))
    }
}

impl Judge<'_> {
    pub(super) fn begin_capture(&mut self, thread: ThreadId, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let mode = self.program.graphs.get(graph.index()).map(|graph| graph.mode).unwrap_or_default();
        self.order.begin_capture(graph, stream, mode, thread)?;
        if let Some(graph) = self.graphs.get_mut(graph) {
            *graph = Graph::default();
        }
        Ok(())
    }

    pub(super) fn end_capture(&mut self, thread: ThreadId, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let ended = self.order.end_capture(graph, stream, thread);
        let issued = self.issued;
        if ended.is_ok()
            && let Some(graph) = self.graphs.get_mut(graph)
        {
            (graph.is_captured, graph.captured_at) = (true, issued);
            let touches = graph.nodes.iter().flat_map(|node| &node.touches).filter(|touch| touch.by == By::Lifetime);
            for touch in touches {
                let Place::Device(tensor) = touch.place else { continue };
                match graph.allocates.iter().position(|held| *held == tensor) {
                    Some(index) => drop(graph.allocates.remove(index)),
                    None => graph.allocates.push(tensor),
                }
            }
        }
        let (ours, others) = std::mem::take(&mut self.graphs.uncaptured).into_iter().partition(|it| it.graph == graph);
        self.graphs.uncaptured = others;
        if ended.is_ok() {
            self.report_uncaptured(graph, ours);
        }
        Ok(ended?)
    }

    /// A graph frees only what it has allocated.
    pub(super) fn check_free(&self, tensor: TensorId, stream: StreamId) -> Result<(), Refusal> {
        let graph = self.order.capturing(stream).and_then(|graph| self.graphs.graphs.get(graph.index()));
        let allocates = |node: &Node| {
            let operation = self.program.operations.get(node.operation as usize);
            matches!(operation.map(|it| it.action), Some(Action::MallocAsync { tensor: it, .. }) if it == tensor)
        };
        match graph {
            Some(graph) if !graph.nodes.iter().any(allocates) => Err(CudaError::InvalidValue.into()),
            _ => Ok(()),
        }
    }

    /// Work goes into a graph.
    pub(super) fn captured(&mut self, graph: GraphId, stream: StreamId, operation: &Operation, by: By) {
        let touch = |region: Region, writes: bool| {
            let (start, end) = self.memory.range(&region);
            Touch { start, end, place: region.place, writes, by: if by == By::Lifetime { by } else { By::Stream } }
        };
        let reads = effects::reads(self.program, &operation.action).map(|region| touch(region, false));
        let writes = effects::writes(self.program, &operation.action).map(|region| touch(region, true));
        let touches = reads.chain(writes).collect();
        self.add_node(graph, stream, touches);
    }

    pub(super) fn captured_without_access(&mut self, graph: GraphId, stream: StreamId) {
        self.add_node(graph, stream, Vec::new());
    }

    fn add_node(&mut self, graph: GraphId, stream: StreamId, touches: Vec<Touch>) {
        let before = self.order.edges().iter().map(|edge| edge.from.0).collect();
        let operation = self.operation;
        if let Some(graph) = self.graphs.get_mut(graph) {
            graph.nodes.push(Node { operation, stream, line: stream.0, before, touches });
        }
    }

    pub(super) fn child_graph(&mut self, child: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let (graph, before) = self.order.add_child(child, stream)?;
        let nodes = self.graphs.get_mut(child).map(|child| child.nodes.clone()).unwrap_or_default();
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        for node in &nodes {
            let next = self.graphs.lines + lines.len() as u32;
            lines.entry(node.line).or_insert(next);
        }
        self.graphs.lines += lines.len() as u32;
        if let Some(graph) = self.graphs.get_mut(graph) {
            for (node, before) in nodes.into_iter().zip(before) {
                let before = before.iter().map(|node| node.0).collect();
                let line = lines.get(&node.line).copied().unwrap_or(node.line);
                graph.nodes.push(Node { before, line, ..node });
            }
        }
        Ok(())
    }

    pub(super) fn update_graph(&mut self, graph: GraphId, from: GraphId) -> Result<(), Refusal> {
        let graphs = &self.graphs.graphs;
        let Some((old, new)) = graphs.get(graph.index()).zip(graphs.get(from.index())) else { return Ok(()) };
        if !old.is_captured || !new.is_captured {
            return Ok(());
        }
        let (before, after) = (old.nodes_now().iter().map(Node::as_update), new.nodes.iter().map(Node::as_update));
        if !effects::can_update(self.program, before, after) {
            return Err(CudaError::GraphExecUpdateFailure.into());
        }
        let (nodes, captured_at) = (new.nodes.clone(), new.captured_at);
        if let Some(old) = self.graphs.get_mut(graph) {
            (old.updated, old.captured_at, old.is_judged) = (Some(nodes), captured_at, false);
        }
        self.order.update(graph, from);
        Ok(())
    }

    /// Work wrote on a stream that does not capture while `thread` captures on another. What work only reads, a graph can do
    /// without.
    pub(super) fn note_uncaptured(&mut self, thread: ThreadId, (start, end): (u64, u64), place: Place) {
        let operation = self.operation;
        for graph in self.order.captures_of(thread) {
            self.graphs.uncaptured.push(Uncaptured { graph, operation, start, end, place });
        }
    }

    fn report_uncaptured(&mut self, graph: GraphId, uncaptured: Vec<Uncaptured>) {
        let nodes = self.graphs.graphs.get(graph.index()).map(|graph| graph.nodes.clone()).unwrap_or_default();
        for it in uncaptured {
            let meets = |touch: &&Touch| touch.start < it.end && it.start < touch.end;
            let met = nodes.iter().find_map(|node| Some((node, node.touches.iter().find(meets)?)));
            let Some((node, touch)) = met else { continue };
            let touching = nodes.iter().filter(|node| node.touches.iter().any(|touch| meets(&touch)));
            for node in touching {
                self.graphs.uncaptured_pairs.insert((it.operation, node.operation));
            }
            let access = if touch.writes { Conflict::AccessAccess } else { Conflict::WriteRead };
            let missing = self.keep(graph, it.place);
            let pair = [(it.operation, None), (node.operation, None)];
            self.findings.add(self.program, Class::Uncaptured, pair, it.place, access, missing);
        }
    }

    /// The host writes a buffer: within a capture, that is not repeated by a replay.
    pub(super) fn notes_host_write(&mut self, thread: ThreadId, region: &Region) {
        let Place::Host(buffer) = region.place else { return };
        match self.order.captures_of(thread).next() {
            Some(graph) => {
                let (offset, bytes, operation) = (region.offset, region.bytes, self.operation);
                let write = HostWrite { operation, graph, offset, bytes, replayed: false };
                self.graphs.host_writes.insert(buffer, write);
            }
            None => {
                self.graphs.host_writes.remove(&buffer);
            }
        }
    }

    pub(super) fn reads_what_a_capture_wrote(&mut self, region: &Region) {
        let Place::Host(buffer) = region.place else { return };
        let Some(write) = self.graphs.host_writes.get(&buffer).filter(|write| write.replayed).copied() else { return };
        if write.offset < region.offset + region.bytes && region.offset < write.offset + write.bytes {
            let pair = [(write.operation, None), (self.operation, None)];
            self.stale(write.graph, pair, region.place, Conflict::WriteOnceRead);
        }
    }

    fn stale(&mut self, graph: GraphId, pair: super::Pair, place: Place, access: Conflict) {
        let missing = self.keep(graph, place);
        self.findings.add(self.program, Class::Stale, pair, place, access, missing);
    }

    /// A replay is one piece of work on its stream that touches what all its nodes touch. Only one instance runs at a time.
    pub(super) fn replay(&mut self, thread: ThreadId, id: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let Some(graph) = self.graphs.get_mut(id).filter(|graph| graph.is_captured) else { return Ok(()) };
        if graph.holds && self.program.host == HostOverhead::Cuda {
            return Err(CudaError::InvalidValue.into());
        }
        let last = graph.replayed;
        let mut graph = std::mem::take(graph);
        let replayed = match self.order.replay(id, stream) {
            Ok(replayed) => replayed,
            Err(refused) => {
                if let Some(place) = self.graphs.get_mut(id) {
                    *place = graph;
                }
                return Err(refused.into());
            }
        };
        let records: Vec<u32> = replayed.records.iter().map(|(_, captured)| captured.0).collect();
        let parts = parts(graph.nodes_now(), &records);
        let first = self.live(stream, thread);
        let last_seq = (0..records.len()).fold(first.seq, |_, _| self.clocks.next(first.lane));
        let own = Stamp { seq: last_seq, ..first };
        let (base, documented) = match last {
            Some((last, _)) => self.clocks.join_both(&[Clocks::knowing(own.base, own.documented), last]),
            None => (own.base, own.documented),
        };
        let stamp = Stamp { base, documented, ..own };
        self.replace_last(stamp);
        // A record in the middle stands for what comes before it in the graph.
        for part in 0..records.len() {
            self.add_node_at(Stamp { seq: first.seq + part as u32, ..stamp }, thread);
        }
        if !graph.is_judged {
            self.judge_within(&graph);
            graph.is_judged = true;
        }
        for tensor in &graph.allocates {
            // Its node allocates the memory anew.
            self.memory.begin_again(Place::Device(*tensor));
        }
        graph.holds = !graph.allocates.is_empty();
        let replay = self.operation;
        for (index, node) in graph.nodes_now().iter().enumerate() {
            let stamp = Stamp { seq: first.seq + parts.get(index).copied().unwrap_or(0), ..stamp };
            for touch in &node.touches {
                let (range, by) = ((touch.start, touch.end), touch.by);
                if touch.writes {
                    self.note_uncaptured(thread, range, touch.place);
                }
                if self.is_as_meant(id, &graph, node, touch, replay) {
                    self.access(stamp, range, touch.place, touch.writes, by, (node.operation, Some(replay)));
                }
            }
        }
        for write in self.graphs.host_writes.values_mut() {
            write.replayed |= write.graph == id;
        }
        let issued = self.issued;
        if let Some(place) = self.graphs.get_mut(id) {
            *place = Graph { replayed: Some((stamp, issued)), ..graph };
        }
        Ok(())
    }
}
