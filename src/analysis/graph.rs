//! The graphs that a program captures: their nodes and edges, and where they are replayed.
//!
//! A walk through the program, with [`Order`] as the judge of what follows what, as when it runs or is judged for hazards.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::program::effects::{self, Returns, Unit};
use crate::program::order::{Enqueued, Order, Refusal};
use crate::program::{Action, GraphId, LabelId, Operation, Place, Program, StreamId, ThreadId};
use crate::recording::SpanKind;

/// A graph as it was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedGraph {
    /// Its name in the program.
    pub name: String,
    /// Number of the stream that the capture began on. What was captured there runs where the graph is replayed.
    pub origin: u32,
    /// In the order of capture: a node follows all that it waits for.
    pub nodes: Vec<GraphNode>,
    /// Indices of the operations that replay it.
    pub replays: Vec<u32>,
}

/// A node of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Index of the operation that was captured.
    pub operation: u32,
    /// What the timeline calls it.
    pub label: Arc<str>,
    /// What it is when it runs.
    pub kind: SpanKind,
    /// Number of the stream that it was captured from.
    pub stream: u32,
    /// The nodes that it waits for.
    pub before: Vec<u32>,
}

/// The graphs that `program` captures, in the order in which their captures end. A graph that is captured again the same, as in a
/// loop, is one; one whose capture fails is none.
pub fn captured(program: &Program) -> Vec<CapturedGraph> {
    let captures = |operation: &Operation| matches!(operation.action, Action::BeginCapture { .. });
    if !program.operations.iter().any(captures) {
        return Vec::new();
    }
    let mut walk = Walk::new(program);
    // Threads take turns, operation by operation, as far as their signals allow.
    loop {
        let mut moved = false;
        for thread in 0..walk.threads.len() {
            moved |= walk.turn(thread);
        }
        if !moved {
            return walk.graphs;
        }
    }
}

/// A host thread on its way through the program.
struct Thread {
    range: Range<usize>,
    index: usize,
    started: bool,
    /// Whether the operation before was carried out.
    before: bool,
}

/// What a name stands for, as indices into the graphs.
#[derive(Clone, Copy, Default)]
struct Known {
    captured: Option<usize>,
    executable: Option<usize>,
}

