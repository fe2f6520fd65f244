//! Addresses that the driver gives out.

use std::collections::{BTreeMap, BTreeSet};

/// Where device memory starts.
const DEVICE_BASE: u64 = 1 << 21;

/// Device memory as the driver sees it: ranges given out and taken back. A range that came back serves the next request of its
/// size, so that an old address may reach somebody else's memory.
#[derive(Clone, Debug)]
pub struct Addresses {
    next: u64,
    given: BTreeMap<u64, u64>,
    given_bytes: u64,
    returned: Vec<(u64, u64)>,
    released: BTreeSet<u64>,
}

impl Default for Addresses {
    fn default() -> Self {
        Self {
            next: DEVICE_BASE,
            given: BTreeMap::new(),
            given_bytes: 0,
            returned: Vec::new(),
            released: BTreeSet::new(),
        }
    }
}

impl Addresses {
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

    /// `cudaFreeAsync`: the bytes may be asked for again, but the pool keeps the addresses mapped.
    pub fn release(&mut self, address: u64) {
        if let Some(bytes) = self.given.get(&address) {
            self.given_bytes = self.given_bytes.saturating_sub(*bytes);
            self.released.insert(address);
        }
    }

    /// `cudaFree`.
    pub fn take_back(&mut self, address: u64) {
        if let Some(bytes) = self.given.remove(&address) {
            self.given_bytes -= if self.released.remove(&address) { 0 } else { bytes };
            self.returned.push((address, bytes));
        }
    }

    /// Whether any memory has come back and has not been given out again.
    pub fn has_returned(&self) -> bool {
        !self.returned.is_empty()
    }

    /// Whether all of a range is given out.
    pub fn is_mapped(&self, start: u64, end: u64) -> bool {
        self.given.range(..=start).next_back().is_some_and(|(from, bytes)| end <= from + bytes)
    }
}
