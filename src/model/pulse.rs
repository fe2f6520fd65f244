//! Whether the run is to go on, asked often enough that nobody has to wait for it to stop.

use super::ModelError;

/// So many steps of the model take well under a millisecond.
const STEPS: u32 = 2048;

/// Counts steps, and asks from time to time.
pub(super) struct Pulse<'w> {
    watch: &'w mut dyn FnMut(f32) -> bool,
    steps: u32,
    /// Which part of the operations is done, 0–1.
    pub part: f32,
    is_cancelled: bool,
}

impl<'w> Pulse<'w> {
    pub fn new(watch: &'w mut dyn FnMut(f32) -> bool) -> Self {
        Self { watch, steps: 0, part: 0.0, is_cancelled: false }
    }

    /// One more step; `false` when the run has been cancelled.
    pub fn beat(&mut self) -> bool {
        if self.steps.is_multiple_of(STEPS) {
            self.is_cancelled |= !(self.watch)(self.part.min(1.0));
        }
        self.steps = self.steps.wrapping_add(1);
        !self.is_cancelled
    }

    /// # Errors
    /// When the run has been cancelled.
    pub fn check(&self) -> Result<(), ModelError> {
        if self.is_cancelled { Err(ModelError::Cancelled) } else { Ok(()) }
    }
}
