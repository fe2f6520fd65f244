//! Vector clocks: for each piece of work, how far each stream and each host thread had come for certain before it.
//!
//! One number a stream or thread (a *lane* here). Work that only follows its own stream shares its vector with the work before,
//! and vectors share the blocks in which they agree: a new one costs what is new in it, however many lanes there are.

use std::collections::HashMap;

/// A stream, or a host thread behind them.
pub(super) type LaneId = u32;

/// A point of time in a program: everything in `base`, and on `lane` everything up to `seq`. `documented` is `base` without what no
/// document promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub base: u32,
    pub documented: u32,
    pub lane: LaneId,
    pub seq: u32,
}

/// Entries of a block, and the bits of a lane that choose one.
const FAN_OUT: usize = 8;
const BITS: u32 = FAN_OUT.trailing_zeros();

/// Most unions that are remembered; then all are forgotten.
const MAX_UNIONS: usize = 1 << 16;

/// Numbers of lanes, or in all but the lowest level numbers of blocks.
type Block = [u32; FAN_OUT];

/// All vectors: trees of blocks. Block 0 is all zeros, and so is the tree below it.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    levels: u32,
    blocks: Vec<Block>,
    /// Unions of blocks above the lowest level that have been worked out: two vectors that change little are joined again and
    /// again, as when one thread waits for many.
    unions: HashMap<(u32, u32), u32>,
    /// The highest number so far, lane by lane.
    last: Vec<u32>,
}

impl Clocks {
    /// Vector 0: nothing has happened.
    pub const START: u32 = 0;

    pub fn new(lanes: usize) -> Self {
        let levels = (1..).find(|levels| lanes <= 1 << (BITS * levels)).unwrap_or(1);
        Self { levels, blocks: vec![Block::default()], unions: HashMap::new(), last: vec![0; lanes] }
    }

    fn block(&self, id: u32) -> Block {
        self.blocks.get(id as usize).copied().unwrap_or_default()
    }

    /// The number of `lane` in a vector.
    fn number(&self, vector: u32, lane: LaneId) -> u32 {
        (0..self.levels).rev().fold(vector, |at, level| match at {
            0 => 0,
            _ => self.blocks.get(at as usize).map_or(0, |block| block[entry(lane, level)]),
        })
    }

    /// How far `lane` has come for certain at `stamp`.
    fn reached(&self, stamp: Stamp, lane: LaneId) -> u32 {
        if stamp.lane == lane { stamp.seq } else { self.number(stamp.base, lane) }
    }

    /// The same if only what documents promise is certain.
    pub fn is_documented_before(&self, lane: LaneId, seq: u32, stamp: Stamp) -> bool {
        self.is_before(lane, seq, Stamp { base: stamp.documented, ..stamp })
    }

    /// Whether number `seq` of `lane` is certainly over at `stamp`.
    pub fn is_before(&self, lane: LaneId, seq: u32, stamp: Stamp) -> bool {
        self.reached(stamp, lane) >= seq
    }

    /// The latest number of a lane.
    pub fn reached_last(&self, lane: LaneId) -> u32 {
        self.last.get(lane as usize).copied().unwrap_or(0)
    }

    /// The next number of a lane.
    pub fn next(&mut self, lane: LaneId) -> u32 {
        match self.last.get_mut(lane as usize) {
            Some(last) => {
                *last += 1;
                *last
            }
            None => 0,
        }
    }

    /// A point with nothing of its own.
    pub fn at(base: u32) -> Stamp {
        Self::knowing(base, base)
    }

    /// A point with nothing of its own, at which a thread knows this.
    pub fn knowing(base: u32, documented: u32) -> Stamp {
        Stamp { base, documented, lane: LaneId::MAX, seq: 0 }
    }

