//! The host thread of the model: what each call costs, and what it waits for.

use super::device::Device;
use super::graphs::Graphs;
use super::task::{Task, TaskId, TaskKind, Unit};
use crate::memory::{Allocator, PinnedCache};
use crate::profile::Profile;
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, InCapture, Returns};
use crate::program::host_time::{self, HostTime};
use crate::program::order::{EdgeKind, Enqueued, Order};
use crate::program::{Action, Copy, EventId, HostMemory, Operation, Place, Program, Region, StreamId};
use crate::recording::{Cause, Engine, NameId, SpanKind};
use crate::scenario::HostOverhead;
use crate::scenario::statement::graph::CaptureMode;
use crate::time::Ns;

/// Why an operation had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// CUDA returned an error.
    Cuda(CudaError),
    /// PyTorch refused by itself: the class of the exception and its text.
    Pytorch(&'static str, String),
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Self {
        Self::Cuda(error)
    }
}

/// The host thread, with all that its calls reach.
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
    host_time: HostTime,
    /// Index of the operation under way.
    pub index: u32,
    pub variables: Vec<Option<f64>>,
    pub values: Vec<Option<f64>>,
    /// Page-locked memory that waits for reuse.
    pub pinned_cache: PinnedCache<TaskId, ()>,
}

/// The time line of one call.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// When the layers above the driver began.
    start: Ns,
    /// When the driver was entered.
    enter: Ns,
    name: NameId,
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
            variables: vec![None; program.variables.len()],
            values: vec![None; program.reports.len()],
            pinned_cache: PinnedCache::default(),
        }
    }

    /// Whether what an operation depends on is not there. `before` says whether the one before it was carried out.
    pub fn is_skipped(&self, operation: &Operation, before: bool) -> bool {
        effects::is_skipped(self.program, &operation.action, before, |place| self.device.memory.is_there(place))
    }

    /// Carries out one operation, on the host at least.
    pub fn run(&mut self, index: usize, operation: &Operation) -> Result<(), Failure> {
        self.index = index as u32;
        let call = self.enter(operation);
        self.check_capture(operation)?;
        match operation.action {
            Action::Alloc { tensor, stream } => self.alloc(call, tensor, stream)?,
            Action::Free { tensor } => self.free(call, tensor),
            Action::RecordStream { tensor, stream } => {
                let address = self.device.memory.address(tensor);
                self.allocator.record_stream(address, stream.0);
            }
            Action::EmptyCache => self.empty_cache(call),
            Action::RawMalloc { tensor } => self.raw_malloc(call, tensor)?,
            Action::RawFree { tensor } => {
                self.finish_device(call);
                self.spend(call, SpanKind::Allocation, self.profile.calls.free_us);
                let address = self.device.memory.address(tensor);
                self.device.memory.take_back(address);
            }
            Action::HostAlloc { buffer, raw } => self.host_alloc(call, buffer, raw),
            Action::HostFree { buffer, raw } => {
                self.host_free(call, buffer, raw);
                self.device.memory.take_buffer(buffer);
            }
            Action::Launch { kernel, stream, .. } => {
                let Some(kernel) = self.program.kernels.get(kernel.index()) else { return Ok(()) };
                let cost = self.profile.kernel_cost(kernel);
                let call_us = self.profile.calls.launch_us * f64::from(cost.kernels);
                self.enqueue(call, stream, TaskKind::Kernel(cost), call_us)?;
            }
            Action::Copy(copy) => self.copy(call, &copy)?,
            Action::Memset { stream, region, .. } => {
                let dur = Ns::from_us(self.profile.copies.memset_us.at(region.bytes as f64));
                let kind = TaskKind::Memory { dur, is_memset: true };
                self.enqueue(call, stream, kind, self.profile.calls.memset_us)?;
            }
            Action::HostFunction { stream, dur } => {
                self.enqueue(call, stream, TaskKind::HostFunction { dur }, self.profile.calls.host_function_us)?;
            }
            Action::Record { event, stream } => self.record(call, event, stream)?,
            Action::Wait { event, stream } => {
                self.order.wait(event, stream)?;
                self.spend(call, SpanKind::Call, self.profile.calls.wait_us);
            }
            Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => {
                self.synchronize(call, &operation.action)?;
            }
            Action::Query { event, into } => self.query(call, event, into)?,
            Action::Elapsed { start, end, into } => {
                self.spend(call, SpanKind::Call, self.profile.calls.elapsed_us);
                let elapsed = self.elapsed(start, end)?;
                self.set(into, elapsed.us());
            }
            Action::Work { dur } => {
                let kind = if operation.host.is_some() { SpanKind::Call } else { SpanKind::Work };
                self.spend(call, kind, dur.us());
            }
            Action::Clock { into } => self.set(into, self.now.us()),
            Action::ReadHost { region, into, free } => {
                if !free {
                    self.access(call, &region);
                }
                let mean = self.device.memory.mean(&region);
                into.into_iter().for_each(|into| self.set(into, mean));
            }
            Action::WriteHost { region, value } => {
                self.access(call, &region);
                self.device.memory.write(&region, value);
            }
            Action::BeginCapture { graph, stream } => {
                let mode = self.program.graphs.get(graph.index()).map_or(CaptureMode::Global, |graph| graph.mode);
                self.spend(call, SpanKind::Capture, self.profile.calls.capture_node_us);
                self.order.begin_capture(graph, stream, mode)?;
                self.graphs.begin(graph, stream);
            }
            Action::EndCapture { graph, stream } => {
                self.spend(call, SpanKind::Capture, self.profile.calls.capture_node_us);
                if let Err(error) = self.order.end_capture(graph, stream) {
                    self.graphs.discard(graph);
                    return Err(error.into());
                }
            }
            Action::Instantiate { graph } => {
                // A capture that failed has said so already: what depends on it is skipped.
                let Some(nodes) = self.graphs.get(graph).map(|graph| graph.nodes.len()) else { return Ok(()) };
                self.spend(call, SpanKind::Capture, self.profile.calls.instantiate_us.at(nodes as f64));
            }
            Action::Replay { graph, stream } => self.replay(call, graph, stream)?,
            Action::Report { report } => self.report(report as usize),
        }
        Ok(())
    }

    /// Spends the layers above the driver and lets the GPU go on until the driver is entered.
    fn enter(&mut self, operation: &Operation) -> Call {
        let start = self.now;
        let cuda_call = effects::cuda_call(&operation.action);
        let pytorch = operation.host.filter(|_| self.program.host == HostOverhead::Pytorch);
        let own_call = pytorch.map_or(0.0, |op| host_time::own_call_us(self.profile, &operation.action, op));
        let above = self.host_time.above(self.program, self.profile, operation, Ns::from_us(own_call))
            + self.host_time.cold(self.program, self.profile, operation, start);
        let name = match (pytorch, cuda_call) {
            (Some(op), _) => self.device.recorder.name(op.shown()),
            (None, Some(call)) => self.device.recorder.name(call),
            (None, None) => self.device.recorder.label_name(operation.label),
        };
        self.now = start + above;
        self.device.advance(self.now);
        Call { start, enter: self.now, name }
    }

    /// The call takes `us` from here and is over.
    pub fn spend(&mut self, call: Call, kind: SpanKind, us: f64) {
        self.now += Ns::from_us(us);
        let kind = match (kind, self.order.capture_mode()) {
            (SpanKind::Call, Some(_)) => SpanKind::Capture,
            (kind, _) => kind,
        };
        // Work of the host's own is no part of a PyTorch operation.
        if call.enter == call.start && kind != SpanKind::Work {
            self.host_time.carry(self.now - call.enter);
        }
        self.device.recorder.host_span(self.index, kind, call.name, call.start, call.enter, self.now);
    }

    /// The host waits until `until`, and then for `us` more until it notices; nothing happens if that time has passed.
    fn block(&mut self, name: NameId, until: Ns, us: f64) {
        let resume = until + Ns::from_us(us);
        if resume > self.now {
            let from = self.now;
            self.now = resume;
            self.device.recorder.host_span(self.index, SpanKind::Blocked, name, from, from, resume);
            self.device.advance(self.now);
        }
    }

    /// A wait within an operation, as for memory that other streams still use.
    pub fn wait_until(&mut self, call: Call, until: Ns) {
        self.block(call.name, until, self.profile.latencies.wake_us);
    }

    /// Time of a CUDA call that an operation makes now and then, in addition to its usual host time.
    pub fn spend_as(&mut self, name: &str, kind: SpanKind, us: f64) {
        let name = self.device.recorder.name(name);
        let host_time = self.host_time;
        self.spend(Call { start: self.now, enter: self.now, name }, kind, us);
        self.host_time = host_time;
    }

    fn check_capture(&mut self, operation: &Operation) -> Result<(), Failure> {
        let Some(mode) = self.order.capture_mode() else { return Ok(()) };
        let strict = mode != CaptureMode::Relaxed;
        let forbidden = match effects::in_capture(&operation.action, self.program.host) {
            InCapture::Node | InCapture::Frontier | InCapture::Unaffected | InCapture::Boundary => false,
            InCapture::Unsafe => strict,
            InCapture::AsksEvent(event) => {
                self.order.ask_event(event)?;
                strict
            }
            InCapture::Forbidden(None) => true,
            InCapture::Forbidden(Some(stream)) => self.order.capturing(stream).is_some() || strict,
            InCapture::NotInto(stream) => self.order.capturing(stream).is_some(),
        };
        if let Some((class, text)) =
            effects::pytorch_refuses(self.program, operation, |stream| self.order.capturing(stream).is_some())
        {
            self.order.invalidate_all();
            return Err(Failure::Pytorch(class, text.to_owned()));
        }
        if forbidden {
            self.order.invalidate_all();
            return Err(CudaError::StreamCaptureUnsupported.into());
        }
        Ok(())
    }

    /// Queues work on a stream: into a graph, or for the GPU. Returns the task in the latter case.
    pub fn enqueue(
        &mut self,
        call: Call,
        stream: StreamId,
        kind: TaskKind,
        call_us: f64,
    ) -> Result<Option<TaskId>, Failure> {
        self.wait_for_room(call, stream);
        let enqueued = self.order.enqueue(stream)?;
        match enqueued {
            Enqueued::Captured(graph, _) => {
                self.graphs.add(graph, self.index, stream, kind, self.order.edges());
                self.spend(call, SpanKind::Call, self.profile.calls.capture_node_us);
                Ok(None)
            }
            Enqueued::Live(_) => {
                let after = self.predecessors();
                self.spend(call, SpanKind::Call, call_us);
                let task = self.new_task(kind, stream);
                let visible = self.now + self.latency(&kind);
                Ok(Some(self.submit(task, visible, &after)))
            }
        }
    }

    /// A full queue makes the call wait until the GPU has taken something from it.
    pub fn wait_for_room(&mut self, call: Call, stream: StreamId) {
        // One more is running.
        let depth = self.profile.gpu.queue_depth.max(1).saturating_add(1);
        if self.device.pending.get(stream.index()).is_some_and(|pending| *pending >= depth) {
            let room = self.device.make_room(stream.index(), depth);
            if room > call.enter {
                let name = self.device.recorder.name("launch queue full");
                self.block(name, room, 0.0);
            }
        }
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
        let task = |node: crate::program::order::Node| self.tasks.get(node.index()).copied();
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
            held_by: Cause::LaunchBound,
            started: Ns::MAX,
            ended: Ns::MAX,
            carries: Unit::FrontEnd,
            successors: Device::NO_SUCCESSORS,
        }
    }

    /// Hands a task to the GPU as the next live node.
    pub fn submit(&mut self, task: Task, visible: Ns, after: &[(TaskId, EdgeKind)]) -> TaskId {
        self.host_time.launched(self.now);
        if let Some(pending) = self.device.pending.get_mut(task.stream as usize) {
            *pending += 1;
        }
        let id = self.device.submit(task, visible, after);
        self.tasks.push(id);
        id
    }

    fn copy(&mut self, call: Call, copy: &Copy) -> Result<(), Failure> {
        let copies = &self.profile.copies;
        let bytes = copy.from.bytes as f64;
        let engine = match effects::copy_unit(copy) {
            effects::Unit::H2D => Engine::H2D,
            effects::Unit::D2H => Engine::D2H,
            _ => {
                let kind = TaskKind::Memory { dur: Ns::from_us(copies.d2d_us.at(bytes)), is_memset: false };
                return self.enqueue(call, copy.stream, kind, self.profile.calls.copy_d2d_us).map(|_| ());
            }
        };
        let returns = effects::returns(&Action::Copy(*copy), copies.staging_bytes);
        let staged = copy.memory == HostMemory::Pageable && engine == Engine::H2D && returns != Returns::CopyDone;
        let pinned = copy.memory == HostMemory::Pinned || staged;
        let mut us = match (engine, pinned) {
            (Engine::H2D, true) => copies.pinned_h2d_us.at(bytes),
            (Engine::D2H, true) => copies.pinned_d2h_us.at(bytes),
            (Engine::H2D, false) => copies.pageable_h2d_us.at(bytes),
            (Engine::D2H, false) => copies.pageable_d2h_us.at(bytes),
        };
        if let Place::Host(buffer) = copy.to.place
            && !self.device.memory.is_touched(buffer)
        {
            us += copies.fresh_page_us * (bytes / 4096.0).ceil();
            self.device.memory.touch(buffer);
        }
        let call_us = match staged {
            true if self.device.is_idle() => copies.pageable_h2d_us.at(bytes),
            true => copies.staged_busy_us.at(bytes),
            false => self.profile.calls.copy_us,
        };
        let read_now = staged.then(|| self.device.memory.mean(&copy.from));
        let task = self.enqueue(call, copy.stream, TaskKind::Copy { engine, dur: Ns::from_us(us) }, call_us)?;
        if let Some(buffer) = effects::host_buffer(copy).filter(|_| task.is_none() || effects::outlives_its_call(copy))
        {
            self.pinned_cache.used(buffer.0, copy.stream.0, task.is_none());
        }
        let Some(task) = task else { return Ok(()) };
        if let Some(value) = read_now {
            self.device.memory.staged.insert(task, value);
        }
        if matches!(returns, Returns::CopyDone | Returns::StreamDone(_)) {
            let done = self.device.finish(task);
            let after =
                self.profile.latencies.wake_us + if copy.blocking { self.profile.calls.stream_sync_us } else { 0.0 };
            self.block(call.name, done, after);
        }
        Ok(())
    }

    fn record(&mut self, call: Call, event: EventId, stream: StreamId) -> Result<(), Failure> {
        let timing = self.program.events.get(event.index()).is_some_and(|event| event.timing);
        let calls = &self.profile.calls;
        let (call_us, dur) = match timing {
            true => (calls.record_timing_us, Ns::from_us(self.profile.latencies.timing_event_us)),
            false => (calls.record_us, Ns::ZERO),
        };
        self.wait_for_room(call, stream);
        let node = self.order.record(event, stream)?;
        self.spend(call, SpanKind::Call, call_us);
        if node.is_some() {
            if let Some(stamp) = self.device.stamps.get_mut(event.index()) {
                *stamp = None;
            }
            let after = self.predecessors();
            let task = self.new_task(TaskKind::Record { event: Some(event), dur }, stream);
            let visible = self.now + Ns::from_us(self.profile.latencies.launch_us);
            self.submit(task, visible, &after);
        }
        Ok(())
    }

    fn synchronize(&mut self, call: Call, action: &Action) -> Result<(), Failure> {
        let (calls, latencies) = (&self.profile.calls, &self.profile.latencies);
        let (nodes, call_us, wake_us) = match effects::returns(action, 0) {
            Returns::DeviceDone => (self.order.device_frontier(), calls.device_sync_us, latencies.wake_us),
            Returns::StreamDone(stream) => {
                (self.order.stream_frontier(stream), calls.stream_sync_us, latencies.wake_us)
            }
            Returns::EventDone(event) => {
                let sleeps = self.program.events.get(event.index()).is_some_and(|event| event.blocking_sync);
                let wake_us = if sleeps { latencies.sleep_wake_us } else { latencies.wake_us };
                (self.order.event_node(event)?.into_iter().collect(), calls.event_sync_us, wake_us)
            }
            Returns::AtOnce | Returns::Staged | Returns::CopyDone => return Ok(()),
        };
        let tasks: Vec<TaskId> = nodes.iter().filter_map(|node| self.tasks.get(node.index()).copied()).collect();
        self.spend(call, SpanKind::Call, call_us);
        let done = tasks.into_iter().map(|task| self.device.finish(task)).max().unwrap_or(Ns::ZERO);
        if done + Ns::from_us(wake_us) > self.now && done > call.enter {
            self.block(call.name, done, wake_us);
        }
        Ok(())
    }

    /// Waits for everything on the GPU, as calls do that synchronize the device on the side.
    pub fn finish_device(&mut self, call: Call) {
        let nodes = self.order.device_frontier();
        let tasks: Vec<TaskId> = nodes.iter().filter_map(|node| self.tasks.get(node.index()).copied()).collect();
        let done = tasks.into_iter().map(|task| self.device.finish(task)).max().unwrap_or(Ns::ZERO);
        if done > self.now {
            self.block(call.name, done, self.profile.latencies.wake_us);
        }
    }

    fn query(&mut self, call: Call, event: EventId, into: Option<crate::program::VariableId>) -> Result<(), Failure> {
        let node = self.order.event_node(event)?;
        let task = node.and_then(|node| self.tasks.get(node.index()).copied());
        let done = task.and_then(|task| self.device.task(task)).is_none_or(|task| task.ended <= self.now);
        self.spend(call, SpanKind::Call, self.profile.calls.query_us);
        into.into_iter().for_each(|into| self.set(into, f64::from(u8::from(done))));
        Ok(())
    }

    /// `cudaEventElapsedTime`: 400 without timing or record, 600 before both are complete.
    fn elapsed(&mut self, start: EventId, end: EventId) -> Result<Ns, Failure> {
        let mut times = [Ns::ZERO; 2];
        for (time, event) in times.iter_mut().zip([start, end]) {
            let timing = self.program.events.get(event.index()).is_some_and(|event| event.timing);
            let node = self.order.event_node(event)?;
            if !timing || node.is_none() {
                return Err(CudaError::InvalidResourceHandle.into());
            }
            let stamp = self.device.stamps.get(event.index()).copied().flatten();
            *time = stamp.filter(|stamp| *stamp <= self.now).ok_or(CudaError::NotReady)?;
        }
        let [from, to] = times;
        Ok(to - from)
    }

    /// The host touches its own memory.
    fn access(&mut self, call: Call, region: &Region) {
        let copies = &self.profile.copies;
        let bytes = region.bytes as f64;
        let mut us = bytes * copies.host_access_ns_per_byte / 1e3;
        if let Place::Host(buffer) = region.place
            && !self.device.memory.is_touched(buffer)
        {
            us += copies.touch_page_us * (bytes / 4096.0).ceil();
            self.device.memory.touch(buffer);
        }
        self.spend(call, SpanKind::Work, us);
    }

    fn set(&mut self, variable: crate::program::VariableId, value: f64) {
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
