//! Sizes as a person reads them.

use std::fmt;

/// Prints a size in the binary unit that a reader would choose, with three significant digits where it is not whole: `512 B`,
/// `16 MiB`, `1.38 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut units = UNITS.into_iter();
        let mut unit = units.next().unwrap_or_default();
        // 999.5 would be printed with four digits.
        while value >= 999.5
            && let Some(next) = units.next()
        {
            (value, unit) = (value / 1024.0, next);
        }
        let digits = match value {
            v if v.fract() == 0.0 => 0,
            v if v < 9.995 => 2,
            v if v < 99.95 => 1,
            _ => 0,
        };
        write!(f, "{value:.digits$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let said = |bytes: u64| Bytes(bytes).to_string();
        assert_eq!([said(0), said(512), said(1 << 24)], ["0 B", "512 B", "16 MiB"]);
        assert_eq!([said(1 << 10), said(106_496), said(1500)], ["1 KiB", "104 KiB", "1.46 KiB"]);
        assert_eq!([said(41 << 25), said(u64::MAX)], ["1.28 GiB", "16 EiB"]);
    }
}
