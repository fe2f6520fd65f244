//! When the GPU worked on what, from what the instruments say.

use std::collections::BTreeMap;

use super::super::clock::Clock;
use super::super::driver::Answer;
use super::super::run::Outcome;
use super::super::slots::{self, Mark, Slot, Slots};
use crate::time::{Interval, Ns};

/// One block, on the host's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub sm: u32,
    pub start: Ns,
    pub end: Ns,
}

/// One time that an operation ran: when, and its blocks where they were stamped.
pub(super) struct Ran {
    pub interval: Interval,
    pub blocks: Vec<Block>,
}

/// All that was measured on the GPU.
pub(super) struct Intervals<'a> {
    slots: &'a Slots,
    clock: &'a Clock,
    /// Number of replays of each capture.
    replays: BTreeMap<usize, u32>,
    live: Vec<Slot>,
    /// By the index of the operation that begins the capture.
    histories: BTreeMap<usize, Vec<Slot>>,
    host_functions: BTreeMap<usize, Vec<Interval>>,
}

impl<'a> Intervals<'a> {
    /// Reads everything back from the device.
    pub fn read(slots: &'a Slots, clock: &'a Clock, outcome: &Outcome) -> Answer<Self> {
        let mut replays: BTreeMap<usize, u32> = BTreeMap::new();
        for replay in &outcome.replays {
            *replays.entry(replay.capture).or_default() += 1;
        }
        let mut histories = BTreeMap::new();
        for (begin, capture) in &slots.captures {
            let known = replays.get(begin).copied().unwrap_or(0).min(capture.replays);
            let count = capture.count as usize * known as usize;
            histories.insert(*begin, read(&capture.history, count)?);
        }
        let mut host_functions: BTreeMap<usize, Vec<Interval>> = BTreeMap::new();
        for run in &outcome.host_functions {
            host_functions.entry(run.operation).or_default().push(Interval::new(run.start, run.end));
        }
        let live = read(&slots.memory, slots.count() as usize)?;
        Ok(Self { slots, clock, replays, live, histories, host_functions })
    }

    /// When the operation at `index`, launched by itself, ran.
    pub fn live(&self, index: usize) -> Option<Ran> {
        match self.slots.mark(index) {
            Mark::Stamps { first, count } => {
                let (first, count) = (first as usize, count as usize);
                stamped(self.blocks(self.live.get(first..first + count).unwrap_or_default()))
            }
            Mark::Between { events, .. } => self.between_events(events).map(unstamped),
            Mark::None => self.host_functions.get(&index)?.first().copied().map(unstamped),
        }
    }

    /// When the operation at `index` ran as a node in replay `number` of the capture that began at `capture`. With events
    /// only the latest replay is known.
    pub fn node(&self, index: usize, capture: usize, number: u32) -> Option<Ran> {
        match self.slots.mark(index) {
            Mark::Stamps { first, count } => {
                stamped(self.blocks(self.node_slots(capture, number, first, count).unwrap_or_default()))
            }
            Mark::Between { ticks, events } => {
                if let Some(ticks) =
                    self.node_slots(capture, number, ticks, 2).filter(|_| self.slots.captured_by_ticks())
                {
                    let [before, after] = ticks else { return None };
                    let (start, end) = (self.clock.host_time(before.start), self.clock.host_time(after.start));
                    return (before.start != 0 && after.start != 0 && start <= end)
                        .then(|| unstamped(Interval::new(start, end)));
                }
                // An event stands for its latest record.
                let is_latest = self.replays.get(&capture).is_some_and(|replays| number + 1 == *replays);
                if is_latest { self.between_events(events).map(unstamped) } else { None }
            }
            Mark::None => self.host_functions.get(&index)?.get(number as usize).copied().map(unstamped),
        }
    }

    /// When the launch of a graph at `index` ran as a whole; known with events only.
    pub fn replay(&self, index: usize) -> Option<Interval> {
        match self.slots.mark(index) {
            Mark::Between { events, .. } => self.between_events(events),
            Mark::Stamps { .. } | Mark::None => None,
        }
    }

    fn node_slots(&self, capture: usize, number: u32, first: u32, count: u32) -> Option<&[Slot]> {
        let info = self.slots.captures.get(&capture)?;
        let from = number as usize * info.count as usize + first.checked_sub(info.first)? as usize;
        self.histories.get(&capture)?.get(from..from + count as usize)
    }

    /// Both times are read from the pair itself as far as they can: what lies between an event and the start of the run is a
    /// large number of few digits.
    fn between_events(&self, first: u32) -> Option<Interval> {
        let event = |index: u32| self.slots.events.get(index as usize);
        let (before, after) = (event(first)?, event(first + 1)?);
        let start = self.clock.event_time(before).ok()?;
        let dur = Ns::from_us(before.elapsed_us(after).ok()?);
        Some(Interval::new(start, start + dur.max(Ns::ZERO)))
    }

    /// Slots that no block has written hold zeros.
    fn blocks(&self, slots: &[Slot]) -> Vec<Block> {
        let block = |slot: &Slot| {
            let start = self.clock.host_time(slot.start);
            (slot.start != 0).then(|| Block { sm: slot.sm(), start, end: start + Ns(slot.dur_ns() as i64) })
        };
        slots.iter().filter_map(block).collect()
    }
}

/// From the first block's start to the last one's end; `None` without a block.
fn stamped(blocks: Vec<Block>) -> Option<Ran> {
    let start = blocks.iter().map(|block| block.start).min()?;
    let end = blocks.iter().map(|block| block.end).max()?;
    Some(Ran { interval: Interval::new(start, end), blocks })
}

fn unstamped(interval: Interval) -> Ran {
    Ran { interval, blocks: Vec::new() }
}

fn read(memory: &super::super::driver::DeviceMemory, count: usize) -> Answer<Vec<Slot>> {
    let mut slots = vec![Slot::default(); count];
    debug_assert_eq!(size_of_val(slots.as_slice()) as u64, count as u64 * slots::BYTES);
    memory.read(0, &mut slots)?;
    Ok(slots)
}
