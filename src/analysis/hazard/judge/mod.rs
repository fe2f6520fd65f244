//! Follows a program operation by operation: what touches which bytes, and what is certainly over by then.

mod conflict;

use super::Verdict;
use super::accesses::{Access, Accesses, By};
use super::clocks::{Clocks, Stamp};
use super::findings::Findings;
use super::graphs::Graphs;
use super::host::Threads;
use super::lanes::Lanes;
use super::memory::Memory;
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, Returns, Unit};
use crate::program::order::{Edge, EdgeKind, Enqueued, Order, Refusal};
use crate::program::{Action, Copy, HostMemory, Operation, Place, Program, Region, StreamId, ThreadId};

/// Bytes up to which a pageable copy to the device is staged whole. Whether it is changes when the call returns; no document
/// promises either.
const STAGING_BYTES: u64 = 1 << 20;

pub(super) struct Judge<'p> {
    pub program: &'p Program,
    pub order: Order,
    pub clocks: Clocks,
    pub lanes: Lanes,
    pub threads: Threads,
    pub memory: Memory,
    pub accesses: Accesses,
    pub graphs: Graphs,
    pub findings: Findings,
    /// Number of the latest access.
    pub issued: u32,
    /// Index of the operation under way.
    pub operation: u32,
    /// The point of each live node of `order`.
    nodes: Vec<Stamp>,
    /// For each lane of work, its last point, and what of its host thread that knows.
    last: Vec<Option<Stamp>>,
    known: Vec<(u32, u32)>,
    /// Of each live node, who issued it, and how far that thread had come; only where there are several.
    issuers: Vec<(ThreadId, u32)>,
    met: Vec<Access>,
}

impl<'p> Judge<'p> {
    pub fn new(program: &'p Program) -> Self {
        let lanes = Lanes::new(program);
        Self {
            program,
            order: Order::new(program),
            clocks: Clocks::new(lanes.count()),
            threads: Threads::new(program, lanes.of_thread(ThreadId(0))),
            last: vec![None; lanes.count()],
            known: vec![(u32::MAX, u32::MAX); lanes.count()],
            lanes,
            issuers: Vec::new(),
            memory: Memory::new(program),
            accesses: Accesses::default(),
            graphs: Graphs::new(program),
            findings: Findings::default(),
            issued: 0,
            operation: 0,
            nodes: Vec::new(),
            met: Vec::new(),
        }
    }

    /// Threads take turns, operation by operation, as far as their signals allow.
    pub fn verdict(mut self) -> Verdict {
        loop {
            let mut moved = false;
            for number in 0..self.threads.threads.len() {
                moved |= self.turn(ThreadId(number as u32));
            }
            if !moved {
                return self.findings.verdict();
            }
        }
    }

    /// One operation of a thread; `false` when it has none, or waits.
    fn turn(&mut self, thread: ThreadId) -> bool {
        let Some((index, before)) = self
            .threads
            .get(thread)
            .filter(|thread| thread.started && !thread.is_over())
            .map(|thread| (thread.index, thread.before))
        else {
            return false;
        };
        let program = self.program;
        let Some(operation) = program.operations.get(index) else { return false };
        self.operation = index as u32;
        let skipped = effects::is_skipped(program, &operation.action, before, |place| self.memory.is_there(place));
        let waits = !skipped
            && match effects::returns(&operation.action, STAGING_BYTES) {
                Returns::ThreadDone(other) => !self.threads.join(&mut self.clocks, thread, other),
                Returns::Signalled(signal) => !self.threads.take_up(&mut self.clocks, signal, thread),
                _ => false,
            };
        if waits {
            return false;
        }
        let done = if skipped { Ok(()) } else { self.carry_out(thread, operation) };
        if let Some(thread) = self.threads.get_mut(thread) {
            thread.before = !skipped && done.is_ok();
            thread.index = if done.is_ok() { index + 1 } else { program.after_error(index) };
        }
        true
    }

