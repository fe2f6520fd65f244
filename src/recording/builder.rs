//! Puts a recording's lanes, names and origins together while a program runs, or after it has.

use std::collections::HashMap;

use super::memory_map::Tracker;
use super::{Correlation, Engine, Lane, LaneKind, MemoryMap, NameId, Origin, OriginEntry, Origins, Span, SpanKind};
use crate::memory::Change;
use crate::program::{LabelId, Operation, Program, TensorId, ThreadId};
use crate::text::Lang;
use crate::time::Ns;

/// Spans of the measured part, lane by lane, and the names that they point into.
#[derive(Debug)]
pub struct Builder<'a> {
    program: &'a Program,
    names: Vec<String>,
    known: HashMap<String, NameId>,
    label_names: Vec<NameId>,
    /// By host thread.
    host: Vec<Vec<Span>>,
    streams: Vec<Vec<Span>>,
    engines: [Vec<Span>; 2],
    memory: Tracker,
}

/// What a builder has put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// Host threads, streams that did something, copy engines that did.
    pub lanes: Vec<Lane>,
    /// What spans and origins point into.
    pub names: Vec<String>,
    /// One for each operation of the measured part.
    pub origins: Origins,
    /// What the allocator held.
    pub memory_map: MemoryMap,
}

impl<'a> Builder<'a> {
    /// Nothing has run yet.
    pub fn new(program: &'a Program) -> Self {
        let mut builder = Self {
            program,
            names: Vec::new(),
            known: HashMap::new(),
            label_names: Vec::new(),
            host: vec![Vec::new(); program.threads.len().max(1)],
            streams: vec![Vec::new(); program.streams.len()],
            engines: Default::default(),
            memory: Tracker::default(),
        };
        builder.label_names = program.labels.iter().map(|label| builder.name(label.get(Lang::En))).collect();
        builder
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
    pub fn label(&self, label: LabelId) -> NameId {
        self.label_names.get(label.index()).copied().unwrap_or_default()
    }

    /// What ties the spans of operation number `index` together; `None` in the setup, which is not recorded.
    pub fn correlation(&self, index: usize) -> Option<Correlation> {
        index.checked_sub(self.program.measured_from).map(|index| Correlation(index as u32 + 1))
    }

    /// A host thread did this.
    pub fn host(&mut self, thread: ThreadId, span: Span) {
        if let Some(lane) = self.host.get_mut(thread.index()) {
            lane.push(span);
        }
    }

    /// The GPU did this for a stream. A copy over the link appears on its engine as well.
    pub fn gpu(&mut self, stream: usize, span: Span) {
        if let Some(lane) = self.streams.get_mut(stream) {
            lane.push(span);
        }
        let engine = match span.kind {
            SpanKind::CopyH2D => self.engines.first_mut(),
            SpanKind::CopyD2H => self.engines.last_mut(),
            _ => None,
        };
        if let Some(lane) = engine {
            lane.push(span);
        }
    }

    /// The caching allocator changed something.
    pub fn memory(&mut self, at: Ns, change: Change) {
        self.memory.change(at, change);
    }

    /// The block at `address` belongs to a tensor.
    pub fn owner(&mut self, address: u64, tensor: TensorId) {
        if self.memory.is_full() {
            return;
        }
        let name = self.program.tensors.get(tensor.index()).map_or("", |tensor| tensor.name.as_str());
        let name = self.name(name);
        self.memory.owner(address, name);
    }

    /// All lanes, with time counted from `origin`; the run ended at `end`.
    pub fn finish(mut self, origin: Ns, end: Ns) -> Built {
        let shift = |mut spans: Vec<Span>| {
            for span in &mut spans {
                span.start -= origin;
                span.end -= origin;
                span.call -= origin;
            }
            spans.sort_by_key(|span| span.start);
            spans
        };
        let host = std::mem::take(&mut self.host);
        let mut lanes: Vec<Lane> = Vec::new();
        for (index, spans) in host.into_iter().enumerate() {
            let name = self.program.threads.get(index).map_or_else(String::new, |thread| thread.name.clone());
            lanes.push(Lane { kind: LaneKind::HostThread { thread: index as u16 }, name, spans: shift(spans) });
        }
        let streams = std::mem::take(&mut self.streams);
        for (index, (spans, stream)) in streams.into_iter().zip(&self.program.streams).enumerate() {
            let kind = LaneKind::Stream { stream: index as u32, priority: stream.priority };
            for spans in side_by_side(shift(spans)) {
                lanes.push(Lane { kind, name: stream.name.clone(), spans });
            }
        }
        for (engine, spans) in [Engine::H2D, Engine::D2H].into_iter().zip(std::mem::take(&mut self.engines)) {
            if !spans.is_empty() {
                lanes.push(Lane { kind: LaneKind::CopyEngine { engine }, name: String::new(), spans: shift(spans) });
            }
        }
        let origins = self.origins();
        let memory_map = std::mem::take(&mut self.memory).finish(origin, end);
        Built { lanes, names: self.names, origins, memory_map }
    }

    /// One origin for each measured operation; its correlation is its number, counted from 1.
    fn origins(&self) -> Origins {
        let measured = self.program.operations.get(self.program.measured_from..).unwrap_or_default();
        let entry = |(index, operation): (usize, &Operation)| OriginEntry {
            path: operation.path,
            iter: operation.iteration,
            thread: self.program.thread_of(index + self.program.measured_from).0 as u16,
            label: self.label(operation.label),
        };
        Origins {
            paths: self.program.paths.clone(),
            iters: self.program.iterations.clone(),
            entries: std::iter::once(OriginEntry::default()).chain(measured.iter().enumerate().map(entry)).collect(),
        }
    }
}

/// Spans that overlap go to lanes of their own. Those of one stream never do, but branches of graphs are shown on the stream that
/// they were captured from, and two graphs may replay at once.
fn side_by_side(spans: Vec<Span>) -> Vec<Vec<Span>> {
    let mut lanes: Vec<Vec<Span>> = Vec::new();
    for span in spans {
        let is_free = |lane: &Vec<Span>| lane.last().is_none_or(|last| last.end <= span.start);
        match lanes.iter_mut().find(|lane| is_free(lane)) {
            Some(lane) => lane.push(span),
            None => lanes.push(vec![span]),
        }
    }
    lanes
}

impl Origin {
    /// Where the operation of `program` at `index` was lowered from.
    pub fn of(program: &Program, index: usize, operation: &Operation) -> Self {
        let (path, iteration) = program.origin(operation);
        Self {
            path: path.to_owned(),
            iter: iteration.to_vec(),
            thread: program.thread_of(index).0 as u16,
            label: program.label(operation.label).to_owned(),
        }
    }
}
