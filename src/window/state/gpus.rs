//! The GPUs that there are, as far as that is known.

use super::sentence::Sentence;
use crate::gpu::DeviceInfo;
use crate::text::{Key, Lang};

/// What is known of the GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::window) enum KnownGpus {
    /// Nobody looks for any.
    #[default]
    NotAsked,
    /// They are being looked for.
    Asked,
    /// There are these.
    Devices(Vec<DeviceInfo>),
    /// There are none: why.
    Nothing(Sentence),
}

impl KnownGpus {
    /// There are none, for this reason.
    pub(in crate::window) fn nothing(reason: &str) -> Self {
        // What most people see who have no GPU is said in their language.
        let is_known = reason == Lang::En.text(Key::GpusNoDriver);
        Self::Nothing(if is_known { Sentence::new(Key::GpusNoDriver) } else { Sentence::about(Key::AsItIs, reason) })
    }

    /// The GPUs; none before the answer.
    pub(in crate::window) fn devices(&self) -> &[DeviceInfo] {
        match self {
            Self::Devices(devices) => devices,
            Self::NotAsked | Self::Asked | Self::Nothing(_) => &[],
        }
    }

    /// The GPU of that number.
    pub(in crate::window) fn device(&self, index: u32) -> Option<&DeviceInfo> {
        self.devices().iter().find(|device| device.index == index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuError;

    #[test]
    fn a_machine_without_a_driver_is_told_of_in_the_language() {
        let KnownGpus::Nothing(sentence) = KnownGpus::nothing(&GpuError::NoDriver.to_string()) else { unreachable!() };
        assert_eq!(sentence.said(Lang::En), GpuError::NoDriver.to_string());
        assert!(sentence.said(Lang::Zh).contains("没有 NVIDIA 驱动"));
        let KnownGpus::Nothing(sentence) = KnownGpus::nothing("why") else { unreachable!() };
        assert_eq!(sentence.said(Lang::Zh), "why");
    }
}
