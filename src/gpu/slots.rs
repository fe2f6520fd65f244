//! Where a traced run keeps what the instruments say: for each operation slots for the stamps of its blocks, or two events.
//!
//! A kernel node of a graph writes the same slots at each replay. The last node of a captured graph therefore copies them
//! away, to an entry of its own for each replay: measured on an H200, that costs 1 µs a replay and nothing a node.

use std::collections::BTreeMap;

use super::GpuError;
use super::driver::{Answer, Code, DeviceMemory, Event};
use super::plans::{Plans, Work};
use super::session::Session;
use crate::program::{Action, GraphId, Program};
use crate::recording::Instrument;

/// What one block of a kernel wrote: `Stamp` in `kernels/stamp.cuh`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Slot {
    /// `%globaltimer` at its start, in ns.
    pub start: u64,
    /// How long it ran, in ns, in the upper 48 bits; number of its SM in the lower 16.
    dur_sm: u64,
}

impl Slot {
    /// How long it ran, in ns.
    pub fn dur_ns(&self) -> u64 {
        self.dur_sm >> 16
    }

    /// Number of its SM.
    pub fn sm(&self) -> u32 {
        (self.dur_sm & 0xffff) as u32
    }

    /// `%globaltimer` at its end, in ns.
    pub fn end(&self) -> u64 {
        self.start.wrapping_add(self.dur_ns())
    }

    #[cfg(test)]
    pub fn of_test(start: u64, end: u64) -> Self {
        Self { start, dur_sm: (end - start) << 16 }
    }
}

/// Size of a [`Slot`].
pub(super) const BYTES: u64 = size_of::<Slot>() as u64;

/// Most bytes for slots; more is refused.
const MOST_BYTES: u64 = 4 << 30;

/// How an operation is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mark {
    /// Not at all.
    #[default]
    None,
    /// Its blocks write these slots.
    Stamps { first: u32, count: u32 },
    /// It stands between two events, or in a graph between two ticks.
    Between { events: u32, ticks: u32 },
}

/// A capture and its replays.
#[derive(Debug)]
pub(super) struct Capture {
    /// First slot of its nodes.
    pub first: u32,
    /// Number of slots.
    pub count: u32,
    /// One entry of `count` slots for each replay.
    pub history: DeviceMemory,
    /// Number of entries.
    pub replays: u32,
    /// Entries written so far, and a ticket for the blocks of the copy.
    pub counter: DeviceMemory,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Slots {
    /// How the GPU is watched.
    pub instrument: Instrument,
    marks: Vec<Mark>,
    /// What the blocks write.
    pub memory: DeviceMemory,
    /// By the index of the operation that begins the capture.
    pub captures: BTreeMap<usize, Capture>,
    /// All events.
    pub events: Vec<Event>,
}

impl Slots {
    /// Makes what `layout` says, which has been found to fit.
    pub fn new(layout: Layout) -> Result<Self, GpuError> {
        let capture = |(first, count, replays): (u64, u64, u64)| -> Answer<Capture> {
            let history = DeviceMemory::zeroed(count * replays * BYTES)?;
            let [first, count, replays] = [first, count, replays].map(|number| number as u32);
            Ok(Capture { first, count, history, replays, counter: DeviceMemory::zeroed(16)? })
        };
        let captures =
            layout.captures.into_iter().map(|(begin, plan)| Ok((begin, capture(plan)?))).collect::<Answer<_>>();
        let events = (0..layout.events).map(|_| Event::new(true, false)).collect::<Answer<_>>();
        Ok(Self {
            instrument: layout.instrument,
            marks: layout.marks,
            memory: DeviceMemory::zeroed(layout.slots * BYTES).map_err(refused)?,
            captures: captures.map_err(refused)?,
            events: events.map_err(refused)?,
        })
    }

    /// Number of slots in all.
    pub fn count(&self) -> u64 {
        self.memory.bytes() / BYTES
    }

    /// Whether what cannot stamp stands between ticks when it is a node of a graph.
    pub fn captured_by_ticks(&self) -> bool {
        self.instrument == Instrument::Stamps
    }

    /// How the operation at `index` is watched.
    pub fn mark(&self, index: usize) -> Mark {
        self.marks.get(index).copied().unwrap_or_default()
    }

