//! The numbers of a run.

use std::collections::BTreeMap;

use super::activity::Hosts;
use super::{Bubbles, QueueDepth, gpu_busy, gpu_span};
use crate::recording::{Cause, NameId, Recording, SpanKind, Track, TrackId};
use crate::time::{Interval, Ns, total, union};

/// The numbers of a run. All come from the spans that are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// From the end of setup to the return of the final synchronization.
    pub wall: Ns,
    /// Time in which host threads did something, waiting excluded.
    pub host_busy: Ns,
    /// Time in which host threads waited, by the call they waited in, longest first.
    pub host_blocked: Vec<Blocked>,
    /// From the first operation of the GPU to its last.
    pub gpu_span: Interval,
    /// Union of kernels, copies and memsets.
    pub gpu_busy: Ns,
    /// What is left of the span.
    pub gpu_idle: Ns,
    /// Idle time of the GPU by cause, stage by stage.
    pub idle_by_cause: BTreeMap<Cause, Ns>,
    /// Each stream that did anything.
    pub streams: Vec<StreamMetrics>,
    /// Launches.
    pub launch: LaunchMetrics,
}

/// Time that host threads waited in one kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The call.
    pub call: NameId,
    /// How long in all.
    pub time: Ns,
}

/// One stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamMetrics {
    /// Its track.
    pub track: TrackId,
    /// Number of the stream.
    pub stream: u32,
    /// Kernels, copies and memsets.
    pub operations: usize,
    /// Union of their times.
    pub busy: Ns,
}

/// Launches: from the return of the call to the start of the work. A graph launch is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchMetrics {
    /// How many.
    pub count: usize,
    /// Median latency.
    pub median: Ns,
    /// Longest latency.
    pub max: Ns,
    /// Most operations in the queue at once.
    pub queue_max: u32,
}

impl Metrics {
    pub(super) fn new(
        recording: &Recording,
        hosts: &Hosts<'_>,
        bubbles: &Bubbles,
        launches: &[(Ns, Ns)],
        queue: &QueueDepth,
    ) -> Self {
        let busy = gpu_busy(recording);
        let gpu_span = gpu_span(recording);
        let mut idle_by_cause = BTreeMap::new();
        for bubble in &bubbles.gpu {
            for stage in bubbles.stages(bubble) {
                *idle_by_cause.entry(stage.cause).or_insert(Ns::ZERO) += stage.dur;
            }
        }
        let (host_busy, host_blocked) = host(hosts);
        Self {
            wall: recording.wall.dur(),
            host_busy,
            host_blocked,
            gpu_span,
            gpu_busy: total(&busy),
            gpu_idle: gpu_span.dur() - total(&busy),
            idle_by_cause,
            streams: streams(recording),
            launch: LaunchMetrics::new(launches, queue.iter().map(|(_, depth)| *depth).max().unwrap_or(0)),
        }
    }

    /// Share of its span in which the GPU was busy, 0–1.
    pub fn utilization(&self) -> f64 {
        self.gpu_busy.0 as f64 / self.gpu_span.dur().0.max(1) as f64
    }

    /// Time that host threads waited.
    pub fn blocked(&self) -> Ns {
        self.host_blocked.iter().map(|blocked| blocked.time).sum()
    }
}

fn host(hosts: &Hosts<'_>) -> (Ns, Vec<Blocked>) {
    let mut busy = Ns::ZERO;
    let mut blocked: BTreeMap<NameId, Ns> = BTreeMap::new();
    for (dur, kind, name) in hosts.activities().flat_map(|activity| activity.stretches()) {
        match kind {
            SpanKind::Blocked => *blocked.entry(name).or_insert(Ns::ZERO) += dur,
            _ => busy += dur,
        }
    }
    let mut blocked: Vec<Blocked> = blocked.into_iter().map(|(call, time)| Blocked { call, time }).collect();
    blocked.sort_by_key(|blocked| std::cmp::Reverse(blocked.time));
    (busy, blocked)
}

fn streams(recording: &Recording) -> Vec<StreamMetrics> {
    let measured = |(track, it): (TrackId, &Track)| {
        let spans = recording.spans_of(track).filter(|span| span.kind.is_gpu_busy());
        let work: Vec<Interval> = spans.map(|span| span.interval()).collect();
        Some(StreamMetrics { track, stream: it.stream()?, operations: work.len(), busy: total(&union(work)) })
    };
    recording.streams().filter_map(measured).collect()
}

impl LaunchMetrics {
    /// Of operations by when they were handed over and when they began.
    pub(super) fn new(launches: &[(Ns, Ns)], queue_max: u32) -> Self {
        let latency = |(call, start): &(Ns, Ns)| (*start - *call).max(Ns::ZERO);
        let mut latencies: Vec<Ns> = launches.iter().map(latency).collect();
        let count = latencies.len();
        let median = if count == 0 { Ns::ZERO } else { *latencies.select_nth_unstable(count / 2).1 };
        let max = latencies.into_iter().max().unwrap_or(Ns::ZERO);
        Self { count, median, max, queue_max }
    }
}
