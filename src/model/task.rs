//! Work on the GPU, as the model follows it.

use crate::profile::{KernelCost, Latencies};
use crate::program::order::EdgeKind;
use crate::program::{EventId, GraphId};
use crate::recording::{Before, Cause, Engine};
use crate::time::Ns;

/// Numbers the work that the model has been given, graph nodes of each replay included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TaskId(pub u32);

impl TaskId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TaskKind {
    Kernel(KernelCost),
    Copy {
        engine: Engine,
        dur: Ns,
    },
    /// A copy within the device or a memset.
    Memory {
        dur: Ns,
        is_memset: bool,
    },
    Record {
        event: Option<EventId>,
        dur: Ns,
    },
    HostFunction {
        dur: Ns,
    },
    GraphStart,
    GraphEnd(GraphId),
}

/// Which part of the GPU a task leaves behind; gaps depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Sms,
    Engine(Engine),
    HostFunction,
    Graph(GraphId),
    /// An event with nothing before it.
    FrontEnd,
}

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub kind: TaskKind,
    /// The stream that it was issued to or, in a graph, captured from.
    pub stream: u32,
    /// The lane that shows it.
    pub lane: u32,
    pub priority: i32,
    /// Index of the operation.
    pub operation: u32,
    /// Index of the operation that handed it over: the launch of a graph for its nodes.
    pub issued_by: u32,
    pub in_graph: bool,
    /// Return of the call that handed it over.
    pub call: Ns,
    /// Predecessors that are not done.
    pub open: u32,
    pub ready: Ns,
    /// When the last of its predecessors let it go, the pause behind that included.
    pub released: Ns,
    /// Why it waited until then.
    pub released_by: Cause,
    /// What held it back after it was released and handed over.
    pub held_by: Cause,
    /// Index of the operation that `ready` follows from: it ended last of what this waits for. `None` where that is the call that
    /// handed it over.
    pub after: Option<u32>,
    /// `Ns::MAX` until it has.
    pub started: Ns,
    /// For an event: the unit of what stands before it.
    pub carries: Unit,
}

/// What counts of a task that is over for those behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub ended: Ns,
    /// When it let go of the work behind it, as far as order goes.
    pub let_go: Ns,
    pub unit: Unit,
    /// Index of the operation that its end follows from: of what takes no time, what that stood behind.
    pub stands_for: u32,
    before: Before,
    lane: u32,
    in_graph: bool,
    is_graph_start: bool,
}

impl Task {
    /// What counts of it from `ended` on.
    pub fn finished(&self, ended: Ns) -> Finished {
        Finished {
            ended,
            let_go: self.let_go(ended),
            unit: self.unit(),
            stands_for: if self.takes_time() { self.issued_by } else { self.after.unwrap_or(self.issued_by) },
            before: self.stands_before(),
            lane: self.lane,
            in_graph: self.in_graph,
            is_graph_start: matches!(self.kind, TaskKind::GraphStart),
        }
    }

    /// What it is to the work behind it that waits.
    fn stands_before(&self) -> Before {
        match self.kind {
            TaskKind::Copy { .. } => Before::Copy,
            TaskKind::HostFunction { .. } => Before::HostFunction,
            TaskKind::Kernel(_) | TaskKind::Memory { .. } => Before::Work,
            // Who stands behind a graph whose last node ran on another stream waits for that.
            TaskKind::GraphEnd(_) => match self.released_by {
                Cause::EventWait | Cause::CopyWait => Before::Nothing(self.released_by),
                _ => Before::Work,
            },
            TaskKind::Record { .. } | TaskKind::GraphStart => Before::Nothing(self.released_by),
        }
    }

    /// When it let go of the work behind it, as far as order goes: an event or the begin of a graph that was only handed over late
    /// has held up nothing.
    fn let_go(&self, ended: Ns) -> Ns {
        match self.stands_before() {
            Before::Nothing(_) => self.released + (ended - self.started),
            Before::Copy | Before::HostFunction | Before::Work => ended,
        }
    }

