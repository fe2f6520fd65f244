//! Which lanes there are, what they are called, and where they stand.

use super::super::drawable::Rect;
use super::super::view::TimeScale;
use super::{Metrics, Options, Prepared, spans};
use crate::recording::{Engine, Lane, LaneKind, Recording};
use crate::text::{Key, Lang};

/// What a lane of the picture shows. The numbers are indices into the recording's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// What a host thread did.
    Host(usize),
    /// Depth of the launch queue.
    Queue,
    /// What a stream executed.
    Stream(usize),
    /// What a copy engine executed.
    Copy(usize),
    /// Which SMs had a block.
    Sms,
    /// What the caching allocator held, over its address space.
    Memory,
    /// How many bytes that was.
    MemoryUse,
}

impl Row {
    /// Index of the recording's lane that is shown.
    pub fn lane(self) -> Option<usize> {
        match self {
            Self::Host(lane) | Self::Stream(lane) | Self::Copy(lane) => Some(lane),
            Self::Queue | Self::Sms | Self::Memory | Self::MemoryUse => None,
        }
    }

    /// Name and under-title in `lang`.
    pub(super) fn names(self, recording: &Recording, lang: Lang) -> (String, String) {
        let (title, under) = match self {
            Self::Sms => (Key::LaneSms, Key::LaneSmsUnder),
            Self::Memory => (Key::LaneMemory, Key::LaneMemoryUnder),
            Self::MemoryUse => (Key::LaneMemoryUse, Key::LaneMemoryUseUnder),
            Self::Host(_) | Self::Queue | Self::Stream(_) | Self::Copy(_) => (Key::LaneQueue, Key::LaneQueueUnder),
        };
        let Some(lane) = self.lane().and_then(|lane| recording.lanes.get(lane)) else {
            return (lang.text(title).to_owned(), lang.text(under).to_owned());
        };
        let or = |key: Key| if lane.name.is_empty() { lang.text(key).to_owned() } else { lane.name.clone() };
        match lane.kind {
            LaneKind::HostThread { thread } => {
                let only = recording.host_threads().count() == 1;
                let title = if only {
                    lang.text(Key::LaneHost).to_owned()
                } else {
                    fill(lang, Key::LaneHostThread, thread.into())
                };
                (title, or(Key::LaneHostUnder))
            }
            LaneKind::Stream { stream, .. } => (stream_title(stream, lang), lane.name.clone()),
            LaneKind::CopyEngine { engine: Engine::H2D } => {
                (lang.text(Key::LaneCopyH2D).to_owned(), or(Key::LaneCopyUnder))
            }
            LaneKind::CopyEngine { engine: Engine::D2H } => {
                (lang.text(Key::LaneCopyD2H).to_owned(), or(Key::LaneCopyUnder))
            }
        }
    }
}

fn stream_title(stream: u32, lang: Lang) -> String {
    if stream == 0 { lang.text(Key::LaneStreamDefault).to_owned() } else { fill(lang, Key::LaneStream, stream) }
}

/// What the program calls a stream; without a name of its own, what its lane is called.
pub fn stream_name(recording: &Recording, stream: u32, lang: Lang) -> String {
    let is_it = |lane: &&Lane| matches!(lane.kind, LaneKind::Stream { stream: it, .. } if it == stream);
    let named = recording.lanes.iter().find(is_it).filter(|lane| !lane.name.is_empty());
    named.map_or_else(|| stream_title(stream, lang), |lane| lane.name.clone())
}

/// Several streams by name.
pub fn stream_names(recording: &Recording, streams: &[u32], lang: Lang) -> String {
    let names: Vec<String> = streams.iter().map(|&stream| stream_name(recording, stream, lang)).collect();
    names.join(", ")
}

fn fill(lang: Lang, key: Key, number: u32) -> String {
    lang.fill(key, &[&number.to_string()])
}

