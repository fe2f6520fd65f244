//! A host thread: its clock, and where in its operations it is.

use super::call::Call;
use crate::program::host_time::HostTime;
use crate::program::{Program, ThreadId};
use crate::time::Ns;

/// A host thread.
#[derive(Clone, Copy)]
pub(super) struct Thread {
    pub id: ThreadId,
    pub now: Ns,
    pub host_time: HostTime,
    /// Index of the operation under way, and where the thread's operations end.
    pub index: usize,
    end: usize,
    /// Which part of the operation comes next, and its call.
    pub part: u8,
    pub call: Call,
    /// Whether the operation before was carried out.
    pub before: bool,
}

impl Thread {
    /// A thread at the start of its operations.
    pub fn new(program: &Program, id: ThreadId) -> Self {
        let range = program.thread_range(id);
        Self {
            id,
            now: Ns::ZERO,
            host_time: HostTime::default(),
            index: range.start,
            end: range.end,
            part: 0,
            call: Call::default(),
            before: true,
        }
    }

    /// Whether it has come to the end of its operations.
    pub fn is_at_its_end(&self) -> bool {
        self.index >= self.end
    }

    /// The operation is over, and the thread goes on at `index`. `before` says whether it was carried out.
    pub fn leave(&mut self, index: usize, before: bool) {
        (self.index, self.part, self.before) = (index, 0, before);
    }

    /// The number of the operation under way.
    pub fn operation(&self) -> u32 {
        self.index as u32
    }
}
