//! Why a call returned an error, in a sentence.

use super::Culprit;
use crate::program::cuda_error::CudaError;
use crate::recording::RunError;
use crate::text::{Key, Lang};

fn key(error: CudaError) -> Key {
    match error {
        CudaError::InvalidValue => Key::ErrorInvalidValue,
        CudaError::MemoryAllocation => Key::ErrorMemoryAllocation,
        CudaError::InvalidResourceHandle => Key::ErrorInvalidResourceHandle,
        CudaError::IllegalState => Key::ErrorIllegalState,
        CudaError::NotReady => Key::ErrorNotReady,
        CudaError::IllegalAddress => Key::ErrorIllegalAddress,
        CudaError::LaunchOutOfResources => Key::ErrorLaunchOutOfResources,
        CudaError::NotPermitted => Key::ErrorNotPermitted,
        CudaError::NotSupported => Key::ErrorNotSupported,
        CudaError::StreamCaptureUnsupported => Key::ErrorCaptureUnsupported,
        CudaError::StreamCaptureInvalidated => Key::ErrorCaptureInvalidated,
        CudaError::StreamCaptureMerge => Key::ErrorCaptureMerge,
        CudaError::StreamCaptureUnmatched => Key::ErrorCaptureUnmatched,
        CudaError::StreamCaptureUnjoined => Key::ErrorCaptureUnjoined,
        CudaError::StreamCaptureIsolation => Key::ErrorCaptureIsolation,
        CudaError::StreamCaptureImplicit => Key::ErrorCaptureImplicit,
        CudaError::CapturedEvent => Key::ErrorCapturedEvent,
        CudaError::StreamCaptureWrongThread => Key::ErrorCaptureWrongThread,
        CudaError::GraphExecUpdateFailure => Key::ErrorGraphUpdate,
    }
}

/// What led to the error, without a full stop: of PyTorch's own and of unknown ones, what they say themselves.
pub fn error_cause(error: &RunError, culprit: Option<&Culprit>, lang: Lang) -> String {
    if let Some(Culprit { user, object, freed_by }) = culprit {
        return lang.fill(Key::ErrorFreedMemory, &[user, object, freed_by].map(|text| text.get(lang)));
    }
    match error.code.and_then(CudaError::from_code) {
        Some(known) => lang.text(key(known)).to_owned(),
        None => error.text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned(),
    }
}