/// The rows of `recording` from top to bottom: lanes on which something happened, the launch queue below the host threads.
fn rows(recording: &Recording, prepared: &Prepared) -> Vec<Row> {
    let mut rows = Vec::new();
    let used = || recording.lanes.iter().enumerate().filter(|(_, lane)| !lane.spans.is_empty());
    rows.extend(used().filter(|(_, lane)| matches!(lane.kind, LaneKind::HostThread { .. })).map(|(i, _)| Row::Host(i)));
    if !prepared.queue.is_empty() {
        rows.push(Row::Queue);
    }
    rows.extend(used().filter(|(_, lane)| matches!(lane.kind, LaneKind::Stream { .. })).map(|(i, _)| Row::Stream(i)));
    rows.extend(used().filter(|(_, lane)| matches!(lane.kind, LaneKind::CopyEngine { .. })).map(|(i, _)| Row::Copy(i)));
    if !prepared.sms.is_empty() {
        rows.push(Row::Sms);
    }
    if !prepared.memory.is_empty() {
        rows.push(Row::Memory);
        if !prepared.memory.is_steady {
            rows.push(Row::MemoryUse);
        }
    }
    rows
}

/// The rows and their places, from the upper edge of `within` on.
pub(super) fn placed(
    recording: &Recording,
    prepared: &Prepared,
    options: &Options<'_>,
    scale: TimeScale,
    within: Rect,
) -> Vec<Placed> {
    let mut y = within.y;
    let place = |row| {
        let has_captions = has_captions(row, prepared, options, scale, within.w);
        let placed = Placed::new(row, prepared, has_captions, Rect { y, ..within }, options.metrics());
        y = placed.bottom;
        placed
    };
    rows(recording, prepared).into_iter().map(place).collect()
}

/// Whether room is needed below `row` for the durations of bubbles.
fn has_captions(row: Row, prepared: &Prepared, options: &Options<'_>, scale: TimeScale, width: f32) -> bool {
    let Row::Stream(index) = row else { return false };
    let Some(lane) = prepared.lanes.get(index).filter(|lane| !lane.bubbles.is_empty()) else { return false };
    options.steady || spans::has_captions(lane, options, scale, width)
}

/// A row and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) row: Row,
    /// The box.
    pub(super) rect: Rect,
    /// Where spans are drawn.
    pub(super) inner: Rect,
    /// Where the next row begins.
    pub(super) bottom: f32,
    pub(super) metrics: Metrics,
}

impl Placed {
    /// Puts `row` at the upper edge of `within`.
    fn new(row: Row, prepared: &Prepared, has_captions: bool, within: Rect, metrics: Metrics) -> Self {
        const GAP: f32 = 5.0;
        /// The durations of bubbles stand there.
        const CAPTION: f32 = 10.0;
        let (height, inset) = match row {
            Row::Host(_) => (38.0, 3.0),
            Row::Queue => (26.0, 3.0),
            Row::Stream(_) => (34.0, 3.0),
            Row::Copy(_) => (26.0, 3.0),
            Row::Sms => (58.0, 3.0),
            Row::Memory => (memory_height(prepared), 3.0),
            Row::MemoryUse => (34.0, 3.0),
        };
        let rect = Rect { h: (height * metrics.scale * metrics.stretch).round(), ..within };
        let below = if has_captions { GAP + CAPTION } else { GAP };
        let y = rect.y + inset * metrics.scale;
        let inner = Rect { y, h: rect.h - 2.0 * inset * metrics.scale, ..rect };
        Self { row, rect, inner, bottom: rect.bottom() + (below * metrics.scale).round(), metrics }
    }
}

/// Where nothing comes or goes, the memory lane only says who holds what; otherwise its bands should be told apart.
fn memory_height(prepared: &Prepared) -> f32 {
    const LOW: f32 = 30.0;
    if prepared.memory.is_steady { LOW } else { (22.0 * prepared.memory.bands() as f32).clamp(58.0, 104.0) }
}
