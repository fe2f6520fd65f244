//! The memory map of a recording, made ready: where each segment and block lies in the address space, who finds it fast, and how
//! many bytes were held when.

use std::collections::HashMap;
use std::ops::Range;

use super::super::peaks::Peaks;
use super::measure::Measure;
use super::overlaps::Overlaps;
use crate::drawing::theme::Theme;
use crate::recording::{MemoryMap, Recording, Segment};
use crate::time::{Interval, Ns};

/// Segments and blocks over address space and time.
#[derive(Clone, Debug)]
pub(in super::super) struct MapLane {
    /// By address; they have no byte in common.
    pub(super) regions: Vec<AddressRange>,
    /// Indices of the regions from top to bottom: those of one pool and stream together.
    pub(super) order: Vec<usize>,
    pub(super) segments: Pieces,
    pub(super) blocks: Pieces,
    /// For each of the recording's names, which colour blocks of that owner have.
    hues: Vec<usize>,
    /// Bytes in blocks.
    pub(super) allocated: Peaks<u64>,
    /// Bytes in segments.
    pub(super) reserved: Peaks<u64>,
    /// When the last of it was seen.
    pub(super) until: Ns,
    /// Whether nothing came or went during the run.
    pub(in super::super) is_steady: bool,
}

/// Addresses that hang together: a segment, or several that lay there one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AddressRange {
    pub(super) from: u64,
    pub(super) to: u64,
    /// Unknown for blocks outside of all segments, which only a damaged file has.
    pub(super) user: Option<User>,
    pub(super) measure: Measure,
}

/// Who may use a segment: its private pool (0 for the ordinary one) and its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct User {
    pub(super) pool: u32,
    pub(super) stream: u32,
}

/// Segments or blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// In the order of the recording.
    places: Vec<MapPlace>,
    times: Overlaps,
}

/// Where something lies, and when: in which region, from which share of it to which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MapPlace {
    pub(super) region: usize,
    pub(super) low: f32,
    pub(super) high: f32,
    pub(super) time: Interval,
}

impl Pieces {
    pub(super) fn place(&self, index: usize) -> Option<MapPlace> {
        self.places.get(index).copied()
    }

    /// Those that share time with `within`, by start.
    pub(super) fn within(&self, within: Interval) -> impl Iterator<Item = (usize, MapPlace)> + '_ {
        self.times.within(within).into_iter().filter_map(|index| Some((index, self.place(index)?)))
    }
}

impl MapLane {
    pub(in super::super) fn new(recording: &Recording) -> Self {
        let map = &recording.memory_map;
        let regions = regions(map);
        let mut order: Vec<usize> = (0..regions.len()).collect();
        // Those of nobody come last. The sort keeps the order of addresses.
        order.sort_by_key(|&i| {
            regions.get(i).and_then(|region| region.user).map_or((true, None), |it| (false, Some(it)))
        });
        let run = recording.wall;
        let lasts = |(start, end)| start <= run.start && end >= run.end;
        let mut counters = map.counters();
        // What is held at the end of the run is not given back then; it is only seen no longer.
        let until = counters.pop_if(|last| last.0 >= run.end).map_or(run.end, |last| last.0);
        let steps = |of: fn(&(_, u64, u64)) -> u64| counters.iter().map(|step| (step.0, of(step))).collect::<Vec<_>>();
        Self {
            segments: pieces(&regions, map.segments.iter().map(|it| (it.address, it.bytes, it.start, it.end))),
            blocks: pieces(&regions, map.blocks.iter().map(|it| (it.address, it.bytes, it.start, it.end))),
            hues: hues(recording),
            allocated: Peaks::new(&steps(|step| step.1)),
            reserved: Peaks::new(&steps(|step| step.2)),
            until,
            is_steady: map.segments.iter().map(|it| (it.start, it.end)).all(lasts)
                && map.blocks.iter().map(|it| (it.start, it.end)).all(lasts),
            regions,
            order,
        }
    }

    /// Whether nothing was ever held.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// Where addresses lie, which are those of one region.
    pub(super) fn place_of(&self, addresses: Range<u64>, time: Interval) -> Option<MapPlace> {
        let region = region_of(&self.regions, addresses.start)?;
        let measure = &self.regions.get(region)?.measure;
        Some(MapPlace { region, low: measure.share(addresses.start), high: measure.share(addresses.end), time })
    }

    /// Number of bands.
    pub(in super::super) fn bands(&self) -> usize {
        self.regions.len()
    }

    /// Which colour the blocks of the owner `name` have.
    pub(super) fn hue(&self, name: u32) -> usize {
        self.hues.get(name as usize).copied().unwrap_or_default()
    }

