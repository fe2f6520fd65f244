//! What the host threads of the model share, and what each call costs.

use super::call::Call;
use super::device::Device;
use super::graphs::Graphs;
use super::task::{Task, TaskId, TaskKind, Unit};
use super::threads::{Step, Threads, Until, Wait, queue_places};
use crate::memory::{Allocator, PinnedCache};
use crate::profile::{HostOp, Profile};
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, Returns};
use crate::program::host_time::HostTime;
use crate::program::order::{EdgeKind, Enqueued, Node, Order, Refusal};
use crate::program::{Action, Operation, Program, StreamId, ThreadId};
use crate::recording::{Cause, NameId, Origin, RunError, SpanKind};
use crate::scenario::HostOverhead;
use crate::time::Ns;

/// The host thread that acts, with all that its calls reach.
pub(super) struct Host<'a> {
    pub program: &'a Program,
    pub profile: &'a Profile,
    pub device: Device<'a>,
    pub order: Order,
    /// The task of each live node of `order`.
    pub tasks: Vec<TaskId>,
    pub allocator: Allocator<TaskId>,
    pub graphs: Graphs,
    pub now: Ns,
    pub host_time: HostTime,
    /// Index of the operation under way, which part of it, its call, and whose it is.
    pub index: u32,
    pub part: u8,
    pub call: Call,
    pub thread: ThreadId,
    pub threads: Threads,
    pytorch_names: Vec<Option<NameId>>,
    /// What each connection has handed over last, where streams share some.
    connections: Vec<Option<TaskId>>,
    /// Whether work has been queued that reaches memory which is not there.
    faulty: bool,
    /// When the measured part began.
    pub origin: Ns,
    pub errors: Vec<RunError>,
    pub variables: Vec<Option<f64>>,
    pub values: Vec<Option<f64>>,
    /// Page-locked memory that waits for reuse.
    pub pinned_cache: PinnedCache<TaskId, u64>,
}

impl<'a> Host<'a> {
    pub fn new(program: &'a Program, profile: &'a Profile, device: Device<'a>) -> Self {
        Self {
            program,
            profile,
            device,
            order: Order::new(program),
            tasks: Vec::new(),
            allocator: Allocator::default(),
            graphs: Graphs::new(program.graphs.len()),
            now: Ns::ZERO,
            host_time: HostTime::default(),
            index: 0,
            part: 0,
            call: Call::default(),
            thread: ThreadId(0),
            threads: Threads::new(program),
            pytorch_names: vec![None; HostOp::ALL.len()],
            connections: vec![None; program.device.connections.unwrap_or(0) as usize],
            faulty: false,
            origin: Ns::ZERO,
            errors: Vec::new(),
            variables: vec![None; program.variables.len()],
            values: vec![None; program.reports.len()],
            pinned_cache: PinnedCache::default(),
        }
    }

    /// The setup is over.
    pub fn begin_measured(&mut self) {
        self.origin = self.now;
        self.allocator.reset_peaks();
    }

    /// An operation met an error.
    pub fn refused(&mut self, index: usize, refusal: Refusal) {
        let Some(operation) = self.program.operations.get(index) else { return };
        let at = Origin::of(self.program, index, operation);
        self.errors.push(match refusal {
            Refusal::Cuda(error) => RunError::of_cuda(error, at),
            Refusal::Pytorch(class, text) => RunError::of_pytorch(class, text, at),
        });
    }

    /// Whether what an operation depends on is not there. `before` says whether the one before it was carried out.
    pub fn is_skipped(&self, operation: &Operation, before: bool) -> bool {
        effects::is_skipped(self.program, &operation.action, before, |place| self.device.memory.is_there(place))
    }

    /// Carries out a part of an operation, on the host at least: its layers above the driver are part 0, its call the others.
    pub fn carry_on(&mut self, part: u8, operation: &Operation) -> Result<Step, Refusal> {
        self.part = part;
        if part == 0 {
            self.call = self.enter(operation);
            if self.threads.are_several() {
                return Ok(Step::Later);
            }
            self.part = 1;
        }
        self.device.advance(self.now);
        if self.part > 1 {
            return self.make(operation, self.part - 1);
        }
        let takes_lock = self.threads.are_several() && effects::cuda_call(&operation.action).is_some();
        if takes_lock && self.threads.lock_until > self.now {
            self.now = self.threads.lock_until;
            return Ok(Step::Again);
        }
        if self.faulty && self.finds_fault(&operation.action) {
            return Err(CudaError::IllegalAddress.into());
        }
        let locked = self.now + self.profile.speed.of_host(Ns::from_us(self.profile.calls.lock_us));
        self.order.admit(self.program, operation, self.thread)?;
        let step = self.make(operation, 0);
        if takes_lock {
            self.threads.lock_until = self.now.min(locked);
        }
        step
    }

