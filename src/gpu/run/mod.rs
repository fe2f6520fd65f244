//! One run of a program on the device: the host thread makes the calls, and what a traced run learns of them is kept.
//!
//! What the program makes use of is shared by all that act in it: [`Handles`], [`Memory`], [`HostBuffers`], [`Captures`]. A host
//! thread has a [`Pace`].

mod allocations;
mod calls;
mod capture;
mod device;
mod handles;
mod host_functions;
mod host_memory;
mod marks;
mod outcome;
mod own_calls;
mod pace;
mod scratch;
mod work;

use super::GpuError;
use super::clock::Clock;
use super::driver::{Code, free};
use super::plans::Plans;
use super::session::Session;
use super::slots::Slots;
use crate::profile::Profile;
use crate::program::{Action, Operation, Place, Program, effects};
use crate::scenario::HostOverhead;

use allocations::Memory;
use capture::Captures;
use handles::Handles;
pub(super) use host_functions::HostFunctionRun;
use host_functions::HostFunctions;
use host_memory::HostBuffers;
use marks::Marks;
pub(super) use outcome::{CallTimes, Failure, InnerCall, MemoryStep, Outcome, Replay};
pub(super) use own_calls::OwnCalls;
use pace::Pace;
use scratch::Scratch;

/// A run under way.
pub(super) struct Run<'a> {
    session: &'a Session,
    program: &'a Program,
    plans: &'a Plans,
    marks: Marks<'a>,
    handles: Handles,
    buffers: HostBuffers,
    memory: Memory,
    captures: Captures,
    scratch: Scratch,
    host_functions: HostFunctions,
    variables: Vec<Option<f64>>,
    pace: Pace<'a>,
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
        run.outcome.memory = run.memory.usage();
        run.outcome.memory_steps = run.memory.take_steps();
        run.outcome.inner = run.pace.take_inner();
        // A replay under way may still be calling one.
        let _done = session.context.synchronize();
        run.outcome.host_functions = run.host_functions.finished(run.pace.base());
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
        let marks = Marks { session, slots };
        let measured = if marks.is_traced() { program.operations.len() - program.measured_from } else { 0 };
        Ok(Self {
            session,
            program,
            plans,
            marks,
            handles: Handles::new(program, plans)?,
            buffers: HostBuffers::new(program)?,
            memory: Memory::new(program, marks.is_traced()),
            captures: Captures::new(program),
            scratch: Scratch::new(program, plans)?,
            host_functions: HostFunctions::default(),
            variables: vec![None; program.variables.len()],
            pace: Pace::new(program, profile, own_calls),
            outcome: Outcome::empty(program.operations.len(), measured, program.reports.len()),
        })
    }

    fn go(&mut self, watch: &mut dyn FnMut(f32) -> bool) -> Result<(), GpuError> {
        let count = self.program.operations.len();
        let mut index = 0;
        let mut measuring = false;
        while let Some(operation) = self.program.operations.get(index) {
            if index >= self.program.measured_from && !measuring {
                measuring = true;
                self.begin_measured()?;
            }
            let timed = self.program.host == HostOverhead::Pytorch || (measuring && self.marks.is_traced());
            if self.pace.is_due(index, timed) {
                if !watch(index as f32 / count as f32) {
                    return Err(GpuError::Cancelled);
                }
                self.pace.told();
            }
            if self.is_skipped(index, operation) {
                index = self.next(index, operation);
                continue;
            }
            let result = if timed { self.timed(index, operation, measuring) } else { self.execute(index, operation) };
            match result {
                Ok(()) => {
                    if let Some(done) = self.outcome.done.get_mut(index) {
                        *done = true;
                    }
                    index = self.next(index, operation);
                }
                Err(failure) => {
                    let sticky = matches!(failure, Failure::Cuda(code) if code.is_sticky());
                    self.captures.note_failure(&failure, self.program.host);
                    self.outcome.errors.push((index, failure));
                    if sticky {
                        break;
                    }
                    index = self.program.after_error(index);
                }
            }
        }
        self.outcome.wall = self.pace.now();
        if let Some(clock) = &mut self.outcome.clock {
            // A broken context has no clock any more; the comparison before the run stands.
            let _compared = clock.stop();
        }
        Ok(())
    }

    fn is_skipped(&self, index: usize, operation: &Operation) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.outcome.done.get(before)).copied();
        let is_there = |place| match place {
            Place::Device(tensor) => self.memory.address(tensor) != 0,
            Place::Host(buffer) => self.buffers.address(buffer) != 0,
        };
        effects::is_skipped(self.program, &operation.action, before.unwrap_or(true), is_there)
    }

    /// After a capture in which PyTorch raised an exception, only the final synchronization is left of the thread.
    fn next(&self, index: usize, operation: &Operation) -> usize {
        if self.captures.raised() && matches!(operation.action, Action::EndCapture { .. }) {
            return self.program.thread_end(index);
        }
        index + 1
    }

    /// Carries out an operation with the host time that it has above the driver, and notes when.
    fn timed(&mut self, index: usize, operation: &Operation, measuring: bool) -> Result<(), Failure> {
        let entered = self.pace.enter(operation);
        let result = self.execute(index, operation);
        let exit = self.pace.exit();
        self.pace.account(operation, entered, self.marks.is_traced());
        if measuring && let Some(place) = self.outcome.calls.get_mut(index - self.program.measured_from) {
            let (start, enter) = (entered.start, entered.enter);
            let queued = self.pace.take_queued().unwrap_or((enter, exit));
            *place = Some(CallTimes { start, enter, queued, exit });
        }
        result
    }

    fn begin_measured(&mut self) -> Result<(), GpuError> {
        self.memory.begin_measured();
        // Comparing the clocks is no pause of the program.
        self.pace.interrupt();
        if self.marks.is_traced() {
            let function = |entry| self.session.function(entry);
            let kernels = [function("echo")?, function("tick")?, function("hold")?];
            let clock = Clock::start(kernels).map_err(|code| code.while_trying("tell its time"))?;
            self.outcome.clock = Some(clock);
        }
        self.pace.count_from_here();
        if let Some(clock) = &mut self.outcome.clock {
            clock.count_from(self.pace.base());
        }
        Ok(())
    }
}

impl Drop for Run<'_> {
    /// Gives everything back that the program left behind, once the device is done with it.
    fn drop(&mut self) {
        // A run that was cancelled within a capture: before its end nothing can be waited for or freed. The other streams
        // answer that they do not capture, or belong to a capture that began elsewhere.
        if self.captures.are_open() {
            for stream in self.handles.streams() {
                let _ended = stream.end_capture();
            }
        }
        let _done = self.session.context.synchronize();
        for address in std::mem::take(&mut self.memory.given.owned).into_keys() {
            let _freed = free(address);
        }
    }
}
