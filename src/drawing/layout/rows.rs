//! Which lanes there are, what they are called, and where they stand.

use super::super::drawable::Rect;
use super::super::view::TimeScale;
use super::{LaneMetrics, Options, Prepared, spans};
use crate::recording::{Engine, Recording, Track, TrackKind, stream_below, stream_in_words};
use crate::scenario::LaneKind;
use crate::text::{Key, Lang};

/// What a lane of the picture shows. The numbers are indices into the recording's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// What a host thread did.
    Host(usize),
    /// Stretches of a host thread that have names.
    Regions(usize),
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

impl RowKind {
    /// Index of the recording's lane that is shown.
    pub fn lane(self) -> Option<usize> {
        match self {
            Self::Host(lane) | Self::Regions(lane) | Self::Stream(lane) | Self::Copy(lane) => Some(lane),
            Self::Queue | Self::Sms | Self::Memory | Self::MemoryUse => None,
        }
    }

    /// What kind of lane that is.
    pub fn kind(self) -> LaneKind {
        match self {
            Self::Host(_) | Self::Regions(_) => LaneKind::Host,
            Self::Queue => LaneKind::Queue,
            Self::Stream(_) => LaneKind::Streams,
            Self::Copy(_) => LaneKind::Copies,
            Self::Sms => LaneKind::Sms,
            Self::Memory | Self::MemoryUse => LaneKind::Memory,
        }
    }

    /// Name and under-title in `lang`.
    pub(super) fn names(self, recording: &Recording, lang: Lang) -> (String, String) {
        let (title, under) = match self {
            Self::Sms => (Key::LaneSms, Key::LaneSmsUnder),
            Self::Memory => (Key::LaneMemory, Key::LaneMemoryUnder),
            Self::MemoryUse => (Key::LaneMemoryUse, Key::LaneMemoryUseUnder),
            Self::Host(_) | Self::Queue | Self::Regions(_) | Self::Stream(_) | Self::Copy(_) => {
                (Key::LaneQueue, Key::LaneQueueUnder)
            }
        };
        let lane = self.lane().and_then(|lane| recording.lanes.get(lane));
        let Some((lane, track)) = lane.and_then(|lane| Some((lane, recording.tracks.get(lane.track.index())?))) else {
            return (lang.text(title).to_owned(), lang.text(under).to_owned());
        };
        let (title, under) = track_names(recording, track, lang);
        match lane.depth {
            0 => (title, under),
            depth => (lang.fill(Key::LaneRow, &[&title, &(depth + 1).to_string()]), under),
        }
    }
}

/// What kind of lanes a track has.
pub(super) fn lane_kind(track: TrackKind) -> LaneKind {
    match track {
        TrackKind::HostThread { .. } | TrackKind::Regions { .. } => LaneKind::Host,
        TrackKind::Stream { .. } => LaneKind::Streams,
        TrackKind::CopyEngine { .. } => LaneKind::Copies,
    }
}

/// What the lanes of a track are called.
pub fn track_title(recording: &Recording, track: &Track, lang: Lang) -> String {
    track_names(recording, track, lang).0
}

/// Name and under-title of a track.
fn track_names(recording: &Recording, track: &Track, lang: Lang) -> (String, String) {
    let name = track.name();
    let or = |key: Key| if name.is_empty() { lang.text(key).to_owned() } else { thread_name(&name, lang) };
    let of_device = |title: String| match track.device {
        Some(device) => lang.fill(Key::LaneOfDevice, &[&title, &device.to_string()]),
        None => title,
    };
    match track.kind {
        TrackKind::HostThread { thread } => {
            let only = recording.host_threads().count() == 1;
            let title =
                if only { lang.text(Key::LaneHost).to_owned() } else { fill(lang, Key::LaneHostThread, thread) };
            (title, or(Key::LaneHostUnder))
        }
        TrackKind::Regions { .. } => (lang.text(Key::LaneRegions).to_owned(), thread_name(&name, lang)),
        TrackKind::Stream { stream, .. } => (of_device(stream_title(stream, lang)), stream_below(&name, lang)),
        TrackKind::CopyEngine { engine: Engine::H2D } => {
            (of_device(lang.text(Key::LaneCopyH2D).to_owned()), or(Key::LaneCopyUnder))
        }
        TrackKind::CopyEngine { engine: Engine::D2H } => {
            (of_device(lang.text(Key::LaneCopyD2H).to_owned()), or(Key::LaneCopyUnder))
        }
    }
}

