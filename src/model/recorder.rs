//! Builds the recording while the model runs.

use super::call::Call;
use super::task::{Task, TaskKind};
use crate::memory::Change;
use crate::program::{LabelId, Program, TensorId};
use crate::recording::{Built, Correlation, Engine, NameId, ProgramBuilder, Span, SpanKind};
use crate::text::Key;
use crate::time::{Interval, Ns};

/// Spans of the measured part.
#[derive(Debug)]
pub(super) struct Recorder<'a> {
    builder: ProgramBuilder<'a>,
    program: &'a Program,
}

impl<'a> Recorder<'a> {
    pub fn new(program: &'a Program) -> Self {
        Self { builder: ProgramBuilder::new(program), program }
    }

    /// The id of a name, new or known.
    pub fn name(&mut self, text: &str) -> NameId {
        self.builder.name(text)
    }

    /// The id of a text of the table, new or known.
    pub fn text(&mut self, key: Key) -> NameId {
        self.builder.text(key)
    }

    /// The name of a label of the program.
    pub fn label_name(&self, label: LabelId) -> NameId {
        self.builder.label(label)
    }

    /// What the host thread did from `start` to `end` for `operation`; it entered the driver at `call`.
    pub fn host_span(&mut self, operation: u32, kind: SpanKind, name: NameId, start: Ns, call: Ns, end: Ns) {
        let Some(correlation) = self.builder.correlation(operation as usize).filter(|_| end > start) else { return };
        let thread = self.program.thread_of(operation as usize);
        let span = Span::on_host(Interval::new(start, end), kind, name, correlation);
        self.builder.host(thread, Span { call, ..span });
    }

    /// The host thread of `operation` comes to a region of that name, or has gone through one.
    pub fn region(&mut self, operation: u32, begins: bool, label: LabelId, at: Ns) {
        if self.builder.correlation(operation as usize).is_none() {
            return;
        }
        let thread = self.program.thread_of(operation as usize);
        match begins {
            true => self.builder.begin_region(thread, label, at),
            false => self.builder.end_region(thread, label, at),
        }
    }

    /// A call of an operation waited for something, of which `after` ended last, from `since` to `until`: what passed of it before
    /// that is shown apart. Returns what is left of it.
    pub fn waited(
        &mut self,
        operation: u32,
        call: Call,
        for_what: NameId,
        after: Option<u32>,
        since: Ns,
        until: Ns,
    ) -> Call {
        self.host_span(operation, SpanKind::Call, call.name, call.start, call.enter, since);
        if let Some(correlation) = self.builder.correlation(operation as usize).filter(|_| until > since) {
            let span = Span::on_host(Interval::new(since, until), SpanKind::Blocked, for_what, correlation);
            let after = after.map_or(Correlation::NONE, |after| self.correlation(after));
            self.builder.host(self.program.thread_of(operation as usize), Span { after, ..span });
        }
        call.resumed(until)
    }

    fn correlation(&self, operation: u32) -> Correlation {
        self.builder.correlation(operation as usize).unwrap_or(Correlation::NONE)
    }

    /// The allocator changed something.
    pub fn memory(&mut self, at: Ns, changes: impl IntoIterator<Item = Change>) {
        changes.into_iter().for_each(|change| self.builder.memory(at, change));
    }

    /// The block at `address` belongs to a tensor.
    pub fn owner(&mut self, address: u64, tensor: TensorId) {
        self.builder.owner(address, tensor);
    }

    /// A task that ended.
    pub fn gpu_span(&mut self, task: &Task, ended: Ns) {
        let Some(correlation) = self.builder.correlation(task.issued_by as usize) else { return };
        let kind = match task.kind {
            TaskKind::Kernel(_) if task.in_graph => SpanKind::GraphKernel,
            TaskKind::Kernel(_) => SpanKind::Kernel,
            TaskKind::Copy { engine: Engine::H2D, .. } => SpanKind::CopyH2D,
            TaskKind::Copy { engine: Engine::D2H, .. } => SpanKind::CopyD2H,
            TaskKind::Memory { is_memset: true, .. } => SpanKind::Memset,
            TaskKind::Memory { .. } => SpanKind::CopyD2D,
            TaskKind::Record { dur: Ns::ZERO, .. } | TaskKind::GraphStart | TaskKind::GraphEnd(_) => return,
            TaskKind::Record { .. } => SpanKind::Event,
            TaskKind::HostFunction { .. } => SpanKind::HostFunction,
        };
        let operation = self.program.operations.get(task.operation as usize);
        let name = operation.map_or(NameId::default(), |operation| self.builder.label(operation.label));
        let span = Span {
            start: task.started,
            end: ended,
            call: task.call,
            released: task.released,
            kind,
            released_by: task.released_by,
            held_by: task.held_by,
            after: task.after.map_or(Correlation::NONE, |after| self.correlation(after)),
            contended: (ended - task.started - task.alone()).max(Ns::ZERO),
            name,
            correlation,
        };
        self.builder.gpu(task.lane as usize, span);
    }

    /// Tracks, names and origins, with time counted from `origin`.
    pub fn finish(self, origin: Ns, end: Ns) -> Built {
        self.builder.finish(origin, end)
    }
}
