//! What limits a run: what stands out on its critical path.

use std::collections::BTreeMap;

use super::path::Spent;
use super::{Analysis, Bubble};
use crate::recording::{Cause, NameId, Recording, SpanKind};
use crate::time::{Interval, Ns, total, union};

/// What limits a run. Times are those of its critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The program broke the GPU's context: nothing is known.
    Broken,
    /// The GPU had nothing to do.
    NoGpu,
    /// A call of the host waits for the GPU again and again, and each time the GPU idles until the host has launched anew.
    Drained {
        /// The call.
        call: NameId,
        /// How often.
        times: usize,
        /// How long the GPU idles then, on average.
        each: Ns,
        /// And in all.
        idle: Ns,
    },
    /// Several engines work one after the other.
    Serial {
        /// How long each takes, in the order in which data go through them.
        parts: Vec<(Part, Ns)>,
        /// For how long two of them worked at once.
        overlap: Ns,
    },
    /// One part takes most of the time.
    Most {
        /// Which.
        part: Part,
        /// How long.
        time: Ns,
        /// What takes most of the rest, and how long.
        next: Option<(Part, Ns)>,
    },
    /// No part takes most of the time: the longest first.
    Mixed(Vec<(Part, Ns)>),
}

/// A part of the critical path, in the words of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Copies to the GPU.
    CopiesIn,
    /// Kernels and memsets.
    Kernels,
    /// Copies within the GPU.
    CopiesWithin,
    /// Copies to the host.
    CopiesOut,
    /// The host launches: its layers and its calls.
    Launching,
    /// The host works on something of its own.
    HostWork,
    /// Memory is allocated and freed.
    Allocation,
    /// The hardware pauses between operations.
    Gaps,
    /// Operations share what each alone would have had.
    Contention,
    /// Between the end of work and the host that goes on, and between a call and the work that it starts.
    Turnaround,
    /// Waits for other streams, barriers and host functions.
    Order,
    /// Nobody knows.
    Unknown,
}

impl Part {
    fn of(spent: Spent) -> Self {
        match spent {
            Spent::Python | Spent::Dispatcher | Spent::Aten | Spent::CudaCall => Self::Launching,
            Spent::Kernel | Spent::Memset => Self::Kernels,
            Spent::CopyH2D => Self::CopiesIn,
            Spent::CopyD2H => Self::CopiesOut,
            Spent::CopyD2D => Self::CopiesWithin,
            Spent::Contention => Self::Contention,
            Spent::Unknown => Self::Unknown,
            Spent::Idle(cause) => match cause {
                Cause::LaunchBound => Self::Launching,
                Cause::HostWork => Self::HostWork,
                Cause::Allocation => Self::Allocation,
                Cause::HostBlocked | Cause::LaunchLatency => Self::Turnaround,
                Cause::KernelGap | Cause::GraphGap => Self::Gaps,
                Cause::EngineBusy | Cause::NoRoom => Self::Contention,
                Cause::EventWait | Cause::CopyWait | Cause::LegacyBarrier | Cause::HostFunction => Self::Order,
            },
        }
    }

    /// Whether it is an engine of the GPU that works.
    pub fn is_engine(self) -> bool {
        match self {
            Self::CopiesIn | Self::Kernels | Self::CopiesWithin | Self::CopiesOut => true,
            Self::Launching | Self::HostWork | Self::Allocation | Self::Gaps | Self::Contention => false,
            Self::Turnaround | Self::Order | Self::Unknown => false,
        }
    }
}

/// Of the run, what stands out has at least this share.
const MOST: f64 = 0.5;
/// An engine is worth a word from this share on, and so is idle time after waits.
const WORTH_A_WORD: f64 = 0.1;
/// A call that waits drains the queue again and again if it does so at least this often.
const AGAIN_AND_AGAIN: usize = 3;
/// Parts that are listed.
const LISTED: usize = 3;

/// What limits a run.
pub fn limit(recording: &Recording, analysis: &Analysis) -> Limit {
    if recording.broke_the_context() {
        return Limit::Broken;
    }
    if analysis.metrics.gpu_span.dur() == Ns::ZERO {
        return Limit::NoGpu;
    }
    let wall = recording.wall.dur();
    let worth = |time: Ns, share: f64| time.0 as f64 >= share * wall.0 as f64;
    if let Some(drained) = drained(analysis).filter(|drained| worth(drained.idle, WORTH_A_WORD)) {
        return Limit::Drained { call: drained.call, times: drained.times, each: drained.each, idle: drained.idle };
    }
    let mut parts: BTreeMap<Part, Ns> = BTreeMap::new();
    for (spent, time) in analysis.path(recording).by_stage() {
        *parts.entry(Part::of(spent)).or_insert(Ns::ZERO) += time;
    }
    let engines: Vec<(Part, Ns)> =
        parts.iter().map(|(part, time)| (*part, *time)).filter(|(part, _)| part.is_engine()).collect();
    let engines: Vec<(Part, Ns)> = engines.into_iter().filter(|(_, time)| worth(*time, WORTH_A_WORD)).collect();
    if engines.len() > 1 && worth(engines.iter().map(|(_, time)| *time).sum(), MOST) {
        return Limit::Serial { parts: engines, overlap: overlap(recording) };
    }
    let mut longest: Vec<(Part, Ns)> = parts.into_iter().collect();
    longest.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    match longest.first() {
        Some(&(part, time)) if worth(time, MOST) => Limit::Most { part, time, next: longest.get(1).copied() },
        _ => {
            longest.truncate(LISTED);
            Limit::Mixed(longest)
        }
    }
}

struct Drained {
    call: NameId,
    times: usize,
    each: Ns,
    idle: Ns,
}

/// Where most of the time that the GPU waited for the host followed upon waits of the host for the GPU, as after `.item()`: those
/// waits.
fn drained(analysis: &Analysis) -> Option<Drained> {
    let bubbles = &analysis.bubbles;
    // Work of the host's own is no part of it.
    let stages = [Cause::HostBlocked, Cause::LaunchBound, Cause::LaunchLatency];
    let time = |bubble: &Bubble| stages.iter().map(|cause| bubbles.time(bubble, *cause)).sum::<Ns>();
    let all: Ns = bubbles.gpu.iter().map(time).sum();
    let after_waits = || bubbles.gpu.iter().filter(|bubble| bubble.waited_in.is_some() && time(bubble) > Ns::ZERO);
    let idle: Ns = after_waits().map(time).sum();
    let times = after_waits().count();
    // The call before the longest of them stands for all.
    let typical = after_waits().max_by_key(|bubble| time(bubble)).filter(|_| idle.0 * 2 > all.0)?;
    let call = typical.waited_in?;
    (times >= AGAIN_AND_AGAIN).then(|| Drained { call, times, each: Ns(idle.0 / times as i64), idle })
}

/// For how long engines of different kinds worked at once.
fn overlap(recording: &Recording) -> Ns {
    let busy = |wanted: fn(SpanKind) -> bool| {
        let spans = recording.gpu_spans().filter(|span| wanted(span.kind));
        union(spans.map(|span| span.interval()).collect())
    };
    let engines: [Vec<Interval>; 3] = [
        busy(|kind| kind == SpanKind::CopyH2D),
        busy(|kind| kind == SpanKind::CopyD2H),
        busy(|kind| kind.is_gpu_busy() && !matches!(kind, SpanKind::CopyH2D | SpanKind::CopyD2H)),
    ];
    let each: Ns = engines.iter().map(|engine| total(engine)).sum();
    each - total(&union(engines.concat()))
}
