//! Who touched which bytes last: the accesses that a later one could be in conflict with.

use std::collections::BTreeMap;

use super::clocks::LaneId;
use crate::program::Place;

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

/// What is known of a range of bytes that were always touched together.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub end: u64,
    /// The last write.
    pub write: Option<Access>,
    /// Reads since, at most one of each lane.
    pub reads: Vec<Access>,
}

/// All bytes that have been touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    cells: BTreeMap<u64, Cell>,
}

impl Accesses {
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

    /// Makes an access to `start..end`; `meets` is told of each access that it could be in conflict with.
    pub fn make(&mut self, start: u64, end: u64, access: Access, mut meets: impl FnMut(&Access)) {
        if start >= end {
            return;
        }
        if let Some(cell) = self.cells.get_mut(&start).filter(|cell| cell.end == end) {
            return cell.take(access, &mut meets);
        }
        self.split(start);
        self.split(end);
        let mut at = start;
        let mut gaps = Vec::new();
        for (from, cell) in self.cells.range_mut(start..end) {
            if *from > at {
                gaps.push((at, *from));
            }
            at = cell.end;
            cell.take(access, &mut meets);
        }
        if at < end {
            gaps.push((at, end));
        }
        for (from, to) in gaps {
            let mut cell = Cell { end: to, ..Cell::default() };
            cell.take(access, &mut meets);
            self.cells.insert(from, cell);
        }
    }

    /// The cells that share bytes with `start..end`, as they are.
    pub fn cells(&self, start: u64, end: u64) -> impl Iterator<Item = &Cell> {
        let before = self.cells.range(..start).next_back().map(|(_, cell)| cell).filter(|cell| cell.end > start);
        before.into_iter().chain(self.cells.range(start..end).map(|(_, cell)| cell))
    }
}

impl Cell {
    /// Work later than a write has that to look at alone: whoever is in order with the write is so with what came before it.
    fn take(&mut self, access: Access, meets: &mut impl FnMut(&Access)) {
        self.write.iter().for_each(&mut *meets);
        if !access.writes {
            match self.reads.iter_mut().find(|read| read.lane == access.lane) {
                Some(read) => *read = access,
                None => self.reads.push(access),
            }
            return;
        }
        self.reads.iter().for_each(meets);
        self.reads.clear();
        self.write = Some(access);
    }
}