    /// Whether a call meets the error of work that reached memory which is not there: the first one that waits does, and the
    /// context is lost with it.
    fn finds_fault(&self, action: &Action) -> bool {
        match effects::returns(action, self.profile.copies.staging_bytes) {
            Returns::AtOnce | Returns::Staged | Returns::ThreadDone(_) | Returns::Signalled(_) => false,
            Returns::CopyDone | Returns::StreamDone(_) | Returns::DeviceDone | Returns::EventDone(_) => true,
        }
    }

    /// Work of an operation has been queued: does it touch memory that has been given back to the driver?
    pub fn look_for_fault(&mut self, operation: u32) {
        if !self.device.memory.given.has_returned() {
            return;
        }
        let Some(operation) = self.program.operations.get(operation as usize) else { return };
        let (program, action) = (self.program, &operation.action);
        let mut touched = effects::reads(program, action).chain(effects::writes(program, action));
        self.faulty |= touched.any(|region| !self.device.memory.is_mapped(&region));
    }

    /// A part of the call itself.
    fn make(&mut self, operation: &Operation, part: u8) -> Result<Step, Refusal> {
        match operation.action {
            Action::Alloc { tensor, stream } => return self.alloc(part, tensor, stream),
            Action::Free { tensor } => self.free(tensor),
            Action::RecordStream { tensor, stream } => {
                let address = self.device.memory.address(tensor);
                self.allocator.record_stream(address, stream.0);
            }
            Action::EmptyCache => return Ok(self.empty_cache(part)),
            Action::RawMalloc { tensor } => self.raw_malloc(tensor)?,
            Action::RawFree { tensor } => return Ok(self.raw_free(part, tensor)),
            Action::MallocAsync { tensor, stream } => return self.malloc_async(tensor, stream),
            Action::FreeAsync { tensor, stream } => return self.free_async(tensor, stream),
            Action::HostAlloc { buffer, raw } => self.host_alloc(buffer, raw),
            Action::HostFree { buffer, raw } => return Ok(self.host_free(part, buffer, raw)),
            Action::Launch { kernel, stream, .. } => {
                let Some(kernel) = self.program.kernels.get(kernel.index()) else { return Ok(Step::Done) };
                let cost = self.profile.kernel_cost(kernel);
                let call_us = self.profile.calls.launch_us * f64::from(cost.kernels);
                return self.queue(stream, TaskKind::Kernel(cost), call_us);
            }
            Action::Copy(copy) => return self.copy(&copy),
            Action::Memset { stream, region, .. } => {
                let dur = Ns::from_us(self.profile.copies.memset_us.at(region.bytes as f64));
                let kind = TaskKind::Memory { dur, is_memset: true };
                return self.queue(stream, kind, self.profile.calls.memset_us);
            }
            Action::HostFunction { stream, dur } => {
                let kind = TaskKind::HostFunction { dur };
                return self.queue(stream, kind, self.profile.calls.host_function_us);
            }
            Action::Record { event, stream, external } => return self.record(event, stream, external),
            Action::Wait { event, stream, external } => self.wait_event(event, stream, external)?,
            Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => {
                return self.synchronize(part, &operation.action);
            }
            Action::JoinThread { .. } | Action::Await { .. } => {
                return Ok(self.await_thread(part, &operation.action));
            }
            Action::StartThread { thread } => self.start_thread(thread),
            Action::Signal { signal } => self.threads.give(signal, self.now),
            Action::Query { event, into } => self.query(event, into)?,
            Action::QueryStream { stream, into } => self.query_stream(stream, into),
            Action::Elapsed { start, end, into } => {
                self.spend(SpanKind::Call, self.profile.calls.elapsed_us);
                let elapsed = self.elapsed(start, end)?;
                self.set(into, elapsed.us());
            }
            Action::Work { dur } => {
                let kind = if operation.host.is_some() { SpanKind::Call } else { SpanKind::Work };
                self.spend(kind, dur.us());
            }
            Action::Clock { into } => self.set(into, self.now.us()),
            Action::ReadHost { free: false, region, .. } | Action::WriteHost { region, .. } if part == 0 => {
                self.access(&region);
                return Ok(Step::Later);
            }
            Action::ReadHost { region, into, .. } => {
                let mean = self.device.memory.mean(&region);
                into.into_iter().for_each(|into| self.set(into, mean));
            }
            Action::WriteHost { region, value } => self.device.memory.write(&region, value),
            Action::BeginCapture { graph, stream } => self.begin_capture(graph, stream)?,
            Action::EndCapture { graph, stream } => self.end_capture(graph, stream)?,
            Action::Instantiate { graph } => self.instantiate(graph)?,
            Action::UpdateGraph { graph, from } => self.update_graph(graph, from)?,
            Action::ChildGraph { graph, stream } => self.child_graph(graph, stream)?,
            Action::DestroyGraph { graph } => self.destroy_graph(graph),
            Action::Replay { graph, stream } => return self.replay(graph, stream),
            Action::BeginRegion => self.device.recorder.region(self.index, true, operation.label, self.now),
            Action::EndRegion => self.device.recorder.region(self.index, false, operation.label, self.now),
            Action::Report { report } => self.report(report as usize),
        }
        Ok(Step::Done)
    }

