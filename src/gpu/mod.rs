//! The machine's own GPU: for now, whether there is one.

use cudarc::driver::{result, sys};

/// Why no GPU can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The driver's library cannot be loaded.
    #[error("this machine has no NVIDIA driver; use `--on model`")]
    NoDriver,
    /// The driver is there but refuses.
    #[error("the NVIDIA driver answers with error {0}; use `--on model`")]
    Driver(u32),
    /// The driver is there, the executor is not yet.
    #[error("this version of Streamscope does not run scenarios on a GPU yet; use `--on model`")]
    NotYet,
}

/// Whether a scenario can be run on a GPU of this machine.
///
/// # Errors
/// [`GpuError`] says why not.
pub fn available() -> Result<(), GpuError> {
    #[expect(unsafe_code, reason = "loading libcuda runs its initializers; it is asked for by its own name only")]
    // SAFETY: the library is the NVIDIA driver's, which may be loaded at any time and from any thread.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(GpuError::NoDriver);
    }
    result::init().map_err(|error| GpuError::Driver(error.0 as u32))?;
    Err(GpuError::NotYet)
}
