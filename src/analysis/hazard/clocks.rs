//! Vector clocks: for each piece of work, how far each stream and each host thread had come for certain before it.
//!
//! One number a stream or thread (a *lane* here). Work that only follows its own stream shares its vector with the work before,
//! so that long programs need few of them.

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

/// All vectors.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    lanes: usize,
    vectors: Vec<u32>,
    /// The highest number so far, lane by lane.
    last: Vec<u32>,
}

impl Clocks {
    /// Vector 0: nothing has happened.
    pub const START: u32 = 0;

    pub fn new(lanes: usize) -> Self {
        Self { lanes, vectors: vec![0; lanes], last: vec![0; lanes] }
    }

    fn vector(&self, base: u32) -> &[u32] {
        let from = base as usize * self.lanes;
        self.vectors.get(from..from + self.lanes).unwrap_or_default()
    }

    /// How far `lane` has come for certain at `stamp`.
    fn reached(&self, stamp: Stamp, lane: LaneId) -> u32 {
        if stamp.lane == lane {
            return stamp.seq;
        }
        self.vector(stamp.base).get(lane as usize).copied().unwrap_or(0)
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
        if let [only] = points
            && self.vector(only.base).get(only.lane as usize).is_none_or(|known| *known >= only.seq)
        {
            return only.base;
        }
        let base = (self.vectors.len() / self.lanes.max(1)) as u32;
        let from = self.vectors.len();
        self.vectors.resize(from + self.lanes, 0);
        let (old, new) = self.vectors.split_at_mut(from);
        for point in points {
            let start = point.base as usize * self.lanes;
            for (now, before) in new.iter_mut().zip(old.get(start..start + self.lanes).unwrap_or_default()) {
                *now = (*now).max(*before);
            }
            if let Some(now) = new.get_mut(point.lane as usize) {
                *now = (*now).max(point.seq);
            }
        }
        let same = points.iter().map(|point| point.base).find(|known| {
            let start = *known as usize * self.lanes;
            old.get(start..start + self.lanes).is_some_and(|old| old == new)
        });
        match same {
            Some(known) => {
                self.vectors.truncate(from);
                known
            }
            None => base,
        }
    }
}
