//! Walks over what was carried out in the order of issue, and works out what each piece of work had to wait for: the driver
//! does not say, but [`crate::program::order`] does.

use std::collections::BTreeMap;

use crate::profile::Latencies;
use crate::program::effects::{self, Returns, Unit};
use crate::program::order::{EdgeKind, Enqueued, Node, Order};
use crate::program::{Action, GraphId, Operation, Program, StreamId, ThreadId};
use crate::recording::{Before, Cause, LONGEST_PAUSE, released};
use crate::time::{Interval, Ns};

/// A node of a graph.
#[derive(Clone, Debug)]
pub(super) struct GraphNode {
    /// Index of the operation that was captured.
    pub operation: usize,
    /// The stream that it was captured from.
    pub stream: StreamId,
    /// The nodes that stand before it, by their places in the graph.
    pub after: Vec<usize>,
    /// The part of the GPU that does it.
    pub unit: Unit,
}

impl GraphNode {
    /// What held it back in a replay: of the nodes before it, whose ends are given, the one that was done last. `None` where nothing of
    /// the graph stands before it.
    pub fn held_by(&self, graph: &CapturedGraph, ended: impl Fn(usize) -> Option<Ns>) -> Option<Cause> {
        let last = self.after.iter().max_by_key(|before| ended(**before))?;
        let before = graph.nodes.get(*last)?;
        let kind = if before.stream == self.stream { EdgeKind::Stream } else { EdgeKind::Event };
        Some(Cause::of_edge(kind, stands_before(before.unit), true))
    }
}

/// A captured graph.
#[derive(Debug)]
pub(super) struct CapturedGraph {
    pub origin: StreamId,
    pub nodes: Vec<GraphNode>,
}

/// Work that went to the GPU by itself.
#[derive(Clone, Copy, Debug)]
struct Live {
    /// What it is to work that waits for it.
    stands: Before,
    /// When it was done, on the host's clock; what was not measured counts as done when its predecessors were.
    end: Ns,
    /// When it let go of the work behind it, as far as order goes: an event that was only recorded late has held up nothing.
    let_go: Ns,
}

/// What held work back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// When what stands before it let it go, and why it waited for that.
    pub released: Ns,
    pub released_by: Cause,
    /// What held it back after that.
    pub held_by: Cause,
    /// When it was released and handed over.
    pub since: Ns,
}

fn stands_before(unit: Unit) -> Before {
    match unit {
        Unit::H2D | Unit::D2H => Before::Copy,
        Unit::HostFunction => Before::HostFunction,
        Unit::Sms | Unit::Memory | Unit::Graph(_) => Before::Work,
        Unit::FrontEnd => Before::Nothing(Cause::KernelGap),
    }
}

/// What is known of the order so far.
pub(super) struct Walk<'a> {
    program: &'a Program,
    latencies: &'a Latencies,
    order: Order,
    live: Vec<Live>,
    /// By the index of the operation that begins the capture.
    pub captures: BTreeMap<usize, CapturedGraph>,
    open: BTreeMap<GraphId, usize>,
    /// End of the latest replay of each graph, and on which stream that was.
    replayed: BTreeMap<GraphId, (StreamId, Ns)>,
    /// Ends of the kernels that ran last on any stream, for grids that found no room.
    kernel_ends: Vec<Ns>,
}

