//! One run of a program on the device: the host thread makes the calls, and what a traced run learns of them is kept.

mod allocations;
mod calls;
mod capture;
mod host_memory;
mod outcome;
mod pace;
mod work;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use super::GpuError;
use super::clock::Clock;
use super::driver::{Blas, Code, DeviceMemory, Event, Stream};
use super::kernels::{Argument, SCRATCH_BYTES};
use super::plans::{Launch, Plans};
use super::session::Session;
use super::slots::Slots;
use crate::memory::Allocator;
use crate::profile::Profile;
use crate::program::host_time::HostTime;
use crate::program::{Action, GraphId, Operation, Place, Program, StreamId, StreamKind, effects};
use crate::scenario::HostOverhead;
use crate::time::Ns;

use allocations::EventPool;
pub(super) use calls::OwnCalls;
use capture::Captured;
use host_memory::HostBuffers;
pub(super) use outcome::{CallTimes, Failure, InnerCall, MemoryStep, Outcome, Replay};
pub(super) use work::HostFunctionRun;

/// Time between two messages on how far a run is.
const BETWEEN: Ns = Ns(50_000_000);

/// A run under way.
pub(super) struct Run<'a> {
    session: &'a Session,
    program: &'a Program,
    profile: &'a Profile,
    plans: &'a Plans,
    slots: Option<&'a Slots>,
    /// Each belongs to a stream, and goes before it.
    blas: Vec<Option<Blas>>,
    streams: Vec<Stream>,
    events: Vec<Event>,
    /// Address of each tensor; 0 before it is allocated.
    addresses: Vec<u64>,
    buffers: HostBuffers,
    allocator: Allocator<u32>,
    allocator_events: EventPool,
    /// Addresses that the driver has given out to the program and not got back, with their sizes.
    owned: BTreeMap<u64, u64>,
    graphs: Vec<Option<Captured>>,
    /// Number of captures under way.
    capturing: u32,
    /// The graph whose capture began last.
    open_graph: Option<GraphId>,
    /// An exception of PyTorch was raised within a capture.
    raised: bool,
    /// Of sums: the operation, and its place in `scratch`.
    scratch: DeviceMemory,
    scratch_places: HashMap<usize, u64>,
    host_functions: work::HostFunctions,
    variables: Vec<Option<f64>>,
    host_time: HostTime,
    /// What calls of this machine take, by PyTorch operation, learned as the run goes on.
    own_calls: &'a mut OwnCalls,
    base: Instant,
    /// When the latest operation ended.
    last_exit: Ns,
    /// When somebody was told last how far the run is.
    told: Ns,
    /// When the call that queues the work of this operation was made and returned, where there are marks.
    queued: Cell<Option<(Ns, Ns)>>,
    outcome: Outcome,
}

impl<'a> Run<'a> {
    /// Runs `program` once. With `slots`, the run is traced.
    pub fn carry_out(
        session: &'a Session,
        program: &'a Program,
        profile: &'a Profile,
        plans: &'a Plans,
        slots: Option<&'a Slots>,
        own_calls: &'a mut OwnCalls,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Result<Outcome, GpuError> {
        let mut run = Self::prepare(session, program, profile, plans, slots, own_calls)
            .map_err(|code| code.while_trying("make streams, events and memory"))?;
        run.go(watch)?;
        run.outcome.memory = run.allocator.usage();
        // A replay under way may still be calling one.
        let _done = session.context.synchronize();
        run.outcome.host_functions = run.host_functions.finished(run.base);
        let outcome = std::mem::take(&mut run.outcome);
        Ok(outcome)
    }

    fn prepare(
        session: &'a Session,
        program: &'a Program,
        profile: &'a Profile,
        plans: &'a Plans,
        slots: Option<&'a Slots>,
        own_calls: &'a mut OwnCalls,
    ) -> Result<Self, Code> {
        let stream = |stream: &crate::program::Stream| match stream.kind {
            StreamKind::Legacy => Ok(Stream::legacy()),
            StreamKind::Blocking => Stream::new(true, stream.priority),
            StreamKind::NonBlocking => Stream::new(false, stream.priority),
        };
        let streams = program.streams.iter().map(stream).collect::<Result<Vec<_>, _>>()?;
        let mut blas: Vec<Option<Blas>> = streams.iter().map(|_| None).collect();
        let mut scratch_places = HashMap::new();
        for (index, operation) in program.operations.iter().enumerate() {
            let Action::Launch { stream, .. } = operation.action else { continue };
            match plans.launch(index) {
                Some(Launch::Library(_)) => {
                    if let (Some(place @ None), Some(stream)) =
                        (blas.get_mut(stream.index()), streams.get(stream.index()))
                    {
                        *place = Some(Blas::new(stream)?);
                    }
                }
                Some(Launch::Own { arguments, .. }) if arguments.contains(&Argument::Scratch) => {
                    let place = scratch_places.len() as u64 * SCRATCH_BYTES;
                    scratch_places.insert(index, place);
                }
                Some(Launch::Own { .. }) | None => {}
            }
        }
        let events = program.events.iter().map(|event| Event::new(event.timing, event.blocking_sync));
        let measured = if slots.is_some() { program.operations.len() - program.measured_from } else { 0 };
        Ok(Self {
            session,
            program,
            profile,
            plans,
            slots,
            streams,
            blas,
            events: events.collect::<Result<_, _>>()?,
            addresses: vec![0; program.tensors.len()],
            buffers: HostBuffers::new(program)?,
            allocator: Allocator::default(),
            allocator_events: EventPool::default(),
            owned: BTreeMap::new(),
            graphs: program.graphs.iter().map(|_| None).collect(),
            capturing: 0,
            open_graph: None,
            raised: false,
            scratch: DeviceMemory::zeroed(scratch_places.len().max(1) as u64 * SCRATCH_BYTES)?,
            scratch_places,
            host_functions: work::HostFunctions::default(),
            variables: vec![None; program.variables.len()],
            host_time: HostTime::default(),
            own_calls,
            base: Instant::now(),
            last_exit: Ns::ZERO,
            told: Ns::ZERO,
            queued: Cell::new(None),
            outcome: Outcome::empty(program.operations.len(), measured, program.reports.len()),
        })
    }

