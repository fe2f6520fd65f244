//! Sentences: why this bubble, and what this run comes to.

use super::{Analysis, Bubble, Place};
use crate::recording::{Cause, Recording};
use crate::text::{Key, Lang};
use crate::time::Ns;

/// The short name of a cause.
pub fn cause_key(cause: Cause) -> Key {
    match cause {
        Cause::LaunchBound => Key::CauseLaunchBound,
        Cause::HostWork => Key::CauseHostWork,
        Cause::HostBlocked => Key::CauseHostBlocked,
        Cause::EventWait => Key::CauseEventWait,
        Cause::CopyWait => Key::CauseCopyWait,
        Cause::EngineBusy => Key::CauseEngineBusy,
        Cause::NoRoom => Key::CauseNoRoom,
        Cause::LegacyBarrier => Key::CauseLegacyBarrier,
        Cause::HostFunction => Key::CauseHostFunction,
        Cause::Allocation => Key::CauseAllocation,
        Cause::KernelGap => Key::CauseKernelGap,
        Cause::GraphGap => Key::CauseGraphGap,
    }
}

fn why(cause: Cause) -> Key {
    match cause {
        Cause::LaunchBound => Key::WhyLaunchBound,
        Cause::HostWork => Key::WhyHostWork,
        Cause::HostBlocked => Key::WhyHostBlocked,
        Cause::EventWait => Key::WhyEventWait,
        Cause::CopyWait => Key::WhyCopyWait,
        Cause::EngineBusy => Key::WhyEngineBusy,
        Cause::NoRoom => Key::WhyNoRoom,
        Cause::LegacyBarrier => Key::WhyLegacyBarrier,
        Cause::HostFunction => Key::WhyHostFunction,
        Cause::Allocation => Key::WhyAllocation,
        Cause::KernelGap => Key::WhyKernelGap,
        Cause::GraphGap => Key::WhyGraphGap,
    }
}

/// Why this bubble, in one sentence with its numbers.
pub fn sentence(recording: &Recording, bubble: &Bubble, lang: Lang) -> String {
    let place = match bubble.place {
        Place::Gpu => lang.text(Key::PlaceGpu).to_owned(),
        Place::Stream(0) => lang.text(Key::LaneStreamDefault).to_owned(),
        Place::Stream(stream) => lang.fill(Key::LaneStream, &[&stream.to_string()]),
    };
    let next = recording.name(bubble.next_name);
    let call = bubble.host_call.map_or("", |call| recording.name(call));
    let idle = bubble.interval.dur().to_string();
    let (blocked, launching) = (bubble.blocked.to_string(), bubble.launching.to_string());
    let reason = lang.fill(why(bubble.cause), &[next, call, &blocked, &launching]);
    lang.fill(Key::BubbleSentence, &[&place, &idle, &reason])
}

/// What this run comes to, in one or two sentences.
pub fn verdict(recording: &Recording, analysis: &Analysis, lang: Lang) -> String {
    let metrics = &analysis.metrics;
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    if recording.broke_the_context() {
        return lang.text(Key::VerdictBroken).to_owned();
    }
    if metrics.gpu_span.dur() == Ns::ZERO {
        return lang.text(Key::VerdictNoGpu).to_owned();
    }
    let busy = percent(metrics.utilization());
    let worst = metrics.idle_by_cause.iter().max_by_key(|(_, idle)| **idle);
    let Some((cause, idle)) = worst.filter(|_| metrics.utilization() < 0.95) else {
        return lang.fill(Key::VerdictBusy, &[&busy]);
    };
    let share = percent(idle.0 as f64 / metrics.gpu_idle.0.max(1) as f64);
    // The call that the longest bubbles of this cause name stands for all of them.
    let typical = analysis.bubbles.gpu.iter().filter(|b| b.cause == *cause).max_by_key(|b| b.interval.dur());
    let call = typical.and_then(|b| b.host_call).map_or("", |call| recording.name(call));
    let count = analysis.bubbles.gpu.iter().filter(|bubble| bubble.cause == *cause).count() as i64;
    let each = Ns(idle.0 / count.max(1)).to_string();
    let reason = match cause {
        Cause::HostBlocked => lang.fill(Key::VerdictHostBlocked, &[call, &each]),
        Cause::LaunchBound => lang.fill(Key::VerdictLaunchBound, &[&each]),
        other => lang.text(cause_key(*other)).to_owned(),
    };
    lang.fill(Key::VerdictIdle, &[&busy, &idle.to_string(), &share, &reason])
}