/// What a host thread is called: one that has only a number, in words of the language.
fn thread_name(name: &str, lang: Lang) -> String {
    let number = name.strip_prefix(&Lang::En.fill(Key::ThreadNumbered, &[""]));
    match number.filter(|number| number.parse::<i64>().is_ok()) {
        Some(number) => lang.fill(Key::ThreadNumbered, &[number]),
        None => name.to_owned(),
    }
}

fn stream_title(stream: u32, lang: Lang) -> String {
    if stream == 0 { lang.text(Key::LaneStreamDefault).to_owned() } else { fill(lang, Key::LaneStream, stream) }
}

/// What a sentence calls a stream, by its name in the program; without a name of its own, what its lane is called.
pub fn stream_name(recording: &Recording, stream: u32, lang: Lang) -> String {
    let own = recording.streams().find(|(_, track)| track.stream() == Some(stream));
    let named = own.map(|(_, track)| track.name()).filter(|name| !name.is_empty());
    named.map_or_else(|| stream_title(stream, lang), |name| stream_in_words(&name, lang))
}

/// Several streams by name.
pub fn stream_names(recording: &Recording, streams: &[u32], lang: Lang) -> String {
    let names: Vec<String> = streams.iter().map(|&stream| stream_name(recording, stream, lang)).collect();
    lang.list(&names)
}

fn fill(lang: Lang, key: Key, number: u32) -> String {
    lang.fill(key, &[&number.to_string()])
}

/// The rows of `recording` from top to bottom: tracks on which something happened, the launch queue below the host threads.
fn rows(recording: &Recording, prepared: &Prepared) -> Vec<RowKind> {
    let mut rows = Vec::new();
    let used = |wanted: fn(TrackKind) -> bool| {
        let lanes = recording.lanes.iter().enumerate().filter(|(_, lane)| !lane.spans.is_empty());
        lanes.filter(move |(index, _)| recording.track_of(*index).is_some_and(|track| wanted(track.kind)))
    };
    let is_host = |kind| matches!(kind, TrackKind::HostThread { .. } | TrackKind::Regions { .. });
    rows.extend(used(is_host).map(|(index, _)| match recording.track_of(index).map(|track| track.kind) {
        Some(TrackKind::Regions { .. }) => RowKind::Regions(index),
        _ => RowKind::Host(index),
    }));
    if !prepared.queue.steps.is_empty() {
        rows.push(RowKind::Queue);
    }
    rows.extend(used(|kind| matches!(kind, TrackKind::Stream { .. })).map(|(index, _)| RowKind::Stream(index)));
    rows.extend(used(|kind| matches!(kind, TrackKind::CopyEngine { .. })).map(|(index, _)| RowKind::Copy(index)));
    if !prepared.sms.is_empty() {
        rows.push(RowKind::Sms);
    }
    if !prepared.memory.is_empty() {
        rows.push(RowKind::Memory);
        if !prepared.memory.is_steady {
            rows.push(RowKind::MemoryUse);
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
) -> Vec<PlacedRow> {
    let mut rows = rows(recording, prepared);
    rows.retain(|row| !options.hidden.contains(row.kind()));
    // Folded, the one lane says what the other would.
    rows.retain(|row| *row != RowKind::MemoryUse || !options.folded.contains(LaneKind::Memory));
    let track = |row: Option<&RowKind>| recording.lanes.get(row?.lane()?).map(|lane| lane.track);
    let mut y = within.y;
    let place = |index: usize| {
        let row = *rows.get(index)?;
        let own = track(Some(&row));
        let same = |other: Option<&RowKind>| own.is_some() && track(other) == own;
        let neighbours = Neighbours {
            above: index.checked_sub(1).is_some_and(|above| same(rows.get(above))),
            below: same(rows.get(index + 1)),
        };
        let is_folded = options.folded.contains(row.kind());
        let has_captions = !is_folded && !neighbours.below && has_captions(row, prepared, options, scale, within.w);
        let within = Rect { y, ..within };
        let placed = if is_folded {
            PlacedRow::folded(row, neighbours, within, options.metrics())
        } else {
            PlacedRow::new(row, prepared, neighbours, has_captions, within, options.metrics())
        };
        y = placed.bottom;
        Some(placed)
    };
    (0..rows.len()).filter_map(place).collect()
}

/// Whether the rows above and below are of the same track.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    above: bool,
    below: bool,
}

/// Whether room is needed below `row` for the durations of bubbles.
fn has_captions(row: RowKind, prepared: &Prepared, options: &Options<'_>, scale: TimeScale, width: f32) -> bool {
    let RowKind::Stream(index) = row else { return false };
    let Some(track) = prepared.track(index).filter(|track| !track.bubbles.is_empty()) else { return false };
    options.steady || spans::has_captions(track, options, scale, width)
}

/// A row and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedRow {
    pub(super) row: RowKind,
    /// The box.
    pub(super) rect: Rect,
    /// Where spans are drawn.
    pub(super) inner: Rect,
    /// Where the next row begins.
    pub(super) bottom: f32,
    /// Whether it is the first row of its track, and the last.
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    /// Whether it is only a strip, without words.
    pub(super) is_folded: bool,
    pub(super) metrics: LaneMetrics,
}

