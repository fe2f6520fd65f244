//! Who touched which bytes last: the accesses that a later one could be in conflict with.

mod ranges;

use std::collections::BTreeMap;

use super::clocks::LaneId;
use crate::program::Place;
use ranges::Ranges;

/// One access to a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Access {
    /// The stream or host thread, and its number there.
    pub lane: LaneId,
    pub seq: u32,
    /// Number of the access in the order of issue.
    pub at: u32,
    /// Index of the operation; for a node of a graph the captured one.
    pub operation: u32,
    /// Index of the operation that replayed it.
    pub replay: Option<u32>,
    /// What the program calls the bytes.
    pub place: Place,
    /// All bytes that it touches.
    pub start: u64,
    pub end: u64,
    pub writes: bool,
    /// By the host, or by the host as far as it can tell: a copy that has been staged.
    pub by: By,
}

/// Who makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Work on a stream.
    Stream,
    /// A host thread.
    Host,
    /// Work on a stream whose call returned when it had read its source, as far as anybody has seen.
    Staged,
    /// Work on a stream that allocates or frees the bytes.
    Lifetime,
}

/// What is known of a range of bytes that were written together, or only read so far.
#[derive(Clone, Debug, Default)]
struct Cell {
    end: u64,
    /// The last write.
    write: Option<Access>,
    /// Reads since of just these bytes, by their lanes: at most one of each.
    reads: Vec<Access>,
}

/// All bytes that have been touched.
///
/// What a read has met, a later one of its lane need not meet again: whatever was over then still is, and what was not has been
/// reported. So a read that covers many cells looks only at those that were written since its lane read there last, and a write
/// makes one cell of all that it covers: the work grows with the accesses, not with the cells that each of them covers.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    cells: BTreeMap<u64, Cell>,
    /// Reads of more or less than a cell since the last write, lane by lane.
    wide: BTreeMap<LaneId, Ranges>,
    /// How many there have been.
    issued: u32,
}

impl Accesses {
    /// Number of the latest access.
    pub fn issued(&self) -> u32 {
        self.issued
    }

    /// The number of the next access.
    pub fn next(&mut self) -> u32 {
        self.issued += 1;
        self.issued
    }

    /// Makes an access; adds to `met` each earlier one that it could be in conflict with.
    pub fn make(&mut self, access: Access, met: &mut Vec<Access>) {
        let (start, end) = (access.start, access.end);
        if start >= end {
            return;
        }
        if let Some(cell) = self.cells.get_mut(&start).filter(|cell| cell.end == end) {
            cell.take(access, met);
            self.take_out_wide(access, met);
        } else if access.writes {
            self.write(access, met);
        } else if self.covered(start, end).next().is_none() {
            self.cells.insert(start, Cell { end, write: None, reads: vec![access] });
            self.take_out_wide(access, met);
        } else {
            self.read(access, met);
        }
    }

    /// A write of more or less than a cell.
    fn write(&mut self, access: Access, met: &mut Vec<Access>) {
        let (start, end) = (access.start, access.end);
        self.split(start);
        self.split(end);
        let covered: Vec<u64> = self.cells.range(start..end).map(|(at, _)| *at).collect();
        for cell in covered.iter().filter_map(|at| self.cells.remove(at)) {
            met.extend(cell.write.iter().chain(&cell.reads));
        }
        self.cells.insert(start, Cell { end, write: Some(access), reads: Vec::new() });
        self.take_out_wide(access, met);
    }

    /// A read of more or less than a cell.
    fn read(&mut self, access: Access, met: &mut Vec<Access>) {
        let (start, end) = (access.start, access.end);
        let ranges = self.wide.entry(access.lane).or_default();
        let gaps = ranges.gaps(start, end);
        ranges.set(start, end, access);
        for (from, to) in gaps {
            for (at, cell) in covered_mut(&mut self.cells, from, to) {
                met.extend(&cell.write);
                // The new read stands for the one before.
                let is_within = start <= *at && cell.end <= end;
                cell.reads.retain(|read| read.lane != access.lane || !is_within);
            }
        }
    }

    /// Wide reads of the bytes that a new access covers: it meets them if it writes, and stands for those of its own lane.
    fn take_out_wide(&mut self, access: Access, met: &mut Vec<Access>) {
        let (start, end) = (access.start, access.end);
        if self.wide.is_empty() {
            return;
        }
        if !access.writes {
            if let Some(own) = self.wide.get_mut(&access.lane) {
                own.cut(start, end);
            }
            return;
        }
        let known = met.len();
        self.wide.retain(|_, ranges| {
            met.extend(ranges.overlapping(start, end).map(|(_, _, read)| *read));
            ranges.cut(start, end);
            !ranges.is_empty()
        });
        if let Some(wide) = met.get_mut(known..) {
            wide.sort_by_key(|read| (read.start.max(start), read.at));
        }
    }

    /// Splits the cell around `at`, if there is one.
    fn split(&mut self, at: u64) {
        if let Some((_, cell)) = self.cells.range_mut(..at).next_back()
            && cell.end > at
        {
            let tail = cell.clone();
            cell.end = at;
            self.cells.insert(at, tail);
        }
    }

    fn covered(&self, start: u64, end: u64) -> impl Iterator<Item = &Cell> {
        let before = self.cells.range(..start).next_back().map(|(_, cell)| cell).filter(|cell| cell.end > start);
        before.into_iter().chain(self.cells.range(start..end).map(|(_, cell)| cell))
    }

    /// The last writes of bytes in `start..end`, by address.
    pub fn writes(&self, start: u64, end: u64) -> impl Iterator<Item = &Access> {
        self.covered(start, end).filter_map(|cell| cell.write.as_ref())
    }

    /// Reads of bytes in `start..end` since they were written last, and those writes.
    pub fn all(&self, start: u64, end: u64) -> impl Iterator<Item = &Access> {
        let cells = self.covered(start, end).flat_map(|cell| cell.reads.iter().chain(&cell.write));
        let wide = self.wide.values().flat_map(move |ranges| ranges.overlapping(start, end));
        cells.chain(wide.map(|(_, _, read)| read))
    }
}

/// The cells that share bytes with `start..end`.
fn covered_mut(cells: &mut BTreeMap<u64, Cell>, start: u64, end: u64) -> impl Iterator<Item = (&u64, &mut Cell)> {
    let before = cells.range(..start).next_back().filter(|(_, cell)| cell.end > start).map(|(at, _)| *at);
    cells.range_mut(before.unwrap_or(start)..end)
}

impl Cell {
    /// Work later than a write has that to look at alone: whoever is in order with the write is so with what came before it.
    fn take(&mut self, access: Access, met: &mut Vec<Access>) {
        met.extend(&self.write);
        if !access.writes {
            match self.reads.binary_search_by_key(&access.lane, |read| read.lane) {
                Ok(at) => self.reads[at] = access,
                Err(at) => self.reads.insert(at, access),
            }
            return;
        }
        met.append(&mut self.reads);
        self.write = Some(access);
    }
}