struct Walk<'p> {
    program: &'p Program,
    order: Order,
    threads: Vec<Thread>,
    signals: Vec<bool>,
    tensors: Vec<bool>,
    buffers: Vec<bool>,
    open: BTreeMap<GraphId, CapturedGraph>,
    known: Vec<Known>,
    labels: HashMap<LabelId, Arc<str>>,
    graphs: Vec<CapturedGraph>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        let thread = |(number, thread): (usize, &crate::program::HostThread)| Thread {
            range: thread.operations.clone(),
            index: thread.operations.start,
            started: number == 0,
            before: true,
        };
        Self {
            program,
            order: Order::new(program),
            threads: program.threads.iter().enumerate().map(thread).collect(),
            signals: vec![false; program.signals.len()],
            tensors: vec![false; program.tensors.len()],
            buffers: vec![true; program.buffers.len()],
            open: BTreeMap::new(),
            known: vec![Known::default(); program.graphs.len()],
            labels: HashMap::new(),
            graphs: Vec::new(),
        }
    }

    /// One operation of a thread; `false` when it has none, or waits.
    fn turn(&mut self, number: usize) -> bool {
        let Some(thread) = self.threads.get(number).filter(|thread| thread.started) else { return false };
        let (index, before) = (thread.index, thread.before);
        let program = self.program;
        let Some(operation) = program.operations.get(index).filter(|_| thread.range.contains(&index)) else {
            return false;
        };
        let skipped = effects::is_skipped(program, &operation.action, before, |place| self.is_there(place));
        // How much a copy stages plays no part for other threads.
        let waits = !skipped
            && match effects::returns(&operation.action, 0) {
                Returns::ThreadDone(other) => self.threads.get(other.index()).is_some_and(Thread::is_under_way),
                Returns::Signalled(signal) => self.signals.get(signal.index()) == Some(&false),
                _ => false,
            };
        if waits {
            return false;
        }
        let done = if skipped { Ok(()) } else { self.carry_out(ThreadId(number as u32), index, operation) };
        if let Some(thread) = self.threads.get_mut(number) {
            thread.before = !skipped && done.is_ok();
            thread.index = if done.is_ok() { index + 1 } else { program.after_error(index) };
        }
        true
    }

    fn is_there(&self, place: Place) -> bool {
        match place {
            Place::Device(tensor) => self.tensors.get(tensor.index()) == Some(&true),
            Place::Host(buffer) => self.buffers.get(buffer.index()) == Some(&true),
        }
    }

    fn note(&mut self, place: Place, is_there: bool) {
        let (list, index) = match place {
            Place::Device(tensor) => (&mut self.tensors, tensor.index()),
            Place::Host(buffer) => (&mut self.buffers, buffer.index()),
        };
        if let Some(known) = list.get_mut(index) {
            *known = is_there;
        }
    }

    fn carry_out(&mut self, thread: ThreadId, index: usize, operation: &Operation) -> Result<(), Refusal> {
        self.order.admit(self.program, operation, thread)?;
        match operation.action {
            Action::Alloc { tensor, .. } | Action::RawMalloc { tensor } | Action::MallocAsync { tensor, .. } => {
                self.note(Place::Device(tensor), true);
            }
            Action::HostAlloc { buffer, .. } => self.note(Place::Host(buffer), true),
            Action::HostFree { buffer, .. } => self.note(Place::Host(buffer), false),
            Action::StartThread { thread } => {
                if let Some(thread) = self.threads.get_mut(thread.index()) {
                    thread.started = true;
                }
            }
            Action::Signal { signal } => {
                if let Some(given) = self.signals.get_mut(signal.index()) {
                    *given = true;
                }
            }
            Action::Record { event, stream, external: false } => {
                self.order.record(event, stream)?;
                return Ok(());
            }
            Action::Wait { event, stream, external: false } => {
                self.order.wait(event, stream)?;
                return Ok(());
            }
            Action::Record { event, stream, external } | Action::Wait { event, stream, external } => {
                let records = external && matches!(operation.action, Action::Record { .. });
                if let Enqueued::Captured(graph, _) = self.order.external(event, stream, records)? {
                    self.add(graph, index, operation, (stream, SpanKind::Event));
                }
                return Ok(());
            }
            Action::Query { event, .. } | Action::SyncEvent { event } => {
                self.order.event_node(event)?;
            }
            Action::BeginCapture { graph, stream } => return self.begin(thread, graph, stream),
            Action::EndCapture { graph, stream } => return self.end(thread, graph, stream),
            Action::ChildGraph { graph, stream } => return self.child(graph, stream),
            Action::UpdateGraph { graph, from } => {
                self.update(graph, from);
                return Ok(());
            }
            Action::DestroyGraph { graph } => {
                if let Some(known) = self.known.get_mut(graph.index()) {
                    known.executable = None;
                }
            }
            Action::Replay { graph, stream } => {
                let Some(replayed) = self.known.get(graph.index()).and_then(|known| known.executable) else {
                    return Ok(());
                };
                self.order.replay(graph, stream)?;
                if let Some(graph) = self.graphs.get_mut(replayed) {
                    graph.replays.push(index as u32);
                }
                return Ok(());
            }
            Action::Launch { .. } | Action::Copy(_) | Action::Memset { .. } | Action::HostFunction { .. } => {}
            Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache | Action::RawFree { .. } => {}
            Action::FreeAsync { .. } | Action::Instantiate { .. } | Action::Report { .. } => {}
            Action::SyncDevice | Action::SyncStream { .. } | Action::QueryStream { .. } | Action::Elapsed { .. } => {}
            Action::JoinThread { .. } | Action::Await { .. } | Action::Work { .. } | Action::Clock { .. } => {}
            Action::ReadHost { .. } | Action::WriteHost { .. } => {}
        }
        let Some((stream, unit)) = effects::enqueues(&operation.action) else { return Ok(()) };
        if let Enqueued::Captured(graph, _) = self.order.enqueue(stream)? {
            self.add(graph, index, operation, (stream, kind(&operation.action, unit)));
        }
        Ok(())
    }

    /// What was enqueued last is a node.
    fn add(&mut self, graph: GraphId, index: usize, operation: &Operation, (stream, kind): (StreamId, SpanKind)) {
        let program = self.program;
        let label = self.labels.entry(operation.label).or_insert_with(|| program.label(operation.label).into());
        let node = GraphNode {
            operation: index as u32,
            label: Arc::clone(label),
            kind,
            stream: stream.0,
            before: self.order.edges().iter().map(|edge| edge.from.0).collect(),
        };
        if let Some(graph) = self.open.get_mut(&graph) {
            graph.nodes.push(node);
        }
    }

    fn begin(&mut self, thread: ThreadId, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let info = self.program.graphs.get(graph.index());
        self.order.begin_capture(graph, stream, info.map(|info| info.mode).unwrap_or_default(), thread)?;
        let name = info.map_or_else(String::new, |info| info.name.clone());
        self.open.insert(graph, CapturedGraph { name, origin: stream.0, ..CapturedGraph::default() });
        if let Some(known) = self.known.get_mut(graph.index()) {
            *known = Known::default();
        }
        Ok(())
    }

    fn end(&mut self, thread: ThreadId, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        self.order.end_capture(graph, stream, thread)?;
        let Some(new) = self.open.remove(&graph) else { return Ok(()) };
        let found = self.graphs.iter().position(|known| known.is_like(&new));
        let at = found.unwrap_or_else(|| {
            self.graphs.push(new);
            self.graphs.len() - 1
        });
        if let Some(known) = self.known.get_mut(graph.index()) {
            *known = Known { captured: Some(at), executable: Some(at) };
        }
        Ok(())
    }

    fn child(&mut self, child: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let (graph, before) = self.order.add_child(child, stream)?;
        let child = self.known.get(child.index()).and_then(|known| self.graphs.get(known.captured?));
        let nodes = child.map(|child| child.nodes.clone()).unwrap_or_default();
        if let Some(graph) = self.open.get_mut(&graph) {
            let added = nodes.into_iter().zip(before);
            let before = |nodes: Vec<crate::program::order::Node>| nodes.iter().map(|node| node.0).collect();
            graph.nodes.extend(added.map(|(node, nodes)| GraphNode { before: before(nodes), ..node }));
        }
        Ok(())
    }

    /// An update that fails changes nothing.
    fn update(&mut self, graph: GraphId, from: GraphId) {
        let of = |graph: GraphId| self.known.get(graph.index()).copied().unwrap_or_default();
        let (Some(old), Some(new)) = (of(graph).executable, of(from).captured) else { return };
        let fits = |(old, new): (&CapturedGraph, &CapturedGraph)| {
            let (old, new) = (old.nodes.iter().map(GraphNode::as_update), new.nodes.iter().map(GraphNode::as_update));
            effects::can_update(self.program, old, new)
        };
        if self.graphs.get(old).zip(self.graphs.get(new)).is_some_and(fits) {
            self.order.update(graph, from);
            if let Some(known) = self.known.get_mut(graph.index()) {
                known.executable = Some(new);
            }
        }
    }
}

