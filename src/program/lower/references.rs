//! How many names stand for each tensor and buffer: the last one releases it.

use super::super::Place;

/// Names that stand for each tensor, and for each buffer of the host.
#[derive(Debug, Default)]
pub(super) struct References {
    tensors: Vec<u32>,
    buffers: Vec<u32>,
}

impl References {
    /// A new tensor, which one name will stand for.
    pub fn new_tensor(&mut self) {
        self.tensors.push(1);
    }

    /// A new buffer, which one name will stand for.
    pub fn new_buffer(&mut self) {
        self.buffers.push(1);
    }

    /// One more name stands for it.
    pub fn retain(&mut self, place: Place) {
        if let Some(count) = self.count(place) {
            *count += 1;
        }
    }

    /// One name less stands for it. Says whether that was the last.
    pub fn release(&mut self, place: Place) -> bool {
        self.count(place).is_some_and(|count| {
            *count = count.saturating_sub(1);
            *count == 0
        })
    }

    fn count(&mut self, place: Place) -> Option<&mut u32> {
        match place {
            Place::Device(tensor) => self.tensors.get_mut(tensor.index()),
            Place::Host(buffer) => self.buffers.get_mut(buffer.index()),
        }
    }
}
