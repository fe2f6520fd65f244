//! The timeline of a traced run: what its instruments say, put on lanes.

use std::collections::BTreeMap;

use super::super::clock::Clock;
use super::super::driver::Answer;
use super::super::run::{CallTimes, InnerCall, Outcome, Replay};
use super::super::slots::{Mark, Slots};
use super::Runs;
use super::host::{HostCall, Queues};
use super::intervals::{Block, Intervals};
use super::walk::{Placed, Walk};
use crate::program::effects::{self, Unit};
use crate::program::{Action, Operation};
use crate::recording::{Builder, Built, Cause, Correlation, SmSpan, Span, SpanKind};
use crate::time::{Interval, Ns};

/// Most stretches of SMs that a recording keeps.
const MOST_SM_SPANS: usize = 20_000;

/// A recording under way.
pub(super) struct Timeline<'a> {
    runs: &'a Runs<'a>,
    slots: &'a Slots,
    traced: &'a Outcome,
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

impl<'a> Timeline<'a> {
    /// Works out what happened in the traced run.
    pub fn new(runs: &'a Runs<'a>, slots: &'a Slots, traced: &'a Outcome, clock: &'a Clock) -> Answer<Self> {
        let mut timeline = Self {
            runs,
            slots,
            traced,
            intervals: Intervals::read(slots, clock, traced)?,
            builder: Builder::new(runs.program),
            walk: Walk::new(runs.program),
            queues: Queues::new(runs.program),
            spans: Vec::new(),
            sms: Vec::new(),
            sms_until: None,
            captures: BTreeMap::new(),
        };
        timeline.walk();
        timeline.place_spans();
        Ok(timeline)
    }

    /// Its lanes, and who sat on which SM.
    pub fn finish(self) -> (Built, Vec<SmSpan>, Option<Ns>) {
        (self.builder.finish(Ns::ZERO), self.sms, self.sms_until)
    }

    fn walk(&mut self) {
        self.captures = self.traced.replays.iter().map(|replay| (replay.operation, *replay)).collect();
        let mut in_capture = 0_u32;
        let mut inner = 0;
        for (index, operation) in self.runs.program.operations.iter().enumerate() {
            let done = self.traced.done.get(index).copied().unwrap_or(false);
            let first_inner = inner;
            while self.traced.inner.get(inner).is_some_and(|call| call.operation <= index) {
                inner += 1;
            }
            let end = if done { self.gpu(index, operation) } else { None };
            if let Some(times) = self.times(index) {
                let calls = self.traced.inner.get(first_inner..inner).unwrap_or_default();
                self.host(index, operation, times, calls, end, in_capture > 0);
            }
            match operation.action {
                Action::BeginCapture { .. } if done => in_capture += 1,
                Action::EndCapture { .. } => in_capture = in_capture.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn times(&self, index: usize) -> Option<CallTimes> {
        let measured = index.checked_sub(self.runs.program.measured_from)?;
        self.traced.calls.get(measured).copied().flatten()
    }

    fn host(
        &mut self,
        index: usize,
        operation: &Operation,
        times: CallTimes,
        inner: &[InnerCall],
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
            None => self.intervals.live(index).map(|ran| match (self.slots.mark(index), times) {
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