    /// Spends the layers above the driver and lets the GPU go on until the driver is entered.
    fn enter(&mut self, operation: &Operation) -> Call {
        let start = self.now;
        let cuda_call = effects::cuda_call(&operation.action);
        let pytorch = operation.host.filter(|_| self.program.host == HostOverhead::Pytorch);
        let calls = self.profile.measured_calls();
        let own_call = Ns::from_us(pytorch.map_or(0.0, |op| effects::own_call_us(calls, &operation.action, op)));
        let above = self.host_time.above(self.program, self.profile, operation, own_call)
            + self.host_time.cold(self.program, self.profile, operation, start);
        let name = match (pytorch, cuda_call) {
            (Some(op), _) => self.pytorch_name(op),
            (None, Some(call)) => self.device.recorder.name(call),
            (None, None) => self.device.recorder.label_name(operation.label),
        };
        self.now = start + above;
        let changed = self.call_changed(operation);
        Call { start, enter: self.now, name, carries: above == Ns::ZERO, changed, queued: false }
    }

    /// How much longer "what if" makes the call of an operation than it was when PyTorch's operations were measured.
    fn call_changed(&self, operation: &Operation) -> Ns {
        let op = operation.host.unwrap_or(HostOp::Custom);
        let of = |calls| Ns::from_us(effects::own_call_us(calls, &operation.action, op));
        self.profile.calls_before.as_deref().map_or(Ns::ZERO, |before| of(&self.profile.calls) - of(before))
    }

    /// The name of a PyTorch operation, looked up once.
    fn pytorch_name(&mut self, op: HostOp) -> NameId {
        if let Some(Some(name)) = self.pytorch_names.get(op as usize) {
            return *name;
        }
        let name = self.device.recorder.name(op.shown());
        if let Some(place) = self.pytorch_names.get_mut(op as usize) {
            *place = Some(name);
        }
        name
    }

    /// The call takes `us` from here; what it does next is shown apart from that.
    pub fn spend(&mut self, kind: SpanKind, us: f64) {
        let (call, dur) = (self.call, Ns::from_us(us));
        let held_up = self.now - call.enter;
        self.now += self.profile.speed.of_host(dur);
        let captures = kind == SpanKind::Call && self.order.captures_of(self.thread).next().is_some();
        let kind = if captures { SpanKind::Capture } else { kind };
        // Work of the host's own is no part of a PyTorch operation.
        if call.carries && kind != SpanKind::Work {
            let changed = if captures { Ns::ZERO } else { call.changed };
            self.host_time.carry(held_up + dur - changed);
        }
        self.device.recorder.host_span(self.index, kind, call.name, call.start, call.enter, self.now);
        self.call = call.resumed(self.now);
    }

    /// The call goes on when `tasks` are done, and `us` after that.
    pub fn wait_for(&self, tasks: Vec<TaskId>, us: f64) -> Step {
        Step::Wait(Wait { until: Until::Tasks(tasks), name: self.call.name, wake_us: us })
    }

    /// The tasks of `nodes` that were not over at `since`.
    pub fn open_tasks(&self, nodes: &[Node], since: Ns) -> Vec<TaskId> {
        let tasks = nodes.iter().filter_map(|node| self.tasks.get(node.index()).copied());
        tasks.filter(|task| self.device.task(*task).is_some_and(|task| task.ended > since)).collect()
    }

    /// Time of a CUDA call that an operation makes now and then, in addition to its usual host time.
    pub fn spend_as(&mut self, name: &str, kind: SpanKind, us: f64) {
        let name = self.device.recorder.name(name);
        let (now, call) = (self.now, self.call);
        self.call = Call { start: now, enter: now, name, carries: false, changed: Ns::ZERO, queued: true };
        self.spend(kind, us);
        self.call = call.resumed(self.now);
    }