    /// Whether it is seen on its stream.
    pub fn takes_time(&self) -> bool {
        match self.kind {
            TaskKind::Record { dur, .. } => dur > Ns::ZERO,
            TaskKind::GraphStart | TaskKind::GraphEnd(_) => false,
            TaskKind::Kernel(_) | TaskKind::Copy { .. } | TaskKind::Memory { .. } | TaskKind::HostFunction { .. } => {
                true
            }
        }
    }

    /// How long it takes alone.
    pub fn alone(&self) -> Ns {
        match self.kind {
            TaskKind::Kernel(cost) => cost.dur,
            TaskKind::Copy { dur, .. } | TaskKind::Memory { dur, .. } => dur,
            TaskKind::Record { dur, .. } | TaskKind::HostFunction { dur } => dur,
            TaskKind::GraphStart | TaskKind::GraphEnd(_) => Ns::ZERO,
        }
    }

    /// It can start no earlier than a pause after `before`.
    pub fn wait_for(&mut self, before: &Finished, edge: EdgeKind, latencies: &Latencies) {
        let (pause, cause) = gap(latencies, before, self, edge);
        let ready = before.ended + pause;
        if ready > self.ready {
            self.ready = ready;
            // The begin of a graph that waited for nothing stands for the call that launched the graph, as its nodes do.
            let is_own_call = before.is_graph_start && before.stands_for == self.issued_by;
            self.after = (!is_own_call).then_some(before.stands_for);
        }
        let released = before.let_go + pause;
        if released > self.released {
            (self.released, self.released_by) = (released, cause);
        }
        if matches!(self.kind, TaskKind::Record { .. } | TaskKind::GraphStart) {
            self.carries = before.unit;
        }
    }

    /// The unit that counts for the gap behind this task.
    fn unit(&self) -> Unit {
        match self.kind {
            TaskKind::Kernel(_) | TaskKind::Memory { .. } => Unit::Sms,
            TaskKind::Copy { engine, .. } => Unit::Engine(engine),
            TaskKind::HostFunction { .. } => Unit::HostFunction,
            TaskKind::GraphEnd(graph) => Unit::Graph(graph),
            TaskKind::Record { .. } | TaskKind::GraphStart => self.carries,
        }
    }
}

/// The pause between the end of `from` and the start of `to`, and why `to` waited.
fn gap(latencies: &Latencies, from: &Finished, to: &Task, edge: EdgeKind) -> (Ns, Cause) {
    let us = Ns::from_us;
    let inside = from.in_graph && to.in_graph;
    let before = from.unit;
    let pause = match (to.kind, before) {
        _ if from.is_graph_start || matches!(to.kind, TaskKind::GraphEnd(_)) => Ns::ZERO,
        (TaskKind::Record { dur: Ns::ZERO, .. }, _) => Ns::ZERO,
        (TaskKind::Record { .. }, _) => us(latencies.timing_event_delay_us),
        _ if inside => us(latencies.graph_gap_us),
        (TaskKind::HostFunction { .. }, _) => us(latencies.host_function_us),
        (_, Unit::HostFunction) => us(latencies.host_function_return_us),
        (TaskKind::GraphStart, Unit::Graph(_)) => us(latencies.replay_gap_us),
        (TaskKind::Copy { engine, .. }, Unit::Engine(other)) if engine == other => us(latencies.kernel_gap_us),
        (TaskKind::Copy { .. }, _) | (_, Unit::Engine(_)) => us(latencies.engine_hop_us),
        (_, Unit::FrontEnd) => Ns::ZERO,
        (_, Unit::Sms | Unit::Graph(_)) => us(latencies.kernel_gap_us),
    };
    let crosses = edge != EdgeKind::Stream && !matches!(to.kind, TaskKind::Record { .. } | TaskKind::GraphEnd(_));
    let pause = if crosses && !inside { pause.max(us(latencies.cross_stream_us)) } else { pause };
    // Edges of a graph, and of a graph to its next replay, carry no kind: what comes from another stream is a wait for that.
    let is_elsewhere = from.lane != to.lane && !from.is_graph_start;
    let edge = if edge == EdgeKind::Stream && is_elsewhere { EdgeKind::Event } else { edge };
    (pause, Cause::of_edge(edge, from.before, inside))
}