    fn go(&mut self, watch: &mut dyn FnMut(f32) -> bool) -> Result<(), GpuError> {
        let count = self.program.operations.len();
        let pytorch = self.program.host == HostOverhead::Pytorch;
        let mut index = 0;
        let mut measuring = false;
        while let Some(operation) = self.program.operations.get(index) {
            if index >= self.program.measured_from && !measuring {
                measuring = true;
                self.begin_measured()?;
            }
            if self.is_due(index, measuring) {
                if !watch(index as f32 / count as f32) {
                    return Err(GpuError::Cancelled);
                }
                self.told = self.now();
                self.last_exit = self.told;
            }
            if self.is_skipped(index, operation) {
                index = self.next(index, operation);
                continue;
            }
            let result = if self.is_timed(measuring) {
                self.timed(index, operation, measuring)
            } else {
                self.execute(index, operation)
            };
            match result {
                Ok(()) => {
                    if let Some(done) = self.outcome.done.get_mut(index) {
                        *done = true;
                    }
                    index = self.next(index, operation);
                }
                Err(failure) => {
                    let sticky = matches!(failure, Failure::Cuda(code) if code.is_sticky());
                    self.raised |= matches!(failure, Failure::Pytorch(..)) || (pytorch && self.capturing > 0);
                    self.outcome.errors.push((index, failure));
                    if sticky {
                        break;
                    }
                    index = self.program.after_error(index);
                }
            }
        }
        self.outcome.wall = self.now();
        if let Some(clock) = &mut self.outcome.clock {
            // A broken context has no clock any more; the comparison before the run stands.
            let _compared = clock.stop();
        }
        Ok(())
    }

    fn is_skipped(&self, index: usize, operation: &Operation) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.outcome.done.get(before)).copied();
        let is_there = |place| match place {
            Place::Device(tensor) => self.address_of(tensor) != 0,
            Place::Host(buffer) => self.buffers.address(buffer) != 0,
        };
        effects::is_skipped(self.program, &operation.action, before.unwrap_or(true), is_there)
    }

    /// Whether the layers above the driver take time, or somebody wants to know when each call was.
    fn is_timed(&self, measuring: bool) -> bool {
        self.program.host == HostOverhead::Pytorch || (measuring && self.slots.is_some())
    }

    /// Whether it is time to tell how far the run is, before the operation at `index`. Telling takes time, so a short measured
    /// part is left alone; and so does reading the clock, so the launch path does that now and then only.
    fn is_due(&self, index: usize, measuring: bool) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.program.operations.get(before));
        let waited = || {
            before.is_some_and(|Operation { action, .. }| {
                matches!(action, Action::Work { .. })
                    || effects::returns(action, self.profile.copies.staging_bytes) != effects::Returns::AtOnce
            })
        };
        let since_told = if self.is_timed(measuring) {
            self.last_exit - self.told
        } else if index.is_multiple_of(64) || waited() {
            self.now() - self.told
        } else {
            Ns::ZERO
        };
        index == 0 || since_told > BETWEEN
    }

    /// After a capture in which PyTorch raised an exception, only the final synchronization is left of the thread.
    fn next(&self, index: usize, operation: &Operation) -> usize {
        if self.raised && matches!(operation.action, Action::EndCapture { .. }) {
            return self.program.thread_end(index);
        }
        index + 1
    }

    fn begin_measured(&mut self) -> Result<(), GpuError> {
        self.allocator.reset_peaks();
        // Comparing the clocks is no pause of the program.
        self.host_time.count_from(self.now());
        if self.slots.is_some() {
            let function = |entry| self.session.function(entry);
            let kernels = [function("echo")?, function("tick")?, function("hold")?];
            let clock = Clock::start(kernels).map_err(|code| code.while_trying("tell its time"))?;
            self.outcome.clock = Some(clock);
        }
        self.base = Instant::now();
        if let Some(clock) = &mut self.outcome.clock {
            clock.count_from(self.base);
        }
        self.outcome.inner.clear();
        (self.last_exit, self.told) = (Ns::ZERO, Ns::ZERO);
        Ok(())
    }

    fn now(&self) -> Ns {
        Ns(i64::try_from(self.base.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }

    fn stream(&self, id: StreamId) -> Result<&Stream, Failure> {
        self.streams.get(id.index()).ok_or(Failure::Cuda(Code(400)))
    }
}
