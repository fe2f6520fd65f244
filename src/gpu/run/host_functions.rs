//! Functions that a thread of the driver runs while a stream waits.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::driver::{self, Answer, Stream};
use crate::time::Ns;

/// A host function that ran; times count from the start of the measured part.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct HostFunctionRun {
    /// Index of the operation.
    pub operation: usize,
    /// When it began.
    pub start: Ns,
    /// When it returned.
    pub end: Ns,
}

/// What a host function is called with.
#[derive(Debug)]
struct HostCall {
    operation: usize,
    dur: Duration,
    runs: Arc<Mutex<Vec<Passed>>>,
}

/// The operation, and from when to when its function ran.
type Passed = (usize, Instant, Instant);

/// All host functions of a run.
#[derive(Debug, Default)]
pub(super) struct HostFunctions {
    /// In boxes, since the driver knows their places.
    #[expect(clippy::vec_box, reason = "the driver holds the address of each")]
    calls: Vec<Box<HostCall>>,
    runs: Arc<Mutex<Vec<Passed>>>,
}

impl HostFunctions {
    /// Queues the host function of `operation` on `stream`.
    pub fn queue(&mut self, operation: usize, dur: Ns, stream: &Stream) -> Answer {
        let call = self.add(operation, dur);
        #[expect(unsafe_code, reason = "the driver calls back")]
        // SAFETY: the box stays in `self` until the device has been synchronized at the end of the run, and the function calls
        // nothing of CUDA.
        unsafe {
            driver::launch_host_function(stream, run_host_function, call)
        }
    }

    fn add(&mut self, operation: usize, dur: Ns) -> *mut c_void {
        let dur = Duration::from_nanos(u64::try_from(dur.0).unwrap_or(0));
        let mut call = Box::new(HostCall { operation, dur, runs: Arc::clone(&self.runs) });
        let address: *mut HostCall = &raw mut *call;
        self.calls.push(call);
        address.cast()
    }

    /// Those that have run, in their order.
    pub fn finished(&self, base: Instant) -> Vec<HostFunctionRun> {
        let since = |time: Instant| Ns(time.saturating_duration_since(base).as_nanos() as i64);
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let run = |(operation, start, end): &Passed| HostFunctionRun {
            operation: *operation,
            start: since(*start),
            end: since(*end),
        };
        runs.iter().map(run).collect()
    }
}

#[expect(unsafe_code, reason = "the driver calls back")]
unsafe extern "C" fn run_host_function(data: *mut c_void) {
    let start = Instant::now();
    // SAFETY: `data` is the box that `HostFunctions::add` keeps.
    let call = unsafe { &*data.cast::<HostCall>() };
    while start.elapsed() < call.dur {
        std::hint::spin_loop();
    }
    let passed = (call.operation, start, Instant::now());
    call.runs.lock().unwrap_or_else(PoisonError::into_inner).push(passed);
}
