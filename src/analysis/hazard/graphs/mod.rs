//! Captured graphs: what their nodes touch, and their replays.

mod branches;
mod host_writes;
mod meant;
mod uncaptured;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::accesses::By;
use super::clocks::{Clocks, Stamp};
use super::course::Course;
use super::scene::Scene;
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::Refusal;
use crate::program::{Action, GraphId, Place, Program, Region, StreamId, TensorId, ThreadId};
use crate::scenario::HostOverhead;
use branches::parts;
use host_writes::HostWrites;
use uncaptured::Uncaptured;

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
    /// Memory that its nodes allocate.
    allocated: HashSet<TensorId>,
    /// What of that they do not free, and whether it is held since the latest replay.
    keeps: BTreeSet<TensorId>,
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

/// All graphs.
#[derive(Debug)]
pub(super) struct Graphs {
    graphs: Vec<Graph>,
    uncaptured: Uncaptured,
    host_writes: HostWrites,
    /// The graphs that memory which outlives a replay belongs to.
    kept_by: HashMap<TensorId, Vec<GraphId>>,
    /// Lines so far, beside those of the streams.
    lines: u32,
}

impl Graphs {
    pub fn new(program: &Program) -> Self {
        Self {
            graphs: vec![Graph::default(); program.graphs.len()],
            uncaptured: Uncaptured::default(),
            host_writes: HostWrites::default(),
            kept_by: HashMap::new(),
            lines: program.streams.len() as u32,
        }
    }

    fn get(&self, graph: GraphId) -> Option<&Graph> {
        self.graphs.get(graph.index())
    }

    fn get_mut(&mut self, graph: GraphId) -> Option<&mut Graph> {
        self.graphs.get_mut(graph.index())
    }

    /// A capture begins.
    pub fn begin(
        &mut self,
        scene: &mut Scene<'_>,
        thread: ThreadId,
        graph: GraphId,
        stream: StreamId,
    ) -> Result<(), Refusal> {
        let mode = scene.program.graphs.get(graph.index()).map(|graph| graph.mode).unwrap_or_default();
        scene.course.order.begin_capture(graph, stream, mode, thread)?;
        if let Some(graph) = self.get_mut(graph) {
            *graph = Graph::default();
        }
        Ok(())
    }

    /// A capture ends.
    pub fn end(
        &mut self,
        scene: &mut Scene<'_>,
        thread: ThreadId,
        id: GraphId,
        stream: StreamId,
    ) -> Result<(), Refusal> {
        let ended = scene.course.order.end_capture(id, stream, thread);
        let uncaptured = self.uncaptured.take(id);
        ended?;
        let Some(graph) = self.graphs.get_mut(id.index()) else { return Ok(()) };
        (graph.is_captured, graph.captured_at) = (true, scene.accesses.issued());
        let touches = graph.nodes.iter().flat_map(|node| &node.touches).filter(|touch| touch.by == By::Lifetime);
        for touch in touches {
            let Place::Device(tensor) = touch.place else { continue };
            // Its second such node frees what the first has allocated.
            if !graph.keeps.remove(&tensor) {
                graph.keeps.insert(tensor);
            }
        }
        for tensor in &graph.keeps {
            self.kept_by.entry(*tensor).or_default().push(id);
        }
        uncaptured::report(scene, id, &uncaptured, &graph.nodes);
        Ok(())
    }

    /// An executable graph is destroyed.
    pub fn destroy(&mut self, graph: GraphId) {
        if let Some(graph) = self.get_mut(graph) {
            graph.is_captured = false;
        }
    }

    /// Memory of a graph is freed by a call of its own.
    pub fn freed_outside(&mut self, tensor: TensorId) {
        for graph in self.kept_by.get(&tensor).into_iter().flatten() {
            if let Some(graph) = self.graphs.get_mut(graph.index()).filter(|graph| graph.keeps.contains(&tensor)) {
                graph.holds = false;
            }
        }
    }

    /// A graph frees only what it has allocated.
    pub fn check_free(&self, scene: &Scene<'_>, tensor: TensorId, stream: StreamId) -> Result<(), Refusal> {
        match scene.course.order.capturing(stream).and_then(|graph| self.get(graph)) {
            Some(graph) if !graph.allocated.contains(&tensor) => Err(CudaError::InvalidValue.into()),
            _ => Ok(()),
        }
    }

    /// Work goes into a graph.
    pub fn add(&mut self, scene: &Scene<'_>, id: GraphId, stream: StreamId, action: &Action, by: By) {
        let touch = |region: Region, writes: bool| {
            let (start, end) = scene.memory.lives.range(&region);
            Touch { start, end, place: region.place, writes, by: if by == By::Lifetime { by } else { By::Stream } }
        };
        let reads = effects::reads(scene.program, action).map(|region| touch(region, false));
        let writes = effects::writes(scene.program, action).map(|region| touch(region, true));
        self.add_node(scene, id, stream, reads.chain(writes).collect());
        if let Action::MallocAsync { tensor, .. } = *action
            && let Some(graph) = self.get_mut(id)
        {
            graph.allocated.insert(tensor);
        }
    }

    /// A record of an event, or a wait for one, goes into a graph.
    pub fn add_mark(&mut self, scene: &Scene<'_>, graph: GraphId, stream: StreamId) {
        self.add_node(scene, graph, stream, Vec::new());
    }

    fn add_node(&mut self, scene: &Scene<'_>, graph: GraphId, stream: StreamId, touches: Vec<Touch>) {
        let before = scene.course.order.edges().iter().map(|edge| edge.from.0).collect();
        if let Some(graph) = self.get_mut(graph) {
            graph.nodes.push(Node { operation: scene.operation, stream, line: stream.0, before, touches });
        }
    }

