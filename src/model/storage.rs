//! The caching allocators, and what they see of the machine.

use super::submission::{Issue, Submission};
use super::task::{TaskId, TaskKind};
use crate::memory::{self, Allocator, PinnedCache};
use crate::profile::Profile;
use crate::program::StreamId;
use crate::program::order::Enqueued;
use crate::time::Ns;

/// Memory that is kept for reuse.
#[derive(Default)]
pub(super) struct Storage {
    /// On the device.
    pub allocator: Allocator<TaskId>,
    /// Page-locked memory of the host.
    pub pinned: PinnedCache<TaskId, u64>,
}

/// The driver as an allocator sees it in one of its calls, and the host time that it took of it.
pub(super) struct Driver<'h, 'a> {
    pub gpu: &'h mut Submission<'a>,
    pub profile: &'a Profile,
    pub capacity: u64,
    pub issue: Issue,
    pub spent: Spent,
}

/// Host time in µs, and whether anything was given to the GPU.
#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    pub malloc_us: f64,
    /// Besides waiting.
    pub free_us: f64,
    /// Events and queries.
    pub event_us: f64,
    pub launched: bool,
}

impl memory::Device for Driver<'_, '_> {
    type Event = TaskId;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.spent.malloc_us += self.profile.calls.malloc_us.at(bytes as f64);
        self.gpu.device.memory.given.give(bytes, self.capacity)
    }

    fn free(&mut self, address: u64) {
        self.spent.free_us += self.profile.calls.free_us;
        self.gpu.device.memory.given.take_back(address);
    }

    fn record(&mut self, stream: u32) -> TaskId {
        let stream = StreamId(stream);
        self.spent.event_us += self.profile.calls.record_us;
        match self.gpu.order.enqueue(stream) {
            Ok(Enqueued::Live(_)) => {
                self.spent.launched = true;
                let visible = self.issue.at + Ns::from_us(self.profile.latencies.launch_us);
                self.gpu.submit(TaskKind::Record { event: None, dur: Ns::ZERO }, stream, self.issue, visible)
            }
            // The allocator never asks while a stream captures.
            Ok(Enqueued::Captured(..)) | Err(_) => TaskId(u32::MAX),
        }
    }

    fn is_done(&mut self, event: TaskId) -> bool {
        self.spent.event_us += self.profile.calls.query_us;
        self.gpu.device.ended(event) <= self.issue.at
    }

    /// The host has waited before it lets the allocator go on.
    fn wait(&mut self, _event: TaskId) {}
}
