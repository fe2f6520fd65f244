//! The layers above the driver. A recording carries only their total for each call, so their parts are proportions, not measurements.

use super::{Span, SpanKind};
use crate::time::{Interval, Ns};

/// Shares of Python, dispatcher and ATen in the host time above the driver, after the ledger of the course.
pub const LAYER_SHARES: [f64; 3] = [0.45, 0.37, 0.18];

impl Span {
    /// When a host thread entered the driver: before that, `span` is layers above it.
    pub fn driver_entry(&self) -> Ns {
        match self.kind {
            SpanKind::Call | SpanKind::Allocation | SpanKind::Blocked | SpanKind::Capture => {
                self.call.min(self.end).max(self.start)
            }
            SpanKind::Work | SpanKind::Operation | SpanKind::Annotation | SpanKind::Python => self.start,
            SpanKind::Kernel | SpanKind::GraphKernel | SpanKind::CopyH2D | SpanKind::CopyD2H => self.start,
            SpanKind::CopyD2D | SpanKind::Memset | SpanKind::Event | SpanKind::HostFunction => self.start,
        }
    }

    /// Python, dispatcher and ATen, one after the other up to the entry of the driver.
    pub fn layers(&self) -> [Interval; 3] {
        let entry = self.driver_entry();
        let above = entry - self.start;
        let (mut from, mut share_so_far) = (self.start, 0.0);
        LAYER_SHARES.map(|share| {
            share_so_far += share;
            let layer = Interval::new(from, (self.start + above.scale(share_so_far)).min(entry));
            from = layer.end;
            layer
        })
    }
}
