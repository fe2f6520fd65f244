//! Captured graphs: what their nodes touch, in which order, and what a replay finds where something else was meant to be.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::accesses::{Access, Accesses, By};
use super::clocks::{Clocks, Stamp};
use super::findings;
use super::judge::Judge;
use super::{Class, Missing, MissingKind};
use crate::kernel::{Elementwise, Kernel};
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::Refusal;
use crate::program::{
    Action, BufferId, GraphId, KernelId, Operation, Place, Program, Region, StreamId, TensorId, ThreadId,
};
use crate::scenario::HostOverhead;

/// What is found by what a program seems to mean: whether it did harm is not known.
pub(super) const PART: &str = "write in part, read";
/// The same of a warm-up.
pub(super) const WARM_UP: &str = "warm-up, read";

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

/// Work that ran while a graph was captured and is not in it.
#[derive(Clone, Debug)]
struct Uncaptured {
    graph: GraphId,
    operation: u32,
    touch: Touch,
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
        let (reads, writes) = effects::touches(self.program, &operation.action);
        let touch = |region: &Region, writes: bool| {
            let (start, end) = self.memory.range(region);
            Touch { start, end, place: region.place, writes, by: if by == By::Lifetime { by } else { By::Stream } }
        };
        let mut touches: Vec<Touch> = reads.iter().map(|region| touch(region, false)).collect();
        touches.extend(writes.iter().map(|region| touch(region, true)));
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

    /// Work ran on a stream that does not capture while `thread` captures on another.
    pub(super) fn note_uncaptured(&mut self, thread: ThreadId, range: (u64, u64), place: Place, writes: bool) {
        if !self.order.is_capturing() {
            return;
        }
        // What it only reads, a graph can do without.
        if !writes {
            return;
        }
        let touch = Touch { start: range.0, end: range.1, place, writes, by: By::Stream };
        let operation = self.operation;
        for graph in self.order.captures_of(thread) {
            self.graphs.uncaptured.push(Uncaptured { graph, operation, touch: touch.clone() });
        }
    }

    fn report_uncaptured(&mut self, graph: GraphId, uncaptured: Vec<Uncaptured>) {
        let nodes = self.graphs.graphs.get(graph.index()).map(|graph| graph.nodes.clone()).unwrap_or_default();
        let name = self.program.graphs.get(graph.index()).map_or("", |graph| graph.name.as_str());
        for it in uncaptured {
            let meets = |touch: &&Touch| {
                touch.start < it.touch.end && it.touch.start < touch.end && (touch.writes || it.touch.writes)
            };
            let met = nodes.iter().find_map(|node| Some((node, node.touches.iter().find(meets)?)));
            let Some((node, touch)) = met else { continue };
            let touching = nodes.iter().filter(|node| node.touches.iter().any(|touch| meets(&touch)));
            for node in touching {
                self.graphs.uncaptured_pairs.insert((it.operation, node.operation));
            }
            let access = if it.touch.writes && !touch.writes { "write, read" } else { "access, access" };
            let missing =
                Missing::new(MissingKind::Keep, findings::name_of(self.program, it.touch.place), name.to_owned());
            let pair = [(it.operation, None), (node.operation, None)];
            self.findings.add(self.program, Class::Uncaptured, pair, it.touch.place, access, missing);
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
            self.stale(write.graph, pair, region.place, "write once, read");
        }
    }

