//! Sentences: why this bubble.

use super::{Bubble, Bubbles, Place};
use crate::recording::{Cause, Recording, Track};
use crate::text::{Key, Lang};

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
    lang.fill(Key::BubbleStages, &[&sentence, &lang.list(&listed.collect::<Vec<_>>())])
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
