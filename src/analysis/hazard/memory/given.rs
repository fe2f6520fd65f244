//! What the driver has given out, and what the allocators see of the device: events are done when that is certain.

use super::super::clocks::{Clocks, Stamp};
use super::super::course::Course;
use crate::memory::{self, Addresses};
use crate::program::order::Enqueued;
use crate::program::{StreamId, ThreadId};

/// Memory that the driver has given out.
#[derive(Debug)]
pub(super) struct Given {
    addresses: Addresses,
    capacity: u64,
}

impl Given {
    pub fn new(capacity: u64) -> Self {
        Self { addresses: Addresses::default(), capacity }
    }

    pub fn give(&mut self, bytes: u64) -> Option<u64> {
        self.addresses.give(bytes, self.capacity)
    }

    pub fn release(&mut self, address: u64) {
        self.addresses.release(address);
    }

    pub fn take_back(&mut self, address: u64) {
        self.addresses.take_back(address);
    }
}

/// What the allocators see of the device while a thread acts: events are done when that is certain.
pub(super) struct Certain<'c> {
    pub course: &'c mut Course,
    pub given: &'c mut Given,
    pub thread: ThreadId,
}

impl memory::Device for Certain<'_> {
    type Event = Stamp;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.given.give(bytes)
    }

    /// `cudaFree` waits for the device, though no document promises that.
    fn free(&mut self, address: u64) {
        self.given.take_back(address);
        self.course.learn_device(self.thread);
    }

    fn record(&mut self, stream: u32) -> Stamp {
        match self.course.order.enqueue(StreamId(stream)) {
            Ok(Enqueued::Live(_)) => self.course.live(StreamId(stream), self.thread),
            Ok(Enqueued::Captured(..)) | Err(_) => Clocks::at(Clocks::START),
        }
    }

    fn is_done(&mut self, event: Stamp) -> bool {
        let known = self.course.known(self.thread).documented;
        self.course.clocks.is_before(event.lane, event.seq, Clocks::at(known))
    }

    fn wait(&mut self, event: Stamp) {
        self.course.learn(self.thread, &[event], true);
    }
}
