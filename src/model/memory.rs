//! Where tensors and buffers lie, and what they contain.

use std::collections::BTreeMap;

use super::contents::{Contents, HOST_BASE, HOST_STRIDE};
use super::parts::{Parts, computed, parts};
use super::task::TaskId;
use crate::kernel::Kernel;
use crate::memory::Addresses;
use crate::program::{Buffer, BufferId, HostMemory, Place, Program, Region, TensorId};

/// What was read: its mean, and its parts where it has some.
#[derive(Clone, Debug)]
pub(super) struct Staged {
    pub mean: f64,
    pub parts: Option<Parts>,
}

/// Addresses and contents.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Address of each tensor; 0 before it is allocated.
    addresses: Vec<u64>,
    /// Whether each buffer's pages have been touched.
    touched: Vec<bool>,
    /// Whether each buffer has been given back.
    gone: Vec<bool>,
    /// Address of each buffer.
    buffers: Vec<u64>,
    /// What the driver has given out.
    pub given: Addresses,
    pub contents: Contents,
    /// What a pageable copy to the device read when it was staged.
    pub staged: BTreeMap<TaskId, Staged>,
}

impl Memory {
    pub fn new(program: &Program) -> Self {
        let mut contents = Contents::default();
        for (index, buffer) in program.buffers.iter().enumerate() {
            if let Some(fill) = buffer.fill {
                let start = HOST_BASE + index as u64 * HOST_STRIDE;
                contents.write(start, start + buffer.bytes, fill);
            }
        }
        Self {
            addresses: vec![0; program.tensors.len()],
            touched: program.buffers.iter().map(|b| b.fill.is_some() || b.memory == HostMemory::Pinned).collect(),
            gone: vec![false; program.buffers.len()],
            buffers: (0..program.buffers.len() as u64).map(|index| HOST_BASE + index * HOST_STRIDE).collect(),
            given: Addresses::default(),
            contents,
            staged: BTreeMap::new(),
        }
    }

    /// Whether the device may touch a region: it lies within what the driver has given out, or on the host.
    pub fn is_mapped(&self, region: &Region) -> bool {
        let Place::Device(_) = region.place else { return true };
        let (start, end) = self.range(region);
        self.given.is_mapped(start, end)
    }

    pub fn set_buffer_address(&mut self, buffer: BufferId, address: u64) {
        if let Some(place) = self.buffers.get_mut(buffer.index()) {
            *place = address;
        }
    }

    pub fn buffer_address(&self, buffer: BufferId) -> u64 {
        self.buffers.get(buffer.index()).copied().unwrap_or(HOST_BASE)
    }

    /// A new buffer gets the value that it has at first.
    pub fn fill_buffer(&mut self, buffer: BufferId, info: &Buffer) {
        if let Some(fill) = info.fill {
            let start = self.buffer_address(buffer);
            self.contents.write(start, start + info.bytes, fill);
        }
    }

    pub fn set_address(&mut self, tensor: TensorId, address: u64) {
        if let Some(place) = self.addresses.get_mut(tensor.index()) {
            *place = address;
        }
    }

    pub fn address(&self, tensor: TensorId) -> u64 {
        self.addresses.get(tensor.index()).copied().unwrap_or(0)
    }

    /// A buffer of the host is given back.
    pub fn take_buffer(&mut self, buffer: BufferId) {
        if let Some(gone) = self.gone.get_mut(buffer.index()) {
            *gone = true;
        }
    }

    /// Whether a tensor has been allocated, or a buffer not given back.
    pub fn is_there(&self, place: Place) -> bool {
        match place {
            Place::Device(tensor) => self.address(tensor) != 0,
            Place::Host(buffer) => self.gone.get(buffer.index()).is_some_and(|gone| !gone),
        }
    }

    fn range(&self, region: &Region) -> (u64, u64) {
        let base = match region.place {
            Place::Device(tensor) => self.address(tensor),
            Place::Host(buffer) => self.buffer_address(buffer),
        };
        (base + region.offset, base + region.offset + region.bytes)
    }

    /// What a copy reads of a region now.
    pub fn read(&self, region: &Region) -> Staged {
        Staged { mean: self.mean(region), parts: parts(&self.contents, self.range(region)) }
    }

    /// What an elementwise kernel makes of regions that are not all of one value.
    pub fn computed(&self, kernel: &Kernel, reads: &[Region]) -> Option<Parts> {
        let is_one = |region: &Region| {
            let (start, end) = self.range(region);
            self.contents.is_one(start, end)
        };
        if reads.iter().all(is_one) {
            return None;
        }
        let ranges: Vec<(u64, u64)> = reads.iter().map(|region| self.range(region)).collect();
        computed(kernel, &self.contents, &ranges)
    }

    /// Writes a region part by part, if they make up the whole of it.
    pub fn write_parts(&mut self, region: &Region, parts: &Parts) -> bool {
        let fits = parts.last().is_some_and(|(_, end, _)| *end == region.bytes);
        for (from, to, value) in parts.iter().filter(|_| fits) {
            self.write(&Region { offset: region.offset + from, bytes: to - from, ..*region }, *value);
        }
        fits
    }

    pub fn mean(&self, region: &Region) -> f64 {
        let (start, end) = self.range(region);
        self.contents.mean(start, end)
    }

    pub fn write(&mut self, region: &Region, value: f64) {
        let (start, end) = self.range(region);
        self.contents.write(start, end, value);
        if let Place::Host(buffer) = region.place {
            self.touch(buffer);
        }
    }

    pub fn is_touched(&self, buffer: BufferId) -> bool {
        self.touched.get(buffer.index()).copied().unwrap_or(true)
    }

    /// Its pages have been faulted in.
    pub fn touch(&mut self, buffer: BufferId) {
        if let Some(touched) = self.touched.get_mut(buffer.index()) {
            *touched = true;
        }
    }
}
