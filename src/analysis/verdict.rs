//! What limits a run, in one sentence.

use super::Analysis;
use super::limit::{Limit, Part, limit};
use crate::recording::{NameId, Recording, SpanKind};
use crate::text::{Key, Lang};
use crate::time::Ns;

/// What takes this share of a run is all that is worth a word.
const NEARLY_ALL: f64 = 0.9;
/// Engines that overlap for less of their time than this do not overlap.
const HARDLY: f64 = 0.03;

/// What limits this run, in one sentence.
pub fn verdict(recording: &Recording, analysis: &Analysis, lang: Lang) -> String {
    let wall = recording.wall.dur();
    let share = |time: Ns| format!("{:.0}%", 100.0 * time.0 as f64 / wall.0.max(1) as f64);
    let fill = |key: Key, values: &[&str]| lang.fill(key, values);
    match limit(recording, analysis) {
        Limit::Broken => lang.text(Key::VerdictBroken).to_owned(),
        Limit::NoGpu => lang.text(Key::VerdictNoGpu).to_owned(),
        Limit::Drained { call, times, each, idle } => {
            let call = recording.name_in(call, lang);
            fill(Key::VerdictDrained, &[call, &each.to_string(), &times.to_string(), &share(idle)])
        }
        Limit::Serial { parts, overlap } => {
            let all: Ns = parts.iter().map(|(_, time)| *time).sum();
            let listed = capital(&list(&parts, |time| time.to_string(), lang));
            match overlap.0 as f64 > HARDLY * all.0 as f64 {
                true => fill(Key::VerdictPartlySerial, &[&listed, &overlap.to_string()]),
                false => fill(Key::VerdictSerial, &[&listed]),
            }
        }
        Limit::Most { part, time, next: Some((next, rest)) }
            if part.is_engine() && time.0 < wall.scale(NEARLY_ALL).0 =>
        {
            let values = [capital(lang.text(key(part))), time.to_string(), wall.to_string(), share(time)];
            let [name, time, wall, own] = values.each_ref().map(String::as_str);
            fill(Key::VerdictEngineNext, &[name, time, wall, own, lang.text(key(next)), &share(rest)])
        }
        Limit::Most { part, time, .. } => most(recording, analysis, part, time, &share(time), lang),
        Limit::Mixed(parts) => fill(Key::VerdictMixed, &[&list(&parts, share, lang)]),
    }
}

fn most(recording: &Recording, analysis: &Analysis, part: Part, time: Ns, share: &str, lang: Lang) -> String {
    let wall = recording.wall.dur().to_string();
    let metrics = &analysis.metrics;
    let each = |time: Ns| Ns(time.0 / metrics.launch.count.max(1) as i64).to_string();
    match part {
        Part::Launching => {
            let values = [each(metrics.host_busy), each(metrics.gpu_busy), share.to_owned()];
            lang.fill(Key::VerdictLaunching, &values.each_ref().map(String::as_str))
        }
        Part::HostWork => {
            let name = longest(recording, SpanKind::Work).map_or("", |name| recording.name_in(name, lang));
            lang.fill(Key::VerdictHostWork, &[name, &time.to_string(), share])
        }
        Part::Allocation => {
            let name = longest(recording, SpanKind::Allocation).map_or("", |name| recording.name_in(name, lang));
            lang.fill(Key::VerdictAllocation, &[name, &time.to_string(), share])
        }
        Part::Gaps => {
            let count = recording.gpu_spans().filter(|span| span.kind.is_gpu_busy()).count();
            let values = [count.to_string(), time.to_string(), share.to_owned(), metrics.gpu_busy.to_string()];
            lang.fill(Key::VerdictGaps, &values.each_ref().map(String::as_str))
        }
        Part::Contention => lang.fill(Key::VerdictContention, &[&time.to_string(), share]),
        Part::Kernels | Part::CopiesIn | Part::CopiesOut | Part::CopiesWithin => {
            let name = capital(lang.text(key(part)));
            lang.fill(Key::VerdictEngine, &[&name, &time.to_string(), &wall, share])
        }
        Part::Turnaround | Part::Order => {
            lang.fill(Key::VerdictWaiting, &[lang.text(key(part)), &time.to_string(), share])
        }
        Part::Unknown => lang.fill(Key::VerdictUnknown, &[share]),
    }
}

/// The name of the host span of that kind that took longest.
fn longest(recording: &Recording, kind: SpanKind) -> Option<NameId> {
    let spans = recording.host_threads().flat_map(|(track, _)| recording.spans_of(track));
    spans.filter(|span| span.kind == kind).max_by_key(|span| span.interval().dur()).map(|span| span.name)
}

fn list(parts: &[(Part, Ns)], shown: impl Fn(Ns) -> String, lang: Lang) -> String {
    let parts = parts.iter().map(|(part, time)| format!("{} {}", lang.text(key(*part)), shown(*time)));
    lang.list(&parts.collect::<Vec<_>>())
}

fn key(part: Part) -> Key {
    match part {
        Part::CopiesIn => Key::PartCopiesIn,
        Part::Kernels => Key::PartKernels,
        Part::CopiesWithin => Key::PartCopiesWithin,
        Part::CopiesOut => Key::PartCopiesOut,
        Part::Launching => Key::PartLaunching,
        Part::HostWork => Key::PartHostWork,
        Part::Allocation => Key::PartAllocation,
        Part::Gaps => Key::PartGaps,
        Part::Contention => Key::PartContention,
        Part::Turnaround => Key::PartTurnaround,
        Part::Order => Key::PartOrder,
        Part::Unknown => Key::PartUnknown,
    }
}

/// As at the beginning of a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
