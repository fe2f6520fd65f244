//! Walks over what was carried out in the order of issue, and works out what each piece of work had to wait for: the driver
//! does not say, but [`crate::program::order`] does.

use std::collections::BTreeMap;

use crate::program::effects::{self, Returns, Unit};
use crate::program::order::{EdgeKind, Enqueued, Node, Order};
use crate::program::{Action, GraphId, Operation, Program, StreamId, ThreadId};
use crate::recording::Cause;
use crate::time::{Interval, Ns};

/// Pauses of the hardware between two operations of a stream are shorter than this; what is longer has another reason.
const LONGEST_GAP: Ns = Ns(8_000);

/// A node of a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphNode {
    /// Index of the operation that was captured.
    pub operation: usize,
    /// The stream that it was captured from.
    pub stream: StreamId,
    /// Whether nothing of the graph stands before it.
    pub is_root: bool,
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
    unit: Unit,
    /// When it was done, on the host's clock; what was not measured counts as done when its predecessors were.
    end: Ns,
}

/// What is known of the order so far.
pub(super) struct Walk<'a> {
    program: &'a Program,
    order: Order,
    live: Vec<Live>,
    /// By the index of the operation that begins the capture.
    pub captures: BTreeMap<usize, CapturedGraph>,
    open: BTreeMap<GraphId, usize>,
    /// End of the latest replay of each graph.
    replayed: BTreeMap<GraphId, Ns>,
    /// Ends of the kernels that ran last on any stream, for grids that found no room.
    kernel_ends: Vec<Ns>,
}

/// Where a piece of work went.
pub(super) enum Placed {
    /// Nowhere: it gives the GPU nothing to do.
    Nothing,
    /// To the GPU, held back last by this; done then, as far as that was measured.
    Live(Cause, Ns),
    /// Into a graph.
    Captured,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program) -> Self {
        Self {
            program,
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
                    let (_, since) = self.held(None, exit);
                    self.live.push(Live { unit: Unit::FrontEnd, end: since });
                }
            }
            Action::Record { event, stream, external: false } => {
                if let Ok(Some(_)) = self.order.record(event, stream, false) {
                    let (_, since) = self.held(None, exit);
                    self.live.push(Live { unit: Unit::FrontEnd, end: since });
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
                let is_root = self.order.edges().is_empty();
                let captured = self.open.get(&graph).and_then(|begin| self.captures.get_mut(begin));
                if let Some(captured) = captured {
                    captured.nodes.push(GraphNode { operation: index, stream, is_root });
                }
                Placed::Captured
            }
            Ok(Enqueued::Live(_)) => {
                let (mut cause, mut since) = self.held(ran.map(|ran| (ran, unit)), exit);
                if let Unit::Graph(graph) = unit {
                    // One instance at a time: a replay waits for the one before it, on whatever stream.
                    let end = ran.map_or(since, |ran| ran.end);
                    let before = self.replayed.insert(graph, end);
                    if let Some(before) = before.filter(|before| *before > since) {
                        (cause, since) = (Cause::KernelGap, before);
                    }
                }
                let end = ran.map_or(since, |ran| ran.end);
                self.live.push(Live { unit, end });
                if unit == Unit::Sms {
                    self.kernel_ends.push(end);
                }
                Placed::Live(cause, end)
            }
        }
    }

    /// What held the work that was enqueued last back, and until when: the last of its predecessors, or its own call.
    fn held(&self, ran: Option<(Interval, Unit)>, exit: Ns) -> (Cause, Ns) {
        let mut latest = (Cause::LaunchBound, exit);
        for edge in self.order.edges() {
            let Some(before) = self.live.get(edge.from.index()) else { continue };
            let cause = match (edge.kind, before.unit) {
                (EdgeKind::Event, _) => Cause::EventWait,
                (EdgeKind::Legacy, _) => Cause::LegacyBarrier,
                (EdgeKind::Stream, Unit::HostFunction) => Cause::HostFunction,
                (EdgeKind::Stream, Unit::H2D | Unit::D2H) => Cause::CopyWait,
                (EdgeKind::Stream, _) => Cause::KernelGap,
            };
            if before.end > latest.1 {
                latest = (cause, before.end);
            }
        }
        if let Some((ran, Unit::Sms)) = ran
            && ran.start - latest.1 > LONGEST_GAP
            && self.waited_for_room(ran.start, latest.1)
        {
            return (Cause::NoRoom, latest.1);
        }
        latest
    }

    /// Whether a kernel of another stream ended just before `start`, after all that had to be waited for.
    fn waited_for_room(&self, start: Ns, since: Ns) -> bool {
        let recent = self.kernel_ends.iter().rev().take(256);
        recent.copied().any(|end| end > since && end <= start + Ns(1000) && start - end <= LONGEST_GAP)
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
