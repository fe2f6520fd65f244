//! What a stretch of the critical path was spent on.

use crate::recording::{Cause, SpanKind};

/// What a stretch of the critical path was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spent {
    /// The Python interpreter.
    Python,
    /// PyTorch's dispatcher.
    Dispatcher,
    /// PyTorch's operators.
    Aten,
    /// A CUDA call.
    CudaCall,
    /// A kernel.
    Kernel,
    /// A copy to the device.
    CopyH2D,
    /// A copy to the host.
    CopyD2H,
    /// A copy within the device.
    CopyD2D,
    /// A memset.
    Memset,
    /// What work took longer because it shared SMs, memory bandwidth or the link.
    Contention,
    /// Nothing was done, for a cause of idle time.
    Idle(Cause),
    /// Nobody knows.
    Unknown,
}

impl Spent {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Dispatcher => "dispatcher",
            Self::Aten => "aten",
            Self::CudaCall => "cuda_call",
            Self::Kernel => "kernel",
            Self::CopyH2D => "copy_h2d",
            Self::CopyD2H => "copy_d2h",
            Self::CopyD2D => "copy_d2d",
            Self::Memset => "memset",
            Self::Contention => "contention",
            Self::Idle(cause) => cause.id(),
            Self::Unknown => "unknown",
        }
    }

    /// What the time within a span goes to, on a host thread that within the driver.
    pub(super) fn on(kind: SpanKind) -> Self {
        match kind {
            SpanKind::Call | SpanKind::Capture => Self::CudaCall,
            SpanKind::Allocation => Self::Idle(Cause::Allocation),
            SpanKind::Blocked => Self::Idle(Cause::HostBlocked),
            SpanKind::Work => Self::Idle(Cause::HostWork),
            SpanKind::Operation => Self::Aten,
            // What a range of the program's own holds beside calls is its code.
            SpanKind::Annotation | SpanKind::Python => Self::Python,
            SpanKind::Kernel | SpanKind::GraphKernel => Self::Kernel,
            SpanKind::CopyH2D => Self::CopyH2D,
            SpanKind::CopyD2H => Self::CopyD2H,
            SpanKind::CopyD2D => Self::CopyD2D,
            SpanKind::Memset => Self::Memset,
            SpanKind::Event => Self::Idle(Cause::KernelGap),
            SpanKind::HostFunction => Self::Idle(Cause::HostFunction),
        }
    }
}
