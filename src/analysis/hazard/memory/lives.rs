//! What each tensor and buffer has been through.

use crate::program::{Place, Program, Region, StreamId};

/// Host buffers live above everything on the device.
const HOST_BASE: u64 = 1 << 62;
/// Distance between two buffers; no buffer is larger.
const HOST_STRIDE: u64 = 1 << 41;

/// What a tensor or buffer has been through.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Life {
    /// Where it lies; 0 before it does.
    pub address: u64,
    /// Number of the access that was made last when it came.
    pub since: u32,
    /// The private pool that it came from, 0 for the ordinary one.
    pub pool: u32,
    /// The stream that its block is bound to.
    pub stream: Option<StreamId>,
    /// Whether work or the host has written it outside any graph.
    pub is_filled: bool,
    /// The operation that ended it.
    pub ended_by: Option<u32>,
    /// Whether its bytes may have a new owner since; a page-locked buffer that a graph copies never has.
    pub is_up_for_reuse: bool,
}

/// All of them.
#[derive(Debug)]
pub(in super::super) struct Lives {
    tensors: Vec<Life>,
    buffers: Vec<Life>,
}

impl Lives {
    pub fn new(program: &Program) -> Self {
        let buffer = |index: usize| Life { address: HOST_BASE + index as u64 * HOST_STRIDE, ..Life::default() };
        Self {
            tensors: vec![Life::default(); program.tensors.len()],
            buffers: (0..program.buffers.len()).map(buffer).collect(),
        }
    }

    pub fn get(&self, place: Place) -> Option<&Life> {
        match place {
            Place::Device(tensor) => self.tensors.get(tensor.index()),
            Place::Host(buffer) => self.buffers.get(buffer.index()),
        }
    }

    pub fn get_mut(&mut self, place: Place) -> Option<&mut Life> {
        match place {
            Place::Device(tensor) => self.tensors.get_mut(tensor.index()),
            Place::Host(buffer) => self.buffers.get_mut(buffer.index()),
        }
    }

    pub fn address(&self, place: Place) -> u64 {
        self.get(place).map_or(0, |life| life.address)
    }

    /// The bytes of a region.
    pub fn range(&self, region: &Region) -> (u64, u64) {
        let start = self.address(region.place) + region.offset;
        (start, start + region.bytes)
    }

    /// The private pool that memory came from, 0 for the ordinary one.
    pub fn pool(&self, place: Place) -> u32 {
        self.get(place).map_or(0, |life| life.pool)
    }

    /// A tensor or buffer comes.
    pub fn begin(&mut self, place: Place, life: Life) {
        if let Some(known) = self.get_mut(place) {
            *known = life;
        }
    }

    /// A graph allocates its memory once more, at the same addresses.
    pub fn begin_again(&mut self, place: Place) {
        if let Some(life) = self.get_mut(place) {
            (life.ended_by, life.is_up_for_reuse) = (None, false);
        }
    }

    /// A tensor or buffer is over.
    pub fn end(&mut self, place: Place, operation: u32, is_up_for_reuse: bool) {
        if let Some(life) = self.get_mut(place) {
            (life.ended_by, life.is_up_for_reuse) = (Some(operation), is_up_for_reuse);
        }
    }
}
