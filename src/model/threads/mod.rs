//! The host threads of the model: whose turn it is, and what each waits for.
//!
//! Time is simulated, so the thread whose clock is behind acts next, and the GPU never runs ahead of it. A call that has to wait
//! is left and taken up again, part by part, when what it waits for has happened.

mod alone;

use std::ops::Range;

use super::ModelError;
use super::call::Call;
use super::host::Host;
use super::task::TaskId;
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::host_time::HostTime;
use crate::program::order::Refusal;
use crate::program::{Program, SignalId, StreamId, ThreadId};
use crate::recording::NameId;
use crate::time::Ns;

/// How far one part of a call got.
pub(super) enum Step {
    /// The call has returned.
    Done,
    /// It waits, and goes on with its next part afterwards.
    Wait(Wait),
    /// It goes on with its next part, but a thread whose clock is behind may act first.
    Later,
    /// The same with this part.
    Again,
}

/// What a call waits for.
pub(super) struct Wait {
    pub until: Until,
    /// What the timeline says.
    pub name: NameId,
    /// From then until the thread notices, in µs.
    pub wake_us: f64,
}

#[derive(Clone, Debug)]
pub(super) enum Until {
    /// Until all these are done.
    Tasks(Vec<TaskId>),
    /// Until the launch queue of a stream has room.
    Room(StreamId),
    /// Until a thread has returned.
    Thread(ThreadId),
    /// Until a signal has been given.
    Signal(SignalId),
}

enum State {
    /// Has not been started yet.
    Asleep,
    Ready,
    /// Since when, and the latest end of a task that it waited for so far.
    Waiting {
        wait: Wait,
        since: Ns,
        latest: Ns,
    },
    Returned(Ns),
}

/// A host thread while another one acts.
pub(super) struct Thread {
    state: State,
    now: Ns,
    host_time: HostTime,
    range: Range<usize>,
    index: usize,
    /// Which part of the operation comes next, and the call that it belongs to.
    part: u8,
    call: Call,
    /// Whether the operation before was carried out.
    before: bool,
}

impl Thread {
    fn new(range: Range<usize>, state: State) -> Self {
        let index = range.start;
        let (now, host_time) = (Ns::ZERO, HostTime::default());
        Self { state, now, host_time, range, index, part: 0, call: Call::default(), before: true }
    }
}

/// All host threads.
pub(super) struct Threads {
    threads: Vec<Thread>,
    /// When each signal was given.
    signals: Vec<Option<Ns>>,
    /// Until when a call holds the driver's lock.
    pub lock_until: Ns,
}

impl Threads {
    pub fn new(program: &Program) -> Self {
        let state = |index: usize| if index == 0 { State::Ready } else { State::Asleep };
        let ranges = program.threads.iter().map(|thread| thread.operations.clone());
        let threads = ranges.enumerate().map(|(index, range)| Thread::new(range, state(index))).collect();
        Self { threads, signals: vec![None; program.signals.len()], lock_until: Ns::ZERO }
    }

    pub fn are_several(&self) -> bool {
        self.threads.len() > 1
    }

    pub fn start(&mut self, thread: ThreadId, now: Ns) {
        if let Some(thread) = self.threads.get_mut(thread.index()).filter(|it| matches!(it.state, State::Asleep)) {
            thread.state = State::Ready;
            thread.now = now;
        }
    }

    pub fn give(&mut self, signal: SignalId, now: Ns) {
        if let Some(given) = self.signals.get_mut(signal.index()) {
            given.get_or_insert(now);
        }
    }

    fn end_all(&mut self, now: Ns) {
        for thread in &mut self.threads {
            thread.state = State::Returned(thread.now.max(now));
        }
    }

    /// The thread that acts next, and when.
    fn next(&self) -> Option<(usize, Ns)> {
        let ready = |thread: &Thread| matches!(thread.state, State::Ready);
        let ready = self.threads.iter().enumerate().filter(|(_, thread)| ready(thread));
        ready.map(|(index, thread)| (index, thread.now)).min_by_key(|(index, now)| (*now, *index))
    }
}

