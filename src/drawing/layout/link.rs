//! What belongs to a selection: the call of the host, the queue while it waited there, the work that it started, what that waited for.

use super::super::drawable::{Drawable, Point, Rect};
use super::super::theme::{Rgba, Theme};
use super::{Hit, LaneLayout, Layout, Link, Prepared, RowKind};
use crate::analysis::waited_for;
use crate::recording::{Correlation, Recording, Span, SpanKind};
use crate::time::Interval;

/// Where all of it is, as far as it is in view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// What is selected itself.
    pub subject: Option<Rect>,
    /// On each lane, the stretch of what the same launch started, its call included; a graph is one stretch a lane.
    pub parts: Vec<Rect>,
    /// The lane of the queue while it waited to start, and that of the SMs while it ran.
    pub through: Vec<Rect>,
    /// The work that let it go.
    pub waited_for: Option<Rect>,
    /// From the call to the work, and from what it waited for.
    pub arrows: Vec<Drawable>,
}

/// What belongs to `hit`.
pub fn chain(layout: &Layout, recording: &Recording, prepared: &Prepared, hit: Hit, theme: &Theme) -> Chain {
    let drawn = Drawn { layout, recording, prepared, color: theme.arrow };
    match hit {
        Hit::Span { lane, span } => drawn.of_span(lane, span).unwrap_or_default(),
        Hit::Bubble { lane, bubble } => {
            let Some(bubble) = prepared.bubbles(lane).get(bubble) else { return Chain::default() };
            Chain { subject: layout.stretch(lane, bubble.interval), ..drawn.of_launch(bubble.next) }
        }
        Hit::Block { block } => Chain { subject: layout.block(prepared, block), ..Chain::default() },
        Hit::Error { error } => Chain { subject: layout.error(prepared, error), ..Chain::default() },
        Hit::Queue { .. } | Hit::Sms { .. } | Hit::Segment { .. } | Hit::Memory { .. } => Chain::default(),
    }
}

impl Layout {
    /// Where a stretch of the recording's lane `lane` is, if it is in view; at least two points wide.
    pub fn stretch(&self, lane: usize, it: Interval) -> Option<Rect> {
        self.columns(self.lanes.iter().find(|drawn| drawn.row.lane() == Some(lane))?, it)
    }

    fn row(&self, row: RowKind) -> Option<&LaneLayout> {
        self.lanes.iter().find(|lane| lane.row == row)
    }

    fn columns(&self, lane: &LaneLayout, it: Interval) -> Option<Rect> {
        const LEAST: f32 = 2.0;
        let left = self.scale.x(it.start);
        let right = self.scale.x(it.end).max(left + LEAST);
        if right < self.plot.x || left > self.plot.right() {
            return None;
        }
        Some(lane.inner.columns(self.within(left), self.within(right)))
    }

    fn within(&self, x: f32) -> f32 {
        x.clamp(self.plot.x, self.plot.right())
    }

    fn sees(&self, x: f32) -> bool {
        (self.plot.x..=self.plot.right()).contains(&x)
    }
}

struct Drawn<'a> {
    layout: &'a Layout,
    recording: &'a Recording,
    prepared: &'a Prepared,
    color: Rgba,
}

