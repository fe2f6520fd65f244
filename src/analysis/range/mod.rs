//! The numbers of a run, for any stretch of it.
//!
//! What can be counted in advance is counted once, so that a range can be dragged over a million spans. Of ranges that stand side by
//! side, the numbers add up; those of the whole run are its [`Metrics`](super::Metrics).

mod filled;
mod idle;
mod queue;

use std::collections::BTreeMap;

use super::activity::Hosts;
use super::metrics::LaunchMetrics;
use super::{Bubbles, QueueDepth, gpu_span, queue as launch_queue};
use crate::recording::{Cause, Recording, SpanKind, TrackId, TrackKind};
use crate::time::{Interval, Ns};
use filled::Filled;
use idle::IdleSums;
use queue::QueueSums;

/// What happened in a stretch of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeMetrics {
    /// The stretch.
    pub interval: Interval,
    /// Host threads, streams and copy engines, in the order of the recording.
    pub tracks: Vec<TrackShare>,
    /// Union of kernels, copies and memsets of all streams.
    pub gpu_busy: Ns,
    /// The rest of what lies between the first operation of the GPU and its last.
    pub gpu_idle: Ns,
    /// The same by cause, stage by stage.
    pub idle_by_cause: BTreeMap<Cause, Ns>,
    /// Union of kernels. Over the length of the range this is the utilization that `nvidia-smi` shows: the "percent of time over the past
    /// sample period during which one or more kernels was executing on the GPU" (NVML API reference, `nvmlUtilization_t.gpu`).
    pub kernels: Ns,
    /// What was handed to the GPU within the range, and the depth of the queue.
    pub launch: LaunchMetrics,
    /// Depth of the launch queue, times nanoseconds.
    pub queue_area: i64,
}

/// What a track did within a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackShare {
    /// Which one.
    pub track: TrackId,
    /// Union of its work; on a host thread without waiting.
    pub busy: Ns,
    /// Of a host thread: how long it waited.
    pub blocked: Ns,
}

impl RangeMetrics {
    /// `time` as a share of the range, 0–1.
    pub fn share(&self, time: Ns) -> f64 {
        time.0 as f64 / self.interval.dur().0.max(1) as f64
    }

    /// Mean depth of the launch queue.
    pub fn queue_mean(&self) -> f64 {
        self.queue_area as f64 / self.interval.dur().0.max(1) as f64
    }
}

/// What is counted in advance.
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    tracks: Vec<TrackSums>,
    span: Interval,
    gpu: Filled,
    kernels: Filled,
    idle: IdleSums,
    /// When each operation was handed over and when it began, in the order of the former.
    launches: Vec<(Ns, Ns)>,
    queue: QueueSums,
}

#[derive(Clone, Debug)]
struct TrackSums {
    track: TrackId,
    busy: Filled,
    blocked: Filled,
}

impl Ranges {
    pub fn new(recording: &Recording, bubbles: &Bubbles, queue: &QueueDepth) -> Self {
        let mut launches = launch_queue::launches(recording);
        launches.sort_unstable();
        let work = |is_meant: fn(SpanKind) -> bool| {
            Filled::new(recording.gpu_spans().filter(move |span| is_meant(span.kind)).map(|span| span.interval()))
        };
        Self {
            tracks: track_sums(recording),
            span: gpu_span(recording),
            gpu: work(SpanKind::is_gpu_busy),
            kernels: work(|kind| matches!(kind, SpanKind::Kernel | SpanKind::GraphKernel)),
            idle: IdleSums::new(bubbles),
            launches,
            queue: QueueSums::new(queue),
        }
    }

    /// The numbers of `interval`.
    pub fn within(&self, bubbles: &Bubbles, queue: &QueueDepth, interval: Interval) -> RangeMetrics {
        let gpu_busy = self.gpu.within(interval);
        let idle = Cause::ALL.into_iter().zip(self.idle.within(bubbles, interval));
        let share = |sums: &TrackSums| TrackShare {
            track: sums.track,
            busy: sums.busy.within(interval),
            blocked: sums.blocked.within(interval),
        };
        RangeMetrics {
            interval,
            tracks: self.tracks.iter().map(share).collect(),
            gpu_busy,
            gpu_idle: self.span.intersect(interval).dur() - gpu_busy,
            idle_by_cause: idle.filter(|(_, time)| *time > Ns::ZERO).collect(),
            kernels: self.kernels.within(interval),
            launch: LaunchMetrics::new(self.handed_over(interval), self.queue.peak(queue, interval)),
            queue_area: self.queue.area(queue, interval),
        }
    }

    fn handed_over(&self, interval: Interval) -> &[(Ns, Ns)] {
        let at = |time: Ns| self.launches.partition_point(|(call, _)| *call < time);
        self.launches.get(at(interval.start)..at(interval.end)).unwrap_or_default()
    }
}

fn track_sums(recording: &Recording) -> Vec<TrackSums> {
    let hosts = Hosts::new(recording);
    let of_host = |track: TrackId, is_waiting: bool| {
        let stretches = hosts.of(track).into_iter().flat_map(|activity| activity.timed_stretches());
        Filled::new(stretches.filter(|(_, kind)| (*kind == SpanKind::Blocked) == is_waiting).map(|(it, _)| it))
    };
    let of_gpu = |track: TrackId| {
        let work = recording.spans_of(track).filter(|span| span.kind.is_gpu_busy());
        Filled::new(work.map(|span| span.interval()))
    };
    let sums = |(track, it): (TrackId, TrackKind)| match it {
        TrackKind::HostThread { .. } => {
            Some(TrackSums { track, busy: of_host(track, false), blocked: of_host(track, true) })
        }
        TrackKind::Stream { .. } | TrackKind::CopyEngine { .. } => {
            Some(TrackSums { track, busy: of_gpu(track), blocked: Filled::default() })
        }
        TrackKind::Regions { .. } => None,
    };
    (0..).map(TrackId).zip(recording.tracks.iter().map(|track| track.kind)).filter_map(sums).collect()
}
