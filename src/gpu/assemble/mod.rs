//! Makes a recording of a traced run and the untraced ones before it.

mod host;
mod intervals;
mod walk;

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use super::GpuError;
use super::run::{Failure, Outcome, Replay};
use super::session::Session;
use super::slots::{Mark, Slots};
use crate::profile::Profile;
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, Unit};
use crate::program::{Action, Operation, Program};
use crate::recording::{
    Builder, Built, Cause, Correlation, Executor, Measured, MemoryUse, Origin, Recording, RunError, SmSpan, Source,
    Span, SpanKind,
};
use crate::scenario::{HostOverhead, Knobs, Scenario};
use crate::time::{Interval, Ns};
use host::{HostCall, Queues};
use intervals::{Block, Intervals};
use walk::{Placed, Walk};

/// Most stretches of SMs that a recording keeps.
const MOST_SM_SPANS: usize = 20_000;

/// What the runs of a program were like.
pub(super) struct Runs<'a> {
    pub session: &'a Session,
    pub scenario: &'a Scenario,
    pub knobs: &'a Knobs,
    pub program: &'a Program,
    pub profile: &'a Profile,
    pub slots: &'a Slots,
    pub traced: &'a Outcome,
    pub untraced: &'a [Outcome],
}

impl Runs<'_> {
    /// The recording: spans of the traced run, wall times and values of the others.
    pub fn recording(&self) -> Result<Recording, GpuError> {
        let clock = self.traced.clock.as_ref().ok_or(GpuError::Cancelled)?;
        let intervals = Intervals::read(self.slots, clock, self.traced);
        let intervals = intervals.map_err(|code| code.while_trying("give the stamps back"))?;
        let mut assembly = Assembly {
            runs: self,
            intervals,
            builder: Builder::new(self.program),
            walk: Walk::new(self.program),
            queues: Queues::new(self.program),
            spans: Vec::new(),
            sms: Vec::new(),
            sms_until: None,
            captures: BTreeMap::new(),
        };
        assembly.walk();
        assembly.place_spans();
        let (sms, sms_until) = (std::mem::take(&mut assembly.sms), assembly.sms_until);
        let Built { lanes, names, origins } = assembly.builder.finish(Ns::ZERO);
        let (stamps_error, events_error) = clock.error();
        let usage = self.traced.memory;
        Ok(Recording {
            source: Source {
                executor: Executor::Gpu,
                device: Some(format!("{}, driver {}", self.session.info.name, self.session.info.driver)),
                profile: None,
                host: match self.program.host {
                    HostOverhead::Pytorch => Some("PyTorch host costs".to_owned()),
                    HostOverhead::Cuda => None,
                },
            },
            scenario: Some(self.scenario.clone()),
            knobs: self.knobs.clone(),
            wall: Interval::new(Ns::ZERO, self.traced.wall),
            names,
            lanes,
            origins,
            values: self.values(),
            errors: self.errors(),
            memory: MemoryUse {
                peak_bytes: usage.peak,
                reserved_bytes: usage.peak_reserved,
                raw_allocs: usage.mallocs,
                blocks_waiting: usage.peak_waiting,
            },
            measured: Some(Measured {
                date: today(),
                instrument: self.slots.instrument,
                untraced: self.untraced.iter().map(|run| run.wall).collect(),
                spread: self.spread(),
                clock_error: if self.slots.events.is_empty() { stamps_error } else { events_error },
                sms,
                sms_until,
            }),
        })
    }

    /// For each value the figures of the untraced runs, sorted: looking has not changed them.
    fn figures(&self) -> impl Iterator<Item = (&str, Vec<f64>)> {
        let runs = if self.untraced.is_empty() { std::slice::from_ref(self.traced) } else { self.untraced };
        self.program.reports.iter().enumerate().map(move |(index, report)| {
            let mut known: Vec<f64> = runs.iter().filter_map(|run| run.values.get(index).copied().flatten()).collect();
            known.sort_by(f64::total_cmp);
            (report.name.as_str(), known)
        })
    }

    /// The median of each value.
    fn values(&self) -> BTreeMap<String, Option<f64>> {
        self.figures().map(|(name, known)| (name.to_owned(), known.get(known.len() / 2).copied())).collect()
    }

    fn spread(&self) -> BTreeMap<String, [f64; 2]> {
        self.figures().filter_map(|(name, known)| Some((name.to_owned(), [*known.first()?, *known.last()?]))).collect()
    }

    fn errors(&self) -> Vec<RunError> {
        let error = |(index, failure): &(usize, Failure)| {
            let at = Origin::of(self.program, self.program.operations.get(*index)?);
            Some(match failure {
                Failure::Cuda(code) => match CudaError::from_code(code.0) {
                    Some(error) => RunError {
                        code: Some(code.0),
                        name: error.name().to_owned(),
                        text: error.text().to_owned(),
                        at,
                    },
                    None => RunError { code: Some(code.0), name: code.name(), text: code.text(), at },
                },
                Failure::Pytorch(class, text) => {
                    RunError { code: None, name: (*class).to_owned(), text: text.clone(), at }
                }
            })
        };
        self.traced.errors.iter().filter_map(error).collect()
    }
}

