//! What the host thread did, as spans: measured at the entry and the return of each call, with the emulated layers above.

use std::collections::VecDeque;

use super::super::run::{CallTimes, InnerCall};
use crate::program::effects;
use crate::program::{Action, Operation, Program, ThreadId};
use crate::recording::{Correlation, NameId, ProgramBuilder, Span, SpanKind};
use crate::scenario::HostOverhead;
use crate::text::Key;
use crate::time::{Interval, Ns};

/// A launch that finds this many operations in front of it in its stream and takes long was held up by the full queue, which
/// holds about 1021 (measured on an H200).
const FULL_QUEUE: usize = 1000;
/// Longer than a launch takes that is not held up.
const HELD_UP: Ns = Ns(8_000);

/// Ends of the work of each stream that may still be queued, in the order of issue.
pub(super) struct Queues(Vec<VecDeque<Ns>>);

impl Queues {
    pub fn new(program: &Program) -> Self {
        Self(program.streams.iter().map(|_| VecDeque::new()).collect())
    }

    /// Work was queued on `stream` that was done at `end`.
    pub fn push(&mut self, stream: usize, end: Ns) {
        if let Some(queue) = self.0.get_mut(stream) {
            queue.push_back(end);
        }
    }

    /// How much of `stream` is still to be done at `now`.
    fn len(&mut self, stream: usize, now: Ns) -> usize {
        let Some(queue) = self.0.get_mut(stream) else { return 0 };
        while queue.front().is_some_and(|end| *end <= now) {
            queue.pop_front();
        }
        queue.len()
    }
}

/// One operation on the host.
pub(super) struct HostCall<'a> {
    pub program: &'a Program,
    pub operation: &'a Operation,
    pub correlation: Correlation,
    pub times: CallTimes,
    pub inner: &'a [InnerCall],
    /// When the GPU was done with what the call waits for.
    pub awaited: Option<Ns>,
    pub in_capture: bool,
}

impl HostCall<'_> {
    /// Adds its spans.
    pub fn record(&self, builder: &mut ProgramBuilder<'_>, queues: &mut Queues) {
        let Some((kind, name)) = self.kind(builder) else { return };
        let CallTimes { start, enter, exit, .. } = self.times;
        if self.awaited.is_some_and(|awaited| awaited > enter) {
            self.push(builder, SpanKind::Call, name, [start, enter, enter]);
            self.push(builder, SpanKind::Blocked, name, [enter, enter, exit]);
            return;
        }
        let queued = effects::enqueues(&self.operation.action).map(|(stream, _)| queues.len(stream.index(), enter));
        if exit - enter > HELD_UP && queued.is_some_and(|queued| queued >= FULL_QUEUE) {
            let full = builder.text(Key::NameQueueFull);
            self.push(builder, SpanKind::Call, name, [start, enter, enter]);
            self.push(builder, SpanKind::Blocked, full, [enter, enter, exit]);
            return;
        }
        let Some(first) = self.inner.first() else {
            self.push(builder, kind, name, [start, enter, exit]);
            return;
        };
        self.push(builder, kind, name, [start, enter, first.start.max(enter)]);
        for call in self.inner {
            let name = builder.name(call.name);
            self.push(builder, call.kind, name, [call.start, call.start, call.end]);
        }
    }

    fn push(&self, builder: &mut ProgramBuilder<'_>, kind: SpanKind, name: NameId, [start, call, end]: [Ns; 3]) {
        if end <= start {
            return;
        }
        let kind = if kind == SpanKind::Call && self.in_capture { SpanKind::Capture } else { kind };
        let span = Span::on_host(Interval::new(start, end), kind, name, self.correlation);
        builder.host(ThreadId(0), Span { call, ..span });
    }

    /// What kind of span the operation is on the host, and its name; `None` for one that takes no time there.
    fn kind(&self, builder: &mut ProgramBuilder<'_>) -> Option<(SpanKind, NameId)> {
        let pytorch = self.operation.host.filter(|_| self.program.host == HostOverhead::Pytorch);
        let kind = match self.operation.action {
            Action::Clock { .. } | Action::Report { .. } => return None,
            Action::BeginRegion | Action::EndRegion => return None,
            Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } | Action::HostAlloc { .. }
                if pytorch.is_none() && self.inner.is_empty() =>
            {
                return None;
            }
            Action::RawMalloc { .. } | Action::RawFree { .. } => SpanKind::Allocation,
            Action::MallocAsync { .. } | Action::FreeAsync { .. } => SpanKind::Allocation,
            Action::UpdateGraph { .. } | Action::ChildGraph { .. } | Action::DestroyGraph { .. } => SpanKind::Capture,
            Action::StartThread { .. } | Action::Signal { .. } => return None,
            Action::JoinThread { .. } | Action::Await { .. } | Action::QueryStream { .. } => SpanKind::Call,
            Action::HostFree { raw: true, .. } => SpanKind::Allocation,
            Action::HostFree { raw: false, .. } => return None,
            Action::BeginCapture { .. } | Action::EndCapture { .. } | Action::Instantiate { .. } => SpanKind::Capture,
            Action::Work { .. } if self.operation.host.is_none() => SpanKind::Work,
            Action::ReadHost { free: true, .. } => return None,
            Action::ReadHost { .. } | Action::WriteHost { .. } => SpanKind::Work,
            Action::Work { .. } | Action::Launch { .. } | Action::Copy(_) | Action::Memset { .. } => SpanKind::Call,
            Action::HostFunction { .. } | Action::Record { .. } | Action::Wait { .. } => SpanKind::Call,
            Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } => SpanKind::Call,
            Action::Query { .. } | Action::Elapsed { .. } | Action::Replay { .. } => SpanKind::Call,
            Action::Alloc { .. } | Action::Free { .. } | Action::RecordStream { .. } => SpanKind::Call,
            Action::HostAlloc { .. } | Action::EmptyCache => SpanKind::Call,
        };
        let name = match (pytorch, effects::cuda_call(&self.operation.action)) {
            (Some(op), _) => builder.host_op(op),
            (None, Some(call)) => builder.name(call),
            (None, None) => builder.label(self.operation.label),
        };
        Some((kind, name))
    }
}
