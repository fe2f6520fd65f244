//! Contents of memory: one value for each range of bytes, so that a corruption happens and can be seen.

use std::collections::BTreeMap;

/// Values of ranges of an address space. What was never written is 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// Start → (end, value). Ranges never overlap.
    ranges: BTreeMap<u64, (u64, f64)>,
}

impl Contents {
    /// Every element in `start..end` becomes `value`.
    pub fn write(&mut self, start: u64, end: u64, value: f64) {
        if start >= end {
            return;
        }
        if let Some((&before, &(before_end, old))) = self.ranges.range(..start).next_back()
            && before_end > start
        {
            self.ranges.insert(before, (start, old));
            if before_end > end {
                self.ranges.insert(end, (before_end, old));
            }
        }
        while let Some((&inside, &(inside_end, old))) = self.ranges.range(start..end).next() {
            self.ranges.remove(&inside);
            if inside_end > end {
                self.ranges.insert(end, (inside_end, old));
            }
        }
        self.ranges.insert(start, (end, value));
    }

    /// The values of `start..end`, in order and without gaps; neighbours of one value are one.
    pub fn pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, f64)> {
        let first = self.ranges.range(..=start).next_back().map_or(start, |(&before, _)| before);
        let inside = self.ranges.range(first..end.max(first));
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
        for (&from, &(to, value)) in inside {
            push(at, from.clamp(at, end), 0.0);
            push(from.max(at), to.min(end), value);
            at = at.max(to.min(end));
        }
        push(at, end, 0.0);
        pieces.into_iter()
    }

    /// Whether all of `start..end` was written at once.
    pub fn is_one(&self, start: u64, end: u64) -> bool {
        self.ranges.range(..=start).next_back().is_some_and(|(_, &(whole, _))| whole >= end)
    }

    /// The mean of the elements in `start..end`.
    pub fn mean(&self, start: u64, end: u64) -> f64 {
        match self.ranges.range(..=start).next_back() {
            Some((_, &(whole, value))) if whole >= end => return value,
            _ => {}
        }
        let first = self.ranges.range(..start).next_back().map_or(start, |(&before, _)| before);
        let mut sum = 0.0;
        for (&from, &(to, value)) in self.ranges.range(first..end) {
            let covered = to.min(end).saturating_sub(from.max(start));
            sum += value * covered as f64;
        }
        sum / end.saturating_sub(start).max(1) as f64
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
