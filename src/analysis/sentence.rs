//! Sentences: why this bubble, and what this run comes to.

use super::{Analysis, Bubble, Bubbles, Place};
use crate::recording::{Cause, Recording, Track};
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
        Cause::LaunchLatency => Key::CauseLaunchLatency,
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
        Cause::LaunchLatency => Key::WhyLaunchBound,
    }
}

/// Why this bubble, in one sentence with its numbers, and where it has several stages, those.
pub fn sentence(recording: &Recording, bubbles: &Bubbles, bubble: &Bubble, lang: Lang) -> String {
    let place = match bubble.place {
        Place::Gpu => lang.text(Key::PlaceGpu).to_owned(),
        Place::Stream(track) => recording.tracks.get(track.index()).map_or_else(String::new, |it| stream(it, lang)),
    };
    let next = recording.name_in(bubble.next_name, lang);
    // Who waited for the GPU has nothing queued, however long launching then takes.
    let (why, call) = match bubble.waited_in {
        Some(call) if bubble.cause == Cause::LaunchBound => (Key::WhyHostBlocked, Some(call)),
        _ => (why(bubble.cause), bubble.host_call),
    };
    let call = call.map_or("", |call| recording.name_in(call, lang));
    let stages = bubbles.stages(bubble);
    let blocked = bubbles.time(bubble, Cause::HostBlocked);
    let work = bubbles.time(bubble, Cause::HostWork) + bubbles.time(bubble, Cause::Allocation);
    let launching = bubbles.time(bubble, Cause::LaunchBound) + bubbles.time(bubble, Cause::LaunchLatency);
    // What the host did besides is what the launch waited for, unless a wait for the GPU is told.
    let launching = if why == Key::WhyHostBlocked { launching } else { launching + work };
    let reason = lang.fill(why, &[next, call, &blocked.to_string(), &launching.to_string()]);
    let sentence = lang.fill(Key::BubbleSentence, &[&place, &bubble.interval.dur().to_string(), &reason]);
    if stages.len() < 2 {
        return sentence;
    }
    let listed = stages.iter().map(|stage| format!("{} {}", lang.text(cause_key(stage.cause)), stage.dur));
    let separator = if lang == Lang::En { ", " } else { "，" };
    lang.fill(Key::BubbleStages, &[&sentence, &listed.collect::<Vec<_>>().join(separator)])
}

/// What a stream is called; where there are several GPUs, with its own.
fn stream(track: &Track, lang: Lang) -> String {
    let name = match track.stream() {
        None | Some(0) => lang.text(Key::LaneStreamDefault).to_owned(),
        Some(stream) => lang.fill(Key::LaneStream, &[&stream.to_string()]),
    };
    match track.device {
        Some(device) => lang.fill(Key::LaneOfDevice, &[&name, &device.to_string()]),
        None => name,
    }
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
    let because = |idle: Ns, reason: &str| {
        let share = percent(idle.0 as f64 / metrics.gpu_idle.0.max(1) as f64);
        lang.fill(Key::VerdictIdle, &[&busy, &idle.to_string(), &share, reason])
    };
    if let Some((idle, reason)) = drained(recording, analysis, *cause, lang) {
        return because(idle, &reason);
    }
    let bubbles = &analysis.bubbles;
    let count = bubbles.gpu.iter().filter(|bubble| bubbles.time(bubble, *cause) > Ns::ZERO).count() as i64;
    let each = Ns(idle.0 / count.max(1)).to_string();
    let reason = match cause {
        Cause::LaunchBound => lang.fill(Key::VerdictLaunchBound, &[&each]),
        other => lang.text(cause_key(*other)).to_owned(),
    };
    because(*idle, &reason)
}

/// Where most of the time that the GPU waited for the host followed upon waits of the host for the GPU, as after `.item()`: those
/// waits. `None` where `cause` is not the host's, or most of it has nothing to do with them.
fn drained(recording: &Recording, analysis: &Analysis, cause: Cause, lang: Lang) -> Option<(Ns, String)> {
    if !matches!(cause, Cause::HostBlocked | Cause::LaunchBound) {
        return None;
    }
    let bubbles = &analysis.bubbles;
    let of_host = |bubble: &&Bubble| bubbles.time(bubble, cause) > Ns::ZERO;
    // Work of the host's own is no part of it.
    let stages = [Cause::HostBlocked, Cause::LaunchBound, Cause::LaunchLatency];
    let time = |bubble: &Bubble| stages.iter().map(|cause| bubbles.time(bubble, *cause)).sum::<Ns>();
    let all: Ns = bubbles.gpu.iter().filter(of_host).map(time).sum();
    let after_waits = || bubbles.gpu.iter().filter(of_host).filter(|bubble| bubble.waited_in.is_some());
    let drained: Ns = after_waits().map(time).sum();
    // The call before the longest of them stands for all.
    let typical = after_waits().max_by_key(|bubble| time(bubble)).filter(|_| drained.0 * 2 > all.0)?;
    let each = Ns(drained.0 / after_waits().count().max(1) as i64).to_string();
    let call = recording.name_in(typical.waited_in?, lang);
    Some((drained, lang.fill(Key::VerdictHostBlocked, &[call, &each])))
}