impl Drawn<'_> {
    fn of_span(&self, lane: usize, index: usize) -> Option<Chain> {
        let span = self.recording.lanes.get(lane)?.spans.get(index)?;
        let mut chain = self.of_launch(span.correlation);
        chain.subject = self.layout.stretch(lane, span.interval());
        let Some((lane, span)) = self.on_stream(lane, span) else { return Some(chain) };
        if matches!(span.kind, SpanKind::Kernel | SpanKind::GraphKernel) {
            let row = self.layout.row(RowKind::Sms);
            chain.through.extend(row.and_then(|row| self.layout.columns(row, span.interval())));
        }
        if let Some((from, index)) = waited_for(self.recording, lane, &span) {
            let before = self.recording.lanes.get(from)?.spans.get(index)?;
            chain.waited_for = self.layout.stretch(from, before.interval());
            chain.arrows.extend(self.arrow_between((from, before), (lane, span)));
        }
        Some(chain)
    }

    /// A copy is seen on its engine too; what it waited for is told of the stream.
    fn on_stream(&self, lane: usize, span: Span) -> Option<(usize, Span)> {
        let is_stream = |lane: usize| self.recording.track_of(lane).is_some_and(|track| track.stream().is_some());
        if is_stream(lane) {
            return Some((lane, span));
        }
        let is_host = self.recording.track_of(lane)?.host_thread().is_some();
        let links = self.prepared.linked(span.correlation).iter().filter(|_| !is_host);
        let mut spans = links.filter_map(|link| Some((link.lane as usize, self.span(*link)?)));
        spans.find(|(lane, twin)| is_stream(*lane) && twin.start == span.start)
    }

    /// What a launch started, and how it came there.
    fn of_launch(&self, launch: Correlation) -> Chain {
        let lanes = self.prepared.linked(launch).chunk_by(|a, b| a.lane == b.lane);
        let ends = |of_lane: &[Link]| Some((self.span(*of_lane.first()?)?, self.span(*of_lane.last()?)?));
        let lanes: Vec<(usize, Span, Span)> = lanes
            .filter_map(|of_lane| Some((of_lane.first()?.lane as usize, ends(of_lane)?)))
            .map(|(lane, (first, last))| (lane, first, last))
            .collect();
        let part = |(lane, first, last): &(usize, Span, Span)| {
            self.layout.stretch(*lane, Interval::new(first.start, last.end))
        };
        let first = |wanted: fn(RowKind) -> bool| {
            let drawn = lanes.iter().filter_map(|(lane, span, _)| Some((*span, self.lane(*lane)?)));
            drawn.filter(|(_, lane)| wanted(lane.row)).min_by_key(|(span, _)| span.start)
        };
        let call = first(|row| matches!(row, RowKind::Host(_)));
        let work = first(|row| matches!(row, RowKind::Stream(_)));
        let waited = work.filter(|(work, _)| work.kind.is_gpu_busy() && work.call < work.start);
        let queue = self.layout.row(RowKind::Queue).zip(waited);
        let through = queue.and_then(|(row, (work, _))| self.layout.columns(row, Interval::new(work.call, work.start)));
        let arrow = call.zip(work).and_then(|((call, host), (work, stream))| {
            let handed_over = if call.kind == SpanKind::Call { call.end } else { call.call };
            self.arrow((self.layout.scale.x(handed_over), host), (self.layout.scale.x(work.start), stream))
        });
        Chain {
            parts: lanes.iter().filter_map(part).collect(),
            through: through.into_iter().collect(),
            arrows: arrow.into_iter().collect(),
            ..Chain::default()
        }
    }

    /// From the end of one span to the start of another on a different lane.
    fn arrow_between(&self, from: (usize, Span), to: (usize, Span)) -> Option<Drawable> {
        if from.0 == to.0 {
            return None;
        }
        let (tail, tip) = (self.layout.scale.x(from.1.end), self.layout.scale.x(to.1.start));
        self.arrow((tail, self.lane(from.0)?), (tip, self.lane(to.0)?))
    }

    /// Its ends follow from time alone, so it is right however small the spans are; `None` when both are out of view.
    fn arrow(&self, (tail, from): (f32, &LaneLayout), (tip, to): (f32, &LaneLayout)) -> Option<Drawable> {
        if !self.layout.sees(tail) && !self.layout.sees(tip) {
            return None;
        }
        let is_down = from.inner.y <= to.inner.y;
        let (leaves, arrives) =
            if is_down { (from.inner.bottom(), to.inner.y) } else { (from.inner.y, to.inner.bottom()) };
        Some(Drawable::Arrow {
            from: Point::new(self.layout.within(tail), leaves),
            to: Point::new(self.layout.within(tip), arrives),
            color: self.color,
        })
    }

    fn lane(&self, lane: usize) -> Option<&LaneLayout> {
        self.layout.lanes.iter().find(|drawn| drawn.row.lane() == Some(lane))
    }

    fn span(&self, link: Link) -> Option<Span> {
        self.recording.lanes.get(link.lane as usize)?.spans.get(link.span as usize)
    }
}
