//! The time line of one call of a host thread.

use crate::recording::NameId;
use crate::time::Ns;

/// A call, from what the timeline shows of it already.
#[derive(Clone, Copy, Default)]
pub(super) struct Call {
    /// When the layers above the driver began, or where the last span of the call ended.
    pub start: Ns,
    /// When the driver was entered, or the same end.
    pub enter: Ns,
    pub name: NameId,
    /// Whether no time passed above the driver, so that the call counts towards the next PyTorch operation.
    pub carries: bool,
    /// How much longer "what if" makes the call than it was when PyTorch's operations were measured.
    pub changed: Ns,
    /// Whether its work has been queued.
    pub queued: bool,
}

impl Call {
    /// What is left of the call at `now`: its span until then is written.
    pub fn resumed(self, now: Ns) -> Self {
        Self { start: now, enter: now, changed: Ns::ZERO, ..self }
    }
}
