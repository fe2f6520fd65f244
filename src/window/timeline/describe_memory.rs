//! What is known about a memory block, and about a cached part of a segment, in words.

use super::description_card::Description;
use crate::bytes::Bytes;
use crate::drawing::layout::{stream_name, stream_names};
use crate::recording::{MemoryBlock, Segment};
use crate::text::{Key, Lang};
use crate::time::Interval;
use crate::window::shown_run::ShownRun;

/// Describes a block of the memory map.
pub(super) fn block(run: &ShownRun, block: usize, lang: Lang) -> Option<Description> {
    let map = &run.recording.memory_map;
    let block = map.blocks.get(block)?;
    let name = run.recording.name(block.owner);
    let streams = block.waits_for.as_ref().map(|streams| stream_names(&run.recording, streams, lang));
    let (state, sentence) = match streams {
        None => (lang.fill(Key::StateOwned, &[name]), None),
        Some(none) if none.is_empty() => {
            (lang.text(Key::StateDeferred).to_owned(), Some(lang.text(Key::WhyMemoryDeferred).to_owned()))
        }
        Some(streams) => (lang.fill(Key::StateWaiting, &[&streams]), Some(lang.fill(Key::WhyMemoryWaits, &[&streams]))),
    };
    let time = Interval::new(block.start, block.end);
    let mut facts = vec![
        (Key::FactState, state),
        (Key::FactDuration, time.dur().to_string()),
        (Key::FactStart, time.start.to_string()),
        (Key::FactSize, Bytes(block.bytes).to_string()),
        (Key::FactAddress, format!("{:#x}", block.address)),
    ];
    if let Some(segment) = map.segments.iter().find(|segment| holds(segment, block)) {
        facts.extend(segment_facts(run, segment, lang));
    }
    Some(Description { title: name.to_owned(), facts, sentence, origin: None })
}

/// Describes a part of a segment that nobody has.
pub(super) fn cached(run: &ShownRun, segment: usize, lang: Lang) -> Option<Description> {
    let segment = run.recording.memory_map.segments.get(segment)?;
    let mut facts = vec![(Key::FactAddress, format!("{:#x}", segment.address))];
    facts.extend(segment_facts(run, segment, lang));
    let stream = stream_name(&run.recording, segment.stream, lang);
    Some(Description {
        title: lang.text(Key::StateCached).to_owned(),
        facts,
        sentence: Some(lang.fill(Key::WhyMemoryCached, &[&stream])),
        origin: None,
    })
}

/// Describes how much was held.
pub(super) fn held(allocated: u64, reserved: u64, lang: Lang) -> Description {
    let facts = [(Key::FactAllocated, allocated), (Key::FactReserved, reserved)];
    Description {
        title: lang.text(Key::LaneMemoryUse).to_owned(),
        facts: facts.into_iter().map(|(key, bytes)| (key, Bytes(bytes).to_string())).collect(),
        ..Description::default()
    }
}

fn segment_facts(run: &ShownRun, segment: &Segment, lang: Lang) -> Vec<(Key, String)> {
    let mut facts = vec![
        (Key::FactSegment, Bytes(segment.bytes).to_string()),
        (Key::FactSegmentStream, stream_name(&run.recording, segment.stream, lang)),
    ];
    if segment.pool != 0 {
        facts.push((Key::FactPool, segment.pool.to_string()));
    }
    facts
}

fn holds(segment: &Segment, block: &MemoryBlock) -> bool {
    let end = segment.address.saturating_add(segment.bytes);
    (segment.address..end).contains(&block.address) && segment.start <= block.start && block.start < segment.end
}