impl PlacedRow {
    /// Puts `row` at the upper edge of `within`.
    fn new(
        row: RowKind,
        prepared: &Prepared,
        neighbours: Neighbours,
        has_captions: bool,
        within: Rect,
        metrics: LaneMetrics,
    ) -> Self {
        const GAP: f32 = 5.0;
        /// Between rows of one track.
        const SEAM: f32 = 1.0;
        /// The durations of bubbles stand there.
        const CAPTION: f32 = 10.0;
        let is_alone = !neighbours.above && !neighbours.below;
        let (height, inset) = match row {
            RowKind::Host(_) | RowKind::Regions(_) | RowKind::Stream(_) | RowKind::Copy(_) if !is_alone => (20.0, 2.0),
            RowKind::Host(_) => (38.0, 3.0),
            RowKind::Queue => (26.0, 3.0),
            RowKind::Stream(_) => (34.0, 3.0),
            RowKind::Copy(_) => (26.0, 3.0),
            RowKind::Regions(_) => (20.0, 2.0),
            RowKind::Sms => (58.0, 3.0),
            RowKind::Memory => (memory_height(prepared), 3.0),
            RowKind::MemoryUse => (34.0, 3.0),
        };
        let rect = Rect { h: (height * metrics.scale * metrics.stretch).round(), ..within };
        let below = match (neighbours.below, has_captions) {
            (true, _) => SEAM,
            (false, true) => GAP + CAPTION,
            (false, false) => GAP,
        };
        let y = rect.y + inset * metrics.scale;
        let inner = Rect { y, h: rect.h - 2.0 * inset * metrics.scale, ..rect };
        let bottom = rect.bottom() + (below * metrics.scale).round();
        let (is_first, is_last) = (!neighbours.above, !neighbours.below);
        Self { row, rect, inner, bottom, is_first, is_last, is_folded: false, metrics }
    }

    /// Puts `row` there as a thin strip. It does not grow where there is room.
    fn folded(row: RowKind, neighbours: Neighbours, within: Rect, metrics: LaneMetrics) -> Self {
        const HEIGHT: f32 = 11.0;
        const SEAM: f32 = 1.0;
        const GAP: f32 = 4.0;
        let (is_first, is_last) = (!neighbours.above, !neighbours.below);
        let height = if is_first && is_last { HEIGHT } else { HEIGHT / 2.0 };
        let rect = Rect { h: (height * metrics.scale).round(), ..within };
        let below = if is_last { GAP } else { SEAM };
        let bottom = rect.bottom() + (below * metrics.scale).round();
        Self {
            row,
            rect,
            inner: Rect { y: rect.y + 1.0, h: rect.h - 2.0, ..rect },
            bottom,
            is_first,
            is_last,
            is_folded: true,
            metrics,
        }
    }
}

/// Where nothing comes or goes, the memory lane only says who holds what; otherwise its bands should be told apart.
fn memory_height(prepared: &Prepared) -> f32 {
    const LOW: f32 = 30.0;
    if prepared.memory.is_steady { LOW } else { (22.0 * prepared.memory.bands() as f32).clamp(58.0, 104.0) }
}
