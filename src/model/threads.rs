//! All host threads: which of them may act, what the others wait for, and what they tell each other.

use std::collections::{BTreeMap, BTreeSet};

use super::step::{Until, Wait};
use super::task::TaskId;
use super::thread::Thread;
use crate::program::{Program, SignalId, StreamId, ThreadId};
use crate::time::Ns;

pub(super) enum State {
    /// Has not been started yet.
    Asleep,
    Ready,
    /// It is ready, and a call of another thread holds the driver's lock.
    Locked,
    /// Since when, and the latest end of a task that it waited for so far, with the operation that this follows from.
    Waiting {
        wait: Wait,
        since: Ns,
        latest: (Ns, Option<u32>),
    },
    Returned(Ns),
}

/// All host threads, each as it was when it acted last.
pub(super) struct Threads {
    list: Vec<(Thread, State)>,
    /// Those that are ready, by their clocks, and those that only lack the driver's lock.
    ready: BTreeSet<(Ns, usize)>,
    locked: BTreeSet<usize>,
    waiting: usize,
    /// When each signal was given.
    signals: Vec<Option<Ns>>,
    /// Until when a call holds the driver's lock.
    pub lock_until: Ns,
    /// Who waits for what.
    on_task: BTreeMap<TaskId, Vec<usize>>,
    on_thread: BTreeMap<ThreadId, Vec<usize>>,
    on_signal: BTreeMap<SignalId, Vec<usize>>,
    on_room: BTreeMap<StreamId, BTreeSet<usize>>,
    /// Threads whose waits may be over.
    pub to_see: Vec<usize>,
}

impl Threads {
    pub fn new(program: &Program) -> Self {
        let count = program.threads.len().max(1);
        let thread = |index: usize| {
            let state = if index == 0 { State::Ready } else { State::Asleep };
            (Thread::new(program, ThreadId(index as u32)), state)
        };
        Self {
            list: (0..count).map(thread).collect(),
            ready: BTreeSet::from([(Ns::ZERO, 0)]),
            locked: BTreeSet::new(),
            waiting: 0,
            signals: vec![None; program.signals.len()],
            lock_until: Ns::ZERO,
            on_task: BTreeMap::new(),
            on_thread: BTreeMap::new(),
            on_signal: BTreeMap::new(),
            on_room: BTreeMap::new(),
            to_see: Vec::new(),
        }
    }

    pub fn are_several(&self) -> bool {
        self.list.len() > 1
    }

    pub fn get(&self, index: usize) -> Option<&(Thread, State)> {
        self.list.get(index)
    }

    /// What a thread waits for, if it does.
    pub fn wait_mut(&mut self, index: usize) -> Option<(&mut Wait, &mut (Ns, Option<u32>))> {
        match self.list.get_mut(index) {
            Some((_, State::Waiting { wait, latest, .. })) => Some((wait, latest)),
            Some((_, State::Asleep | State::Ready | State::Locked | State::Returned(_))) | None => None,
        }
    }

    /// A thread is now so, and in this state; returns the state that it was in.
    pub fn put(&mut self, thread: Thread, state: State) -> State {
        let index = thread.id.index();
        let Some(place) = self.list.get_mut(index) else { return State::Asleep };
        match place.1 {
            State::Ready => {
                self.ready.remove(&(place.0.now, index));
            }
            State::Locked => {
                self.locked.remove(&index);
            }
            State::Waiting { .. } => self.waiting -= 1,
            State::Asleep | State::Returned(_) => {}
        }
        match state {
            State::Ready => {
                self.ready.insert((thread.now, index));
            }
            State::Locked => {
                self.locked.insert(index);
            }
            State::Waiting { .. } => {
                self.waiting += 1;
                self.to_see.push(index);
            }
            State::Returned(_) => self.to_see.extend(self.on_thread.remove(&thread.id).into_iter().flatten()),
            State::Asleep => {}
        }
        place.0 = thread;
        std::mem::replace(&mut place.1, state)
    }

    /// A wait is not over: it is looked at again when `until` may have happened.
    pub fn register(&mut self, index: usize, until: &Until) {
        match until {
            Until::Tasks(tasks) => {
                if let Some(task) = tasks.last() {
                    self.on_task.entry(*task).or_default().push(index);
                }
            }
            Until::Room(stream) => {
                self.on_room.entry(*stream).or_default().insert(index);
            }
            Until::Thread(thread) => self.on_thread.entry(*thread).or_default().push(index),
            Until::Signal(signal) => self.on_signal.entry(*signal).or_default().push(index),
        }
    }

    /// A task of a stream is done, and its place in the queue is free for one.
    pub fn gone_on(&mut self, task: TaskId, stream: StreamId) {
        self.to_see.extend(self.on_task.remove(&task).into_iter().flatten());
        if let Some(waiting) = self.on_room.get_mut(&stream) {
            self.to_see.extend(waiting.pop_first());
        }
    }

    /// Nothing else happens: whoever waits for room looks once more.
    pub fn look_for_room(&mut self) {
        self.to_see.extend(std::mem::take(&mut self.on_room).into_values().flatten());
    }

    pub fn start(&mut self, thread: ThreadId, now: Ns) {
        if let Some((thread, State::Asleep)) = self.list.get(thread.index()) {
            let mut thread = *thread;
            thread.now = now;
            self.put(thread, State::Ready);
        }
    }

    pub fn give(&mut self, signal: SignalId, now: Ns) {
        if let Some(given) = self.signals.get_mut(signal.index()) {
            given.get_or_insert(now);
        }
        self.to_see.extend(self.on_signal.remove(&signal).into_iter().flatten());
    }

    /// When a signal was given.
    pub fn given(&self, signal: SignalId) -> Option<Ns> {
        self.signals.get(signal.index()).copied().flatten()
    }

    /// When a thread returned.
    pub fn returned(&self, thread: ThreadId) -> Option<Ns> {
        match self.list.get(thread.index()) {
            Some((_, State::Returned(at))) => Some(*at),
            Some((_, State::Asleep | State::Ready | State::Locked | State::Waiting { .. })) | None => None,
        }
    }

    /// The context is lost at `now`, or the only thread is at its end.
    pub fn end_all(&mut self, now: Ns) {
        for index in 0..self.list.len() {
            if let Some((thread, _)) = self.list.get(index) {
                let (thread, now) = (*thread, thread.now.max(now));
                self.put(thread, State::Returned(now));
            }
        }
    }

    /// When the last thread returned.
    pub fn all_returned(&self) -> Option<Ns> {
        (0..self.list.len()).filter_map(|index| self.returned(ThreadId(index as u32))).max()
    }

    /// The thread that acts next, and when.
    pub fn next(&self) -> Option<(usize, Ns)> {
        let ready = self.ready.first().map(|(now, index)| (*now, *index));
        let locked = self.locked.first().map(|index| (self.lock_until, *index));
        ready.into_iter().chain(locked).min().map(|(now, index)| (index, now))
    }

    /// Whether any thread waits.
    pub fn any_waits(&self) -> bool {
        self.waiting > 0
    }

    /// The last thread that waits.
    pub fn last_waiting(&self) -> Option<usize> {
        self.list.iter().rposition(|(_, state)| matches!(state, State::Waiting { .. }))
    }
}
