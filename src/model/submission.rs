//! What host threads give the GPU: what each piece of work has to wait for, and the queues that it goes through.

use super::device::Device;
use super::graph::{Graph, Graphs};
use super::task::{Task, TaskId, TaskKind, Unit};
use crate::profile::Profile;
use crate::program::order::{EdgeKind, Node, Order};
use crate::program::{Action, GraphId, Program, StreamId, effects};
use crate::recording::Cause;
use crate::scenario::HostOverhead;
use crate::time::Ns;

/// The driver's view of the GPU.
pub(super) struct Submission<'a> {
    program: &'a Program,
    pub device: Device<'a>,
    pub order: Order,
    pub graphs: Graphs,
    /// The task of each live node of `order`.
    tasks: Vec<TaskId>,
    /// What each connection has handed over last, where streams share some.
    connections: Vec<Option<TaskId>>,
    /// Places in the queue of a stream, with the one that runs.
    places: u32,
    highest_priority: i32,
    /// Whether work has been queued that reaches memory which is not there.
    is_faulty: bool,
    /// What the work that is handed over waits for.
    after: Vec<(TaskId, EdgeKind)>,
}

/// Who hands work over, and when the call returns.
#[derive(Clone, Copy)]
pub(super) struct Issue {
    pub operation: u32,
    pub at: Ns,
}

impl<'a> Submission<'a> {
    pub fn new(program: &'a Program, profile: &Profile, device: Device<'a>) -> Self {
        let scale = program.device.queue_scale.unwrap_or(1.0);
        let depth = (f64::from(profile.gpu.queue_depth.max(1)) * scale).round() as u32;
        Self {
            program,
            device,
            order: Order::new(program),
            graphs: Graphs::new(program.graphs.len()),
            tasks: Vec::new(),
            connections: vec![None; program.device.connections.unwrap_or(0) as usize],
            places: depth.max(1).saturating_add(1),
            highest_priority: profile.gpu.highest_priority,
            is_faulty: false,
            after: Vec::new(),
        }
    }

    /// Whether the queue of a stream takes one more.
    pub fn has_room(&self, stream: StreamId) -> bool {
        self.device.pending.get(stream.index()).is_none_or(|pending| *pending < self.places)
    }

    /// The tasks of `nodes` that were not over at `since`.
    pub fn open_tasks(&self, nodes: impl IntoIterator<Item = Node>, since: Ns) -> Vec<TaskId> {
        let tasks = nodes.into_iter().filter_map(|node| self.tasks.get(node.index()).copied());
        tasks.filter(|task| self.device.ended(*task) > since).collect()
    }

    /// Work of an operation has been queued: does it touch memory that has been given back to the driver?
    pub fn look_for_fault(&mut self, operation: u32) {
        if !self.device.memory.given.has_returned() {
            return;
        }
        let Some(operation) = self.program.operations.get(operation as usize) else { return };
        let (program, action) = (self.program, &operation.action);
        let mut touched = effects::reads(program, action).chain(effects::writes(program, action));
        self.is_faulty |= touched.any(|region| !self.device.memory.is_mapped(&region));
    }

    /// Whether a call meets the error of work that reached memory which is not there: the first one that waits does, and the
    /// context is lost with it.
    pub fn finds_fault(&self, action: &Action, staging_bytes: u64) -> bool {
        use effects::Returns;
        self.is_faulty
            && match effects::returns(action, staging_bytes) {
                Returns::AtOnce | Returns::Staged | Returns::ThreadDone(_) | Returns::Signalled(_) => false,
                Returns::CopyDone | Returns::StreamDone(_) | Returns::DeviceDone | Returns::EventDone(_) => true,
            }
    }

    fn new_task(&self, kind: TaskKind, stream: StreamId, issue: Issue) -> Task {
        let info = self.program.streams.get(stream.index());
        Task {
            kind,
            stream: stream.0,
            lane: stream.0,
            priority: info.map_or(0, |stream| stream.priority.max(self.highest_priority)),
            operation: issue.operation,
            issued_by: issue.operation,
            in_graph: false,
            call: issue.at,
            open: 0,
            ready: issue.at,
            released: Ns(i64::MIN / 4),
            released_by: Cause::KernelGap,
            held_by: Cause::LaunchLatency,
            after: None,
            started: Ns::MAX,
            carries: Unit::FrontEnd,
        }
    }

    /// The connection that a stream hands its work over by, where streams share some.
    fn connection(&self, stream: u32) -> Option<usize> {
        self.connections.len().checked_sub(1).map(|_| stream as usize % self.connections.len())
    }

