//! Why a GPU cannot do what was asked for. An error of the program itself is a result of the run, not one of these.

/// Why a GPU cannot do what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// This build has no GPU executor.
    #[error(
        "this Streamscope was built without the feature `gpu`, so it runs nothing on a GPU; `cargo build --release` builds it with the feature, and the model needs none"
    )]
    NotBuilt,
    /// The driver's library cannot be loaded.
    #[error("this machine has no NVIDIA driver; the model needs none")]
    NoDriver,
    /// The driver is there but refuses.
    #[error(
        "the NVIDIA driver refuses to {what}: error {code} ({name}); `nvidia-smi` may say what is wrong, and the model needs no GPU"
    )]
    Driver {
        /// What was asked of it.
        what: &'static str,
        /// Its number, as in `cuda.h`.
        code: u32,
        /// Its name.
        name: String,
    },
    /// No device has this number.
    #[error("there is no GPU {index}: this machine has {count}, counted from 0")]
    NoSuchDevice {
        /// The number asked for.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// The program holds something that the executor does not do.
    #[error("{at}: the GPU executor does not support {what}; the model may")]
    Unsupported {
        /// What it is.
        what: String,
        /// Where it stands in the scenario, as a JSON pointer.
        at: String,
    },
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The program left the GPU in a state in which nothing works until the process ends, such as after error 700.
    #[error(
        "the GPU's context is broken, so the NVIDIA driver refuses to {what}: error {code} ({name}); the next run starts with a new one"
    )]
    Sticky {
        /// What was asked of the driver when it came to light.
        what: &'static str,
        /// Its number, as in `cuda.h`.
        code: u32,
        /// Its name.
        name: String,
    },
}
