//! Where and when a profile was measured, in words.

use std::time::{SystemTime, UNIX_EPOCH};

use super::super::DeviceInfo;
use super::Kept;
use crate::profile::{Gpu, Profile};

/// Identifier of a profile, such as `h200`.
pub(super) fn name(gpu: &str) -> String {
    let words = gpu.trim_start_matches("NVIDIA ").to_lowercase();
    words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// What pictures say, such as `H200 profile`.
pub(super) fn title(gpu: &str) -> String {
    format!("{} profile", gpu.trim_start_matches("NVIDIA "))
}

/// The machine, the program, the date, and what was not measured.
pub(super) fn measured(info: &DeviceInfo, gpu: &Gpu, base: &Profile, kept: &[Kept]) -> String {
    let mut text = format!("{} ({} SMs), driver {}", gpu.name, gpu.sms, info.driver);
    if let Some(processor) = processor() {
        text.push_str(&format!(", host {processor}"));
    }
    let version = env!("CARGO_PKG_VERSION");
    text.push_str(&format!("; by streamscope calibrate {version}, {}", date(SystemTime::now())));
    if !kept.is_empty() {
        let names: Vec<&str> = kept.iter().map(|kept| kept.figure.as_str()).collect();
        text.push_str(&format!("; kept from the {}: {}", base.title, names.join(", ")));
    }
    text
}

/// The processor of the host, where the system tells.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The day, in UTC, as `2026-11-30`.
fn date(time: SystemTime) -> String {
    let days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    // Years that begin in March, so that the leap day is their last: H. Hinnant, "chrono-compatible low-level date algorithms".
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_profile_is_named_after_its_gpu() {
        assert_eq!((name("NVIDIA H200").as_str(), title("NVIDIA H200").as_str()), ("h200", "H200 profile"));
        assert_eq!(name("NVIDIA GeForce RTX 4090"), "geforce-rtx-4090");
        assert_eq!(name("Tesla V100-SXM2-16GB"), "tesla-v100-sxm2-16gb");
    }

    #[test]
    fn days_have_dates() {
        let day = |days: u64| date(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399));
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_787), "2026-11-30");
        assert_eq!(day(20_788), "2026-12-01");
    }
}
