//! Whose turn it is among the host threads.
//!
//! Time is simulated, so the thread whose clock is behind acts next, and the GPU never runs ahead of it. A call that has to wait
//! is left and taken up again, part by part, when what it waits for has happened.

mod alone;

use super::ModelError;
use super::host::Host;
use super::step::{Step, Until};
use super::threads::State;
use crate::program::ThreadId;
use crate::program::cuda_error::CudaError;
use crate::program::effects;
use crate::program::order::Refusal;
use crate::time::Ns;

impl Host<'_> {
    /// Runs all threads to their ends.
    ///
    /// # Errors
    /// [`ModelError`] when the run was cancelled.
    pub fn go(&mut self) -> Result<(), ModelError> {
        if !self.threads.are_several() && self.program.signals.is_empty() {
            return self.go_alone();
        }
        let count = self.program.operations.len().max(1);
        self.gpu.device.tells_ends = true;
        let mut turns = 0_usize;
        while self.pulse.beat() {
            self.wake_up();
            match (self.threads.next(), self.gpu.device.next_event()) {
                (Some((_, now)), Some(at)) if at < now && self.threads.any_waits() => {
                    self.gpu.device.step();
                }
                (Some((thread, now)), _) => {
                    turns += 1;
                    self.pulse.part = turns as f32 / count as f32;
                    self.act(thread, now);
                }
                (None, Some(_)) => {
                    self.gpu.device.step();
                }
                (None, None) if self.finds_room() || self.break_deadlock() => {}
                (None, None) => break,
            }
        }
        self.pulse.check()
    }

    /// Lets threads go on whose waits are over.
    fn wake_up(&mut self) {
        for (task, stream) in self.gpu.device.ended.drain(..) {
            self.threads.gone_on(task, stream);
        }
        while let Some(index) = self.threads.to_see.pop() {
            if let Some(at) = self.is_over(index) {
                self.resume(index, at);
            }
        }
    }

    /// When the wait of a thread was over, if it waits and that has happened.
    fn is_over(&mut self, index: usize) -> Option<Ns> {
        let (wait, latest) = self.threads.wait_mut(index)?;
        let device = &self.gpu.device;
        let until = match &mut wait.until {
            Until::Tasks(tasks) => {
                while let Some(task) = tasks.last().copied().filter(|task| device.is_done(*task)) {
                    if device.ended(task) >= latest.0 {
                        *latest = (device.ended(task), device.stands_for(task));
                    }
                    tasks.pop();
                }
                if tasks.is_empty() {
                    return Some(latest.0);
                }
                wait.until.clone()
            }
            until @ (Until::Room(_) | Until::Thread(_) | Until::Signal(_)) => until.clone(),
        };
        let over = match &until {
            Until::Tasks(_) => None,
            Until::Room(stream) if self.gpu.has_room(*stream) => {
                *latest = (self.gpu.device.now(), self.gpu.device.left);
                Some(latest.0)
            }
            Until::Room(_) => None,
            Until::Signal(signal) => self.threads.given(*signal),
            Until::Thread(thread) => self.threads.returned(*thread),
        };
        if over.is_none() {
            self.threads.register(index, &until);
        }
        over
    }

    fn resume(&mut self, index: usize, at: Ns) {
        let Some((thread, _)) = self.threads.get(index) else { return };
        let mut thread = *thread;
        let State::Waiting { wait, since, latest } = self.threads.put(thread, State::Ready) else { return };
        let resume = at + Ns::from_us(wait.wake_us);
        if resume > since {
            let recorder = &mut self.gpu.device.recorder;
            thread.call = recorder.waited(thread.operation(), thread.call, wait.name, latest.1, since, resume);
        }
        thread.now = thread.now.max(resume);
        self.threads.put(thread, State::Ready);
    }

    /// Lets one thread do the next part of its operation; its turn comes at `now`.
    fn act(&mut self, number: usize, now: Ns) {
        let Some((thread, _)) = self.threads.get(number) else { return };
        self.thread = *thread;
        self.thread.now = now;
        let (index, part) = (self.thread.index, self.thread.part);
        if part == 0 && index == self.program.measured_from && number == 0 {
            self.begin_measured();
        }
        let Some(operation) = self.program.operations.get(index).filter(|_| !self.thread.is_at_its_end()) else {
            self.threads.put(self.thread, State::Returned(now));
            return;
        };
        if part == 0 && self.is_skipped(operation, self.thread.before) {
            return self.leave(index + 1, false);
        }
        match self.carry_on(part, operation) {
            Ok(Step::Done) => self.leave(index + 1, true),
            Ok(Step::Later) => self.pause(State::Ready, 1),
            Ok(Step::Again) => self.pause(State::Locked, 0),
            Ok(Step::Wait(wait)) => {
                let since = self.thread.now;
                self.pause(State::Waiting { wait, since, latest: (Ns::ZERO, None) }, 1);
            }
            Err(refusal) => {
                let is_lost = refusal == Refusal::Cuda(CudaError::IllegalAddress);
                self.refused(index, refusal);
                if is_lost {
                    // No thread gets any further.
                    return self.threads.end_all(self.thread.now);
                }
                self.leave(self.program.after_error(index), false);
            }
        }
    }

    /// The operation is over, and the thread goes on at `index`.
    fn leave(&mut self, index: usize, before: bool) {
        self.thread.leave(index, before);
        self.threads.put(self.thread, State::Ready);
    }

    /// The operation goes on later, so many parts further.
    fn pause(&mut self, state: State, parts: u8) {
        self.thread.part += parts;
        self.threads.put(self.thread, state);
    }

    /// Whether a thread that waits for room in a queue goes on after all: a place was given to one that did not take it.
    fn finds_room(&mut self) -> bool {
        self.threads.look_for_room();
        self.wake_up();
        self.threads.next().is_some()
    }

    /// Nothing can happen any more, but a thread still waits for another: it meets an error and ends. Returns whether there was
    /// one.
    fn break_deadlock(&mut self) -> bool {
        let Some(number) = self.threads.last_waiting() else { return false };
        let Some((thread, state)) = self.threads.get(number) else { return false };
        self.thread = *thread;
        // Whoever was never started is not waited for.
        let never_started = match state {
            State::Waiting { wait, .. } => match wait.until {
                Until::Thread(ThreadId(other)) => {
                    self.threads.get(other as usize).is_some_and(|(_, state)| matches!(state, State::Asleep))
                }
                Until::Tasks(_) | Until::Room(_) | Until::Signal(_) => false,
            },
            State::Asleep | State::Ready | State::Locked | State::Returned(_) => false,
        };
        if never_started {
            self.threads.put(self.thread, State::Ready);
            return true;
        }
        let index = self.thread.index;
        let what = match self.program.operations.get(index).map(|operation| effects::returns(&operation.action, 0)) {
            Some(effects::Returns::Signalled(signal)) => {
                let name = self.program.signals.get(signal.index()).map_or("", String::as_str);
                format!("Nothing that still runs gives the signal `{name}`: the thread would wait for ever.")
            }
            _ => "The thread waits for another one that waits too.".to_owned(),
        };
        self.refused(index, Refusal::Pytorch("Deadlock", what));
        self.leave(self.program.thread_end(index), false);
        true
    }
}
