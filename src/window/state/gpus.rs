//! The GPUs that there are, as far as that is known.

use crate::gpu::DeviceInfo;

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
    Nothing(String),
}

impl KnownGpus {
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