    fn carry_out(&mut self, thread: ThreadId, operation: &Operation) -> Result<(), Refusal> {
        self.order.admit(self.program, operation, thread)?;
        match operation.action {
            Action::Alloc { tensor, stream } => self.alloc(thread, tensor, stream)?,
            Action::Free { tensor } => self.free(thread, tensor),
            Action::RecordStream { tensor, stream } => {
                let address = self.memory.address(Place::Device(tensor));
                self.memory.allocator.record_stream(address, stream.0);
            }
            Action::EmptyCache => self.empty_cache(thread),
            Action::RawMalloc { tensor } | Action::MallocAsync { tensor, .. } => {
                let bytes = self.program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
                if !self.memory.give(tensor, bytes, self.issued) {
                    return Err(CudaError::MemoryAllocation.into());
                }
                if let Action::MallocAsync { stream, .. } = operation.action
                    && let Err(refused) = self.work(thread, operation, stream, By::Lifetime)
                {
                    self.memory.forget(tensor);
                    return Err(refused);
                }
            }
            Action::RawFree { tensor } => {
                let bytes = self.program.tensors.get(tensor.index()).map_or(0, |tensor| tensor.bytes);
                self.relies_on_free(thread, Place::Device(tensor), bytes);
                self.memory.take_back(tensor);
                self.memory.end(Place::Device(tensor), self.operation, true);
            }
            Action::FreeAsync { tensor, stream } => {
                self.check_free(tensor, stream)?;
                let captured = self.work(thread, operation, stream, By::Lifetime)?;
                if !captured {
                    self.graphs.freed_outside(tensor);
                    self.memory.release(tensor);
                    self.memory.end(Place::Device(tensor), self.operation, true);
                }
            }
            Action::HostAlloc { buffer, raw } => self.host_alloc(thread, buffer, raw),
            Action::HostFree { buffer, raw } => self.host_free(thread, buffer, raw),
            Action::Launch { stream, .. } | Action::Memset { stream, .. } | Action::HostFunction { stream, .. } => {
                self.work(thread, operation, stream, By::Stream)?;
            }
            Action::Copy(copy) => self.copy(thread, operation, &copy)?,
            Action::Record { event, stream, external: false } => {
                if self.order.record(event, stream)?.is_some() {
                    self.live(stream, thread);
                }
            }
            Action::Wait { event, stream, external: false } => {
                if self.order.wait(event, stream)?.is_some() {
                    self.live(stream, thread);
                }
            }
            Action::Record { event, stream, external } | Action::Wait { event, stream, external } => {
                let records = external && matches!(operation.action, Action::Record { .. });
                if let Enqueued::Captured(graph, _) = self.order.external(event, stream, records)? {
                    self.captured_without_access(graph, stream);
                }
            }
            Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => {
                self.synchronize(thread, &operation.action)?;
            }
            Action::StartThread { thread: other } => {
                self.threads.step(&mut self.clocks, thread);
                self.threads.start(thread, other);
            }
            Action::Signal { signal } => {
                self.threads.step(&mut self.clocks, thread);
                self.threads.give(signal, thread);
            }
            Action::ReadHost { region, .. } => {
                self.host_access(thread, &region, false);
                self.reads_what_a_capture_wrote(&region);
            }
            Action::WriteHost { region, .. } => {
                self.host_access(thread, &region, true);
                self.notes_host_write(thread, &region);
            }
            Action::Query { event, .. } => {
                self.order.event_node(event)?;
            }
            Action::QueryStream { .. } | Action::Elapsed { .. } | Action::Work { .. } | Action::Clock { .. } => {}
            Action::JoinThread { .. } | Action::Await { .. } | Action::Report { .. } => {}
            Action::Instantiate { .. } => {}
            Action::BeginCapture { graph, stream } => self.begin_capture(thread, graph, stream)?,
            Action::EndCapture { graph, stream } => self.end_capture(thread, graph, stream)?,
            Action::UpdateGraph { graph, from } => self.update_graph(graph, from)?,
            Action::ChildGraph { graph, stream } => self.child_graph(graph, stream)?,
            Action::DestroyGraph { graph } => self.graphs.destroy(graph),
            Action::Replay { graph, stream } => self.replay(thread, graph, stream)?,
        }
        Ok(())
    }

    /// Work on a stream, with all that it touches. Returns whether it went into a graph.
    fn work(&mut self, thread: ThreadId, operation: &Operation, stream: StreamId, by: By) -> Result<bool, Refusal> {
        match self.order.enqueue(stream)? {
            Enqueued::Captured(graph, _) => {
                self.captured(graph, stream, operation, by);
                Ok(true)
            }
            Enqueued::Live(_) => {
                let stamp = self.live(stream, thread);
                for region in effects::reads(self.program, &operation.action) {
                    match by {
                        // It has been read when the call returns.
                        By::Host => self.host_access(thread, &region, false),
                        By::Stream | By::Staged | By::Lifetime => {
                            self.stream_access(thread, stamp, &region, false, by);
                        }
                    }
                }
                for region in effects::writes(self.program, &operation.action) {
                    self.stream_access(thread, stamp, &region, true, by);
                }
                Ok(false)
            }
        }
    }

    fn copy(&mut self, thread: ThreadId, operation: &Operation, copy: &Copy) -> Result<(), Refusal> {
        let to_device = effects::copy_unit(copy) == Unit::H2D;
        let pageable = to_device && copy.memory == HostMemory::Pageable;
        // `cudaMemcpy` from pageable memory returns when that has been read; the device may not have it all yet (CUDA Runtime
        // API, "API synchronization behavior").
        let staged = pageable && copy.is_memcpy;
        let by = match pageable {
            true if staged => By::Host,
            true if !copy.blocking => By::Staged,
            _ => By::Stream,
        };
        let captured = self.work(thread, operation, copy.stream, by)?;
        if let Some(buffer) = effects::tracked_buffer(copy, captured) {
            self.memory.pinned.used(buffer.0, copy.stream.0, captured);
        }
        if captured {
            return Ok(());
        }
        let Some(done) = self.nodes.last().copied() else { return Ok(()) };
        match effects::returns(&operation.action, STAGING_BYTES) {
            _ if copy.blocking && !staged => self.threads.learn(&mut self.clocks, thread, &[done], true),
            Returns::CopyDone if !staged => self.threads.learn(&mut self.clocks, thread, &[done], false),
            _ => {}
        }
        Ok(())
    }