    /// A captured graph becomes part of the one being captured.
    pub fn add_child(&mut self, scene: &mut Scene<'_>, child: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let (graph, before) = scene.course.order.add_child(child, stream)?;
        let (nodes, allocated) =
            self.get(child).map(|child| (child.nodes.clone(), child.allocated.clone())).unwrap_or_default();
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        for node in &nodes {
            let next = self.lines + lines.len() as u32;
            lines.entry(node.line).or_insert(next);
        }
        self.lines += lines.len() as u32;
        if let Some(graph) = self.get_mut(graph) {
            for (node, before) in nodes.into_iter().zip(before) {
                let before = before.iter().map(|node| node.0).collect();
                let line = lines.get(&node.line).copied().unwrap_or(node.line);
                graph.nodes.push(Node { before, line, ..node });
            }
            graph.allocated.extend(allocated);
        }
        Ok(())
    }

    /// An executable graph takes over the parameters of another captured graph.
    pub fn update(&mut self, scene: &mut Scene<'_>, graph: GraphId, from: GraphId) -> Result<(), Refusal> {
        let Some((old, new)) = self.get(graph).zip(self.get(from)) else { return Ok(()) };
        if !old.is_captured || !new.is_captured {
            return Ok(());
        }
        let (before, after) = (old.nodes_now().iter().map(Node::as_update), new.nodes.iter().map(Node::as_update));
        if !effects::can_update(scene.program, before, after) {
            return Err(CudaError::GraphExecUpdateFailure.into());
        }
        let (nodes, captured_at) = (new.nodes.clone(), new.captured_at);
        if let Some(old) = self.get_mut(graph) {
            (old.updated, old.captured_at, old.is_judged) = (Some(nodes), captured_at, false);
        }
        scene.course.order.update(graph, from);
        Ok(())
    }

    /// Work wrote on a stream that does not capture while `thread` captures on another.
    pub fn written_beside(&mut self, scene: &Scene<'_>, thread: ThreadId, range: (u64, u64), place: Place) {
        self.uncaptured.note(scene, thread, range, place);
    }

    /// The host writes a buffer.
    pub fn written_by_host(&mut self, scene: &Scene<'_>, thread: ThreadId, region: &Region) {
        self.host_writes.note(scene, thread, region);
    }

    /// The host reads a buffer: what it wrote there during a capture, replays do not repeat.
    pub fn read_by_host(&self, scene: &mut Scene<'_>, region: &Region) {
        let replayed_at = |graph: GraphId| self.get(graph)?.replayed.map(|(_, at)| at);
        self.host_writes.report(scene, region, replayed_at);
    }

    /// A replay is one piece of work on its stream that touches what all its nodes touch. Only one instance runs at a time.
    pub fn replay(
        &mut self,
        scene: &mut Scene<'_>,
        thread: ThreadId,
        id: GraphId,
        stream: StreamId,
    ) -> Result<(), Refusal> {
        let Some(graph) = self.graphs.get_mut(id.index()).filter(|graph| graph.is_captured) else { return Ok(()) };
        if graph.holds && scene.program.host == HostOverhead::Cuda {
            return Err(CudaError::InvalidValue.into());
        }
        let replayed = scene.course.order.replay(id, stream)?;
        let records: Vec<u32> = replayed.records.iter().map(|(_, captured)| captured.0).collect();
        let parts = parts(graph.nodes_now(), &records);
        let (stamp, first) =
            place(&mut scene.course, graph.replayed.map(|(last, _)| last), (stream, thread), records.len());
        if !graph.is_judged {
            branches::judge(scene, graph);
            graph.is_judged = true;
        }
        for tensor in &graph.keeps {
            // Its node allocates the memory anew.
            scene.memory.lives.begin_again(Place::Device(*tensor));
        }
        graph.holds = !graph.keeps.is_empty();
        let replay = scene.operation;
        for (index, node) in graph.nodes_now().iter().enumerate() {
            let stamp = Stamp { seq: first + parts.get(index).copied().unwrap_or(0), ..stamp };
            for touch in &node.touches {
                let range = (touch.start, touch.end);
                if touch.writes {
                    self.uncaptured.note(scene, thread, range, touch.place);
                }
                if meant::is_as_meant(scene, id, graph, node, touch, replay) {
                    scene.access(stamp, range, touch.place, touch.writes, touch.by, (node.operation, Some(replay)));
                }
            }
        }
        graph.replayed = Some((stamp, scene.accesses.issued()));
        Ok(())
    }
}

/// The point of a replay that was enqueued last: of its last part, behind the replay before it, and the number of its first part.
/// An event that a node of it records stands for what comes before that in the graph, so each of the `records` ends a part.
fn place(
    course: &mut Course,
    before: Option<Stamp>,
    (stream, thread): (StreamId, ThreadId),
    records: usize,
) -> (Stamp, u32) {
    let own = course.live(stream, thread);
    let first = own.seq;
    let seq = course.skip(own.lane, records, first);
    let (base, documented) = match before {
        Some(before) => course.clocks.join_both(&[Clocks::knowing(own.base, own.documented), before]),
        None => (own.base, own.documented),
    };
    let stamp = Stamp { base, documented, seq, ..own };
    course.replace_last(stamp);
    for part in 0..records {
        course.add_node_at(Stamp { seq: first + part as u32, ..stamp }, thread);
    }
    (stamp, first)
}