impl Thread {
    fn is_under_way(&self) -> bool {
        !self.started || self.range.contains(&self.index)
    }
}

impl CapturedGraph {
    /// Whether `other` is the same, captured from other operations.
    fn is_like(&self, other: &Self) -> bool {
        let same = |(a, b): (&GraphNode, &GraphNode)| {
            a.label == b.label && a.stream == b.stream && a.kind == b.kind && a.before == b.before
        };
        let is_alike = self.name == other.name && self.origin == other.origin;
        is_alike && self.nodes.len() == other.nodes.len() && self.nodes.iter().zip(&other.nodes).all(same)
    }
}

impl GraphNode {
    /// What an update compares.
    fn as_update(&self) -> (u32, &[u32]) {
        (self.operation, &self.before)
    }
}

fn kind(action: &Action, unit: Unit) -> SpanKind {
    match unit {
        Unit::Sms | Unit::Graph(_) => SpanKind::GraphKernel,
        Unit::H2D => SpanKind::CopyH2D,
        Unit::D2H => SpanKind::CopyD2H,
        Unit::Memory if matches!(action, Action::Memset { .. }) => SpanKind::Memset,
        Unit::Memory => SpanKind::CopyD2D,
        Unit::HostFunction => SpanKind::HostFunction,
        Unit::FrontEnd if matches!(action, Action::Record { .. }) => SpanKind::Event,
        Unit::FrontEnd => SpanKind::Allocation,
    }
}
