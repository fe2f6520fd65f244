//! Figures as they are measured: what makes no sense is not believed, and the value of another profile stays.

use super::super::driver::{Answer, Code};
use super::super::{GpuError, Kept};
use crate::profile::{Curve, Profile};

/// A figure of the profile may be at most so many times that of the other machine.
const MOST_TIMES: f64 = 20.0;
/// Below this a figure of the other machine counts as this, in the unit of the figure: many times nothing is nothing.
const LEAST: f64 = 0.05;
/// Digits of a figure that are kept.
const DIGITS: i32 = 4;

/// What takes figures one by one.
pub(super) struct Figures<'w> {
    watch: &'w mut dyn FnMut(&str, f32) -> bool,
    done: usize,
    all: usize,
    /// Those that were not measured.
    pub kept: Vec<Kept>,
    ended: Option<GpuError>,
}

impl<'w> Figures<'w> {
    pub fn new(base: &Profile, watch: &'w mut dyn FnMut(&str, f32) -> bool) -> Self {
        Self { watch, done: 0, all: count(base), kept: Vec::new(), ended: None }
    }

    /// What `measure` says, or `base` where that makes no sense. After a cancel, or when the context is broken, nothing is
    /// measured any more.
    pub fn number(&mut self, figure: &str, base: f64, measure: impl FnOnce() -> Answer<f64>) -> f64 {
        if self.ended.is_some() {
            return base;
        }
        self.done += 1;
        if !(self.watch)(figure, (self.done as f32 / self.all.max(1) as f32).min(1.0)) {
            self.ended = Some(GpuError::Cancelled);
            return base;
        }
        let measured = measure();
        if let Err(code) = &measured
            && code.is_sticky()
        {
            self.ended = Some(code.while_trying("go on with the calibration"));
            return base;
        }
        match believed(base, measured) {
            Ok(value) => rounded(value),
            Err(why) => {
                self.kept.push(Kept { figure: figure.to_owned(), why });
                base
            }
        }
    }

    /// A curve at the places of `base`, each point for itself.
    pub fn curve(&mut self, figure: &str, base: &Curve, mut measure: impl FnMut(f64) -> Answer<f64>) -> Curve {
        let point = |&[x, y]: &[f64; 2]| [x, self.number(&format!("{figure}[{x}]"), y, || measure(x))];
        Curve(base.0.iter().map(point).collect())
    }

    /// Whether all figures could be taken.
    pub fn end(self) -> Result<Vec<Kept>, GpuError> {
        match self.ended {
            Some(error) => Err(error),
            None => Ok(self.kept),
        }
    }
}

/// The measured value, or why it cannot be right.
fn believed(base: f64, measured: Answer<f64>) -> Result<f64, String> {
    let value = measured.map_err(|code: Code| format!("error {} ({})", code.0, code.name()))?;
    if !value.is_finite() {
        return Err("no value".to_owned());
    }
    if value < 0.0 {
        return Err(format!("measured {}, which is negative", rounded(value)));
    }
    if value > MOST_TIMES * base.max(LEAST) {
        return Err(format!("measured {}, more than {MOST_TIMES} times {base}", rounded(value)));
    }
    Ok(value)
}

/// With as many digits as mean something.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let decimals = (DIGITS - 1 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

/// The middle of some samples; no number where there are none.
pub(super) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    match (samples.get(middle), samples.len().is_multiple_of(2)) {
        (None, _) => f64::NAN,
        (Some(high), true) => {
            middle.checked_sub(1).and_then(|low| samples.get(low)).map_or(*high, |l| (l + high) / 2.0)
        }
        (Some(one), false) => *one,
    }
}

/// About how many figures there are, for the progress.
fn count(base: &Profile) -> usize {
    let (calls, copies) = (&base.calls, &base.copies);
    let curves = [&calls.malloc_us, &calls.malloc_host_us, &calls.graph_launch_us, &calls.instantiate_us]
        .into_iter()
        .chain([&copies.pinned_h2d_us, &copies.pinned_d2h_us, &copies.pageable_h2d_us, &copies.pageable_d2h_us])
        .chain([&copies.staged_busy_us, &copies.d2d_us, &copies.memset_us, &base.gpu.bandwidth]);
    curves.map(|curve| curve.0.len()).sum::<usize>() + base.kernels.entries.len() + 60
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::shipped;

    fn take(measured: Answer<f64>) -> (f64, Vec<Kept>) {
        let base = shipped("h200").unwrap();
        let mut watch = |_: &str, _: f32| true;
        let mut figures = Figures::new(&base, &mut watch);
        let value = figures.number("calls.launch_us", 4.0, || measured);
        (value, figures.end().unwrap())
    }

    #[test]
    fn a_figure_that_makes_no_sense_is_not_believed() {
        assert_eq!(take(Ok(2.5)), (2.5, Vec::new()));
        assert_eq!(take(Ok(0.0)), (0.0, Vec::new()));
        assert_eq!(take(Ok(80.0)), (80.0, Vec::new()));
        for wrong in [-0.5, f64::NAN, f64::INFINITY, 80.1] {
            let (value, kept) = take(Ok(wrong));
            assert_eq!(value, 4.0, "{wrong}");
            assert_eq!(kept.len(), 1, "{wrong}");
            assert_eq!(kept[0].figure, "calls.launch_us");
        }
    }

    #[test]
    fn a_curve_keeps_its_places_and_loses_only_wrong_points() {
        let base = shipped("h200").unwrap();
        let mut watch = |_: &str, _: f32| true;
        let mut figures = Figures::new(&base, &mut watch);
        let curve = Curve(vec![[4.0, 1.0], [64.0, 2.0], [1024.0, 3.0]]);
        let measured =
            figures.curve("copies.d2d_us", &curve, |bytes| Ok(if bytes == 64.0 { -1.0 } else { bytes / 64.0 }));
        assert_eq!(measured, Curve(vec![[4.0, 0.0625], [64.0, 2.0], [1024.0, 16.0]]));
        let kept: Vec<String> = figures.end().unwrap().into_iter().map(|kept| kept.figure).collect();
        assert_eq!(kept, ["copies.d2d_us[64]"]);
    }

    #[test]
    fn after_a_cancel_nothing_is_measured() {
        let base = shipped("h200").unwrap();
        let mut left = 1;
        let mut watch = |_: &str, _: f32| {
            left -= 1;
            left >= 0
        };
        let mut figures = Figures::new(&base, &mut watch);
        let mut measured = 0;
        for _ in 0..3 {
            figures.number("calls.launch_us", 4.0, || {
                measured += 1;
                Ok(1.0)
            });
        }
        assert_eq!(figures.end(), Err(GpuError::Cancelled));
        assert_eq!(measured, 1);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
        assert_eq!(median(vec![7.0]), 7.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn figures_keep_four_digits() {
        for (value, shown) in [(2.873_456, 2.873), (0.049_876_5, 0.04988), (44_951.72, 44952.0), (0.3, 0.3)] {
            assert_eq!(rounded(value), shown);
        }
    }
}
