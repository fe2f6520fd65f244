//! Puts the events of a trace on tracks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::event::{Event, TraceFile};
use super::{Imported, host, number};
use crate::recording::{
    Builder, Cause, Correlation, Engine, Executor, MemoryMap, MemoryUse, Origins, Recording, Rows, Source, Span,
    SpanKind, Track, TrackId, TrackKind, estimate_released,
};
use crate::scenario::Knobs;
use crate::text::{Key, Lang};
use crate::time::{Interval, Ns};

/// A row of the trace: the process and thread of a host thread, or the device and stream of work.
type Row = (i64, i64);

/// A call that may have given the GPU something to do.
#[derive(Clone, Copy)]
struct Launch {
    correlation: Correlation,
    end: Ns,
    is_graph: bool,
}

/// Places the events; `None` when none takes time. `file` becomes the name of the source.
pub(super) fn placed(file: &str, trace: &TraceFile<'_>) -> Option<Imported> {
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let mut events: Vec<Event<'_>> = Vec::with_capacity(trace.events.len());
    for raw in &trace.events {
        match serde_json::from_str(raw.get()) {
            Ok(event) => events.push(event),
            Err(_) => count(&mut left_out, Lang::En.text(Key::LeftUnread)),
        }
    }
    let timed: Vec<Timed<'_, '_>> = events.iter().filter_map(|event| Timed::new(event, &mut left_out)).collect();
    let origin = timed.iter().map(|it| it.interval.start).min()?;
    let mut placing = Placing::new(&events, &timed);
    timed.iter().for_each(|it| placing.note_wait(it));
    timed.iter().for_each(|it| placing.host(it));
    timed.iter().for_each(|it| placing.gpu(it, &mut left_out));
    let (tracks, lanes, names) = placing.builder.finish(origin);
    let name = Path::new(file).file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned());
    let mut recording = Recording {
        source: Source { executor: Executor::Import, device: Some(name), profile: None, host: None },
        scenario: None,
        knobs: Knobs::default(),
        wall: Interval::default(),
        names,
        tracks,
        lanes,
        origins: Origins::default(),
        values: BTreeMap::new(),
        errors: Vec::new(),
        memory: MemoryUse::default(),
        memory_map: MemoryMap::default(),
        sm_use: None,
        measured: None,
    };
    estimate_released(&mut recording);
    recording.wall = recording.extent();
    Some(Imported { recording, left_out })
}

/// An event that takes time and has a place.
struct Timed<'e, 't> {
    event: &'e Event<'t>,
    interval: Interval,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Host(SpanKind),
    Gpu(SpanKind),
}

impl<'e, 't> Timed<'e, 't> {
    /// `None` for an event without a place, which is counted unless it is only about others.
    fn new(event: &'e Event<'t>, left_out: &mut BTreeMap<String, usize>) -> Option<Self> {
        // Arrows and names are about other events, and the profiler's own span is about all.
        if event.ph != "X" {
            match &*event.ph {
                "M" | "s" | "f" | "t" => {}
                "B" | "E" => count(left_out, Lang::En.text(Key::LeftBegins)),
                _ => count(left_out, Lang::En.text(Key::LeftInstants)),
            }
            return None;
        }
        let what = host::kind(&event.cat, &event.name).map(What::Host).or(gpu_kind(event).map(What::Gpu));
        let Some(what) = what else {
            if event.cat != "Trace" {
                count(left_out, if event.cat.is_empty() { Lang::En.text(Key::LeftNoCategory) } else { &event.cat });
            }
            return None;
        };
        let times = event.ts.and_then(number::time).zip(event.dur.map_or(Some(Ns::ZERO), number::time));
        let Some((start, dur)) = times.filter(|(_, dur)| *dur >= Ns::ZERO) else {
            count(left_out, Lang::En.text(Key::LeftNoTime));
            return None;
        };
        Some(Self { event, interval: Interval::new(start, start + dur), what })
    }
}

fn count(left_out: &mut BTreeMap<String, usize>, what: &str) {
    *left_out.entry(what.to_owned()).or_default() += 1;
}

fn gpu_kind(event: &Event<'_>) -> Option<SpanKind> {
    let name = &event.name;
    match &*event.cat {
        "kernel" | "Kernel" => Some(SpanKind::Kernel),
        "gpu_memset" | "Memset" => Some(SpanKind::Memset),
        "gpu_memcpy" | "Memcpy" if name.contains("HtoD") || name.contains("Host -> Device") => Some(SpanKind::CopyH2D),
        "gpu_memcpy" | "Memcpy" if name.contains("DtoH") || name.contains("Device -> Host") => Some(SpanKind::CopyD2H),
        "gpu_memcpy" | "Memcpy" => Some(SpanKind::CopyD2D),
        _ => None,
    }
}

