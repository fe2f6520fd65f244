//! Puts the recording of a program together while it runs, or after it has.

use super::memory_map::Tracker;
use super::open_regions::OpenRegions;
use super::{
    Builder, Correlation, Engine, Lane, MemoryMap, NameId, Origin, OriginEntry, Origins, Rows, Span, SpanKind, Track,
    TrackId, TrackKind,
};
use crate::memory::Change;
use crate::profile::HostOp;
use crate::program::{LabelId, Operation, Program, TensorId, ThreadId};
use crate::text::{Key, Localized};
use crate::time::{Interval, Ns};

/// Spans of the measured part, and what they point into.
#[derive(Debug)]
pub struct ProgramBuilder<'a> {
    program: &'a Program,
    builder: Builder,
    label_names: Vec<NameId>,
    /// By host thread.
    host: Vec<TrackId>,
    /// What the program calls parts of a thread, by host thread.
    regions: Vec<TrackId>,
    open_regions: OpenRegions,
    streams: Vec<TrackId>,
    engines: [TrackId; 2],
    memory: Tracker,
}

/// What a builder has put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// Regions and host threads, streams, copy engines.
    pub tracks: Vec<Track>,
    /// Their rows.
    pub lanes: Vec<Lane>,
    /// What spans and origins point into.
    pub names: Vec<Localized>,
    /// One for each operation of the measured part.
    pub origins: Origins,
    /// What the allocator held.
    pub memory_map: MemoryMap,
}

impl<'a> ProgramBuilder<'a> {
    /// Nothing has run yet.
    pub fn new(program: &'a Program) -> Self {
        let mut builder = Builder::default();
        let label_names = program.labels.iter().map(|label| builder.localized(label)).collect();
        let (mut host, mut regions) = (Vec::new(), Vec::new());
        let threads = program.threads.iter().map(|thread| thread.name.as_str());
        for (thread, name) in (0..).zip(threads.chain(program.threads.is_empty().then_some(""))) {
            regions.push(builder.track(Track::named(TrackKind::Regions { thread }, name), Rows::Nested));
            host.push(builder.track(Track::named(TrackKind::HostThread { thread }, name), Rows::One));
        }
        let streams = (0..)
            .zip(&program.streams)
            .map(|(stream, it)| {
                let kind = TrackKind::Stream { stream, priority: it.priority };
                builder.track(Track::named(kind, &it.name), Rows::SideBySide)
            })
            .collect();
        let engines = [Engine::H2D, Engine::D2H]
            .map(|engine| builder.track(Track::new(TrackKind::CopyEngine { engine }), Rows::One));
        let open_regions = OpenRegions::new(regions.len());
        Self {
            program,
            builder,
            label_names,
            host,
            regions,
            open_regions,
            streams,
            engines,
            memory: Tracker::default(),
        }
    }

    /// The id of a name, new or known.
    pub fn name(&mut self, text: &str) -> NameId {
        self.builder.name(text)
    }

    /// The id of a text of the table, new or known.
    pub fn text(&mut self, key: Key) -> NameId {
        self.builder.localized(&Localized::of(key, &[]))
    }

    /// The id of the name of a PyTorch operation, new or known.
    pub fn host_op(&mut self, op: HostOp) -> NameId {
        match op.words() {
            Some(key) => self.text(key),
            None => self.name(op.shown()),
        }
    }

    /// The name of a label of the program.
    pub fn label(&self, label: LabelId) -> NameId {
        self.label_names.get(label.index()).copied().unwrap_or_default()
    }

    /// What ties the spans of operation number `index` together; `None` in the setup, which is not recorded.
    pub fn correlation(&self, index: usize) -> Option<Correlation> {
        Correlation::of(self.program, index)
    }

    /// A host thread did this.
    pub fn host(&mut self, thread: ThreadId, span: Span) {
        if let Some(track) = self.host.get(thread.index()) {
            self.builder.add(*track, span);
        }
    }

    /// A host thread comes to a part of the program that has a name.
    pub fn begin_region(&mut self, thread: ThreadId, label: LabelId, at: Ns) {
        self.open_regions.begin(thread, label, at);
    }

    /// A host thread has gone through a part of the program that has a name.
    pub fn end_region(&mut self, thread: ThreadId, label: LabelId, at: Ns) {
        for (label, interval) in self.open_regions.end(thread, label, at) {
            self.region(thread, label, interval);
        }
    }

    fn region(&mut self, thread: ThreadId, label: LabelId, interval: Interval) {
        let name = self.label(label);
        match self.regions.get(thread.index()) {
            Some(track) if interval.dur() > Ns::ZERO => {
                self.builder.add(*track, Span::on_host(interval, SpanKind::Annotation, name, Correlation::NONE));
            }
            _ => {}
        }
    }

    /// The GPU did this for a stream. A copy over the link appears on its engine as well.
    pub fn gpu(&mut self, stream: usize, span: Span) {
        if let Some(track) = self.streams.get(stream) {
            self.builder.add(*track, span);
        }
        let [h2d, d2h] = self.engines;
        match span.kind {
            SpanKind::CopyH2D => self.builder.add(h2d, span),
            SpanKind::CopyD2H => self.builder.add(d2h, span),
            _ => {}
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

    /// All tracks, with time counted from `origin`; the run ended at `end`.
    pub fn finish(mut self, origin: Ns, end: Ns) -> Built {
        for (thread, regions) in std::mem::take(&mut self.open_regions).end_all(end) {
            regions.into_iter().for_each(|(label, interval)| self.region(thread, label, interval));
        }
        let origins = self.origins();
        let (tracks, lanes, names) = self.builder.finish(origin);
        Built { tracks, lanes, names, origins, memory_map: self.memory.finish(origin, end) }
    }

    /// One origin for each measured operation; its correlation is its number, counted from 1.
    fn origins(&self) -> Origins {
        let program = self.program;
        let entry = |(index, operation): (usize, &Operation)| OriginEntry {
            path: operation.path,
            iter: operation.iteration,
            thread: program.thread_of(index).0 as u16,
            label: self.label(operation.label),
        };
        let measured = program.operations.iter().enumerate().skip(program.measured_from);
        Origins {
            paths: self.program.paths.clone(),
            iters: self.program.iterations.clone(),
            entries: std::iter::once(OriginEntry::default()).chain(measured.map(entry)).collect(),
        }
    }
}

impl Origin {
    /// Where the operation of `program` at `index` was lowered from.
    pub fn of(program: &Program, index: usize, operation: &Operation) -> Self {
        let (path, iteration) = program.origin(operation);
        Self {
            path: path.to_owned(),
            iter: iteration.to_vec(),
            thread: program.thread_of(index).0 as u16,
            label: program.localized(operation.label),
        }
    }
}