/// A recording under way.
struct Assembly<'a> {
    runs: &'a Runs<'a>,
    intervals: Intervals<'a>,
    builder: Builder<'a>,
    walk: Walk<'a>,
    queues: Queues,
    /// Spans of the GPU and the streams they are of, in the order of issue.
    spans: Vec<(usize, Span)>,
    sms: Vec<SmSpan>,
    sms_until: Option<Ns>,
    /// For each operation that replays: which replay it is.
    captures: BTreeMap<usize, Replay>,
}

impl Assembly<'_> {
    fn walk(&mut self) {
        self.captures = self.runs.traced.replays.iter().map(|replay| (replay.operation, *replay)).collect();
        let mut in_capture = 0_u32;
        let mut inner = 0;
        for (index, operation) in self.runs.program.operations.iter().enumerate() {
            let done = self.runs.traced.done.get(index).copied().unwrap_or(false);
            let first_inner = inner;
            while self.runs.traced.inner.get(inner).is_some_and(|call| call.operation <= index) {
                inner += 1;
            }
            let end = if done { self.gpu(index, operation) } else { None };
            if let Some(times) = self.times(index) {
                let calls = self.runs.traced.inner.get(first_inner..inner).unwrap_or_default();
                self.host(index, operation, times, calls, end, in_capture > 0);
            }
            match operation.action {
                Action::BeginCapture { .. } if done => in_capture += 1,
                Action::EndCapture { .. } => in_capture = in_capture.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn times(&self, index: usize) -> Option<super::run::CallTimes> {
        let measured = index.checked_sub(self.runs.program.measured_from)?;
        self.runs.traced.calls.get(measured).copied().flatten()
    }

    fn host(
        &mut self,
        index: usize,
        operation: &Operation,
        times: super::run::CallTimes,
        inner: &[super::run::InnerCall],
        own_end: Option<Ns>,
        in_capture: bool,
    ) {
        let Some(correlation) = self.builder.correlation(index) else { return };
        let staging_bytes = self.runs.profile.copies.staging_bytes;
        let awaited = self.walk.awaited(operation, staging_bytes, own_end);
        let call = HostCall { program: self.runs.program, operation, correlation, times, inner, awaited, in_capture };
        call.record(&mut self.builder, &mut self.queues);
        if let (Some((stream, _)), Some(end)) = (effects::enqueues(&operation.action), own_end) {
            self.queues.push(stream.index(), end);
        }
    }

    /// What the operation at `index` did on the GPU; returns when that was done.
    fn gpu(&mut self, index: usize, operation: &Operation) -> Option<Ns> {
        let times = self.times(index);
        let exit = times.map_or(Ns(i64::MIN / 4), |times| times.exit);
        let replay = self.captures.get(&index).copied();
        let ran = match replay {
            Some(replay) => self.replay_interval(index, replay),
            // On an idle stream the first event is passed before the work behind it is launched.
            None => self.intervals.live(index).map(|ran| match (self.runs.slots.mark(index), times) {
                (Mark::Between { .. }, Some(times)) => Interval::new(ran.start.max(times.work.min(ran.end)), ran.end),
                (Mark::Between { .. } | Mark::Stamps { .. } | Mark::None, _) => ran,
            }),
        };
        let placed = self.walk.place(index, operation, ran, exit);
        let (Placed::Live(cause), Some(ran), Some(correlation)) = (placed, ran, self.builder.correlation(index)) else {
            return ran.map(|ran| ran.end);
        };
        let (stream, unit) = effects::enqueues(&operation.action)?;
        match replay {
            Some(replay) => self.replay_spans(index, replay, stream.index(), cause, exit),
            None => {
                let name = self.builder.label(operation.label);
                let span = Span {
                    start: ran.start,
                    end: ran.end,
                    call: exit,
                    kind: span_kind(unit, &operation.action, false)?,
                    held_by: cause,
                    name,
                    correlation,
                };
                self.spans.push((stream.index(), span));
                let blocks = self.intervals.live_blocks(index);
                self.keep_blocks(&blocks, correlation);
            }
        }
        Some(ran.end)
    }

    fn replay_interval(&self, index: usize, replay: Replay) -> Option<Interval> {
        let nodes = self.walk.captures.get(&replay.capture).map(|graph| graph.nodes.as_slice()).unwrap_or_default();
        let ran = nodes.iter().filter_map(|node| self.intervals.node(node.operation, replay.capture, replay.number));
        let whole = ran.reduce(|a, b| Interval::new(a.start.min(b.start), a.end.max(b.end)));
        whole.or_else(|| self.intervals.replay(index))
    }

    fn replay_spans(&mut self, index: usize, replay: Replay, stream: usize, cause: Cause, call: Ns) {
        let Some(correlation) = self.builder.correlation(index) else { return };
        let Some(graph) = self.walk.captures.get(&replay.capture).cloned() else { return };
        let mut found = false;
        for node in &graph.nodes {
            let ran = self.intervals.node(node.operation, replay.capture, replay.number);
            let operation = self.runs.program.operations.get(node.operation);
            let (Some(ran), Some(operation)) = (ran, operation) else { continue };
            let unit = effects::enqueues(&operation.action).map(|(_, unit)| unit);
            let Some(kind) = unit.and_then(|unit| span_kind(unit, &operation.action, true)) else { continue };
            found = true;
            // A graph's main line is shown where it was launched; its branches where they were captured.
            let lane = if node.stream == graph.origin { stream } else { node.stream.index() };
            let held_by = if node.is_root { cause } else { Cause::GraphGap };
            let name = self.builder.label(operation.label);
            self.spans.push((lane, Span { start: ran.start, end: ran.end, call, kind, held_by, name, correlation }));
            let blocks = self.intervals.node_blocks(node.operation, replay.capture, replay.number);
            self.keep_blocks(&blocks, correlation);
        }
        // With events, only the latest replay is known node by node; the others as a whole.
        if let Some(ran) = self.intervals.replay(index).filter(|_| !found) {
            let name = self.builder.name("graph replay");
            let kind = SpanKind::GraphKernel;
            let span = Span { start: ran.start, end: ran.end, call, kind, held_by: cause, name, correlation };
            self.spans.push((stream, span));
        }
    }

    /// Keeps who sat on which SM: blocks of one launch that follow or overlap each other on an SM become one stretch.
    fn keep_blocks(&mut self, blocks: &[Block], correlation: Correlation) {
        let Some(first) = blocks.iter().map(|block| block.start).min() else { return };
        if self.sms_until.is_some() || self.sms.len() + blocks.len().min(1024) > MOST_SM_SPANS {
            self.sms_until = Some(self.sms_until.map_or(first, |until| until.min(first)));
            return;
        }
        let mut sorted = blocks.to_vec();
        sorted.sort_unstable_by_key(|block| (block.sm, block.start));
        for block in sorted {
            match self.sms.last_mut() {
                Some(last) if last.correlation == correlation && last.sm == block.sm && block.start <= last.end => {
                    last.end = last.end.max(block.end);
                    last.blocks += 1;
                }
                _ => self.sms.push(SmSpan { sm: block.sm, start: block.start, end: block.end, blocks: 1, correlation }),
            }
        }
    }

    /// Puts the spans on their lanes. Events stand before and behind a copy, so that what lies between them includes the wait
    /// for the engine: a copy starts when the one before it on its engine has ended. Two instruments on one stream may differ
    /// by the clock's error: nothing starts before what stands in front of it has ended.
    fn place_spans(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        for kind in [SpanKind::CopyH2D, SpanKind::CopyD2H] {
            let mut copies: Vec<&mut Span> =
                spans.iter_mut().map(|(_, span)| span).filter(|span| span.kind == kind).collect();
            copies.sort_by_key(|span| (span.end, span.start));
            let mut engine_free = Ns(i64::MIN);
            for copy in copies {
                if engine_free > copy.start {
                    copy.start = engine_free.min(copy.end);
                    copy.held_by = Cause::EngineBusy;
                }
                engine_free = copy.end;
            }
        }
        spans.sort_by_key(|(lane, span)| (*lane, span.start, span.end));
        let mut last: Option<(usize, Ns)> = None;
        for (lane, span) in &mut spans {
            if let Some((_, end)) = last.filter(|(of, _)| of == lane) {
                span.start = span.start.max(end);
                span.end = span.end.max(span.start);
            }
            last = Some((*lane, span.end));
            self.builder.gpu(*lane, *span);
        }
    }
}

fn span_kind(unit: Unit, action: &Action, in_graph: bool) -> Option<SpanKind> {
    Some(match unit {
        Unit::Sms if in_graph => SpanKind::GraphKernel,
        Unit::Sms => SpanKind::Kernel,
        Unit::H2D => SpanKind::CopyH2D,
        Unit::D2H => SpanKind::CopyD2H,
        Unit::Memory if matches!(action, Action::Memset { .. }) => SpanKind::Memset,
        Unit::Memory => SpanKind::CopyD2D,
        Unit::HostFunction => SpanKind::HostFunction,
        Unit::FrontEnd | Unit::Graph(_) => return None,
    })
}

/// The day, UTC, as `2026-11-30` (proleptic Gregorian calendar; the era arithmetic is that of RFC 3339 time libraries).
fn today() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(since_1970 / 86_400)
}

fn date(days_since_1970: u64) -> String {
    // Counted from 1 March 0000, so that the leap day is the last of its year.
    let days = days_since_1970 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day_of_month:02}", year_of_era + era * 400 + next_year)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        for (days, text) in [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_787, "2026-11-30"), (47_540, "2100-02-28")]
        {
            assert_eq!(date(days), text);
        }
    }
}