    fn synchronize(&mut self, thread: ThreadId, action: &Action) -> Result<(), Refusal> {
        let nodes = match effects::returns(action, STAGING_BYTES) {
            Returns::DeviceDone => self.order.device_frontier(),
            Returns::StreamDone(stream) => self.order.stream_frontier(stream),
            Returns::EventDone(event) => self.order.event_node(event)?.into_iter().collect(),
            Returns::AtOnce | Returns::Staged | Returns::CopyDone => Vec::new(),
            Returns::ThreadDone(_) | Returns::Signalled(_) => Vec::new(),
        };
        let points: Vec<Stamp> = nodes.iter().filter_map(|node| self.nodes.get(node.index()).copied()).collect();
        self.threads.learn(&mut self.clocks, thread, &points, true);
        Ok(())
    }

    /// The point of the work that was enqueued last.
    pub fn live(&mut self, stream: StreamId, thread: ThreadId) -> Stamp {
        let lane = self.lanes.of_work(stream, thread);
        let clock = self.threads.get(thread).map(|thread| (thread.clock, thread.documented));
        let clock = clock.unwrap_or((Clocks::START, Clocks::START));
        let seq = self.clocks.next(lane);
        let known = self.known.get(lane as usize).copied();
        let is_certain = |edge: &&Edge| self.is_certain(edge, thread, clock.0);
        let stamp = |edge: &Edge| self.nodes.get(edge.from.index()).copied();
        let mut before: Vec<Stamp> = self.order.edges().iter().filter(is_certain).filter_map(stamp).collect();
        if self.threads.threads.len() > 1 {
            before.extend(self.last.get(lane as usize).copied().flatten());
        }
        let (base, documented) = match before.as_slice() {
            [only] if only.lane == lane && known == Some(clock) => (only.base, only.documented),
            _ => {
                before.push(Clocks::knowing(clock.0, clock.1));
                self.clocks.join_both(&before)
            }
        };
        if let Some(known) = self.known.get_mut(lane as usize) {
            *known = clock;
        }
        let stamp = Stamp { base, documented, lane, seq };
        self.add_node_at(stamp, thread);
        if let Some(last) = self.last.get_mut(lane as usize) {
            *last = Some(stamp);
        }
        stamp
    }

    /// Whether an edge holds in whatever order the threads come: that within a stream does where `thread`, which knows `clock`,
    /// knows that the other one has issued its work.
    fn is_certain(&self, edge: &Edge, thread: ThreadId, clock: u32) -> bool {
        let Some((issuer, reached)) = self.issuers.get(edge.from.index()).copied() else { return true };
        edge.kind != EdgeKind::Stream
            || issuer == thread
            || self.clocks.is_before(self.lanes.of_thread(issuer), reached + 1, Clocks::at(clock))
    }

    /// The point of the next live node, which `thread` issued.
    pub fn add_node_at(&mut self, stamp: Stamp, thread: ThreadId) {
        self.nodes.push(stamp);
        if self.threads.threads.len() > 1 {
            self.issuers.push((thread, self.clocks.reached_last(self.lanes.of_thread(thread))));
        }
    }

    /// The work that was enqueued last has waited for more than its stream.
    pub fn replace_last(&mut self, stamp: Stamp) {
        if let Some(last) = self.nodes.last_mut() {
            *last = stamp;
        }
        if let Some(last) = self.last.get_mut(stamp.lane as usize) {
            *last = Some(stamp);
        }
    }

    fn stream_access(&mut self, thread: ThreadId, stamp: Stamp, region: &Region, writes: bool, by: By) {
        // What has been staged is read by the host, and only from there by the GPU.
        let by = if writes && by != By::Lifetime { By::Stream } else { by };
        let (start, end) = self.memory.range(region);
        let operation = self.operation;
        if by != By::Lifetime {
            self.use_after_free(stamp.lane, region.place);
        }
        let second = self.access(stamp, (start, end), region.place, writes, by, (operation, None));
        self.meet_suspects(stamp, &second);
        if writes {
            self.note_uncaptured(thread, (start, end), region.place);
            if let Some(life) = self.memory.life_mut(region.place) {
                life.is_filled = true;
            }
        }
    }

    /// The thread waits for the device by a call that does not have to.
    pub fn learn_device(&mut self, thread: ThreadId) {
        let points: Vec<Stamp> =
            self.order.device_frontier().iter().filter_map(|node| self.nodes.get(node.index()).copied()).collect();
        self.threads.learn(&mut self.clocks, thread, &points, false);
    }
}
