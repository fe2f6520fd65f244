//! A measured curve: time against size.

use serde::{Deserialize, Serialize};

/// Points `[bytes, µs]`, sorted by bytes; straight lines between them, the last slope continued beyond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(pub Vec<[f64; 2]>);

impl Curve {
    /// The value at `x`; zero for a curve without points.
    pub fn at(&self, x: f64) -> f64 {
        let points = &self.0;
        let above = points.partition_point(|p| p[0] < x).clamp(1, points.len().saturating_sub(1).max(1));
        match (points.get(above - 1), points.get(above)) {
            (Some(a), Some(b)) if b[0] > a[0] => {
                let share = (x - a[0]) / (b[0] - a[0]);
                if share < 0.0 { a[1] } else { a[1] + share * (b[1] - a[1]) }
            }
            (Some(only), _) => only[1],
            (None, _) => 0.0,
        }
    }

    /// The value at `x`, and the last one beyond the last point.
    pub fn saturating(&self, x: f64) -> f64 {
        self.at(self.0.last().map_or(x, |last| x.min(last[0])))
    }

    /// The curve with every value multiplied by `factor`.
    pub fn scale(&mut self, factor: f64) {
        self.0.iter_mut().for_each(|point| point[1] *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_points_the_curve_is_straight_and_beyond_them_it_goes_on() {
        let curve = Curve(vec![[10.0, 1.0], [20.0, 2.0], [40.0, 6.0]]);
        for (x, expected) in [(0.0, 1.0), (10.0, 1.0), (15.0, 1.5), (30.0, 4.0), (50.0, 8.0)] {
            assert!((curve.at(x) - expected).abs() < 1e-12, "at {x}: {}", curve.at(x));
        }
        assert_eq!(curve.saturating(50.0), 6.0);
        assert_eq!(Curve(vec![[1.0, 7.0]]).at(3.0), 7.0);
        assert_eq!(Curve(Vec::new()).at(3.0), 0.0);
    }
}
