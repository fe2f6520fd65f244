//! Where and when a profile was measured, in words.

use super::super::date::today;
use super::super::{DeviceInfo, Kept};
use crate::profile::{Gpu, Profile};
use crate::text::{Key, Lang, Localized};

/// Identifier of a profile, such as `h200`.
pub(super) fn name(gpu: &str) -> String {
    let words = gpu.trim_start_matches("NVIDIA ").to_lowercase();
    words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// What pictures say, such as `H200 profile`.
pub(super) fn title(gpu: &str) -> Localized {
    Localized::of(Key::ProfileOf, &[gpu.trim_start_matches("NVIDIA ")])
}

/// The machine, the program, the date, and what was not measured.
pub(super) fn measured(info: &DeviceInfo, gpu: &Gpu, base: &Profile, kept: &[Kept]) -> String {
    let mut text = format!("{} ({} SMs), driver {}", gpu.name, gpu.sms, info.driver);
    if let Some(processor) = processor() {
        text.push_str(&format!(", host {processor}"));
    }
    let version = env!("CARGO_PKG_VERSION");
    text.push_str(&format!("; by streamscope calibrate {version}, {}", today()));
    if !kept.is_empty() {
        let names: Vec<&str> = kept.iter().map(|kept| kept.figure.as_str()).collect();
        text.push_str(&format!("; kept from the {}: {}", base.title.get(Lang::En), names.join(", ")));
    }
    text
}

/// That the host costs of PyTorch operations are those of another profile. One that has them from a third says so already.
pub(super) fn of_pytorch(base: &Profile) -> String {
    const NOT_HERE: &str = "not by calibration, but ";
    match base.pytorch.measured.as_str() {
        said if said.starts_with(NOT_HERE) => said.to_owned(),
        said => format!("{NOT_HERE}those of the {}: {said}", base.title.get(Lang::En)),
    }
}

/// The processor of the host, where the system tells.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_named_after_its_gpu() {
        assert_eq!((name("NVIDIA H200").as_str(), title("NVIDIA H200").get(Lang::En)), ("h200", "H200 profile"));
        assert_eq!(name("NVIDIA GeForce RTX 4090"), "geforce-rtx-4090");
        assert_eq!(name("Tesla V100-SXM2-16GB"), "tesla-v100-sxm2-16gb");
    }
}
