//! The graphs that a program captures: their nodes and edges, and where they are replayed.
//!
//! A walk through the program, with [`Order`] as the judge of what follows what, as when it runs or is judged for hazards.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::program::effects::{self, Unit};
use crate::program::order::{Enqueued, Order, Refusal};
use crate::program::walk::{Cancelled, Visitor, walk};
use crate::program::{Action, GraphId, LabelId, Operation, Program, StreamId, ThreadId};
use crate::recording::SpanKind;
use crate::text::Localized;

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
    pub label: Arc<Localized>,
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
    let mut captures = Captures::new(program);
    match walk(program, &mut captures, &mut || true) {
        Ok(()) | Err(Cancelled) => captures.graphs,
    }
}

/// What a name stands for, as indices into the graphs.
#[derive(Clone, Copy, Default)]
struct Known {
    captured: Option<usize>,
    executable: Option<usize>,
}

struct Captures<'p> {
    program: &'p Program,
    order: Order,
    open: BTreeMap<GraphId, CapturedGraph>,
    known: Vec<Known>,
    labels: HashMap<LabelId, Arc<Localized>>,
    graphs: Vec<CapturedGraph>,
    /// By their fingerprints, which of them may be the same.
    alike: HashMap<u64, Vec<usize>>,
}

impl<'p> Captures<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            order: Order::new(program),
            open: BTreeMap::new(),
            known: vec![Known::default(); program.graphs.len()],
            labels: HashMap::new(),
            graphs: Vec::new(),
            alike: HashMap::new(),
        }
    }
}

impl Visitor for Captures<'_> {
    fn carry_out(&mut self, thread: ThreadId, index: usize, operation: &Operation) -> Result<(), Refusal> {
        self.order.admit(self.program, operation, thread)?;
        let placed = match operation.action {
            Action::Record { event, stream, external } => self.order.record(event, stream, external)?,
            Action::Wait { event, stream, external } => self.order.wait(event, stream, external)?,
            Action::Query { event, .. } | Action::SyncEvent { event } => {
                self.order.event_node(event)?;
                None
            }
            Action::BeginCapture { graph, stream } => return self.begin(thread, graph, stream),
            Action::EndCapture { graph, stream } => return self.end(thread, graph, stream),
            Action::ChildGraph { graph, stream } => return self.child(graph, stream),
            Action::Replay { graph, stream } => return self.replay(index, graph, stream),
            Action::UpdateGraph { graph, from } => {
                self.update(graph, from);
                None
            }
            Action::DestroyGraph { graph } => {
                self.destroy(graph);
                None
            }
            Action::Launch { stream, .. } | Action::Memset { stream, .. } | Action::HostFunction { stream, .. } => {
                Some(self.order.enqueue(stream)?)
            }
            Action::Copy(copy) => Some(self.order.enqueue(copy.stream)?),
            Action::MallocAsync { stream, .. } | Action::FreeAsync { stream, .. } => Some(self.order.enqueue(stream)?),
            Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::EmptyCache => None,
            Action::RawMalloc { .. } | Action::RawFree { .. } => None,
            Action::HostAlloc { .. } | Action::HostFree { .. } | Action::Instantiate { .. } => None,
            Action::SyncDevice | Action::SyncStream { .. } | Action::QueryStream { .. } | Action::Elapsed { .. } => {
                None
            }
            Action::StartThread { .. } | Action::JoinThread { .. } | Action::Signal { .. } | Action::Await { .. } => {
                None
            }
            Action::Work { .. } | Action::Clock { .. } | Action::Report { .. } => None,
            Action::BeginRegion | Action::EndRegion => None,
            Action::ReadHost { .. } | Action::WriteHost { .. } => None,
        };
        if let Some(Enqueued::Captured(graph, _)) = placed {
            self.add(graph, index, operation);
        }
        Ok(())
    }
}

impl Captures<'_> {
    /// What was enqueued last is a node.
    fn add(&mut self, graph: GraphId, index: usize, operation: &Operation) {
        let program = self.program;
        let Some(stream) = effects::stream(&operation.action) else { return };
        let label = self.labels.entry(operation.label).or_insert_with(|| Arc::new(program.localized(operation.label)));
        let node = GraphNode {
            operation: index as u32,
            label: Arc::clone(label),
            kind: kind(&operation.action),
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
        let alike = self.alike.entry(new.fingerprint()).or_default();
        let found = alike.iter().copied().find(|at| self.graphs.get(*at).is_some_and(|known| known.is_like(&new)));
        let at = found.unwrap_or_else(|| {
            alike.push(self.graphs.len());
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

    fn replay(&mut self, index: usize, graph: GraphId, stream: StreamId) -> Result<(), Refusal> {
        let Some(replayed) = self.known.get(graph.index()).and_then(|known| known.executable) else { return Ok(()) };
        self.order.replay(graph, stream)?;
        if let Some(graph) = self.graphs.get_mut(replayed) {
            graph.replays.push(index as u32);
        }
        Ok(())
    }

    fn destroy(&mut self, graph: GraphId) {
        if let Some(known) = self.known.get_mut(graph.index()) {
            known.executable = None;
        }
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

impl CapturedGraph {
    /// Equal for graphs that are alike.
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.name, self.origin).hash(&mut hasher);
        self.nodes.iter().for_each(|node| (&node.label, node.stream, &node.before).hash(&mut hasher));
        hasher.finish()
    }

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

/// What a node is when it runs.
fn kind(action: &Action) -> SpanKind {
    match (action, effects::enqueues(action).map_or(Unit::FrontEnd, |(_, unit)| unit)) {
        (_, Unit::Sms | Unit::Graph(_)) => SpanKind::GraphKernel,
        (_, Unit::H2D) => SpanKind::CopyH2D,
        (_, Unit::D2H) => SpanKind::CopyD2H,
        (Action::Memset { .. }, Unit::Memory) => SpanKind::Memset,
        (_, Unit::Memory) => SpanKind::CopyD2D,
        (_, Unit::HostFunction) => SpanKind::HostFunction,
        (Action::Record { .. } | Action::Wait { .. }, Unit::FrontEnd) => SpanKind::Event,
        (_, Unit::FrontEnd) => SpanKind::Allocation,
    }
}
