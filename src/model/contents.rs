//! Contents of memory: one value for each range of bytes, so that a corruption happens and can be seen.

use std::collections::BTreeMap;

/// Where the memory of the host lies: above everything on the device.
pub(super) const HOST_BASE: u64 = 1 << 62;
/// Distance between two buffers of the host; no buffer is larger.
pub(super) const HOST_STRIDE: u64 = 1 << 41;

/// Values of ranges of an address space. What was never written is 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    device: Ranges,
    /// By buffer: a program may have as many as it has operations, each with one value.
    host: Vec<Ranges>,
    changes: u64,
}

impl Contents {
    fn ranges(&self, start: u64) -> &Ranges {
        static NEVER_WRITTEN: Ranges = Ranges { one: None, many: BTreeMap::new() };
        match start.checked_sub(HOST_BASE) {
            None => &self.device,
            Some(offset) => self.host.get((offset / HOST_STRIDE) as usize).unwrap_or(&NEVER_WRITTEN),
        }
    }

    /// Every element in `start..end` becomes `value`.
    pub fn write(&mut self, start: u64, end: u64, value: f64) {
        if start >= end {
            return;
        }
        self.changes += 1;
        let ranges = match start.checked_sub(HOST_BASE) {
            None => &mut self.device,
            Some(offset) => {
                let buffer = (offset / HOST_STRIDE) as usize;
                if self.host.len() <= buffer {
                    self.host.resize_with(buffer + 1, Ranges::default);
                }
                let Some(ranges) = self.host.get_mut(buffer) else { return };
                ranges
            }
        };
        ranges.write(start, end, value);
    }

    /// How often something was written.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The values of `start..end`, in order and without gaps; neighbours of one value are one.
    pub fn pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, f64)> {
        let mut at = start;
        let mut pieces: Vec<(u64, u64, f64)> = Vec::new();
        let mut push = |from: u64, to: u64, value: f64| {
            if from < to {
                match pieces.last_mut() {
                    Some(last) if last.2 == value => last.1 = to,
                    _ => pieces.push((from, to, value)),
                }
            }
        };
        for (from, to, value) in self.ranges(start).around(start, end) {
            push(at, from.clamp(at, end), 0.0);
            push(from.max(at), to.min(end), value);
            at = at.max(to.min(end));
        }
        push(at, end, 0.0);
        pieces.into_iter()
    }

    /// Whether all of `start..end` was written at once.
    pub fn is_one(&self, start: u64, end: u64) -> bool {
        self.ranges(start).whole(start, end).is_some()
    }

    /// The mean of the elements in `start..end`.
    pub fn mean(&self, start: u64, end: u64) -> f64 {
        let ranges = self.ranges(start);
        if let Some(value) = ranges.whole(start, end) {
            return value;
        }
        let covered = |from: u64, to: u64| to.min(end).saturating_sub(from.max(start)) as f64;
        // An empty sum of floats is minus zero.
        let parts = ranges.around(start, end).map(|(from, to, value)| value * covered(from, to));
        let sum = parts.fold(0.0, |sum, part| sum + part);
        sum / end.saturating_sub(start).max(1) as f64
    }
}

/// Ranges with their values, which never overlap.
#[derive(Clone, Debug, Default)]
struct Ranges {
    /// The only one, if there is only one: `(start, end, value)`.
    one: Option<(u64, u64, f64)>,
    /// Start → (end, value).
    many: BTreeMap<u64, (u64, f64)>,
}

impl Ranges {
    fn write(&mut self, start: u64, end: u64, value: f64) {
        match self.one {
            None if self.many.is_empty() => self.one = Some((start, end, value)),
            Some((from, to, _)) if start <= from && to <= end => self.one = Some((start, end, value)),
            Some((from, to, old)) => {
                self.one = None;
                self.many.insert(from, (to, old));
                self.overwrite(start, end, value);
            }
            None => self.overwrite(start, end, value),
        }
    }

    fn overwrite(&mut self, start: u64, end: u64, value: f64) {
        if let Some(known) = self.many.get_mut(&start).filter(|(to, _)| *to == end) {
            known.1 = value;
            return;
        }
        if let Some((&before, &(before_end, old))) = self.many.range(..start).next_back()
            && before_end > start
        {
            self.many.insert(before, (start, old));
            if before_end > end {
                self.many.insert(end, (before_end, old));
            }
        }
        while let Some((&inside, &(inside_end, old))) = self.many.range(start..end).next() {
            self.many.remove(&inside);
            if inside_end > end {
                self.many.insert(end, (inside_end, old));
            }
        }
        self.many.insert(start, (end, value));
    }

    /// The value of `start..end`, where it lies in one range.
    fn whole(&self, start: u64, end: u64) -> Option<f64> {
        let before = self.many.range(..=start).next_back().map(|(from, (to, value))| (*from, *to, *value));
        let (from, to, value) = self.one.or(before)?;
        (from <= start && to >= end).then_some(value)
    }

    /// All ranges that reach into `start..end`, and maybe one beside.
    fn around(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, f64)> {
        let first = self.many.range(..=start).next_back().map_or(start, |(&before, _)| before);
        let many = self.many.range(first..end.max(first)).map(|(from, (to, value))| (*from, *to, *value));
        self.one.into_iter().chain(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_hold_what_bytes_would_hold(
            writes in prop::collection::vec((0u64..60, 1u64..20, 0u8..9), 0..30), from in 0u64..60, len in 1u64..20,
        ) {
            let mut contents = Contents::default();
            let mut bytes = [0.0; 100];
            for (start, len, value) in writes {
                contents.write(start, start + len, f64::from(value));
                bytes[start as usize..(start + len) as usize].fill(f64::from(value));
            }
            let expected = bytes[from as usize..(from + len) as usize].iter().sum::<f64>() / len as f64;
            prop_assert!((contents.mean(from, from + len) - expected).abs() < 1e-9);
            let mut at = from;
            for (start, end, value) in contents.pieces(from, from + len) {
                prop_assert!(start == at && start < end);
                prop_assert!(bytes[start as usize..end as usize].iter().all(|byte| *byte == value));
                at = end;
            }
            prop_assert_eq!(at, from + len);
        }
    }
}
