//! What the allocators see of the device: each call of the driver that they make is noted.

use std::collections::BTreeMap;

use super::super::driver::{self, Code, Event, RelaxedCapture};
use super::handles::Handles;
use super::pace::Pace;
use crate::memory;
use crate::program::StreamId;
use crate::recording::SpanKind;
use crate::time::Ns;

/// Memory that the driver has given out to the program and not got back, and the events that the allocators wait for.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Addresses, with their sizes.
    pub owned: BTreeMap<u64, u64>,
    /// Memory that the process may have.
    limit: Option<u64>,
    /// Used again once they are done, as PyTorch's pool does it.
    events: Vec<Event>,
    free: Vec<u32>,
}

/// What an allocator sees of the device within one operation.
pub(super) struct Device<'r, 'a> {
    given: &'r mut Given,
    handles: &'r Handles,
    pace: &'r mut Pace<'a>,
    /// Index of the operation.
    operation: usize,
    /// What the driver said to a call that it refused.
    pub refused: Option<Code>,
}

impl Given {
    /// Nothing has been given out yet; `limit` is the memory that the process may have.
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// As an allocator sees it within the operation at `operation`.
    pub fn within<'r, 'a>(
        &'r mut self,
        handles: &'r Handles,
        pace: &'r mut Pace<'a>,
        operation: usize,
    ) -> Device<'r, 'a> {
        Device { given: self, handles, pace, operation, refused: None }
    }
}

impl Device<'_, '_> {
    fn call<T>(&mut self, name: &'static str, kind: SpanKind, call: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.now();
        let result = call(self);
        self.note(name, kind, start);
        result
    }

    pub fn now(&self) -> Ns {
        self.pace.now()
    }

    /// Something within the operation began at `start` and is over.
    pub fn note(&mut self, name: &'static str, kind: SpanKind, start: Ns) {
        self.pace.note(self.operation, name, kind, start);
    }
}

impl memory::Device for Device<'_, '_> {
    /// Index into the pool.
    type Event = u32;

    fn malloc(&mut self, bytes: u64) -> Option<u64> {
        self.call("cudaMalloc", SpanKind::Allocation, |device| {
            let held: u64 = device.given.owned.values().sum();
            if device.given.limit.is_some_and(|limit| held + bytes > limit) {
                return None;
            }
            let _relaxed = RelaxedCapture::enter();
            let address = driver::malloc(bytes).ok()?;
            device.given.owned.insert(address, bytes);
            Some(address)
        })
    }

    fn free(&mut self, address: u64) {
        let freed = self.call("cudaFree", SpanKind::Allocation, |device| {
            let freed = driver::free(address);
            if freed.is_ok() {
                device.given.owned.remove(&address);
            }
            freed
        });
        self.refused = self.refused.or(freed.err());
    }

    fn record(&mut self, stream: u32) -> u32 {
        self.call("cudaEventRecord", SpanKind::Call, |device| {
            let Given { events, free, .. } = &mut *device.given;
            let index = match free.pop() {
                Some(index) => index,
                None => match Event::new(false, false) {
                    Ok(event) => {
                        events.push(event);
                        events.len() as u32 - 1
                    }
                    // Nothing can be waited for; the block counts as free at once, as after a failed record in PyTorch.
                    Err(_) => return u32::MAX,
                },
            };
            if let (Some(event), Ok(stream)) = (events.get(index as usize), device.handles.stream(StreamId(stream))) {
                let _recorded = event.record(stream);
            }
            index
        })
    }

    fn is_done(&mut self, event: u32) -> bool {
        self.call("cudaEventQuery", SpanKind::Call, |device| {
            let Given { events, free, .. } = &mut *device.given;
            let done = events.get(event as usize).is_none_or(|event| event.is_done().unwrap_or(true));
            if done && event != u32::MAX {
                free.push(event);
            }
            done
        })
    }

    fn wait(&mut self, event: u32) {
        let waited = self.call("cudaEventSynchronize", SpanKind::Blocked, |device| {
            device.given.events.get(event as usize).map_or(Ok(()), Event::synchronize)
        });
        self.refused = self.refused.or(waited.err());
    }
}
