//! Streams, their captures, and host functions.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::c_void;

use cudarc::driver::sys::{self, CUstreamCaptureMode, CUstreamCaptureStatus};

use super::{Answer, Code, Graph, RelaxedCapture, check};
pub(in crate::gpu) use crate::scenario::statement::graph::CaptureMode;

/// A stream. The legacy default stream is one that nobody owns.
#[derive(Debug)]
pub(in crate::gpu) struct Stream {
    handle: sys::CUstream,
}

impl Stream {
    /// The legacy default stream.
    pub fn legacy() -> Self {
        Self { handle: std::ptr::null_mut() }
    }

    /// A new stream; a blocking one waits for the legacy default stream and makes it wait. Lower priorities are more urgent;
    /// the driver clamps them.
    pub fn new(blocking: bool, priority: i32) -> Answer<Self> {
        let flags = if blocking {
            sys::CUstream_flags_enum::CU_STREAM_DEFAULT as u32
        } else {
            sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the driver writes one handle.
        check(unsafe { sys::cuStreamCreateWithPriority(&raw mut handle, flags, priority) })?;
        Ok(Self { handle })
    }

    pub(super) fn handle(&self) -> sys::CUstream {
        self.handle
    }

    /// The host waits for all its work.
    pub fn synchronize(&self) -> Answer {
        // SAFETY: the handle lives as long as its owner.
        check(unsafe { sys::cuStreamSynchronize(self.handle) })
    }

    /// Whether it has nothing left to do.
    pub fn is_done(&self) -> Answer<bool> {
        // SAFETY: the handle lives as long as its owner.
        match check(unsafe { sys::cuStreamQuery(self.handle) }) {
            Ok(()) => Ok(true),
            Err(Code::NOT_READY) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether its work goes into a graph now.
    pub fn is_capturing(&self) -> bool {
        self.capture_status() == Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE)
    }

    /// Why no work can be queued on it, as far as the driver tells: its capture is invalidated, or its context is broken.
    pub fn failure(&self) -> Option<Code> {
        match self.capture_status() {
            Err(code) => Some(code),
            Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED) => Some(Code::CAPTURE_INVALIDATED),
            // Asking a stream that captures whether it is done would end the capture.
            Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE) => None,
            Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE) => {
                // Nor would a capture elsewhere live through a question that its mode forbids.
                let _relaxed = RelaxedCapture::enter();
                // SAFETY: the handle lives as long as its owner.
                let asked = check(unsafe { sys::cuStreamQuery(self.handle) });
                asked.err().filter(|code| *code != Code::NOT_READY)
            }
        }
    }

    fn capture_status(&self) -> Answer<CUstreamCaptureStatus> {
        let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: the driver writes one value.
        check(unsafe { sys::cuStreamIsCapturing(self.handle, &raw mut status) })?;
        Ok(status)
    }

    /// Starts to capture.
    pub fn begin_capture(&self, mode: CaptureMode) -> Answer {
        let mode = match mode {
            CaptureMode::Global => CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL,
            CaptureMode::ThreadLocal => CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            CaptureMode::Relaxed => CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
        };
        // SAFETY: the handle lives as long as its owner.
        check(unsafe { sys::cuStreamBeginCapture_v2(self.handle, mode) })
    }

    /// Ends the capture.
    pub fn end_capture(&self) -> Answer<Graph> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: the driver writes one handle, null when the capture failed.
        check(unsafe { sys::cuStreamEndCapture(self.handle, &raw mut graph) })?;
        Ok(Graph::own(graph))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: created in `new` and destroyed once; the driver lets its work finish.
            let _destroyed = unsafe { sys::cuStreamDestroy_v2(self.handle) };
        }
    }
}

/// A thread of the driver calls `function` with `data` when the stream comes to it.
///
/// # Safety
/// `data` has to live, at its place, until the stream has passed, at every replay where the stream captures. `function` must
/// not call CUDA.
pub(in crate::gpu) unsafe fn launch_host_function(
    stream: &Stream,
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
) -> Answer {
    // SAFETY: as the caller promises.
    check(unsafe { sys::cuLaunchHostFunc(stream.handle(), Some(function), data) })
}
