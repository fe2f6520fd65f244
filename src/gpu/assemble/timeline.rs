//! The timeline of a traced run: what its instruments say, put on lanes.

use std::collections::BTreeMap;

use super::super::clock::Clock;
use super::super::driver::Answer;
use super::super::run::{CallTimes, InnerCall, MemoryStep, Outcome, Replay};
use super::super::slots::{Mark, Slots};
use super::Runs;
use super::host::{HostCall, Queues};
use super::intervals::{Block, Intervals, Ran};
use super::walk::{GraphNode, Held, Placed, Walk};
use crate::program::effects::{self, Returns, Unit};
use crate::program::{Action, Operation, StreamId, ThreadId};
use crate::recording::{Built, Cause, Correlation, NameId, ProgramBuilder, SmSpan, Span, SpanKind};
use crate::text::Key;
use crate::time::{Interval, Ns};

/// Two instruments differ by no more than this.
const CLOCKS_DIFFER: Ns = Ns(8_000);

/// Most stretches of SMs that a recording keeps.
const MOST_SM_SPANS: usize = 20_000;

/// A recording under way.
pub(super) struct Timeline<'a> {
    runs: &'a Runs<'a>,
    slots: &'a Slots,
    traced: &'a Outcome,
    intervals: Intervals<'a>,
    builder: ProgramBuilder<'a>,
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
            builder: ProgramBuilder::new(runs.program),
            walk: Walk::new(runs.program, &runs.profile.latencies),
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

    /// Its lanes, what memory was held, and who sat on which SM.
    pub fn finish(mut self) -> (Built, Vec<SmSpan>, Option<Ns>) {
        for step in &self.traced.memory_steps {
            match step {
                MemoryStep::Change(at, change) => self.builder.memory(*at, change.clone()),
                MemoryStep::Owner(address, tensor) => self.builder.owner(*address, *tensor),
            }
        }
        (self.builder.finish(Ns::ZERO, self.traced.wall), self.sms, self.sms_until)
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
            // A capture ends even where that failed.
            let counts = done || matches!(operation.action, Action::EndCapture { .. });
            let end = if counts { self.gpu(index, operation) } else { None };
            if let Some(times) = self.times(index) {
                let calls = self.traced.inner.get(first_inner..inner).unwrap_or_default();
                self.host(index, operation, times, calls, end, in_capture > 0);
            }
            self.region(index, operation);
            match operation.action {
                Action::BeginCapture { .. } if done => in_capture += 1,
                Action::EndCapture { .. } => in_capture = in_capture.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn region(&mut self, index: usize, operation: &Operation) {
        let Some(times) = self.times(index) else { return };
        match operation.action {
            Action::BeginRegion => self.builder.begin_region(ThreadId(0), operation.label, times.exit),
            Action::EndRegion => self.builder.end_region(ThreadId(0), operation.label, times.start),
            _ => {}
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
            // Its marks take places in the queue too.
            let places = if matches!(self.slots.mark(index), Mark::Between { .. }) { 3 } else { 1 };
            (0..places).for_each(|_| self.queues.push(stream.index(), end));
        }
    }

    /// When the work of an operation was handed to the GPU: at the return of the call that queued it, or at its begin where
    /// that call returns only when the work is done.
    fn handed_over(&self, operation: &Operation, times: CallTimes) -> Ns {
        let (began, returned) = times.queued;
        match effects::returns(&operation.action, self.runs.profile.copies.staging_bytes) {
            Returns::CopyDone | Returns::Staged => began,
            Returns::AtOnce | Returns::StreamDone(_) | Returns::DeviceDone | Returns::EventDone(_) => returned,
            Returns::ThreadDone(_) | Returns::Signalled(_) => returned,
        }
    }

    /// What lies between two events, less what the host knows better: on an idle stream the first event is passed before the work
    /// behind it is launched, and work that a call has waited for was done before the second event was recorded.
    fn within_call(&self, operation: &Operation, times: CallTimes, ran: Interval) -> Interval {
        let start = ran.start.max(self.handed_over(operation, times));
        let returns = effects::returns(&operation.action, self.runs.profile.copies.staging_bytes);
        let end = if returns == Returns::CopyDone { ran.end.min(times.queued.1) } else { ran.end };
        Interval::new(start.min(ran.end), end.max(start.min(ran.end)))
    }

    /// What the operation at `index` did on the GPU; returns when that was done.
    fn gpu(&mut self, index: usize, operation: &Operation) -> Option<Ns> {
        let times = self.times(index);
        let call = times.map_or(Ns(i64::MIN / 4), |times| self.handed_over(operation, times));
        if let Some(replay) = self.captures.get(&index).copied() {
            return self.replay(index, operation, replay, call);
        }
        let ran = self.intervals.live(index).map(|ran| match (self.slots.mark(index), times) {
            (Mark::Between { .. }, Some(times)) => {
                Ran { interval: self.within_call(operation, times, ran.interval), ..ran }
            }
            (Mark::Between { .. } | Mark::Stamps { .. } | Mark::None, _) => ran,
        });
        let placed = self.walk.place(index, operation, ran.as_ref().map(|ran| ran.interval), call);
        let Placed::Live(held, end) = placed else { return None };
        let (Some(ran), Some(correlation)) = (ran, self.builder.correlation(index)) else { return Some(end) };
        let (stream, unit) = effects::enqueues(&operation.action)?;
        let name = self.builder.label(operation.label);
        let kind = span_kind(unit, &operation.action, false)?;
        self.spans.push((stream.index(), span(ran.interval, call, held, kind, name, correlation)));
        self.keep_blocks(ran.blocks, correlation);
        Some(end)
    }

    /// What the launch of a graph at `index` did on the GPU; returns when that was done.
    fn replay(&mut self, index: usize, operation: &Operation, replay: Replay, call: Ns) -> Option<Ns> {
        let nodes = self.nodes(replay);
        let known = nodes.iter().map(|(_, ran)| ran.interval);
        let known = known.reduce(|a, b| Interval::new(a.start.min(b.start), a.end.max(b.end)));
        // With events, only the latest replay is known node by node; the others as a whole.
        let whole = self.intervals.replay(index);
        let ran = known.or(whole);
        let Placed::Live(held, end) = self.walk.place(index, operation, ran, call) else { return None };
        let (Some(_), Some(correlation)) = (ran, self.builder.correlation(index)) else { return Some(end) };
        let (stream, _) = effects::enqueues(&operation.action)?;
        let last = nodes.iter().max_by_key(|(_, ran)| ran.interval.end).map(|(number, _)| *number);
        if let Some(last) = last {
            self.walk.replay_ended_with(replay.capture, last);
        }
        let mut found = false;
        for at in 0..nodes.len() {
            found |= self.node(&nodes, at, replay, held, (stream, call, correlation)).is_some();
        }
        for (_, ran) in nodes {
            self.keep_blocks(ran.blocks, correlation);
        }
        if let Some(whole) = whole.filter(|_| !found) {
            let name = self.builder.text(Key::NameReplay);
            self.spans.push((stream.index(), span(whole, call, held, SpanKind::GraphKernel, name, correlation)));
        }
        Some(end)
    }

    /// The node at place `at` of those that ran; `None` where it is none that is known for each replay.
    fn node(
        &mut self,
        nodes: &[(usize, Ran)],
        at: usize,
        replay: Replay,
        held: Held,
        (stream, call, correlation): (StreamId, Ns, Correlation),
    ) -> Option<()> {
        let graph = self.walk.captures.get(&replay.capture)?;
        let (number, ran) = nodes.get(at)?;
        let node = graph.nodes.get(*number)?;
        let operation = self.runs.program.operations.get(node.operation)?;
        let kind = span_kind(node.unit, &operation.action, true)?;
        let ended = |number: usize| {
            let found = nodes.binary_search_by_key(&number, |(number, _)| *number).ok()?;
            nodes.get(found).map(|(_, ran)| ran.interval.end)
        };
        let within = |released_by| Held { released: ran.interval.start, released_by, ..held };
        let held = node.held_by(graph, ended).map_or(held, within);
        // A graph's main line is shown where it was launched; its branches where they were captured.
        let lane = if graph.origin == node.stream { stream } else { node.stream };
        let name = self.builder.label(operation.label);
        self.spans.push((lane.index(), span(ran.interval, call, held, kind, name, correlation)));
        // Host functions are known for every replay.
        (kind != SpanKind::HostFunction).then_some(())
    }

    /// The nodes of a replay that are known, by their places in the graph.
    fn nodes(&self, replay: Replay) -> Vec<(usize, Ran)> {
        let nodes = self.walk.captures.get(&replay.capture).map(|graph| graph.nodes.as_slice()).unwrap_or_default();
        let ran = |node: &GraphNode| self.intervals.node(node.operation, replay.capture, replay.number);
        nodes.iter().enumerate().filter_map(|(number, node)| Some((number, ran(node)?))).collect()
    }

    /// Keeps who sat on which SM: blocks of one launch that follow or overlap each other on an SM become one stretch.
    fn keep_blocks(&mut self, mut blocks: Vec<Block>, correlation: Correlation) {
        let Some(first) = blocks.iter().map(|block| block.start).min() else { return };
        if let Some(until) = &mut self.sms_until {
            *until = first.min(*until);
            return;
        }
        let before = self.sms.len();
        blocks.sort_unstable_by_key(|block| (block.sm, block.start));
        for block in blocks {
            match self.sms.last_mut() {
                Some(last) if last.correlation == correlation && last.sm == block.sm && block.start <= last.end => {
                    last.end = last.end.max(block.end);
                    last.blocks += 1;
                }
                _ => self.sms.push(SmSpan { sm: block.sm, start: block.start, end: block.end, blocks: 1, correlation }),
            }
        }
        // Nothing of a launch rather than a part of it.
        if self.sms.len() > MOST_SM_SPANS {
            self.sms.truncate(before);
            self.sms_until = Some(first);
        }
    }

    /// Puts the spans on their lanes. Events stand before and behind a copy, so that what lies between them includes the wait
    /// for the engine: a copy starts when the one before it on its engine has ended. Two instruments on one stream may differ
    /// by the clock's error: what overlaps by no more is put in sequence.
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
                    copy.released = copy.released.min(copy.start);
                    copy.held_by = Cause::EngineBusy;
                }
                engine_free = copy.end;
            }
        }
        spans.sort_by_key(|(lane, span)| (*lane, span.start, span.end));
        let mut last: Option<(usize, Ns)> = None;
        for (lane, span) in &mut spans {
            let end = last.filter(|(of, end)| of == lane && *end > span.start).map(|(_, end)| end);
            if let Some(end) = end.filter(|end| *end - span.start <= CLOCKS_DIFFER) {
                span.start = end;
                span.end = span.end.max(end);
            }
            last = Some((*lane, span.end));
            self.builder.gpu(*lane, *span);
        }
    }
}

fn span(ran: Interval, call: Ns, held: Held, kind: SpanKind, name: NameId, correlation: Correlation) -> Span {
    let Interval { start, end } = ran;
    let Held { released, released_by, held_by, .. } = held;
    // No instrument tells these two.
    let (after, contended) = (Correlation::NONE, Ns::ZERO);
    Span { start, end, call, released, kind, released_by, held_by, after, contended, name, correlation }
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
