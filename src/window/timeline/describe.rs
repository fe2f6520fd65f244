//! What is known about something in the timeline, in words: for the tooltip and the inspector.

use super::describe_memory;
use super::description_card::Description;
use crate::analysis::{cause_key, error_cause, sentence};
use crate::drawing::{Category, Hit};
use crate::recording::{Cause, Executor, Span, SpanKind};
use crate::text::{Key, Lang};
use crate::time::Ns;
use crate::window::shown_run::ShownRun;

/// Describes what is at `hit`.
pub(in crate::window) fn describe(run: &ShownRun, hit: Hit, lang: Lang) -> Option<Description> {
    match hit {
        Hit::Span { lane, span } => Some(describe_span(run, lane, &run.span(lane, span)?, lang)),
        Hit::Bubble { lane, bubble } => {
            let bubble = run.prepared.bubbles(lane).get(bubble)?;
            Some(Description {
                title: lang.fill(Key::IdleBecause, &[lang.text(cause_key(bubble.cause))]),
                facts: vec![
                    (Key::FactDuration, bubble.interval.dur().to_string()),
                    (Key::FactStart, bubble.interval.start.to_string()),
                    (Key::FactNext, run.recording.name_in(bubble.next_name, lang).to_owned()),
                ],
                sentence: Some(sentence(&run.recording, &run.analysis.bubbles, bubble, lang)),
                origin: None,
            })
        }
        Hit::Error { error } => describe_error(run, error, lang),
        Hit::Queue { depth } => Some(Description {
            title: lang.text(Key::LaneQueue).to_owned(),
            facts: vec![(Key::FactDepth, depth.to_string())],
            ..Description::default()
        }),
        Hit::Sms { busy } => Some(Description {
            title: lang.text(Key::LaneSms).to_owned(),
            facts: vec![(Key::FactBusySms, busy.to_string())],
            ..Description::default()
        }),
        Hit::Block { block } => describe_memory::block(run, block, lang),
        Hit::Segment { segment } => describe_memory::cached(run, segment, lang),
        Hit::Memory { allocated, reserved } => Some(describe_memory::held(allocated, reserved, lang)),
    }
}

fn describe_error(run: &ShownRun, number: usize, lang: Lang) -> Option<Description> {
    let error = run.recording.errors.get(number)?;
    let mut facts = vec![(Key::FactCall, error.at.label.get(lang).to_owned())];
    facts.extend(run.prepared.error(number).map(|mark| (Key::FactStart, mark.time.start.to_string())));
    Some(Description {
        title: error.title(),
        facts,
        sentence: Some(error_cause(error, None, lang)),
        origin: Some(error.at.path.clone()),
    })
}

fn describe_span(run: &ShownRun, lane: usize, span: &Span, lang: Lang) -> Description {
    let recording = &run.recording;
    let on_host = recording.track_of(lane).is_some_and(|track| track.host_thread().is_some());
    let mut facts = vec![
        (Key::FactDuration, span.interval().dur().to_string()),
        (Key::FactStart, span.start.to_string()),
        (Key::FactKind, lang.text(Category::of(span.kind).key()).to_owned()),
    ];
    if on_host {
        let above = (span.call - span.start).max(Ns::ZERO);
        if matches!(span.kind, SpanKind::Call | SpanKind::Allocation) && above > Ns::ZERO {
            // A GPU run spends this time in a busy wait.
            let key = if recording.source.executor == Executor::Gpu { Key::FactAboveEmulated } else { Key::FactAbove };
            facts.push((key, above.to_string()));
            facts.push((Key::FactInCall, (span.end - span.call).to_string()));
        }
    } else {
        facts.extend(launch_facts(run, span, lang));
    }
    let origin = recording.origin(span.correlation).map(|origin| {
        let iterations: Vec<String> = origin.iter.iter().map(u32::to_string).collect();
        if iterations.is_empty() { origin.path } else { format!("{} [{}]", origin.path, iterations.join(", ")) }
    });
    Description { title: recording.name_in(span.name, lang).to_owned(), facts, sentence: None, origin }
}

/// What went before work on the GPU.
fn launch_facts(run: &ShownRun, span: &Span, lang: Lang) -> Vec<(Key, String)> {
    let mut facts = vec![(Key::FactLatency, span.launch_latency().to_string())];
    if let Some(call) = run.host_call(span.correlation) {
        facts.push((Key::FactHostTime, call.interval().dur().to_string()));
    }
    // After the last of these it began: units that were taken, the work before it, or its own call.
    let held_by = match span.held_by {
        Cause::LaunchLatency if span.released > span.call => span.released_by,
        other => other,
    };
    facts.push((Key::FactHeldBy, lang.text(cause_key(held_by)).to_owned()));
    facts
}
