//! Whether an operation may be carried out at all while streams capture.

use super::{Capture, Order};
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, InCapture};
use crate::program::{GraphId, Operation, Program, ThreadId};
use crate::scenario::statement::graph::CaptureMode;

/// Why an operation had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// CUDA returned an error.
    Cuda(CudaError),
    /// PyTorch refused by itself: the class of the exception and its text.
    Pytorch(&'static str, String),
}

impl From<CudaError> for Refusal {
    fn from(error: CudaError) -> Self {
        Self::Cuda(error)
    }
}

impl Capture {
    /// Whether this capture keeps `thread` from calls that are potentially unsafe: a thread's own captures do unless they are
    /// relaxed, those of other threads where they are global (CUDA driver API, `cuThreadExchangeStreamCaptureMode`).
    fn restricts(&self, thread: ThreadId) -> bool {
        match self.mode {
            CaptureMode::Global => true,
            CaptureMode::ThreadLocal => self.thread == thread,
            CaptureMode::Relaxed => false,
        }
    }
}

impl Order {
    /// Whether `thread` may carry out `operation` now. A call that it may not make invalidates the captures that forbid it.
    ///
    /// # Errors
    /// What CUDA or PyTorch says: 900, 907, or an exception.
    pub fn admit(&mut self, program: &Program, operation: &Operation, thread: ThreadId) -> Result<(), Refusal> {
        let refused = effects::pytorch_refuses(program, operation, |stream| self.capturing(stream).is_some());
        if let Some((class, text)) = refused {
            self.invalidate_where(|capture| capture.thread == thread);
            return Err(Refusal::Pytorch(class, text.to_owned()));
        }
        if !self.is_capturing() {
            return Ok(());
        }
        match effects::in_capture(&operation.action) {
            InCapture::Node | InCapture::Frontier | InCapture::Unaffected | InCapture::Boundary => Ok(()),
            InCapture::NodeOrUnsafe(stream) if self.capturing(stream).is_some() => Ok(()),
            InCapture::Unsafe | InCapture::NodeOrUnsafe(_) => self.check_unsafe(thread),
            InCapture::AsksEvent(event) => {
                self.ask_event(event)?;
                self.check_unsafe(thread)
            }
            InCapture::Forbidden(None) => {
                self.invalidate_where(|_| true);
                Err(CudaError::StreamCaptureUnsupported.into())
            }
            InCapture::Forbidden(Some(stream)) => match self.capturing(stream) {
                Some(graph) => self.forbidden_in(graph),
                None => {
                    // Whoever waits for the legacy stream waits for all blocking streams.
                    self.check_legacy(stream)?;
                    self.check_unsafe(thread)
                }
            },
            InCapture::NotInto(stream) => self.capturing(stream).map_or(Ok(()), |graph| self.forbidden_in(graph)),
        }
    }

    /// A potentially unsafe call of `thread`.
    ///
    /// # Errors
    /// 900 when a capture forbids it.
    pub fn check_unsafe(&mut self, thread: ThreadId) -> Result<(), Refusal> {
        if self.invalidate_where(|capture| capture.restricts(thread)) {
            Err(CudaError::StreamCaptureUnsupported.into())
        } else {
            Ok(())
        }
    }

    fn forbidden_in(&mut self, graph: GraphId) -> Result<(), Refusal> {
        self.invalidate(graph);
        Err(CudaError::StreamCaptureUnsupported.into())
    }

    /// Invalidates captures; returns whether there was one.
    fn invalidate_where(&mut self, which: impl Fn(&Capture) -> bool) -> bool {
        let mut any = false;
        for capture in self.captures.values_mut().filter(|capture| which(capture)) {
            capture.invalidated = true;
            any = true;
        }
        any
    }
}