    /// Both vectors of what follows all these points.
    pub fn join_both(&mut self, points: &[Stamp]) -> (u32, u32) {
        let base = self.join(points);
        if points.iter().all(|point| point.base == point.documented) {
            return (base, base);
        }
        let documented: Vec<Stamp> = points.iter().map(|it| Stamp { base: it.documented, ..*it }).collect();
        (base, self.join(&documented))
    }

    /// A vector in which everything before any of the points has happened; an old one where one of them says it all.
    pub fn join(&mut self, points: &[Stamp]) -> u32 {
        let top = self.levels - 1;
        let joined = points.iter().fold(Self::START, |known, point| self.union(known, point.base, top));
        let lanes = self.last.len();
        let own = points.iter().filter(|point| (point.lane as usize) < lanes);
        own.fold(joined, |known, point| self.with(known, point.lane, point.seq, top))
    }

    /// The vector that has the higher of both numbers everywhere.
    fn union(&mut self, first: u32, second: u32, level: u32) -> u32 {
        match (first, second) {
            _ if first == second => return first,
            (_, 0) => return first,
            (0, _) => return second,
            _ => {}
        }
        if level > 0
            && let Some(known) = self.unions.get(&(first, second))
        {
            return *known;
        }
        let (one, other) = (self.block(first), self.block(second));
        let mut both = one;
        for (entry, other) in both.iter_mut().zip(other) {
            *entry = if level == 0 { (*entry).max(other) } else { self.union(*entry, other, level - 1) };
        }
        let union = match both {
            // Of two that are equal the later one: what comes of it shares more with it.
            both if both == other => second,
            both if both == one => first,
            both => self.add(both),
        };
        if level > 0 {
            if self.unions.len() >= MAX_UNIONS {
                self.unions.clear();
            }
            self.unions.insert((first, second), union);
        }
        union
    }

    /// The vector with at least `seq` at `lane`.
    fn with(&mut self, vector: u32, lane: LaneId, seq: u32, level: u32) -> u32 {
        let mut block = self.block(vector);
        let known = block[entry(lane, level)];
        let new = if level == 0 { known.max(seq) } else { self.with(known, lane, seq, level - 1) };
        if new == known {
            return vector;
        }
        block[entry(lane, level)] = new;
        self.add(block)
    }

    fn add(&mut self, block: Block) -> u32 {
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }
}

/// Which entry of a block of a level leads to a lane.
fn entry(lane: LaneId, level: u32) -> usize {
    (lane >> (BITS * level)) as usize % FAN_OUT
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point on a lane behind all these.
    fn after(clocks: &mut Clocks, lane: LaneId, points: &[Stamp]) -> Stamp {
        let base = clocks.join(points);
        Stamp { base, documented: base, lane, seq: clocks.next(lane) }
    }

    #[test]
    fn a_point_knows_what_it_follows_on_any_of_many_lanes_and_nothing_else() {
        let mut clocks = Clocks::new(1000);
        let first = after(&mut clocks, 3, &[]);
        let other = after(&mut clocks, 999, &[]);
        let both = after(&mut clocks, 64, &[first, other]);
        let next = after(&mut clocks, 3, &[first]);
        for (lane, seq, stamp, known) in [
            (3, 1, both, true),
            (999, 1, both, true),
            (3, 2, both, false),
            (64, 1, both, true),
            (3, 2, next, true),
            (999, 1, next, false),
            (512, 0, next, true),
        ] {
            assert_eq!(clocks.is_before(lane, seq, stamp), known, "{seq} of {lane} at {stamp:?}");
        }
    }

    #[test]
    fn what_is_known_already_makes_no_new_vector() {
        let mut clocks = Clocks::new(100);
        let first = after(&mut clocks, 70, &[]);
        let second = after(&mut clocks, 1, &[first]);
        let knowing = clocks.join(&[first, second]);
        let blocks = clocks.blocks.len();
        assert_eq!(clocks.join(&[Clocks::at(knowing), first, Clocks::at(second.base)]), knowing);
        assert_eq!(clocks.blocks.len(), blocks);
    }
}