    /// Device address of a slot.
    pub fn address(&self, slot: u32) -> u64 {
        self.memory.address() + u64::from(slot) * BYTES
    }
}

fn refused(code: Code) -> GpuError {
    code.while_trying("give memory to the instruments")
}

/// What is needed, before anything is allocated. Slots are counted in 64 bits; a [`Mark`] keeps 32 of them, which hold any
/// number that [`Layout::fitting`] lets pass.
#[derive(Debug)]
pub(super) struct Layout {
    instrument: Instrument,
    marks: Vec<Mark>,
    slots: u64,
    events: u32,
    /// First slot, number of slots, number of replays.
    captures: BTreeMap<usize, (u64, u64, u64)>,
}

impl Layout {
    /// What every operation of the measured part needs, and every one that is captured.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] when that is more memory than may be taken from the program.
    pub fn fitting(
        session: &Session,
        program: &Program,
        plans: &Plans,
        instrument: Instrument,
    ) -> Result<Self, GpuError> {
        let layout = Self::new(program, |index| plans.work(index), instrument);
        let (free, _) = session.context.memory_bytes().map_err(refused)?;
        let slots = layout.all_slots();
        if slots > MOST_BYTES.min(free / 4) / BYTES {
            return Err(GpuError::Unsupported {
                what: format!("stamps of {slots} blocks at once; use `--instrument events`, or fewer blocks or steps"),
                at: "/program".to_owned(),
            });
        }
        Ok(layout)
    }

    /// Those of the blocks, and their copies for each replay.
    fn all_slots(&self) -> u64 {
        let history = self.captures.values().map(|(_, count, replays)| count.saturating_mul(*replays));
        history.fold(self.slots, u64::saturating_add)
    }

    fn new(program: &Program, work: impl Fn(usize) -> Work, instrument: Instrument) -> Self {
        let marks = vec![Mark::None; program.operations.len()];
        let mut layout = Self { instrument, marks, slots: 0, events: 0, captures: BTreeMap::new() };
        // The captures that are under way, and the latest capture of each graph.
        let mut open: Vec<(GraphId, usize)> = Vec::new();
        let mut latest: BTreeMap<GraphId, usize> = BTreeMap::new();
        for (index, operation) in program.operations.iter().enumerate() {
            match operation.action {
                Action::BeginCapture { graph, .. } => {
                    layout.captures.insert(index, (layout.slots, 0, 0));
                    open.push((graph, index));
                    latest.insert(graph, index);
                }
                Action::EndCapture { graph, .. } => {
                    for (_, begin) in open.extract_if(.., |(of, _)| *of == graph) {
                        if let Some((first, count, _)) = layout.captures.get_mut(&begin) {
                            *count = layout.slots - *first;
                        }
                    }
                }
                Action::Replay { graph, .. } => {
                    if let Some((_, _, replays)) = latest.get(&graph).and_then(|begin| layout.captures.get_mut(begin)) {
                        *replays += 1;
                    }
                    if instrument == Instrument::Events && index >= program.measured_from {
                        layout.between(index);
                    }
                }
                _ if index >= program.measured_from || !open.is_empty() => {
                    layout.watch(index, work(index));
                }
                _ => {}
            }
        }
        layout
    }

    fn watch(&mut self, index: usize, work: Work) {
        match (work, self.instrument) {
            (Work::None, _) => {}
            (Work::Blocks(count), Instrument::Stamps) => {
                let mark = Mark::Stamps { first: self.slots as u32, count };
                self.slots += u64::from(count);
                if let Some(place) = self.marks.get_mut(index) {
                    *place = mark;
                }
            }
            (Work::Blocks(_), Instrument::Events) | (Work::Opaque, _) => self.between(index),
        }
    }

    fn between(&mut self, index: usize) {
        if let Some(place) = self.marks.get_mut(index) {
            *place = Mark::Between { events: self.events, ticks: self.slots as u32 };
        }
        self.events += 2;
        self.slots += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::lower;
    use crate::scenario::{Knobs, load};

    #[test]
    fn slots_are_counted_beyond_32_bits() {
        let document = r#"{
            "streamscope": 1, "name": "many", "title": "many", "host": "cuda", "setup": [],
            "program": [
                {"capture": {"graph": "g", "body": [
                    {"repeat": {"times": 3, "body": [{"launch": {"kernel": {"timed": {"dur_us": 1, "grid": 2147483647}}}}]}}
                ]}},
                {"repeat": {"times": 5, "body": [{"replay": {"graph": "g"}}]}}
            ]
        }"#;
        let program = lower(&load("many.json", document).unwrap(), &Knobs::default()).unwrap();
        let blocks = |index: usize| match program.operations[index].action {
            Action::Launch { .. } => Work::Blocks(i32::MAX as u32),
            _ => Work::None,
        };
        let layout = Layout::new(&program, blocks, Instrument::Stamps);
        let nodes = 3 * i32::MAX as u64;
        assert_eq!((layout.slots, layout.all_slots()), (nodes, 6 * nodes));
    }
}