/// Tracks under way.
struct Placing {
    builder: Builder,
    /// Of each host thread what it did, and the names that it gave to stretches.
    threads: BTreeMap<Row, [TrackId; 2]>,
    streams: BTreeMap<Row, TrackId>,
    /// By device; to the device and to the host.
    engines: BTreeMap<i64, [TrackId; 2]>,
    /// By the number that the trace has for them.
    launches: HashMap<i64, Launch>,
    /// Arrows, by where they begin or end: what ties events together that do not say so themselves.
    arrows: HashMap<(Row, Ns), i64>,
    /// Ends of copies from or to ordinary memory, by the number of their calls: a call that lasts until then has waited for its copy.
    waits: HashMap<i64, Ns>,
}

impl Placing {
    fn new(events: &[Event<'_>], timed: &[Timed<'_, '_>]) -> Self {
        let mut builder = Builder::default();
        let (hosts, gpus) = rows(timed);
        let names = thread_names(events);
        let several = |of: &mut dyn Iterator<Item = i64>| of.collect::<BTreeSet<_>>().len() > 1;
        let (several_processes, several_devices) =
            (several(&mut hosts.iter().map(|row| row.0)), several(&mut gpus.iter().map(|row| row.0)));
        let number = |it: i64| u32::try_from(it).ok();
        let mut threads = BTreeMap::new();
        for (thread, row) in (0..).zip(&hosts) {
            let process = number(row.0).filter(|_| several_processes);
            let own =
                names.get(row).cloned().unwrap_or_else(|| Lang::En.fill(Key::ThreadNumbered, &[&row.1.to_string()]));
            let track = |kind| Track { process, ..Track::named(kind, &own) };
            let named = builder.track(track(TrackKind::Regions { thread }), Rows::Nested);
            threads.insert(*row, [builder.track(track(TrackKind::HostThread { thread }), Rows::Nested), named]);
        }
        let device = |row: &Row| number(row.0).filter(|_| several_devices);
        // What is no number of a stream gets one that no stream has.
        let strange: Vec<Row> = gpus.iter().filter(|row| number(row.1).is_none()).copied().collect();
        let odd = |row: &Row| u32::MAX - strange.iter().position(|it| it == row).unwrap_or(0) as u32;
        let stream = |row: &Row| {
            let stream = number(row.1).unwrap_or_else(|| odd(row));
            let kind = TrackKind::Stream { stream, priority: 0 };
            (*row, builder.track(Track { device: device(row), ..Track::new(kind) }, Rows::SideBySide))
        };
        let streams = gpus.iter().map(stream).collect();
        let mut engines = BTreeMap::new();
        for row in &gpus {
            engines.entry(row.0).or_insert_with(|| {
                [Engine::H2D, Engine::D2H].map(|engine| {
                    let track = Track { device: device(row), ..Track::new(TrackKind::CopyEngine { engine }) };
                    builder.track(track, Rows::SideBySide)
                })
            });
        }
        Self {
            builder,
            threads,
            streams,
            engines,
            launches: HashMap::new(),
            arrows: arrows(events),
            waits: HashMap::new(),
        }
    }

    /// Notes a copy that goes through memory which the copy engine cannot reach (CUDA Runtime API, "API synchronization behavior").
    fn note_wait(&mut self, it: &Timed<'_, '_>) {
        let is_copy = matches!(it.what, What::Gpu(SpanKind::CopyH2D | SpanKind::CopyD2H));
        if let Some(number) = self.number(it).filter(|_| is_copy && it.event.name.contains("Pageable")) {
            self.waits.insert(number, it.interval.end);
        }
    }

    /// What a host thread did.
    fn host(&mut self, it: &Timed<'_, '_>) {
        let What::Host(kind) = it.what else { return };
        let Some([thread, regions]) = self.threads.get(&it.row()).copied() else { return };
        let is_call = !matches!(kind, SpanKind::Operation | SpanKind::Annotation | SpanKind::Python);
        let copied = self.number(it).filter(|_| kind == SpanKind::Call).and_then(|number| self.waits.get(&number));
        let waits = copied.is_some_and(|end| it.interval.end >= *end);
        let kind = if waits { SpanKind::Blocked } else { kind };
        let correlation = match self.number(it).filter(|_| is_call) {
            None => Correlation::NONE,
            Some(number) => {
                let next = Correlation(self.launches.len() as u32 + 1);
                let is_graph = host::launches_graph(&it.event.name);
                let launch = Launch { correlation: next, end: it.interval.end, is_graph };
                self.launches.entry(number).or_insert(launch).correlation
            }
        };
        let name = self.builder.name(&it.event.name);
        let track = if kind == SpanKind::Annotation { regions } else { thread };
        self.builder.add(track, Span::on_host(it.interval, kind, name, correlation));
    }

    /// What the GPU did, once all calls are known.
    fn gpu(&mut self, it: &Timed<'_, '_>, left_out: &mut BTreeMap<String, usize>) {
        let What::Gpu(kind) = it.what else { return };
        let row = it.row();
        let Some(stream) = self.streams.get(&row).copied() else { return };
        let launch = self.number(it).and_then(|number| self.launches.get(&number).copied());
        if launch.is_none() {
            count(left_out, Lang::En.text(Key::LeftLaunches));
        }
        let is_node = it.event.args.graph_node.0.is_some_and(|node| node > 0);
        let in_graph = is_node || launch.is_some_and(|launch| launch.is_graph);
        let Interval { start, end } = it.interval;
        let span = Span {
            start,
            end,
            // Work may begin before the call that launches it has returned.
            call: launch.map_or(start, |launch| launch.end.min(start)),
            released: start,
            kind: if kind == SpanKind::Kernel && in_graph { SpanKind::GraphKernel } else { kind },
            // Without a launch nobody knows how long the host was awaited.
            released_by: if launch.is_some() { Cause::LaunchBound } else { Cause::KernelGap },
            held_by: Cause::LaunchLatency,
            after: Correlation::NONE,
            contended: Ns::ZERO,
            name: self.builder.name(&it.event.name),
            correlation: launch.map_or(Correlation::NONE, |launch| launch.correlation),
        };
        self.builder.add(stream, span);
        if let Some([h2d, d2h]) = self.engines.get(&row.0).copied() {
            match kind {
                SpanKind::CopyH2D => self.builder.add(h2d, span),
                SpanKind::CopyD2H => self.builder.add(d2h, span),
                _ => {}
            }
        }
    }

    /// What ties an event to others: what it says itself, or an arrow that begins or ends there.
    fn number(&self, it: &Timed<'_, '_>) -> Option<i64> {
        let said = it.event.args.correlation.0.filter(|number| *number > 0);
        said.or_else(|| self.arrows.get(&(it.row(), it.interval.start)).copied())
    }
}

impl Timed<'_, '_> {
    /// Work says itself where it ran; older files say so by process and thread.
    fn row(&self) -> Row {
        let Event { pid, tid, args, .. } = self.event;
        let here = (pid.0.unwrap_or(0), tid.0.unwrap_or(0));
        match self.what {
            What::Host(_) => here,
            What::Gpu(_) => (args.device.0.unwrap_or(here.0), args.stream.0.unwrap_or(here.1)),
        }
    }
}

/// Host threads, and streams with work.
fn rows(timed: &[Timed<'_, '_>]) -> (BTreeSet<Row>, BTreeSet<Row>) {
    let of = |wanted: fn(&What) -> bool| timed.iter().filter(|it| wanted(&it.what)).map(Timed::row).collect();
    (of(|what| matches!(what, What::Host(_))), of(|what| matches!(what, What::Gpu(_))))
}

fn thread_names(events: &[Event<'_>]) -> HashMap<Row, String> {
    let named = events.iter().filter(|event| event.ph == "M" && event.name == "thread_name");
    let name = |event: &Event<'_>| {
        let name = event.args.name.as_deref().filter(|name| !name.is_empty())?;
        Some(((event.pid.0?, event.tid.0?), name.to_owned()))
    };
    named.filter_map(name).collect()
}

fn arrows(events: &[Event<'_>]) -> HashMap<(Row, Ns), i64> {
    let ends = events.iter().filter(|event| matches!(&*event.ph, "s" | "f") && event.cat != "fwdbwd");
    let end = |event: &Event<'_>| {
        let row = (event.pid.0?, event.tid.0?);
        Some(((row, event.ts.and_then(number::time)?), event.id.0?))
    };
    ends.filter_map(end).collect()
}