    /// Hands the work over that `order` has enqueued last; it starts at `visible` at the earliest.
    pub fn submit(&mut self, kind: TaskKind, stream: StreamId, issue: Issue, visible: Ns) -> TaskId {
        self.find_predecessors();
        self.submit_next(kind, stream, issue, visible)
    }

    fn find_predecessors(&mut self) {
        self.after.clear();
        let task = |node: Node| self.tasks.get(node.index()).copied();
        self.after.extend(self.order.edges().iter().filter_map(|edge| Some((task(edge.from)?, edge.kind))));
    }

    /// Hands a task to the GPU as the next live node.
    fn submit_next(&mut self, kind: TaskKind, stream: StreamId, issue: Issue, visible: Ns) -> TaskId {
        if let Some(pending) = self.device.pending.get_mut(stream.index()) {
            *pending += 1;
        }
        let connection = self.connection(stream.0);
        let ahead = connection.and_then(|connection| self.connections.get(connection).copied().flatten());
        let id = self.device.submit(self.new_task(kind, stream, issue), visible, &self.after, ahead);
        if let Some(last) = connection.and_then(|connection| self.connections.get_mut(connection)) {
            *last = Some(id);
        }
        self.tasks.push(id);
        id
    }

    /// The end of the replay of a graph that is still under way at `now`.
    pub fn running_replay(&self, graph: GraphId, now: Ns) -> Option<TaskId> {
        self.graphs.get(graph)?.last.filter(|last| self.device.ended(*last) > now)
    }

    /// Hands over the replay that `order` has enqueued last: a task for each node of the graph, and for its start and end.
    /// `running` is the replay of the same graph that has to be over before, and `records` are the nodes that record events.
    pub fn replay(
        &mut self,
        graph: GraphId,
        stream: StreamId,
        issue: Issue,
        visible: Ns,
        running: Option<TaskId>,
        records: impl Iterator<Item = Node>,
    ) {
        self.find_predecessors();
        if let Some(last) = running.filter(|last| self.after.iter().all(|(task, _)| task != last)) {
            self.after.push((last, EdgeKind::Stream));
        }
        let start = self.new_task(TaskKind::GraphStart, stream, issue);
        let start = self.device.submit(start, visible, &self.after, None);
        // The graph is lent out while its nodes are handed over, since it may have thousands.
        let Some(mut captured) = self.graphs.lend(graph) else { return };
        let first = self.device.task_count() as u32;
        captured.last = Some(self.submit_nodes(&captured, graph, stream, issue, start, visible));
        captured.holds = !captured.allocates.is_empty();
        self.tasks.extend(records.map(|node| TaskId(first + node.0)));
        self.graphs.give_back(graph, captured);
    }

    fn submit_nodes(
        &mut self,
        graph: &Graph,
        id: GraphId,
        stream: StreamId,
        issue: Issue,
        start: TaskId,
        visible: Ns,
    ) -> TaskId {
        let first = self.device.task_count() as u32;
        let nodes = graph.nodes_now();
        let mut is_leaf = vec![true; nodes.len()];
        // PyTorch instantiates graphs so that their nodes keep their priorities; by default the launch has one for all.
        let own_priority = self.program.host == HostOverhead::Pytorch;
        let priority = self.new_task(TaskKind::GraphStart, stream, issue).priority;
        for node in nodes {
            self.after.clear();
            for before in &node.after {
                self.after.push((TaskId(first + before), EdgeKind::Stream));
                if let Some(leaf) = is_leaf.get_mut(*before as usize) {
                    *leaf = false;
                }
            }
            if self.after.is_empty() {
                self.after.push((start, EdgeKind::Stream));
            }
            let task = self.new_task(node.kind, node.stream, issue);
            let task = Task {
                priority: if own_priority { task.priority } else { priority },
                operation: node.operation,
                in_graph: true,
                // A graph's main line is shown where it was launched; its branches where they were captured.
                lane: if node.stream == graph.origin { stream.0 } else { node.stream.0 },
                ..task
            };
            self.device.submit(task, visible, &self.after, None);
        }
        self.after.clear();
        let leaves = is_leaf.iter().enumerate().filter(|(_, leaf)| **leaf);
        self.after.extend(leaves.map(|(index, _)| (TaskId(first + index as u32), EdgeKind::Stream)));
        if self.after.is_empty() {
            self.after.push((start, EdgeKind::Stream));
        }
        self.submit_next(TaskKind::GraphEnd(id), stream, issue, visible)
    }
}
