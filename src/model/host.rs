//! The host thread that acts, with all that its calls reach.

use super::call::Call;
use super::costs::KernelCosts;
use super::device::Device;
use super::names::CallNames;
use super::pulse::Pulse;
use super::results::Results;
use super::step::{Step, Until, Wait};
use super::storage::Storage;
use super::submission::{Issue, Submission};
use super::task::TaskId;
use super::thread::Thread;
use super::threads::Threads;
use crate::profile::{HostOp, Profile};
use crate::program::effects;
use crate::program::order::Refusal;
use crate::program::{Operation, Program, ThreadId};
use crate::recording::{NameId, SpanKind};
use crate::scenario::HostOverhead;
use crate::text::Key;
use crate::time::Ns;

/// The host thread that acts, with all that its calls reach.
pub(super) struct Host<'a> {
    pub program: &'a Program,
    pub profile: &'a Profile,
    pub thread: Thread,
    pub threads: Threads,
    pub gpu: Submission<'a>,
    pub storage: Storage,
    pub costs: KernelCosts,
    pub results: Results,
    pub pulse: Pulse<'a>,
    names: CallNames,
    /// When the measured part began.
    pub origin: Ns,
}

impl<'a> Host<'a> {
    pub fn new(program: &'a Program, profile: &'a Profile, device: Device<'a>, pulse: Pulse<'a>) -> Self {
        Self {
            program,
            profile,
            thread: Thread::new(program, ThreadId(0)),
            threads: Threads::new(program),
            gpu: Submission::new(program, profile, device),
            storage: Storage::default(),
            costs: KernelCosts::new(program),
            results: Results::new(program),
            pulse,
            names: CallNames::default(),
            origin: Ns::ZERO,
        }
    }

    /// The setup is over.
    pub fn begin_measured(&mut self) {
        self.origin = self.thread.now;
        self.storage.allocator.reset_peaks();
        self.gpu.device.forget_sm_use();
    }

    /// When the last thread returned.
    pub fn returned(&self) -> Ns {
        self.threads.all_returned().unwrap_or(self.thread.now)
    }

    /// An operation met an error.
    pub fn refused(&mut self, index: usize, refusal: Refusal) {
        self.results.refused(self.program, index, refusal);
    }

    /// Whether what an operation depends on is not there. `before` says whether the one before it was carried out.
    pub fn is_skipped(&self, operation: &Operation, before: bool) -> bool {
        let memory = &self.gpu.device.memory;
        effects::is_skipped(self.program, &operation.action, before, |place| memory.is_there(place))
    }

    /// Lets the GPU go on until now.
    pub fn let_gpu_catch_up(&mut self) {
        while self.gpu.device.next_event().is_some_and(|at| at <= self.thread.now) && self.pulse.beat() {
            self.gpu.device.step();
        }
        self.gpu.device.reach(self.thread.now);
    }

    /// Spends the layers above the driver.
    pub fn enter(&mut self, operation: &Operation) {
        let start = self.thread.now;
        let pytorch = operation.host.filter(|_| self.program.host == HostOverhead::Pytorch);
        let above = match pytorch {
            Some(op) => self.above(operation, op),
            None => Ns::ZERO,
        };
        let recorder = &mut self.gpu.device.recorder;
        let name = match (pytorch, effects::cuda_call(&operation.action)) {
            (Some(op), _) => self.names.host_op(recorder, op),
            (None, Some(call)) => self.names.of(recorder, call),
            (None, None) => recorder.label_name(operation.label),
        };
        let enter = start + above;
        self.thread.now = enter;
        let (carries, changed) = (above == Ns::ZERO, self.call_changed(operation));
        self.thread.call = Call { start, enter, name, carries, changed, queued: false };
    }

    /// Time above the driver of a PyTorch operation.
    fn above(&mut self, operation: &Operation, op: HostOp) -> Ns {
        let (program, profile, start) = (self.program, self.profile, self.thread.now);
        let own_call = Ns::from_us(effects::own_call_us(profile.measured_calls(), &operation.action, op));
        let host_time = &mut self.thread.host_time;
        host_time.above(program, profile, operation, own_call) + host_time.cold(program, profile, operation, start)
    }

    /// How much longer "what if" makes the call of an operation than it was when PyTorch's operations were measured.
    fn call_changed(&self, operation: &Operation) -> Ns {
        let op = operation.host.unwrap_or(HostOp::Custom);
        let of = |calls| Ns::from_us(effects::own_call_us(calls, &operation.action, op));
        self.profile.calls_before.as_deref().map_or(Ns::ZERO, |before| of(&self.profile.calls) - of(before))
    }

    /// The id of the name of a call.
    pub fn name(&mut self, text: &'static str) -> NameId {
        self.names.of(&mut self.gpu.device.recorder, text)
    }

    /// The id of a text of the table.
    pub fn words(&mut self, key: Key) -> NameId {
        self.names.words(&mut self.gpu.device.recorder, key)
    }

    /// The call takes `us` from here; what it does next is shown apart from that.
    pub fn spend(&mut self, kind: SpanKind, us: f64) {
        let thread = &mut self.thread;
        let (call, dur) = (thread.call, Ns::from_us(us));
        let held_up = thread.now - call.enter;
        thread.now += self.profile.speed.of_host(dur);
        let captures = kind == SpanKind::Call && self.gpu.order.captures_of(thread.id).next().is_some();
        let kind = if captures { SpanKind::Capture } else { kind };
        // Work of the host's own is no part of a PyTorch operation.
        if call.carries && kind != SpanKind::Work {
            let changed = if captures { Ns::ZERO } else { call.changed };
            thread.host_time.carry(held_up + dur - changed);
        }
        let recorder = &mut self.gpu.device.recorder;
        recorder.host_span(thread.operation(), kind, call.name, call.start, call.enter, thread.now);
        thread.call = call.resumed(thread.now);
    }

    /// Time of a CUDA call that an operation makes now and then, in addition to its usual host time.
    pub fn spend_as(&mut self, name: &'static str, kind: SpanKind, us: f64) {
        let name = self.name(name);
        let (now, call) = (self.thread.now, self.thread.call);
        self.thread.call = Call { start: now, enter: now, name, carries: false, changed: Ns::ZERO, queued: true };
        self.spend(kind, us);
        self.thread.call = call.resumed(self.thread.now);
    }

    /// The call goes on when `tasks` are done, and `us` after that.
    pub fn wait_for(&self, tasks: Vec<TaskId>, us: f64) -> Step {
        Step::Wait(Wait { until: Until::Tasks(tasks), name: self.thread.call.name, wake_us: us })
    }

    /// Work that the operation under way hands over now.
    pub fn issue(&self) -> Issue {
        Issue { operation: self.thread.operation(), at: self.thread.now }
    }
}