    /// Queues work on a stream, when its queue has room.
    pub fn queue(&mut self, stream: StreamId, kind: TaskKind, call_us: f64) -> Result<Step, Refusal> {
        match self.wait_for_room(stream) {
            Some(wait) => Ok(wait),
            None => self.enqueue(stream, kind, call_us).map(|_| Step::Done),
        }
    }

    /// Queues work on a stream: into a graph, or for the GPU. Returns the task in the latter case.
    pub fn enqueue(&mut self, stream: StreamId, kind: TaskKind, call_us: f64) -> Result<Option<TaskId>, Refusal> {
        let enqueued = self.order.enqueue(stream)?;
        match enqueued {
            Enqueued::Captured(graph, _) => {
                self.graphs.add(graph, self.index, stream, kind, self.order.edges());
                self.spend(SpanKind::Call, self.profile.calls.capture_node_us);
                self.host_time.launched(self.now);
                Ok(None)
            }
            Enqueued::Live(_) => {
                let after = self.predecessors();
                self.spend(SpanKind::Call, call_us);
                let task = self.new_task(kind, stream);
                let visible = self.now + self.latency(&kind);
                self.look_for_fault(self.index);
                Ok(Some(self.submit(task, visible, &after)))
            }
        }
    }

    /// A full queue makes the call wait until the GPU has taken something from it.
    pub fn wait_for_room(&mut self, stream: StreamId) -> Option<Step> {
        let places = queue_places(self.program, self.profile);
        let full = self.device.pending.get(stream.index()).is_some_and(|pending| *pending >= places);
        if !full || self.order.capturing(stream).is_some() {
            return None;
        }
        let name = self.device.recorder.name("launch queue full");
        Some(Step::Wait(Wait { until: Until::Room(stream), name, wake_us: 0.0 }))
    }

    /// From the return of the call to the earliest start.
    fn latency(&self, kind: &TaskKind) -> Ns {
        let latencies = &self.profile.latencies;
        Ns::from_us(match kind {
            TaskKind::GraphStart => latencies.graph_launch_us,
            TaskKind::GraphEnd(_) => 0.0,
            _ => latencies.launch_us,
        })
    }

    pub fn predecessors(&self) -> Vec<(TaskId, EdgeKind)> {
        let task = |node: Node| self.tasks.get(node.index()).copied();
        self.order.edges().iter().filter_map(|edge| Some((task(edge.from)?, edge.kind))).collect()
    }

    pub fn new_task(&self, kind: TaskKind, stream: StreamId) -> Task {
        let info = self.program.streams.get(stream.index());
        Task {
            kind,
            stream: stream.0,
            lane: stream.0,
            priority: info.map_or(0, |stream| stream.priority.max(self.profile.gpu.highest_priority)),
            operation: self.index,
            issued_by: self.index,
            in_graph: false,
            call: self.now,
            open: 0,
            ready: self.now,
            released: Ns(i64::MIN / 4),
            released_by: Cause::KernelGap,
            held_by: Cause::LaunchLatency,
            started: Ns::MAX,
            ended: Ns::MAX,
            carries: Unit::FrontEnd,
            successors: Device::NO_SUCCESSORS,
        }
    }

    /// The connection that a stream hands its work over by, where streams share some.
    fn connection(&self, stream: u32) -> Option<usize> {
        self.connections.len().checked_sub(1).map(|_| stream as usize % self.connections.len())
    }

    /// Hands a task to the GPU as the next live node.
    pub fn submit(&mut self, task: Task, visible: Ns, after: &[(TaskId, EdgeKind)]) -> TaskId {
        self.host_time.launched(self.now);
        if let Some(pending) = self.device.pending.get_mut(task.stream as usize) {
            *pending += 1;
        }
        let connection = self.connection(task.stream);
        let ahead = connection.and_then(|connection| self.connections.get(connection).copied().flatten());
        let id = self.device.submit(task, visible, after, ahead);
        if let Some(last) = connection.and_then(|connection| self.connections.get_mut(connection)) {
            *last = Some(id);
        }
        self.tasks.push(id);
        id
    }

    pub fn set(&mut self, variable: crate::program::VariableId, value: f64) {
        if let Some(place) = self.variables.get_mut(variable.index()) {
            *place = Some(value);
        }
    }

    fn report(&mut self, index: usize) {
        let value = self.program.reported(index, &self.variables);
        if let Some(place) = self.values.get_mut(index) {
            *place = value;
        }
    }
}
