//! How addresses of a region become its height. Addresses that no block ever had take little of it: a small pool's segment has
//! 2 MiB, of which a few tensors of some KiB would not be seen.

/// The part of a region that addresses without blocks take at most.
const UNUSED: f64 = 0.3;
/// Stretches of such addresses below that part of a region are not marked.
const MARKED: f64 = 0.02;

/// From address to share of a region, in pieces that are each in proportion.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measure {
    /// Addresses, and the share of the region that lies below each; from the region's first address to its last.
    points: Vec<(u64, f64)>,
    /// Where the measure is not that of blocks: from which share to which.
    pub(super) unused: Vec<(f32, f32)>,
}

impl Measure {
    /// For the addresses `from..to`, of which blocks had `used`: sorted, apart from each other, and inside.
    pub(super) fn new(from: u64, to: u64, used: &[(u64, u64)]) -> Self {
        let whole = (to - from) as f64;
        let bytes_used = used.iter().map(|(low, high)| high - low).sum::<u64>() as f64;
        let bytes_unused = whole - bytes_used;
        if bytes_used <= 0.0 || bytes_unused <= UNUSED * whole {
            return Self { points: vec![(from, 0.0), (to, 1.0)], unused: Vec::new() };
        }
        let (of_used, of_unused) = ((1.0 - UNUSED) / bytes_used, UNUSED / bytes_unused);
        let mut points = vec![(from, 0.0)];
        let mut unused = Vec::new();
        let (mut at, mut share) = (from, 0.0);
        for (low, high) in used.iter().copied().chain([(to, to)]) {
            let gap = (low - at) as f64 * of_unused;
            if gap > MARKED {
                unused.push((share as f32, (share + gap) as f32));
            }
            points.push((low, share + gap));
            share += gap + (high - low) as f64 * of_used;
            points.push((high, share));
            at = high;
        }
        Self { points, unused }
    }

    /// The share of the region below `address`.
    pub(super) fn share(&self, address: u64) -> f32 {
        let after = self.points.partition_point(|(point, _)| *point <= address);
        let point = |index: usize| self.points.get(index).copied();
        match (after.checked_sub(1).and_then(point), point(after)) {
            (Some((low, from)), Some((high, to))) => {
                (from + (to - from) * ((address - low) as f64 / (high - low) as f64)) as f32
            }
            (Some(_), None) => 1.0,
            (None, _) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_mostly_used_is_in_proportion() {
        let measure = Measure::new(100, 200, &[(100, 140), (150, 190)]);
        assert_eq!([100, 125, 200].map(|at| measure.share(at)), [0.0, 0.25, 1.0]);
        assert_eq!(measure.unused, []);
    }

    #[test]
    fn blocks_keep_most_of_the_height_and_their_proportions() {
        let measure = Measure::new(0, 2_000_000, &[(0, 1000), (1_000_000, 1_003_000)]);
        let (first, second) = (measure.share(1000), measure.share(1_003_000) - measure.share(1_000_000));
        assert!((first + second - 0.7).abs() < 1e-4 && (second - 3.0 * first).abs() < 1e-4, "{first} {second}");
        assert_eq!(measure.unused.len(), 2);
        assert_eq!((measure.share(0), measure.share(2_000_000)), (0.0, 1.0));
    }

    proptest! {
        #[test]
        fn higher_addresses_are_never_further_up(
            parts in prop::collection::vec((1u64..1 << 40, 1u64..1 << 20), 0..10), a in any::<u64>(), b in any::<u64>(),
        ) {
            let mut at = 0;
            let mut used = Vec::new();
            for (gap, bytes) in parts {
                used.push((at + gap, at + gap + bytes));
                at += gap + bytes;
            }
            let to = at + 1000;
            let measure = Measure::new(0, to, &used);
            let (low, high) = (a.min(b) % to, (a.min(b) % to).max(a.max(b) % to));
            prop_assert!(measure.share(low) <= measure.share(high) + 1e-6);
        }
    }
}
