//! Events.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

use cudarc::driver::sys::{self, CUevent_flags_enum as Flags};

use super::{Answer, Code, Stream, check};

/// An event.
#[derive(Debug)]
pub(in crate::gpu) struct Event {
    handle: sys::CUevent,
}

impl Event {
    /// A new event; with `timing` it stores a time, with `blocking_sync` a thread that waits for it sleeps.
    pub fn new(timing: bool, blocking_sync: bool) -> Answer<Self> {
        let mut flags = Flags::CU_EVENT_DEFAULT as u32;
        if !timing {
            flags |= Flags::CU_EVENT_DISABLE_TIMING as u32;
        }
        if blocking_sync {
            flags |= Flags::CU_EVENT_BLOCKING_SYNC as u32;
        }
        let mut handle = std::ptr::null_mut();
        // SAFETY: the driver writes one handle.
        check(unsafe { sys::cuEventCreate(&raw mut handle, flags) })?;
        Ok(Self { handle })
    }

    /// Stands for what `stream` holds now.
    pub fn record(&self, stream: &Stream) -> Answer {
        // SAFETY: both handles live as long as their owners.
        check(unsafe { sys::cuEventRecord(self.handle, stream.handle()) })
    }

    /// As a node of the graph that `stream` captures, so that it can be asked after a replay.
    pub fn record_as_node(&self, stream: &Stream) -> Answer {
        const EXTERNAL: u32 = 1;
        // SAFETY: both handles live as long as their owners.
        check(unsafe { sys::cuEventRecordWithFlags(self.handle, stream.handle(), EXTERNAL) })
    }

    /// Later work of `stream` waits for it.
    pub fn wait(&self, stream: &Stream) -> Answer {
        // SAFETY: both handles live as long as their owners.
        check(unsafe { sys::cuStreamWaitEvent(stream.handle(), self.handle, 0) })
    }

    /// The same as a node of the graph that `stream` captures: each replay waits anew.
    pub fn wait_as_node(&self, stream: &Stream) -> Answer {
        const EXTERNAL: u32 = 1;
        // SAFETY: both handles live as long as their owners.
        check(unsafe { sys::cuStreamWaitEvent(stream.handle(), self.handle, EXTERNAL) })
    }

    /// The host waits for it.
    pub fn synchronize(&self) -> Answer {
        // SAFETY: the handle lives as long as its owner.
        check(unsafe { sys::cuEventSynchronize(self.handle) })
    }

    /// Whether it is complete.
    pub fn is_done(&self) -> Answer<bool> {
        // SAFETY: the handle lives as long as its owner.
        match check(unsafe { sys::cuEventQuery(self.handle) }) {
            Ok(()) => Ok(true),
            Err(Code::NOT_READY) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// From `self` to `end` in µs.
    pub fn elapsed_us(&self, end: &Self) -> Answer<f64> {
        let mut ms = 0.0;
        // SAFETY: both handles live as long as their owners; the driver writes one number.
        check(unsafe { sys::cuEventElapsedTime(&raw mut ms, self.handle, end.handle) })?;
        Ok(f64::from(ms) * 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in `new` and destroyed once. After a broken context it goes with the process.
        let _destroyed = unsafe { sys::cuEventDestroy_v2(self.handle) };
    }
}
