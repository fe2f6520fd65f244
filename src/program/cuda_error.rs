//! Errors that CUDA returns, with the driver's numbers and strings (`driver_types.h`, `cudaGetErrorString`).

use std::fmt;

/// An error that a CUDA call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is documented by its string")]
pub enum CudaError {
    InvalidValue,
    MemoryAllocation,
    InvalidResourceHandle,
    IllegalState,
    NotReady,
    IllegalAddress,
    LaunchOutOfResources,
    NotPermitted,
    NotSupported,
    StreamCaptureUnsupported,
    StreamCaptureInvalidated,
    StreamCaptureMerge,
    StreamCaptureUnmatched,
    StreamCaptureUnjoined,
    StreamCaptureIsolation,
    StreamCaptureImplicit,
    CapturedEvent,
    StreamCaptureWrongThread,
    GraphExecUpdateFailure,
}

impl CudaError {
    /// Number, name and string.
    fn facts(self) -> (u32, &'static str, &'static str) {
        match self {
            Self::InvalidValue => (1, "cudaErrorInvalidValue", "invalid argument"),
            Self::MemoryAllocation => (2, "cudaErrorMemoryAllocation", "out of memory"),
            Self::InvalidResourceHandle => (400, "cudaErrorInvalidResourceHandle", "invalid resource handle"),
            Self::IllegalState => {
                (401, "cudaErrorIllegalState", "the operation cannot be performed in the present state")
            }
            Self::NotReady => (600, "cudaErrorNotReady", "device not ready"),
            Self::IllegalAddress => (700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"),
            Self::LaunchOutOfResources => {
                (701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch")
            }
            Self::NotPermitted => (800, "cudaErrorNotPermitted", "operation not permitted"),
            Self::NotSupported => (801, "cudaErrorNotSupported", "operation not supported"),
            Self::StreamCaptureUnsupported => {
                (900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing")
            }
            Self::StreamCaptureInvalidated => {
                (901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture")
            }
            Self::StreamCaptureMerge => {
                (902, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences")
            }
            Self::StreamCaptureUnmatched => {
                (903, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began")
            }
            Self::StreamCaptureUnjoined => {
                (904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work")
            }
            Self::StreamCaptureIsolation => {
                (905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream")
            }
            Self::StreamCaptureImplicit => (
                906,
                "cudaErrorStreamCaptureImplicit",
                "operation would make the legacy stream depend on a capturing blocking stream",
            ),
            Self::CapturedEvent => (
                907,
                "cudaErrorCapturedEvent",
                "operation not permitted on an event last recorded in a capturing stream",
            ),
            Self::StreamCaptureWrongThread => (
                908,
                "cudaErrorStreamCaptureWrongThread",
                "attempt to terminate a thread-local capture sequence from another thread",
            ),
            Self::GraphExecUpdateFailure => (
                910,
                "cudaErrorGraphExecUpdateFailure",
                "the graph update was not performed because it included changes which violated constraints specific to \
                 instantiated graph update",
            ),
        }
    }

    const ALL: [Self; 19] = [
        Self::InvalidValue,
        Self::MemoryAllocation,
        Self::InvalidResourceHandle,
        Self::IllegalState,
        Self::NotReady,
        Self::IllegalAddress,
        Self::LaunchOutOfResources,
        Self::NotPermitted,
        Self::NotSupported,
        Self::StreamCaptureUnsupported,
        Self::StreamCaptureInvalidated,
        Self::StreamCaptureMerge,
        Self::StreamCaptureUnmatched,
        Self::StreamCaptureUnjoined,
        Self::StreamCaptureIsolation,
        Self::StreamCaptureImplicit,
        Self::CapturedEvent,
        Self::StreamCaptureWrongThread,
        Self::GraphExecUpdateFailure,
    ];

    /// The error of this number, if it is one of these.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|error| error.code() == code)
    }

    /// The driver's number.
    pub fn code(self) -> u32 {
        self.facts().0
    }

    /// The runtime's name.
    pub fn name(self) -> &'static str {
        self.facts().1
    }

    /// The driver's string.
    pub fn text(self) -> &'static str {
        self.facts().2
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.name(), self.code(), self.text())
    }
}
