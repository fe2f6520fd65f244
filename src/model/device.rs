//! The GPU of the model: tasks, what they wait for, and the events that move time on.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::engines::{CopyEnd, Engines};
use super::memory::{Memory, Staged};
use super::recorder::Recorder;
use super::sms::{Progress, SmEvent, Sms};
use super::task::{Task, TaskId, TaskKind, gap};
use crate::profile::Profile;
use crate::program::order::EdgeKind;
use crate::program::{Action, Program, StreamId};
use crate::recording::Cause;
use crate::time::Ns;

/// End of a list of successors.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Ready(TaskId),
    Done(TaskId),
    Sm(SmEvent),
    Copy(CopyEnd),
}

#[derive(Clone, Copy, Debug)]
struct Successor {
    task: TaskId,
    edge: EdgeKind,
    next: u32,
}

pub(super) struct Device<'a> {
    program: &'a Program,
    profile: &'a Profile,
    tasks: Vec<Task>,
    successors: Vec<Successor>,
    heap: BinaryHeap<Reverse<(Ns, u32, Happening)>>,
    /// Breaks ties in the order of scheduling, so that a run is deterministic.
    scheduled: u32,
    now: Ns,
    sms: Sms<'a>,
    engines: Engines,
    host_functions: VecDeque<TaskId>,
    /// What waits for a task to start, since it stands behind it in a connection.
    behind: BTreeMap<TaskId, Vec<TaskId>>,
    /// Operations in each stream's queue.
    pub pending: Vec<u32>,
    pub memory: Memory,
    pub recorder: Recorder<'a>,
    /// Values that kernels saw when they started: by task, operand by operand.
    seen: Vec<(TaskId, Vec<f64>)>,
    /// The times that timing events stored.
    pub stamps: Vec<Option<Ns>>,
    /// Whether somebody wants to know which tasks have ended, and those.
    pub tells_ends: bool,
    pub ended: Vec<(TaskId, StreamId)>,
}

impl<'a> Device<'a> {
    pub fn new(program: &'a Program, profile: &'a Profile, recorder: Recorder<'a>) -> Self {
        Self {
            program,
            profile,
            tasks: Vec::new(),
            successors: Vec::new(),
            heap: BinaryHeap::new(),
            scheduled: 0,
            now: Ns::ZERO,
            sms: Sms::new(&profile.gpu),
            engines: Engines::new(profile.copies.duplex),
            host_functions: VecDeque::new(),
            behind: BTreeMap::new(),
            pending: vec![0; program.streams.len()],
            memory: Memory::new(program),
            recorder,
            seen: Vec::new(),
            stamps: vec![None; program.events.len()],
            tells_ends: false,
            ended: Vec::new(),
        }
    }

    fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.get(id.index())
    }

    /// When a task ended: later than anything before it has, and long ago for what is no task.
    pub fn ended(&self, id: TaskId) -> Ns {
        self.task(id).map_or(Ns::ZERO, |task| task.ended)
    }

    /// Whether a task is over.
    pub fn is_done(&self, id: TaskId) -> bool {
        self.ended(id) != Ns::MAX
    }

    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Whether no stream holds anything.
    pub fn is_idle(&self) -> bool {
        self.pending.iter().all(|pending| *pending == 0)
    }

    /// Hands a task over: it may start at `visible` at the earliest, after its predecessors, and when what stands `ahead` of it
    /// in its connection has started.
    pub fn submit(
        &mut self,
        mut task: Task,
        visible: Ns,
        after: &[(TaskId, EdgeKind)],
        ahead: Option<TaskId>,
    ) -> TaskId {
        let id = TaskId(self.tasks.len() as u32);
        task.ready = visible;
        task.open = 0;
        for (before, edge) in after {
            let Some(pred) = self.tasks.get(before.index()) else { continue };
            if pred.is_done() {
                let ended = pred.ended;
                let pred = pred.clone();
                wait_for(&mut task, &pred, ended, *edge, self.profile);
            } else {
                task.open += 1;
                let next = pred.successors;
                let entry = self.successors.len() as u32;
                self.successors.push(Successor { task: id, edge: *edge, next });
                if let Some(pred) = self.tasks.get_mut(before.index()) {
                    pred.successors = entry;
                }
            }
        }
        if let Some(ahead) = ahead.filter(|ahead| self.task(*ahead).is_some_and(|ahead| ahead.started == Ns::MAX)) {
            task.open += 1;
            self.behind.entry(ahead).or_default().push(id);
        }
        if task.open == 0 {
            self.schedule(task.ready, Happening::Ready(id));
        }
        self.tasks.push(task);
        id
    }

    /// All that happens up to `until` has happened.
    pub fn reach(&mut self, until: Ns) {
        self.now = self.now.max(until);
    }

    fn schedule(&mut self, at: Ns, what: Happening) {
        self.scheduled = self.scheduled.wrapping_add(1);
        self.heap.push(Reverse((at, self.scheduled, what)));
    }

    /// When the next thing happens.
    pub fn next_event(&self) -> Option<Ns> {
        self.heap.peek().map(|Reverse((at, _, _))| *at)
    }

    /// How far time has gone.
    pub fn now(&self) -> Ns {
        self.now
    }

    /// Lets the next thing happen; `false` when there is none.
    pub fn step(&mut self) -> bool {
        let Some(Reverse((at, _, what))) = self.heap.pop() else { return false };
        self.now = self.now.max(at);
        match what {
            Happening::Ready(task) => self.begin(at, task),
            Happening::Done(task) => self.end(at, task),
            Happening::Sm(event) => {
                self.sms.happen(at, event);
                self.settle_sms();
            }
            Happening::Copy(end) => {
                let done = self.engines.happen(at, end);
                self.settle_engines();
                if let Some(task) = done {
                    self.end(at, TaskId(task));
                }
            }
        }
        true
    }

    fn settle_sms(&mut self) {
        let events: Vec<(Ns, SmEvent)> = self.sms.take_events().collect();
        for (at, event) in events {
            self.schedule(at, Happening::Sm(event));
        }
        for (at, progress) in self.sms.take_progress() {
            match progress {
                Progress::Started(task) => self.start(at, TaskId(task), Cause::NoRoom),
                Progress::Finished(task) => self.end(at, TaskId(task)),
            }
        }
    }

    fn settle_engines(&mut self) {
        let events: Vec<(Ns, CopyEnd)> = self.engines.take_events().collect();
        for (at, end) in events {
            self.schedule(at, Happening::Copy(end));
        }
        for (at, task) in self.engines.take_started() {
            self.start(at, TaskId(task), Cause::EngineBusy);
        }
    }

    /// A task has everything that it waited for.
    fn begin(&mut self, at: Ns, id: TaskId) {
        let Some(task) = self.tasks.get(id.index()) else { return };
        let priority = task.priority;
        match task.kind {
            TaskKind::Kernel(cost) => {
                self.sms.arrive(at, id.0, cost, priority);
                self.settle_sms();
            }
            TaskKind::Copy { engine, dur } => {
                self.engines.arrive(at, engine, id.0, dur);
                self.settle_engines();
            }
            TaskKind::HostFunction { .. } => {
                self.host_functions.push_back(id);
                if self.host_functions.len() == 1 {
                    self.run_host_function(at);
                }
            }
            TaskKind::Memory { dur, .. } | TaskKind::Record { dur, .. } => {
                self.start(at, id, Cause::LaunchLatency);
                self.schedule(at + dur, Happening::Done(id));
            }
            TaskKind::GraphStart | TaskKind::GraphEnd(_) => {
                self.start(at, id, Cause::LaunchLatency);
                self.end(at, id);
            }
        }
    }

    fn run_host_function(&mut self, at: Ns) {
        let Some(id) = self.host_functions.front().copied() else { return };
        if let Some(TaskKind::HostFunction { dur }) = self.task(id).map(|task| task.kind) {
            self.start(at, id, Cause::HostFunction);
            self.schedule(at + dur, Happening::Done(id));
        }
    }

    /// A task starts; if it was ready before, `why` held it back.
    fn start(&mut self, at: Ns, id: TaskId, why: Cause) {
        let Some(task) = self.tasks.get_mut(id.index()) else { return };
        task.started = at;
        if at > task.ready {
            task.held_by = why;
        }
        let operation = task.operation;
        if let Some(seen) = self.values_read(operation) {
            self.seen.push((id, seen));
        }
        for behind in self.behind.remove(&id).into_iter().flatten() {
            let Some(task) = self.tasks.get_mut(behind.index()) else { continue };
            if at > task.ready {
                (task.ready, task.held_by) = (at, Cause::EngineBusy);
            }
            task.open -= 1;
            if task.open == 0 {
                let ready = task.ready;
                self.schedule(ready, Happening::Ready(behind));
            }
        }
    }

    fn end(&mut self, at: Ns, id: TaskId) {
        let Some(task) = self.tasks.get_mut(id.index()) else { return };
        task.ended = at;
        let task = task.clone();
        if self.tells_ends {
            self.ended.push((id, StreamId(task.stream)));
        }
        self.leave_queue(&task);
        self.write(id, &task);
        self.stamp(&task);
        self.recorder.gpu_span(&task);
        if matches!(task.kind, TaskKind::HostFunction { .. }) {
            self.host_functions.pop_front();
            self.run_host_function(at);
        }
        let mut entry = task.successors;
        while let Some(Successor { task: after, edge, next }) = self.successors.get(entry as usize).copied() {
            entry = next;
            let Some(successor) = self.tasks.get_mut(after.index()) else { continue };
            wait_for(successor, &task, at, edge, self.profile);
            successor.open -= 1;
            if successor.open == 0 {
                let ready = successor.ready.max(at);
                self.schedule(ready, Happening::Ready(after));
            }
        }
    }

    /// A graph takes one place in the queue of its stream until it is done; its nodes take none.
    fn leave_queue(&mut self, task: &Task) {
        let leaves = !task.in_graph && !matches!(task.kind, TaskKind::GraphStart);
        if let Some(pending) = self.pending.get_mut(task.stream as usize).filter(|_| leaves) {
            *pending = pending.saturating_sub(1);
        }
    }

    fn stamp(&mut self, task: &Task) {
        if let TaskKind::Record { event: Some(event), .. } = task.kind
            && let Some(stamp) = self.stamps.get_mut(event.index())
        {
            *stamp = Some(task.ended);
        }
    }

    /// What an operation reads, as it is now; `None` for one that writes nothing.
    fn values_read(&self, operation: u32) -> Option<Vec<f64>> {
        match self.program.operations.get(operation as usize)?.action {
            Action::Launch { reads, .. } => {
                Some(self.program.regions(reads).iter().map(|region| self.memory.mean(region)).collect())
            }
            Action::Copy(copy) => Some(vec![self.memory.mean(&copy.from)]),
            _ => None,
        }
    }

    /// What an operation writes appears at its end. What it read may have changed while it ran: then it saw some of both.
    fn write(&mut self, id: TaskId, task: &Task) {
        let Some(operation) = self.program.operations.get(task.operation as usize) else { return };
        let seen = match self.seen.iter().rposition(|(of, _)| *of == id) {
            Some(index) => self.seen.swap_remove(index).1,
            None => Vec::new(),
        };
        let now = self.values_read(task.operation).unwrap_or_default();
        match operation.action {
            Action::Launch { kernel, writes, .. } => {
                let Some(kernel) = self.program.kernels.get(kernel.index()) else { return };
                let operands: Vec<f64> = seen.iter().zip(&now).map(|(before, after)| (before + after) / 2.0).collect();
                let value = kernel.compute(&operands);
                // Where the operands changed meanwhile, there is no saying which part saw what.
                let reads = match operation.action {
                    Action::Launch { reads, .. } if seen == now => self.program.regions(reads),
                    _ => &[],
                };
                let parts = self.memory.computed(kernel, reads);
                for region in self.program.regions(writes) {
                    if !parts.as_ref().is_some_and(|parts| self.memory.write_parts(region, parts)) {
                        self.memory.write(region, value);
                    }
                }
            }
            Action::Copy(copy) => {
                let staged = self.memory.staged.remove(&id);
                let read = staged.or_else(|| {
                    let (before, after) = seen.first().copied().zip(now.first().copied())?;
                    match before == after {
                        true => Some(self.memory.read(&copy.from)),
                        false => Some(Staged { mean: (before + after) / 2.0, parts: None }),
                    }
                });
                if let Some(Staged { mean, parts }) = read
                    && !parts.is_some_and(|parts| self.memory.write_parts(&copy.to, &parts))
                {
                    self.memory.write(&copy.to, mean);
                }
            }
            Action::Memset { region, value, .. } => self.memory.write(&region, value),
            _ => {}
        }
    }
}

/// `task` can start no earlier than a pause after `pred`, which ended at `ended`.
fn wait_for(task: &mut Task, pred: &Task, ended: Ns, edge: EdgeKind, profile: &Profile) {
    let (pause, cause) = gap(&profile.latencies, pred, task, edge);
    task.ready = task.ready.max(ended + pause);
    let released = pred.let_go(ended) + pause;
    if released > task.released {
        (task.released, task.released_by) = (released, cause);
    }
    if matches!(task.kind, TaskKind::Record { .. } | TaskKind::GraphStart) {
        task.carries = pred.unit();
    }
}

impl Device<'_> {
    /// A list of successors that is empty.
    pub const NO_SUCCESSORS: u32 = NONE;
}