    fn stale(&mut self, graph: GraphId, pair: super::Pair, place: Place, access: &'static str) {
        let name = self.program.graphs.get(graph.index()).map_or("", |graph| graph.name.as_str());
        let missing = Missing::new(MissingKind::Keep, findings::name_of(self.program, place), name.to_owned());
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
                self.note_uncaptured(thread, (touch.start, touch.end), touch.place, touch.writes);
                if self.is_as_meant(id, &graph, node, touch, replay) {
                    let (range, by) = ((touch.start, touch.end), touch.by);
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

    /// Whether the bytes that a node touches are still what they were when it was captured. If not, that is reported.
    fn is_as_meant(&mut self, id: GraphId, graph: &Graph, node: &Node, touch: &Touch, replay: u32) -> bool {
        let Some(life) = self.memory.life(touch.place).copied() else { return true };
        let this = (node.operation, Some(replay));
        let access = if touch.writes { "free, write" } else { "free, read" };
        if let Some(ended) = life.ended_by.filter(|_| life.is_up_for_reuse && life.pool == 0) {
            match self.new_owner(touch, life.since).filter(|_| touch.writes) {
                Some(owner) => {
                    let missing = self.keep(id, touch.place);
                    let pair = [this, (owner.operation, owner.replay)];
                    self.findings.add(self.program, Class::Pool, pair, touch.place, "write, access", missing);
                }
                None => {
                    // Whoever has the memory now may have written it.
                    let overwritten = self.foreign_write(touch, life.since).is_some();
                    let access = if overwritten { "overwrite, read" } else { access };
                    self.stale(id, [(ended, None), this], touch.place, access);
                }
            }
            return false;
        }
        if touch.writes {
            return true;
        }
        if let Some(other) = self.foreign_write(touch, life.since) {
            let pair = [(other.operation, other.replay), this];
            match life.pool {
                0 => self.stale(id, pair, touch.place, "write, read"),
                _ => {
                    let missing = self.keep(id, touch.place);
                    self.findings.add(self.program, Class::Pool, pair, other.place, "write, read", missing);
                }
            }
            return false;
        }
        match graph.replayed {
            None => {
                if let Some(old) = self.warmed_up(node, touch, graph.captured_at) {
                    self.stale(id, [(old.operation, old.replay), this], touch.place, WARM_UP);
                }
            }
            Some((_, replayed_at)) => {
                if let Some(old) = self.left_from_before(touch, graph.captured_at, replayed_at) {
                    // What pads a batch does no harm in results that nobody looks at; in state that lasts it does.
                    let class =
                        if self.writes_lasting(node, graph.captured_at) { Class::Stale } else { Class::Fragile };
                    let (pair, missing) = ([(old.operation, old.replay), this], self.keep(id, touch.place));
                    self.findings.add(self.program, class, pair, touch.place, PART, missing);
                }
            }
        }
        true
    }

    fn keep(&self, graph: GraphId, place: Place) -> Missing {
        let name = self.program.graphs.get(graph.index()).map_or("", |graph| graph.name.as_str());
        Missing::new(MissingKind::Keep, findings::name_of(self.program, place), name.to_owned())
    }

    /// An access to the same bytes by somebody who has them now.
    fn new_owner(&self, touch: &Touch, since: u32) -> Option<Access> {
        let foreign = |access: &&Access| access.place != touch.place && access.at > since;
        let cells = self.accesses.cells(touch.start, touch.end);
        cells.flat_map(|cell| cell.write.iter().chain(&cell.reads)).find(foreign).copied()
    }

    /// The last write of the same bytes, if another tensor made it after this one came.
    fn foreign_write(&self, touch: &Touch, since: u32) -> Option<Access> {
        let foreign = |access: &&Access| access.place != touch.place && access.at > since;
        self.accesses.cells(touch.start, touch.end).filter_map(|cell| cell.write.as_ref()).find(foreign).copied()
    }

    /// Of an input that was refreshed in part since the last replay, what still holds an earlier refresh.
    fn left_from_before(&self, touch: &Touch, captured_at: u32, replayed_at: u32) -> Option<Access> {
        let from_outside = |access: &&Access| access.replay.is_none() && access.at > captured_at;
        let cells = self.accesses.cells(touch.start, touch.end);
        let writes: Vec<&Access> = cells.filter_map(|cell| cell.write.as_ref()).filter(from_outside).collect();
        let (fresh, old): (Vec<&Access>, Vec<&Access>) = writes.iter().partition(|write| write.at > replayed_at);
        // A refresh of the same bytes that went further: what is only added to, as a cache is row by row, is no refresh.
        let went_further = |old: &&&Access| fresh.iter().any(|fresh| old.start < fresh.end && fresh.start < old.end);
        old.iter().find(went_further).map(|old| **old)
    }

    /// Whether a node writes memory that is no graph's own and held something before the capture, such as a cache.
    fn writes_lasting(&self, node: &Node, captured_at: u32) -> bool {
        let is_older = |access: &Access| access.at <= captured_at && access.replay.is_none();
        node.touches.iter().filter(|touch| touch.writes).any(|touch| {
            let is_private = self.memory.life(touch.place).is_some_and(|life| life.pool != 0);
            let was_filled = || self.memory.life(touch.place).is_some_and(|life| life.is_filled);
            let mut cells = self.accesses.cells(touch.start, touch.end);
            !is_private && (was_filled() || cells.any(|cell| cell.write.as_ref().is_some_and(is_older)))
        })
    }

    /// What a warm-up has added to in place by the same kernel before the capture, so that the first replay starts from there.
    fn warmed_up(&self, node: &Node, touch: &Touch, captured_at: u32) -> Option<Access> {
        let in_place = |other: &Touch| other.writes && other.place == touch.place && other.start == touch.start;
        let cell = self.accesses.cells(touch.start, touch.end).next()?;
        let write = cell.write.filter(|write| write.replay.is_none() && write.at <= captured_at)?;
        // A warm-up runs beside the program, as PyTorch's notes on graphs have it; what runs on the default stream is a step.
        let is_aside = match self.program.operations.get(write.operation as usize).map(|it| it.action) {
            Some(Action::Launch { stream, .. }) => stream != StreamId::LEGACY,
            _ => false,
        };
        let same = node.touches.iter().any(in_place) && self.same_launch(write.operation, node.operation);
        (is_aside && same).then_some(write)
    }

    fn same_launch(&self, first: u32, second: u32) -> bool {
        let launch = |index: u32| match self.program.operations.get(index as usize)?.action {
            Action::Launch { kernel, reads, writes, .. } if self.accumulates(kernel) => {
                Some((kernel, self.program.regions(reads), self.program.regions(writes)))
            }
            _ => None,
        };
        launch(first).is_some_and(|first| launch(second) == Some(first))
    }

    /// Whether running a kernel once too often shows: other kernels in place may be run for their time alone.
    fn accumulates(&self, kernel: KernelId) -> bool {
        match self.program.kernels.get(kernel.index()) {
            Some(Kernel::Elementwise { function, .. }) => {
                matches!(function, Elementwise::Add | Elementwise::AddScalar(_) | Elementwise::MulScalar(_))
            }
            _ => false,
        }
    }

    /// Hazards between branches of one graph.
    fn judge_within(&mut self, graph: &Graph) {
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        let mut names: BTreeMap<u32, StreamId> = BTreeMap::new();
        for node in graph.nodes_now() {
            let next = lines.len() as u32;
            names.entry(*lines.entry(node.line).or_insert(next)).or_insert(node.stream);
        }
        if lines.len() < 2 {
            return;
        }
        let mut clocks = Clocks::new(lines.len());
        let mut accesses = Accesses::default();
        let mut stamps: Vec<Stamp> = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes_now() {
            let lane = lines.get(&node.line).copied().unwrap_or(0);
            let mut before: Vec<Stamp> =
                node.before.iter().filter_map(|it| stamps.get(*it as usize).copied()).collect();
            before.push(Clocks::at(Clocks::START));
            let base = clocks.join(&before);
            let stamp = Stamp { base, documented: base, lane, seq: clocks.next(lane) };
            stamps.push(stamp);
            for touch in &node.touches {
                let (at, operation) = (stamps.len() as u32, node.operation);
                let second = Access {
                    lane,
                    seq: stamp.seq,
                    at,
                    operation,
                    replay: Some(self.operation),
                    place: touch.place,
                    start: touch.start,
                    end: touch.end,
                    writes: touch.writes,
                    by: touch.by,
                };
                let mut met = Vec::new();
                accesses.make(touch.start, touch.end, second, |first| met.push(*first));
                for first in met.iter().filter(|first| !clocks.is_before(first.lane, first.seq, stamp)) {
                    let name = |lane: u32| names.get(&lane).copied().unwrap_or(StreamId::LEGACY);
                    let (from, to) = (name(first.lane), name(lane));
                    let missing = Missing::new(
                        MissingKind::Wait,
                        findings::stream_name(self.program, from),
                        findings::stream_name(self.program, to),
                    );
                    let class = findings::class(first, &second);
                    let what = findings::what(first, &second);
                    self.findings.add(self.program, class, findings::pair(first, &second), first.place, what, missing);
                }
            }
        }
    }
}

/// For each node the first of `records` that comes after it; as many as there are for one that none comes after.
fn parts(nodes: &[Node], records: &[u32]) -> Vec<u32> {
    if records.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![records.len() as u32; nodes.len()];
    for (part, record) in records.iter().enumerate().rev() {
        let mut open = vec![*record];
        while let Some(node) = open.pop() {
            let Some(known) = parts.get_mut(node as usize) else { continue };
            if *known != part as u32 {
                *known = part as u32;
                open.extend(nodes.get(node as usize).into_iter().flat_map(|node| &node.before));
            }
        }
    }
    parts
}
