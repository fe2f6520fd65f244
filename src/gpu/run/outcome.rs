//! What one run was like, and when its calls were made.

use super::super::clock::Clock;
use super::super::driver::Code;
use super::HostFunctionRun;
use crate::memory::{Change, Usage};
use crate::program::TensorId;
use crate::recording::SpanKind;
use crate::time::Ns;

/// Why an operation had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::gpu) enum Failure {
    /// The driver's error.
    Cuda(Code),
    /// PyTorch refused by itself: the class of the exception and its text.
    Pytorch(&'static str, String),
}

impl From<Code> for Failure {
    fn from(code: Code) -> Self {
        Self::Cuda(code)
    }
}

/// When the host carried out an operation, counted from the start of the measured part.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::gpu) struct CallTimes {
    /// When the layers above the driver began.
    pub start: Ns,
    /// When the driver was entered.
    pub enter: Ns,
    /// When the call that queues the work was made and when it returned: between `enter` and `exit`, where an event was
    /// recorded before and behind it, or where the host then waited.
    pub queued: (Ns, Ns),
    /// When it returned.
    pub exit: Ns,
}

/// A call of the driver within an operation, such as `cudaMalloc` in an allocation.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct InnerCall {
    /// Index of the operation.
    pub operation: usize,
    /// What was called.
    pub name: &'static str,
    /// What kind of call.
    pub kind: SpanKind,
    /// When it began.
    pub start: Ns,
    /// When it returned.
    pub end: Ns,
}

/// A replay that was launched.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Replay {
    /// Index of the operation.
    pub operation: usize,
    /// Index of the operation that began the capture.
    pub capture: usize,
    /// How many replays of that capture came before.
    pub number: u32,
}

/// Something that became of the allocator's memory, in the order in which it did.
#[derive(Clone, Debug)]
pub(in crate::gpu) enum MemoryStep {
    /// Known when the allocator's calls had returned; in the setup, at zero.
    Change(Ns, Change),
    /// The block at an address belongs to a tensor.
    Owner(u64, TensorId),
}

/// What one run was like.
#[derive(Debug, Default)]
pub(in crate::gpu) struct Outcome {
    /// From the end of setup to the return of the final synchronization.
    pub wall: Ns,
    /// What `report` statements put out.
    pub values: Vec<Option<f64>>,
    /// Errors, by the index of their operation.
    pub errors: Vec<(usize, Failure)>,
    /// For each operation, whether it was carried out.
    pub done: Vec<bool>,
    /// When the operations of the measured part were called, those that were; empty in an untraced run.
    pub calls: Vec<Option<CallTimes>>,
    /// Calls within operations of the measured part.
    pub inner: Vec<InnerCall>,
    /// All replays that were launched.
    pub replays: Vec<Replay>,
    /// All host functions that ran.
    pub host_functions: Vec<HostFunctionRun>,
    /// What the allocator did.
    pub memory: Usage,
    /// How that came; empty in an untraced run.
    pub memory_steps: Vec<MemoryStep>,
    /// The two clocks; `None` in an untraced run.
    pub clock: Option<Clock>,
}

impl Outcome {
    /// Whether nothing works in this process any more.
    pub fn broke_the_context(&self) -> bool {
        self.errors.iter().any(|(_, failure)| matches!(failure, Failure::Cuda(code) if code.is_sticky()))
    }

    pub(super) fn empty(operations: usize, measured: usize, reports: usize) -> Self {
        Self {
            wall: Ns::ZERO,
            values: vec![None; reports],
            errors: Vec::new(),
            done: vec![false; operations],
            calls: vec![None; measured],
            inner: Vec::new(),
            replays: Vec::new(),
            host_functions: Vec::new(),
            memory: Usage::default(),
            memory_steps: Vec::new(),
            clock: None,
        }
    }
}
