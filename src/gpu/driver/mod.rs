//! The CUDA driver, loaded at run time: thin owners of what it gives out. Nothing here adds an event, a wait or a
//! synchronization of its own, so a program meets exactly the ordering that it asked for.

mod blas;
mod context;
mod event;
mod graph;
mod memory;
mod module;
mod stream;

pub(in crate::gpu) use blas::{Blas, Gemm};
pub(in crate::gpu) use context::{Context, RelaxedCapture};
pub(in crate::gpu) use event::Event;
pub(in crate::gpu) use graph::{Executable, Graph};
pub(in crate::gpu) use memory::{
    CopyKind, DeviceMemory, PinnedMemory, copy, copy_blocking, fill, free, free_async, malloc, malloc_async,
};
pub(in crate::gpu) use module::{Arguments, Function, LaunchShape, Module};
pub(in crate::gpu) use stream::{CaptureMode, Stream, launch_host_function};

use std::ffi::CStr;

use cudarc::driver::sys;

use super::GpuError;

/// An error that the driver returned, by its number in `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) struct Code(pub u32);

impl Code {
    /// `CUDA_ERROR_NOT_READY`: not an error, but an answer.
    pub const NOT_READY: Self = Self(600);
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`.
    pub const CAPTURE_INVALIDATED: Self = Self(901);

    /// Whether nothing works in this process any more (CUDA Driver API, `CUresult`: "the context cannot be used").
    pub fn is_sticky(self) -> bool {
        matches!(self.0, 214 | 700 | 702 | 709 | 710 | 714..=719)
    }

    /// The driver's name, such as `CUDA_ERROR_INVALID_VALUE`.
    pub fn name(self) -> String {
        self.text_by(sys::cuGetErrorName).unwrap_or_else(|| format!("error {}", self.0))
    }

    /// The driver's sentence.
    pub fn text(self) -> String {
        self.text_by(sys::cuGetErrorString).unwrap_or_else(|| "the driver has no text for it".to_owned())
    }

    fn text_by(
        self,
        lookup: unsafe fn(sys::CUresult, *mut *const std::ffi::c_char) -> sys::CUresult,
    ) -> Option<String> {
        #[expect(unsafe_code, reason = "calls of the CUDA driver")]
        // SAFETY: the number came from the driver as a `CUresult`; it writes one pointer to a static string, or null.
        unsafe {
            let status = std::mem::transmute::<u32, sys::CUresult>(self.0);
            let mut text = std::ptr::null();
            let found = lookup(status, &raw mut text);
            (found == sys::CUresult::CUDA_SUCCESS && !text.is_null())
                .then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }

    /// As an error of the machine rather than of a program, or the trace that a program has left on it.
    pub fn while_trying(self, what: &'static str) -> GpuError {
        let (code, name) = (self.0, self.name());
        if self.is_sticky() { GpuError::Sticky { what, code, name } } else { GpuError::Driver { what, code, name } }
    }
}

/// What the driver answered.
pub(in crate::gpu) type Answer<T = ()> = Result<T, Code>;

fn check(status: sys::CUresult) -> Answer {
    match status {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        error => Err(Code(error as u32)),
    }
}
