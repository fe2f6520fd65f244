//! Where tensors and buffers lie, and what they contain.

use std::collections::BTreeMap;

use super::contents::Contents;
use super::task::TaskId;
use crate::program::{Buffer, BufferId, HostMemory, Place, Program, Region, TensorId};

/// Host buffers live above everything on the device.
const HOST_BASE: u64 = 1 << 62;
/// Distance between two buffers; no buffer is larger.
const HOST_STRIDE: u64 = 1 << 41;
/// Where device memory starts.
const DEVICE_BASE: u64 = 1 << 21;

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
    /// First free address of the device.
    next: u64,
    /// Bytes that the driver has given out, by address.
    given: BTreeMap<u64, u64>,
    given_bytes: u64,
    /// Ranges that have been given back: the next request of that size gets the same addresses.
    returned: Vec<(u64, u64)>,
    pub contents: Contents,
    /// What a pageable copy to the device read when it was staged.
    pub staged: BTreeMap<TaskId, f64>,
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
            next: DEVICE_BASE,
            given: BTreeMap::new(),
            given_bytes: 0,
            returned: Vec::new(),
            contents,
            staged: BTreeMap::new(),
        }
    }

    /// `cudaMalloc`, `None` when less than `bytes` of `capacity` is left.
    pub fn give(&mut self, bytes: u64, capacity: u64) -> Option<u64> {
        if self.given_bytes.checked_add(bytes)? > capacity {
            return None;
        }
        let again = self.returned.iter().rposition(|(_, returned)| *returned == bytes);
        let address = again.map_or(self.next, |index| self.returned.remove(index).0);
        if address == self.next {
            // A gap keeps neighbouring segments from looking like one.
            self.next += bytes.next_multiple_of(1 << 21) + (1 << 21);
        }
        self.given.insert(address, bytes);
        self.given_bytes += bytes;
        Some(address)
    }

    /// `cudaFree`.
    pub fn take_back(&mut self, address: u64) {
        if let Some(bytes) = self.given.remove(&address) {
            self.given_bytes -= bytes;
            self.returned.push((address, bytes));
        }
    }

    /// Whether any memory has been given back to the driver.
    pub fn has_returned(&self) -> bool {
        !self.returned.is_empty()
    }

    /// Whether the device may touch a region: it lies within what the driver has given out, or on the host.
    pub fn is_mapped(&self, region: &Region) -> bool {
        let Place::Device(_) = region.place else { return true };
        let (start, end) = self.range(region);
        self.given.range(..=start).next_back().is_some_and(|(from, bytes)| end <= from + bytes)
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