impl Host<'_> {
    /// Runs all threads to their ends. `watch` is told how far and says whether to go on.
    ///
    /// # Errors
    /// [`ModelError`] when `watch` said no.
    pub fn go(&mut self, watch: &mut dyn FnMut(f32) -> bool) -> Result<(), ModelError> {
        if !self.threads.are_several() && self.program.signals.is_empty() {
            return self.go_alone(watch);
        }
        let count = self.program.operations.len().max(1);
        let mut acted = 0_usize;
        loop {
            self.wake_up();
            let next = self.threads.next();
            let happens = self.device.next_event();
            match (next, happens) {
                (Some((thread, now)), happens) => {
                    let is_waited_for =
                        || self.threads.threads.iter().any(|it| matches!(it.state, State::Waiting { .. }));
                    if happens.is_some_and(|at| at < now) && is_waited_for() {
                        self.device.step();
                        continue;
                    }
                    if acted.is_multiple_of(4096) && !watch((acted as f32 / count as f32).min(1.0)) {
                        return Err(ModelError::Cancelled);
                    }
                    acted += 1;
                    self.act(thread);
                }
                (None, Some(_)) => {
                    self.device.step();
                }
                (None, None) if self.break_deadlock() => {}
                (None, None) => return Ok(()),
            }
        }
    }

    /// When the last thread returned.
    pub fn returned(&self) -> Ns {
        let returned = |thread: &Thread| match thread.state {
            State::Returned(at) => at,
            State::Asleep | State::Ready | State::Waiting { .. } => Ns::ZERO,
        };
        self.threads.threads.iter().map(returned).max().unwrap_or(self.now)
    }

    /// Lets threads go on whose waits are over.
    fn wake_up(&mut self) {
        for index in 0..self.threads.threads.len() {
            if let Some(at) = self.is_over(index) {
                self.resume(index, at);
            }
        }
    }

    /// When the wait of a thread was over, if it waits and that has happened.
    fn is_over(&mut self, index: usize) -> Option<Ns> {
        let State::Waiting { wait, latest, .. } = &mut self.threads.threads.get_mut(index)?.state else { return None };
        match &mut wait.until {
            Until::Tasks(tasks) => {
                while let Some(task) = tasks.last() {
                    match self.device.task(*task) {
                        Some(task) if !task.is_done() => return None,
                        Some(task) => *latest = (*latest).max(task.ended),
                        None => {}
                    }
                    tasks.pop();
                }
                Some(*latest)
            }
            Until::Room(stream) => {
                let pending = self.device.pending.get(stream.index()).copied().unwrap_or(0);
                (pending < queue_places(self.program, self.profile)).then_some(self.device.now())
            }
            Until::Signal(signal) => self.threads.signals.get(signal.index()).copied().flatten(),
            Until::Thread(thread) => {
                let thread = *thread;
                match self.threads.threads.get(thread.index())?.state {
                    State::Returned(at) => Some(at),
                    State::Asleep | State::Ready | State::Waiting { .. } => None,
                }
            }
        }
    }

    fn resume(&mut self, index: usize, at: Ns) {
        let Some(thread) = self.threads.threads.get_mut(index) else { return };
        let State::Waiting { wait, since, .. } = std::mem::replace(&mut thread.state, State::Ready) else { return };
        let resume = at + Ns::from_us(wait.wake_us);
        thread.now = thread.now.max(resume);
        if resume > since {
            let operation = thread.index as u32;
            thread.call = self.device.recorder.waited(operation, thread.call, wait.name, since, resume);
        }
    }

    /// Lets one thread do the next part of its operation.
    fn act(&mut self, number: usize) {
        self.take_up(number);
        let Some((index, part, before)) =
            self.threads.threads.get(number).map(|thread| (thread.index, thread.part, thread.before))
        else {
            return;
        };
        if part == 0 && index == self.program.measured_from && number == 0 {
            self.begin_measured();
        }
        let range = self.threads.threads.get(number).map_or(0..0, |thread| thread.range.clone());
        let Some(operation) = self.program.operations.get(index).filter(|_| range.contains(&index)) else {
            if let Some(thread) = self.threads.threads.get_mut(number) {
                thread.state = State::Returned(self.now);
            }
            return;
        };
        if part == 0 && self.is_skipped(operation, before) {
            return self.leave(number, index + 1, false);
        }
        self.index = index as u32;
        match self.carry_on(part, operation) {
            Ok(Step::Done) => self.leave(number, index + 1, true),
            Ok(Step::Later) => self.pause(number, State::Ready, self.part + 1),
            Ok(Step::Again) => self.pause(number, State::Ready, self.part),
            Ok(Step::Wait(wait)) => {
                let since = self.now;
                self.pause(number, State::Waiting { wait, since, latest: Ns::ZERO }, self.part + 1);
            }
            Err(refusal) => {
                if refusal == Refusal::Cuda(CudaError::IllegalAddress) {
                    // The context is lost: no thread gets any further.
                    self.refused(index, refusal);
                    return self.threads.end_all(self.now);
                }
                self.refused(index, refusal);
                self.leave(number, self.program.after_error(index), false);
            }
        }
    }

    /// The clock of the thread that acts becomes that of the host.
    fn take_up(&mut self, number: usize) {
        if let Some(thread) = self.threads.threads.get_mut(number) {
            self.now = thread.now;
            self.host_time = thread.host_time;
            self.call = thread.call;
            self.thread = ThreadId(number as u32);
        }
    }

    /// The operation is over, and the thread goes on at `index`.
    fn leave(&mut self, number: usize, index: usize, before: bool) {
        if let Some(thread) = self.threads.threads.get_mut(number) {
            (thread.now, thread.host_time) = (self.now, self.host_time);
            (thread.index, thread.part, thread.before) = (index, 0, before);
        }
    }

    /// The operation goes on later.
    fn pause(&mut self, number: usize, state: State, part: u8) {
        if let Some(thread) = self.threads.threads.get_mut(number) {
            (thread.now, thread.host_time) = (self.now, self.host_time);
            thread.call = self.call;
            thread.part = part;
            thread.state = state;
        }
    }

    /// Nothing can happen any more, but a thread still waits for another: it meets an error and ends. Returns whether there was
    /// one.
    fn break_deadlock(&mut self) -> bool {
        let waits = |thread: &Thread| matches!(thread.state, State::Waiting { .. });
        let Some(number) = self.threads.threads.iter().rposition(waits) else { return false };
        self.take_up(number);
        // Whoever was never started is not waited for.
        let is_asleep = |thread: &Thread| match &thread.state {
            State::Waiting { wait: Wait { until: Until::Thread(other), .. }, .. } => {
                self.threads.threads.get(other.index()).is_some_and(|other| matches!(other.state, State::Asleep))
            }
            _ => false,
        };
        let never_started = self.threads.threads.get(number).is_some_and(is_asleep);
        let Some(thread) = self.threads.threads.get_mut(number) else { return false };
        thread.state = State::Ready;
        if never_started {
            return true;
        }
        let index = thread.index;
        let what = match self.program.operations.get(index).map(|operation| effects::returns(&operation.action, 0)) {
            Some(effects::Returns::Signalled(signal)) => {
                let name = self.program.signals.get(signal.index()).map_or("", String::as_str);
                format!("Nothing that still runs gives the signal `{name}`: the thread would wait for ever.")
            }
            _ => "The thread waits for another one that waits too.".to_owned(),
        };
        self.refused(index, Refusal::Pytorch("Deadlock", what));
        let end = self.program.thread_end(index);
        self.leave(number, end, false);
        true
    }
}

/// Places in the queue of a stream, with the one that runs.
pub(super) fn queue_places(program: &Program, profile: &crate::profile::Profile) -> u32 {
    let scale = program.device.queue_scale.unwrap_or(1.0);
    let depth = (f64::from(profile.gpu.queue_depth.max(1)) * scale).round() as u32;
    depth.max(1).saturating_add(1)
}
