//! The GPU of the model: tasks, what they wait for, and the events that move time on.

use std::collections::{BTreeMap, VecDeque};

use super::agenda::{Agenda, Happening};
use super::engines::Engines;
use super::memory::Memory;
use super::recorder::Recorder;
use super::sms::{Progress, Sms};
use super::task::{Task, TaskId, TaskKind};
use super::tasks::Tasks;
use super::values::Values;
use crate::profile::Profile;
use crate::program::order::EdgeKind;
use crate::program::{Program, StreamId};
use crate::recording::{Cause, SmUse};
use crate::time::Ns;

pub(super) struct Device<'a> {
    program: &'a Program,
    profile: &'a Profile,
    tasks: Tasks,
    agenda: Agenda,
    now: Ns,
    sms: Sms<'a>,
    engines: Engines,
    host_functions: VecDeque<TaskId>,
    /// What waits for a task to start, since it stands behind it in a connection.
    behind: BTreeMap<TaskId, Vec<TaskId>>,
    /// Operations in each stream's queue.
    pub pending: Vec<u32>,
    /// The operation that has left a queue last.
    pub left: Option<u32>,
    pub memory: Memory,
    pub recorder: Recorder<'a>,
    values: Values,
    /// What became of grids, while it is looked at.
    progress: Vec<(Ns, Progress)>,
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
            tasks: Tasks::default(),
            agenda: Agenda::default(),
            now: Ns::ZERO,
            sms: Sms::new(&profile.gpu),
            engines: Engines::new(profile.copies.duplex),
            host_functions: VecDeque::new(),
            behind: BTreeMap::new(),
            pending: vec![0; program.streams.len()],
            left: None,
            memory: Memory::new(program),
            recorder,
            values: Values::default(),
            progress: Vec::new(),
            stamps: vec![None; program.events.len()],
            tells_ends: false,
            ended: Vec::new(),
        }
    }

    /// How many SMs had blocks since that was forgotten last.
    pub fn sm_use(&self) -> SmUse {
        self.sms.used()
    }

    /// What was used so far does not count.
    pub fn forget_sm_use(&mut self) {
        self.sms.forget_use();
    }

    /// When a task ended: later than anything before it has, and long ago for what is no task.
    pub fn ended(&self, id: TaskId) -> Ns {
        match self.tasks.finished(id) {
            Some(finished) => finished.ended,
            None if self.tasks.get(id).is_some() => Ns::MAX,
            None => Ns::ZERO,
        }
    }

    /// The operation that the end of a task follows from, once it is over.
    pub fn stands_for(&self, id: TaskId) -> Option<u32> {
        self.tasks.finished(id).map(|finished| finished.stands_for)
    }

    /// Whether a task is over.
    pub fn is_done(&self, id: TaskId) -> bool {
        self.ended(id) != Ns::MAX
    }

    pub fn task_count(&self) -> usize {
        self.tasks.count()
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
        let id = self.tasks.next_id();
        task.ready = visible;
        task.open = 0;
        for (before, edge) in after {
            if let Some(finished) = self.tasks.finished(*before) {
                task.wait_for(finished, *edge, &self.profile.latencies);
            } else if self.tasks.get(*before).is_some() {
                task.open += 1;
                self.tasks.follow(*before, id, *edge);
            }
        }
        if let Some(ahead) = ahead.filter(|ahead| self.tasks.get(*ahead).is_some_and(|task| task.started == Ns::MAX)) {
            task.open += 1;
            self.behind.entry(ahead).or_default().push(id);
        }
        if task.open == 0 {
            self.agenda.add(task.ready, Happening::Ready(id));
        }
        self.tasks.add(task);
        id
    }

    /// All that happens up to `until` has happened.
    pub fn reach(&mut self, until: Ns) {
        self.now = self.now.max(until);
    }

    /// When the next thing happens.
    pub fn next_event(&self) -> Option<Ns> {
        self.agenda.next()
    }

    /// How far time has gone.
    pub fn now(&self) -> Ns {
        self.now
    }

    /// Lets the next thing happen; `false` when there is none.
    pub fn step(&mut self) -> bool {
        let Some((at, what)) = self.agenda.take() else { return false };
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
        for (at, event) in self.sms.take_events() {
            self.agenda.add(at, Happening::Sm(event));
        }
        let mut progress = std::mem::take(&mut self.progress);
        progress.extend(self.sms.take_progress());
        for (at, progress) in progress.drain(..) {
            match progress {
                Progress::Started(task) => self.start(at, TaskId(task), Cause::NoRoom),
                Progress::Finished(task) => self.end(at, TaskId(task)),
            }
        }
        self.progress = progress;
    }

    fn settle_engines(&mut self) {
        for (at, end) in self.engines.take_events() {
            self.agenda.add(at, Happening::Copy(end));
        }
        for (at, task) in self.engines.take_started() {
            self.start(at, TaskId(task), Cause::EngineBusy);
        }
    }

    /// A task has everything that it waited for.
    fn begin(&mut self, at: Ns, id: TaskId) {
        let Some(task) = self.tasks.get(id) else { return };
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
                self.agenda.add(at + dur, Happening::Done(id));
            }
            TaskKind::GraphStart | TaskKind::GraphEnd(_) => {
                self.start(at, id, Cause::LaunchLatency);
                self.end(at, id);
            }
        }
    }

    fn run_host_function(&mut self, at: Ns) {
        let Some(id) = self.host_functions.front().copied() else { return };
        if let Some(TaskKind::HostFunction { dur }) = self.tasks.get(id).map(|task| task.kind) {
            self.start(at, id, Cause::HostFunction);
            self.agenda.add(at + dur, Happening::Done(id));
        }
    }

    /// A task starts; if it was ready before, `why` held it back.
    fn start(&mut self, at: Ns, id: TaskId, why: Cause) {
        let Some(task) = self.tasks.get_mut(id) else { return };
        task.started = at;
        if at > task.ready {
            task.held_by = why;
        }
        let operation = task.operation;
        if let Some(place) = self.tasks.place(id) {
            self.values.start(self.program, &self.memory, place, operation);
        }
        for behind in self.behind.remove(&id).into_iter().flatten() {
            let Some(task) = self.tasks.get_mut(behind) else { continue };
            if at > task.ready {
                (task.ready, task.held_by) = (at, Cause::EngineBusy);
            }
            task.open -= 1;
            if task.open == 0 {
                let ready = task.ready;
                self.agenda.add(ready, Happening::Ready(behind));
            }
        }
    }

    fn end(&mut self, at: Ns, id: TaskId) {
        let Some((place, task)) = self.tasks.place(id).zip(self.tasks.get(id)) else { return };
        let (finished, is_host_function) = (task.finished(at), matches!(task.kind, TaskKind::HostFunction { .. }));
        if self.tells_ends {
            self.ended.push((id, StreamId(task.stream)));
        }
        // A graph takes one place in the queue of its stream until it is done; its nodes take none.
        let leaves = !task.in_graph && !matches!(task.kind, TaskKind::GraphStart);
        if let Some(pending) = self.pending.get_mut(task.stream as usize).filter(|_| leaves) {
            *pending = pending.saturating_sub(1);
            self.left = Some(finished.stands_for);
        }
        self.values.end(self.program, &mut self.memory, place, id, task.operation);
        if let TaskKind::Record { event: Some(event), .. } = task.kind
            && let Some(stamp) = self.stamps.get_mut(event.index())
        {
            *stamp = Some(at);
        }
        self.recorder.gpu_span(task, at);
        let mut successors = self.tasks.finish(id, finished);
        if is_host_function {
            self.host_functions.pop_front();
            self.run_host_function(at);
        }
        while let Some((after, edge)) = self.tasks.next_successor(&mut successors) {
            let Some(successor) = self.tasks.get_mut(after) else { continue };
            successor.wait_for(&finished, edge, &self.profile.latencies);
            successor.open -= 1;
            if successor.open == 0 {
                self.agenda.add(successor.ready.max(at), Happening::Ready(after));
            }
        }
    }
}
