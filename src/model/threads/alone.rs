//! A host thread that is alone.

use super::super::ModelError;
use super::super::host::Host;
use super::{Step, Until, queue_places};
use crate::program::Operation;
use crate::program::cuda_error::CudaError;
use crate::program::order::Refusal;
use crate::time::Ns;

impl Host<'_> {
    /// Runs a thread that is alone: it takes no turns, and the GPU goes on when it waits.
    pub(super) fn go_alone(&mut self, watch: &mut dyn FnMut(f32) -> bool) -> Result<(), ModelError> {
        let program = self.program;
        let count = program.operations.len().max(1);
        let (mut index, mut before) = (0, true);
        while let Some(operation) = program.operations.get(index) {
            if index == program.measured_from {
                self.begin_measured();
            }
            if index.is_multiple_of(4096) && !watch(index as f32 / count as f32) {
                return Err(ModelError::Cancelled);
            }
            if self.is_skipped(operation, before) {
                (index, before) = (index + 1, false);
                continue;
            }
            self.index = index as u32;
            match self.carry_through(operation) {
                Ok(()) => (index, before) = (index + 1, true),
                Err(refusal) => {
                    let is_lost = refusal == Refusal::Cuda(CudaError::IllegalAddress);
                    self.refused(index, refusal);
                    (index, before) = (if is_lost { count } else { program.after_error(index) }, false);
                }
            }
        }
        self.threads.end_all(self.now);
        Ok(())
    }

    /// All parts of an operation, one after the other.
    fn carry_through(&mut self, operation: &Operation) -> Result<(), Refusal> {
        let mut part = 0;
        loop {
            part = match self.carry_on(part, operation)? {
                Step::Done => return Ok(()),
                Step::Again => self.part,
                Step::Later => self.part + 1,
                Step::Wait(wait) => {
                    let resume = self.happened(&wait.until) + Ns::from_us(wait.wake_us);
                    if resume > self.now {
                        self.call = self.device.recorder.waited(self.index, self.call, wait.name, self.now, resume);
                        self.now = resume;
                    }
                    self.part + 1
                }
            };
        }
    }

    /// Lets the GPU go on until this has happened; returns when that was.
    fn happened(&mut self, until: &Until) -> Ns {
        match until {
            Until::Tasks(tasks) => {
                let ended = tasks.iter().map(|task| self.device.finish(*task));
                ended.max().unwrap_or(Ns::ZERO)
            }
            Until::Room(stream) => {
                let places = queue_places(self.program, self.profile);
                while self.device.pending.get(stream.index()).is_some_and(|pending| *pending >= places) {
                    if !self.device.step() {
                        break;
                    }
                }
                self.device.now()
            }
            Until::Thread(_) | Until::Signal(_) => self.now,
        }
    }
}
