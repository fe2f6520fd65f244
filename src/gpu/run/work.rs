//! Work for the GPU: kernels, copies, memsets, host functions.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::driver::{self, Answer, Arguments, Code, CopyKind, LaunchShape, Stream};
use super::super::plans::{self, Launch};
use super::super::slots::Mark;
use super::{Failure, Run};
use crate::program::effects::{self, Unit};
use crate::program::{Copy, Place, Region, RegionList, StreamId};
use crate::recording::Instrument;
use crate::time::Ns;

impl Run<'_> {
    pub(super) fn launch(
        &mut self,
        index: usize,
        stream: StreamId,
        reads: RegionList,
        writes: RegionList,
    ) -> Result<(), Failure> {
        let read = self.program.regions(reads);
        let written = self.program.regions(writes);
        let at = |list: &[Region], place: usize| list.get(place).map_or(0, |region| self.address(region));
        match self.plans.launch(index) {
            None => Ok(()),
            Some(Launch::Library(gemm)) => {
                let (a, b, out) = (at(read, 0), at(read, 1), at(written, 0));
                let blas = self.blas.get(stream.index()).and_then(Option::as_ref).ok_or(Code(801))?;
                self.between_marks(index, stream, |stream| blas.gemm(stream, gemm, a, b, out))
            }
            Some(Launch::Own { function, shape, arguments }) => {
                let scratch = self.scratch.address() + self.scratch_places.get(&index).copied().unwrap_or(0);
                let mut values = plans::arguments(arguments, |i| at(read, i), |i| at(written, i), scratch);
                match self.slots.map(|slots| (slots, slots.mark(index))) {
                    Some((slots, Mark::Stamps { first, .. })) => {
                        values.push(slots.address(first));
                        Ok(function.launch(shape, self.stream(stream)?, &mut values)?)
                    }
                    Some((_, Mark::Between { .. })) => {
                        values.push(0);
                        self.between_marks(index, stream, |stream| function.launch(shape, stream, &mut values))
                    }
                    Some((_, Mark::None)) | None => {
                        values.push(0);
                        Ok(function.launch(shape, self.stream(stream)?, &mut values)?)
                    }
                }
            }
        }
    }

    /// Carries out `work` between two events, or two ticks where the stream captures and kernels stamp. What goes wrong with
    /// a mark is no error of the program.
    pub(super) fn between_marks(
        &self,
        index: usize,
        stream: StreamId,
        work: impl FnOnce(&Stream) -> Answer,
    ) -> Result<(), Failure> {
        let stream = self.stream(stream)?;
        let captured = self.capturing > 0 && stream.is_capturing();
        let _before = self.mark(index, stream, captured, 0);
        let began = if self.slots.is_some() { self.now() } else { Ns::ZERO };
        work(stream)?;
        if self.slots.is_some() {
            self.queued.set(Some((began, self.now())));
        }
        let _after = self.mark(index, stream, captured, 1);
        Ok(())
    }

    fn mark(&self, index: usize, stream: &Stream, captured: bool, side: u32) -> Answer {
        let Some(slots) = self.slots else { return Ok(()) };
        let Mark::Between { events, ticks } = slots.mark(index) else { return Ok(()) };
        let event = slots.events.get((events + side) as usize);
        match (captured, slots.instrument, event) {
            (false, _, Some(event)) => event.record(stream),
            (true, Instrument::Events, Some(event)) => event.record_as_node(stream),
            (true, Instrument::Stamps, _) => {
                let mut arguments = Arguments::new();
                arguments.push(slots.address(ticks + side));
                match self.session.function("tick") {
                    Ok(tick) => tick.launch(&LaunchShape::ONE_THREAD, stream, &mut arguments),
                    Err(_) => Ok(()),
                }
            }
            (_, _, None) => Ok(()),
        }
    }

    pub(super) fn copy(&mut self, index: usize, copy: &Copy) -> Result<(), Failure> {
        let (to, from, bytes) = (self.address(&copy.to), self.address(&copy.from), copy.from.bytes);
        let kind = match effects::copy_unit(copy) {
            Unit::H2D => CopyKind::H2D,
            Unit::D2H => CopyKind::D2H,
            _ if matches!(copy.to.place, Place::Host(_)) => {
                self.buffers.copy(&copy.to, &copy.from);
                return Ok(());
            }
            _ => CopyKind::D2D,
        };
        self.between_marks(index, copy.stream, |stream| {
            #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
            // SAFETY: buffers of the host live until the device has been synchronized at the end of the run, but for those
            // that the program frees: a page-locked one by a call that waits for the device, a pageable one when no copy
            // reads it any more, since those were over when their calls returned and what a graph copies is kept.
            unsafe {
                if copy.is_memcpy {
                    driver::copy_blocking(to, from, kind, bytes)
                } else {
                    driver::copy(to, from, kind, bytes, stream)
                }
            }
        })?;
        let captured = self.capturing > 0 && self.stream(copy.stream)?.is_capturing();
        if let Some(buffer) = effects::tracked_buffer(copy, captured) {
            self.buffers.pinned_cache.used(buffer.0, copy.stream.0, captured);
        }
        if copy.blocking && !copy.is_memcpy {
            self.stream(copy.stream)?.synchronize()?;
        }
        Ok(())
    }

    pub(super) fn memset(&mut self, index: usize, stream: StreamId, region: &Region, word: u32) -> Result<(), Failure> {
        let address = self.address(region);
        self.between_marks(index, stream, |stream| driver::fill(address, word, region.bytes, stream))
    }

    pub(super) fn host_function(&mut self, index: usize, stream: StreamId, dur: Ns) -> Result<(), Failure> {
        let call = self.host_functions.add(index, dur);
        let stream = self.stream(stream)?;
        #[expect(unsafe_code, reason = "the driver calls back")]
        // SAFETY: the box stays in `host_functions` until the device has been synchronized at the end of the run, and the
        // function calls nothing of CUDA.
        unsafe {
            driver::launch_host_function(stream, run_host_function, call)?;
        }
        Ok(())
    }
}

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
