//! A host thread that is alone.

use super::super::ModelError;
use super::super::host::Host;
use super::super::step::{Step, Until};
use crate::program::Operation;
use crate::program::cuda_error::CudaError;
use crate::program::order::Refusal;
use crate::time::Ns;

impl Host<'_> {
    /// Runs a thread that is alone: it takes no turns, and the GPU goes on when it waits.
    pub(super) fn go_alone(&mut self) -> Result<(), ModelError> {
        let program = self.program;
        let count = program.operations.len().max(1);
        while let Some(operation) = program.operations.get(self.thread.index) {
            let index = self.thread.index;
            if index == program.measured_from {
                self.begin_measured();
            }
            self.pulse.part = index as f32 / count as f32;
            if !self.pulse.beat() {
                break;
            }
            if self.is_skipped(operation, self.thread.before) {
                self.thread.leave(index + 1, false);
                continue;
            }
            match self.carry_through(operation) {
                Ok(()) => self.thread.leave(index + 1, true),
                Err(refusal) => {
                    let is_lost = refusal == Refusal::Cuda(CudaError::IllegalAddress);
                    self.refused(index, refusal);
                    self.thread.leave(if is_lost { count } else { program.after_error(index) }, false);
                }
            }
        }
        self.threads.end_all(self.thread.now);
        self.pulse.check()
    }

    /// All parts of an operation, one after the other.
    fn carry_through(&mut self, operation: &Operation) -> Result<(), Refusal> {
        loop {
            match self.carry_on(self.thread.part, operation)? {
                Step::Done => return Ok(()),
                Step::Again => {}
                Step::Later => self.thread.part += 1,
                Step::Wait(wait) => {
                    let (ended, after) = self.happened(&wait.until);
                    let resume = ended + Ns::from_us(wait.wake_us);
                    let (thread, recorder) = (&mut self.thread, &mut self.gpu.device.recorder);
                    if resume > thread.now {
                        let operation = thread.operation();
                        thread.call = recorder.waited(operation, thread.call, wait.name, after, thread.now, resume);
                        thread.now = resume;
                    }
                    thread.part += 1;
                }
            }
        }
    }

    /// Lets the GPU go on until this has happened; returns when that was, and the operation that it follows from.
    fn happened(&mut self, until: &Until) -> (Ns, Option<u32>) {
        match until {
            Until::Tasks(tasks) => {
                let ended = tasks.iter().map(|task| {
                    while !self.gpu.device.is_done(*task) && self.pulse.beat() && self.gpu.device.step() {}
                    (self.gpu.device.ended(*task).min(self.gpu.device.now()), self.gpu.device.stands_for(*task))
                });
                ended.max_by_key(|(ended, _)| *ended).unwrap_or_default()
            }
            Until::Room(stream) => {
                while !self.gpu.has_room(*stream) && self.pulse.beat() && self.gpu.device.step() {}
                (self.gpu.device.now(), self.gpu.device.left)
            }
            Until::Thread(_) | Until::Signal(_) => (self.thread.now, None),
        }
    }
}