    /// Bytes in blocks and in segments at `at`; `None` after the end of the run.
    pub(in super::super) fn held(&self, at: Ns) -> Option<(u64, u64)> {
        (at < self.until).then(|| (self.allocated.value(at), self.reserved.value(at)))
    }

    /// The colour of the first block.
    pub(in super::super) fn first_hue(&self, map: &MemoryMap) -> usize {
        map.blocks.first().map_or(0, |block| self.hue(block.owner.0))
    }

    /// Most bytes in blocks, and most bytes in segments.
    pub(in super::super) fn peaks(&self) -> (u64, u64) {
        (self.allocated.max(), self.reserved.max())
    }

    /// Whether addresses that no block ever had are drawn smaller.
    pub(in super::super) fn is_shortened(&self) -> bool {
        self.regions.iter().any(|region| !region.measure.unused.is_empty())
    }

    /// Whether any block in `view` waits for a stream.
    pub(in super::super) fn is_waited_for(&self, map: &MemoryMap, view: Interval) -> bool {
        let waits =
            |(index, _): (usize, MapPlace)| map.blocks.get(index).is_some_and(|block| block.waits_for.is_some());
        self.blocks.within(view).any(waits)
    }
}

/// Joins all addresses that any segment or block has.
fn regions(map: &MemoryMap) -> Vec<AddressRange> {
    let segments = || map.segments.iter().map(|it| (it.address, it.bytes));
    let blocks = || map.blocks.iter().map(|it| (it.address, it.bytes));
    let used = joined(blocks());
    let mut used = used.as_slice();
    let mut regions = Vec::new();
    for (from, to) in joined(segments().chain(blocks())) {
        let (inside, after) = used.split_at(used.partition_point(|(low, _)| *low < to));
        regions.push(AddressRange { from, to, user: None, measure: Measure::new(from, to, inside) });
        used = after;
    }
    for &Segment { address, stream, pool, .. } in &map.segments {
        if let Some(region) = region_of(&regions, address).and_then(|index| regions.get_mut(index)) {
            region.user.get_or_insert(User { pool, stream });
        }
    }
    regions
}

/// Sorted, with those joined that have bytes in common: neighbouring segments stay apart.
fn joined(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = ranges.map(|(from, bytes)| (from, from.saturating_add(bytes))).collect();
    ranges.retain(|(from, to)| from < to);
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, to) in ranges {
        match joined.last_mut() {
            Some((_, end)) if from < *end => *end = to.max(*end),
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn region_of(regions: &[AddressRange], address: u64) -> Option<usize> {
    let index = regions.partition_point(|region| region.from <= address).checked_sub(1)?;
    regions.get(index).is_some_and(|region| address < region.to).then_some(index)
}

/// Address, size and time of segments or blocks. Those without bytes or time are never found.
fn pieces(regions: &[AddressRange], all: impl Iterator<Item = (u64, u64, Ns, Ns)>) -> Pieces {
    let place = |(address, bytes, start, end): (u64, u64, Ns, Ns)| {
        let found = region_of(regions, address).and_then(|index| Some((index, regions.get(index)?)));
        let Some((index, region)) = found.filter(|_| bytes > 0) else {
            return MapPlace { region: 0, low: 0.0, high: 0.0, time: Interval::new(start, start) };
        };
        let share = |address: u64| region.measure.share(address);
        let (low, high) = (share(address), share(address.saturating_add(bytes)));
        MapPlace { region: index, low, high, time: Interval::new(start, end) }
    };
    let places: Vec<MapPlace> = all.map(place).collect();
    Pieces { times: Overlaps::new(places.iter().map(|place| (place.time.start, place.time.end))), places }
}

/// A colour for each owner, which follows from its name so that it stays the same in every run. Elements of one array share a
/// colour; a name whose colour is taken has the next that is free, as long as there is one.
fn hues(recording: &Recording) -> Vec<usize> {
    let mut taken = [false; Theme::TENSORS];
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Option<usize>> = vec![None; recording.names.len()];
    for block in &recording.memory_map.blocks {
        let Some(slot @ None) = found.get_mut(block.owner.0 as usize) else { continue };
        let base = recording.name(block.owner).split('[').next().unwrap_or_default();
        *slot = Some(*known.entry(base).or_insert_with_key(|name| {
            let wanted = hash(name) % Theme::TENSORS;
            let mut probed = (0..Theme::TENSORS).map(|by| (wanted + by) % Theme::TENSORS);
            let hue = probed.find(|&hue| taken.get(hue) == Some(&false)).unwrap_or(wanted);
            if let Some(taken) = taken.get_mut(hue) {
                *taken = true;
            }
            hue
        }));
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// FNV-1a: the same on every machine and in every version.
fn hash(name: &str) -> usize {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, step) as usize
}
