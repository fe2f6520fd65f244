//! Builds the recording while the model runs.

use std::collections::HashMap;

use super::task::{Task, TaskKind};
use crate::program::{LabelId, Program};
use crate::recording::{Cause, Correlation, Engine, Lane, LaneKind, NameId, Span, SpanKind};
use crate::time::Ns;

/// Spans of the measured part, lane by lane.
#[derive(Debug)]
pub(super) struct Recorder {
    measured_from: u32,
    names: Vec<String>,
    /// Names of program labels, by label.
    label_names: Vec<NameId>,
    known: HashMap<String, NameId>,
    host: Vec<Span>,
    streams: Vec<Vec<Span>>,
    engines: [Vec<Span>; 2],
    operation_labels: Vec<LabelId>,
}

impl Recorder {
    pub fn new(program: &Program) -> Self {
        let mut recorder = Self {
            measured_from: program.measured_from as u32,
            names: Vec::new(),
            label_names: Vec::new(),
            known: HashMap::new(),
            host: Vec::with_capacity(program.operations.len() - program.measured_from),
            streams: vec![Vec::new(); program.streams.len()],
            engines: Default::default(),
            operation_labels: program.operations.iter().map(|operation| operation.label).collect(),
        };
        recorder.label_names = program.labels.iter().map(|label| recorder.name(label)).collect();
        recorder
    }

    /// The id of a name, new or known.
    pub fn name(&mut self, text: &str) -> NameId {
        if let Some(id) = self.known.get(text) {
            return *id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(text.to_owned());
        self.known.insert(text.to_owned(), id);
        id
    }

    /// The name of a label of the program.
    pub fn label_name(&self, label: LabelId) -> NameId {
        self.label_names.get(label.index()).copied().unwrap_or_default()
    }

    fn correlation(&self, operation: u32) -> Option<Correlation> {
        operation.checked_sub(self.measured_from).map(|index| Correlation(index + 1))
    }

    /// What the host thread did from `start` to `end` for `operation`; it entered the driver at `call`.
    pub fn host_span(&mut self, operation: u32, kind: SpanKind, name: NameId, start: Ns, call: Ns, end: Ns) {
        let Some(correlation) = self.correlation(operation).filter(|_| end > start) else { return };
        let held_by = if kind == SpanKind::Blocked { Cause::HostBlocked } else { Cause::LaunchBound };
        self.host.push(Span { start, end, call, kind, held_by, name, correlation });
    }

    /// A task that is done.
    pub fn gpu_span(&mut self, task: &Task) {
        let Some(correlation) = self.correlation(task.issued_by) else { return };
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
        let label = self.operation_labels.get(task.operation as usize);
        let name = label.and_then(|label| self.label_names.get(label.index())).copied().unwrap_or_default();
        let (start, end, call) = (task.started, task.ended, task.call);
        let span = Span { start, end, call, kind, held_by: task.held_by, name, correlation };
        if let Some(lane) = self.streams.get_mut(task.lane as usize) {
            lane.push(span);
        }
        let engine = match kind {
            SpanKind::CopyH2D => self.engines.first_mut(),
            SpanKind::CopyD2H => self.engines.last_mut(),
            _ => None,
        };
        if let Some(lane) = engine {
            lane.push(span);
        }
    }

    /// The lanes, with time counted from `origin`.
    pub fn into_lanes(self, program: &Program, origin: Ns) -> (Vec<Lane>, Vec<String>) {
        let shift = |mut spans: Vec<Span>| {
            for span in &mut spans {
                span.start -= origin;
                span.end -= origin;
                span.call -= origin;
            }
            spans.sort_by_key(|span| span.start);
            spans
        };
        let mut lanes =
            vec![Lane { kind: LaneKind::HostThread { thread: 0 }, name: String::new(), spans: shift(self.host) }];
        for (index, (spans, stream)) in self.streams.into_iter().zip(&program.streams).enumerate() {
            if !spans.is_empty() {
                let kind = LaneKind::Stream { stream: index as u32, priority: stream.priority };
                lanes.push(Lane { kind, name: stream.name.clone(), spans: shift(spans) });
            }
        }
        for (engine, spans) in [Engine::H2D, Engine::D2H].into_iter().zip(self.engines) {
            if !spans.is_empty() {
                lanes.push(Lane { kind: LaneKind::CopyEngine { engine }, name: String::new(), spans: shift(spans) });
            }
        }
        (lanes, self.names)
    }
}