/// Where a piece of work went.
pub(super) enum Placed {
    /// Nowhere: it gives the GPU nothing to do.
    Nothing,
    /// To the GPU, held back by this; done then, as far as that was measured.
    Live(Held, Ns),
    /// Into a graph.
    Captured,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, latencies: &'a Latencies) -> Self {
        Self {
            program,
            latencies,
            order: Order::new(program),
            live: Vec::new(),
            captures: BTreeMap::new(),
            open: BTreeMap::new(),
            replayed: BTreeMap::new(),
            kernel_ends: Vec::new(),
        }
    }

    /// The operation at `index` was carried out. If it is work that ran by itself, it ran during `ran`, and its call returned
    /// at `exit`. Errors of the order are ignored: the driver has let the operation pass.
    pub fn place(&mut self, index: usize, operation: &Operation, ran: Option<Interval>, exit: Ns) -> Placed {
        match operation.action {
            Action::Wait { event, stream, external: false } => {
                if let Ok(Some(_)) = self.order.wait(event, stream, false) {
                    self.mark(exit);
                }
            }
            Action::Record { event, stream, external: false } => {
                if let Ok(Some(_)) = self.order.record(event, stream, false) {
                    self.mark(exit);
                }
            }
            Action::BeginCapture { graph, stream } => {
                let mode = self.program.graphs.get(graph.index()).map(|graph| graph.mode).unwrap_or_default();
                let _begun = self.order.begin_capture(graph, stream, mode, ThreadId(0));
                self.open.insert(graph, index);
                self.captures.insert(index, CapturedGraph { origin: stream, nodes: Vec::new() });
            }
            Action::EndCapture { graph, stream } => {
                let _ended = self.order.end_capture(graph, stream, ThreadId(0));
            }
            _ => return self.enqueue(index, operation, ran, exit),
        }
        Placed::Nothing
    }

    fn enqueue(&mut self, index: usize, operation: &Operation, ran: Option<Interval>, exit: Ns) -> Placed {
        let Some((stream, unit)) = effects::enqueues(&operation.action) else { return Placed::Nothing };
        match self.order.enqueue(stream) {
            Err(_) => Placed::Nothing,
            Ok(Enqueued::Captured(graph, _)) => {
                let after = self.order.edges().iter().map(|edge| edge.from.index()).collect();
                let captured = self.open.get(&graph).and_then(|begin| self.captures.get_mut(begin));
                if let Some(captured) = captured {
                    captured.nodes.push(GraphNode { operation: index, stream, after, unit });
                }
                Placed::Captured
            }
            Ok(Enqueued::Live(_)) => {
                let mut held = self.held(ran.map(|ran| (ran, unit)), exit);
                if let Unit::Graph(graph) = unit {
                    // One instance at a time: a replay waits for the one before it, on whatever stream.
                    let end = ran.map_or(held.since, |ran| ran.end);
                    let before = self.replayed.insert(graph, (stream, end));
                    if let Some((of, before)) = before.filter(|(_, before)| *before > held.since) {
                        let edge = if of == stream { EdgeKind::Stream } else { EdgeKind::Event };
                        held.released_by = Cause::of_edge(edge, Before::Work, false);
                        (held.released, held.since) = (before, before);
                    }
                }
                let end = ran.map_or(held.since, |ran| ran.end);
                self.live.push(Live { stands: stands_before(unit), end, let_go: end });
                if unit == Unit::Sms {
                    self.kernel_ends.push(end);
                }
                Placed::Live(held, end)
            }
        }
    }

    /// The replay that was placed last ended with that node of the capture: who stands behind it waits for a stream that is not its own,
    /// when the node is one of a branch.
    pub fn replay_ended_with(&mut self, capture: usize, node: usize) {
        let Some(graph) = self.captures.get(&capture) else { return };
        let Some(node) = graph.nodes.get(node).filter(|node| node.stream != graph.origin) else { return };
        if let Some(live) = self.live.last_mut() {
            live.stands = Before::Nothing(Cause::of_edge(EdgeKind::Event, stands_before(node.unit), true));
        }
    }

    /// Something went to the GPU that takes no time there: an event, or a wait for one.
    fn mark(&mut self, exit: Ns) {
        let Held { released, released_by, since, .. } = self.held(None, exit);
        self.live.push(Live { stands: Before::Nothing(released_by), end: since, let_go: released });
    }

    /// What held the work that was enqueued last back: the last of its predecessors, and then what the units were busy with.
    fn held(&self, ran: Option<(Interval, Unit)>, exit: Ns) -> Held {
        let edges = self.order.edges().iter();
        let before = edges.filter_map(|edge| Some((edge.kind, *self.live.get(edge.from.index())?)));
        let last = before.max_by_key(|(_, before)| before.let_go);
        let (let_go, released_by) = last.map_or((Ns(i64::MIN / 4), Cause::KernelGap), |(kind, before)| {
            (before.let_go, Cause::of_edge(kind, before.stands, false))
        });
        let Some((ran, unit)) = ran else {
            return Held { released: let_go, released_by, held_by: Cause::LaunchLatency, since: let_go.max(exit) };
        };
        let pause = last.map_or(Ns::ZERO, |(kind, before)| self.pause(kind, before.stands, unit));
        let room_since = (let_go + pause).max(exit);
        let is_full =
            unit == Unit::Sms && ran.start - room_since > LONGEST_PAUSE && self.waited_for_room(ran.start, room_since);
        if is_full {
            return Held { released: let_go + pause, released_by, held_by: Cause::NoRoom, since: room_since };
        }
        let released = released(ran.start, exit, let_go, pause);
        Held { released, released_by, held_by: Cause::LaunchLatency, since: released.max(exit) }
    }

    /// The hardware's pause between two operations, by the profile of the machine.
    fn pause(&self, kind: EdgeKind, before: Before, unit: Unit) -> Ns {
        let is_copy = before == Before::Copy || matches!(unit, Unit::H2D | Unit::D2H);
        Ns::from_us(match kind {
            EdgeKind::Event | EdgeKind::Legacy => self.latencies.cross_stream_us,
            EdgeKind::Stream if is_copy => self.latencies.engine_hop_us,
            EdgeKind::Stream => self.latencies.kernel_gap_us,
        })
    }

    /// Whether a kernel of another stream ended just before `start`, after all that had to be waited for.
    fn waited_for_room(&self, start: Ns, since: Ns) -> bool {
        let recent = self.kernel_ends.iter().rev().take(256);
        recent.copied().any(|end| end > since && end <= start + Ns(1000) && start - end <= LONGEST_PAUSE)
    }

    /// When everything that a blocking call waits for was done; `None` for a call that does not wait. `own_end` is the end of
    /// the work that the call itself has queued.
    pub fn awaited(&self, operation: &Operation, staging_bytes: u64, own_end: Option<Ns>) -> Option<Ns> {
        let nodes: Vec<Node> = match effects::returns(&operation.action, staging_bytes) {
            Returns::AtOnce | Returns::Staged | Returns::ThreadDone(_) | Returns::Signalled(_) => return None,
            Returns::CopyDone => return own_end,
            Returns::StreamDone(stream) => self.order.stream_frontier(stream),
            Returns::DeviceDone => self.order.device_frontier(),
            Returns::EventDone(event) => self.order.event_node(event).ok()?.into_iter().collect(),
        };
        nodes.iter().filter_map(|node| self.live.get(node.index())).map(|live| live.end).chain(own_end).max()
    }
}
