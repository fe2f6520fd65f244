//! Host memory of a program: pageable and page-locked, touched and fresh.

use memmap2::MmapMut;

use super::super::driver::{Answer, Code, PinnedMemory};
use super::super::element::{bits, value};
use super::Failure;
use super::device::Device;
use crate::kernel::Dtype;
use crate::memory::{PinnedCache, pinned_block_bytes};
use crate::program::{Action, Buffer, BufferId, HostMemory, Place, Program, Region};
use crate::recording::SpanKind;

/// Where a buffer lies.
#[derive(Debug)]
enum Memory {
    /// Nowhere yet, or no longer.
    None,
    /// In the memory that all buffers share which no operation allocates.
    Shared,
    /// In pages of its own, fresh from the system.
    Pageable(MmapMut),
    /// In page-locked pages.
    Pinned(PinnedMemory),
}

/// All buffers of a program.
#[derive(Debug)]
pub(super) struct HostBuffers {
    infos: Vec<Buffer>,
    memories: Vec<Memory>,
    /// What no operation allocates, such as the number that `.item()` waits for. They are in use one after the other: the
    /// host thread waits for the copy into one and then reads it, before it does anything else.
    shared: MmapMut,
    /// Page-locked memory that waits for reuse.
    pub pinned_cache: PinnedCache<u32, PinnedMemory>,
    /// Pages that the program has freed, but which a graph may still be copying.
    kept: Vec<Memory>,
}

impl HostBuffers {
    pub fn new(program: &Program) -> Answer<Self> {
        let mut allocated = vec![false; program.buffers.len()];
        for operation in &program.operations {
            if let Action::HostAlloc { buffer, .. } = operation.action
                && let Some(place) = allocated.get_mut(buffer.index())
            {
                *place = true;
            }
        }
        let unallocated = || program.buffers.iter().zip(&allocated).filter(|(_, allocated)| !**allocated);
        let bytes = unallocated().map(|(buffer, _)| buffer.bytes).max().unwrap_or(0);
        let mut shared = MmapMut::map_anon(bytes.max(1) as usize).map_err(|_| Code(2))?;
        // No page is fresh, as after the first such copy of a process.
        shared.fill(0);
        Ok(Self {
            infos: program.buffers.clone(),
            memories: allocated
                .iter()
                .map(|allocated| if *allocated { Memory::None } else { Memory::Shared })
                .collect(),
            shared,
            pinned_cache: PinnedCache::default(),
            kept: Vec::new(),
        })
    }

    /// Writes the value that a buffer has at first; a fresh one stays untouched.
    fn fill(&mut self, buffer: BufferId) {
        let Some((bytes, Some(value))) = self.infos.get(buffer.index()).map(|info| (info.bytes, info.fill)) else {
            return;
        };
        self.write(&Region { place: Place::Host(buffer), offset: 0, bytes }, value);
    }

    /// Where a buffer starts; 0 for one that is not there.
    pub fn address(&self, buffer: BufferId) -> u64 {
        let address = match self.memories.get(buffer.index()) {
            None | Some(Memory::None) => return 0,
            Some(Memory::Shared) => self.shared.as_ptr(),
            Some(Memory::Pageable(pages)) => pages.as_ptr(),
            Some(Memory::Pinned(pages)) => pages.address().cast_const(),
        };
        address as u64
    }

    /// The bytes of a region, if it lies within its buffer.
    fn range(&self, region: &Region) -> Option<(*mut u8, usize, Dtype)> {
        let Place::Host(buffer) = region.place else { return None };
        let info = self.infos.get(buffer.index())?;
        let base = self.address(buffer);
        let fits = region.offset.checked_add(region.bytes)? <= info.bytes && base != 0;
        fits.then_some(((base + region.offset) as *mut u8, region.bytes as usize, info.dtype))
    }

    /// The mean of the elements of a region; 0 where there are none. The GPU may be writing them: that is what a program
    /// without a synchronization sees.
    pub fn mean(&self, region: &Region) -> f64 {
        let Some((start, bytes, dtype)) = self.range(region) else { return 0.0 };
        let size = dtype.bytes() as usize;
        let mut chunk = [0_u8; 4096];
        let mut sum = 0.0;
        let mut done = 0;
        while done < bytes {
            let now = chunk.len().min(bytes - done);
            #[expect(unsafe_code, reason = "memory that the GPU may write meanwhile is no Rust slice")]
            // SAFETY: `range` has checked that the bytes lie within a buffer that is there, and the chunk is no part of it.
            unsafe {
                std::ptr::copy_nonoverlapping(start.add(done).cast_const(), chunk.as_mut_ptr(), now);
            }
            sum += chunk
                .get(..now)
                .unwrap_or_default()
                .chunks_exact(size)
                .map(|element| value(element, dtype))
                .sum::<f64>();
            done += now;
        }
        sum / (bytes / size).max(1) as f64
    }

    /// Every element of a region becomes `value`.
    pub fn write(&mut self, region: &Region, value: f64) {
        let Some((start, bytes, dtype)) = self.range(region) else { return };
        let (element, size) = (bits(value, dtype), dtype.bytes() as usize);
        let mut chunk = [0_u8; 4096];
        for place in chunk.chunks_exact_mut(size) {
            place.copy_from_slice(element.get(..size).unwrap_or_default());
        }
        let mut done = 0;
        while done < bytes {
            let now = chunk.len().min(bytes - done);
            #[expect(unsafe_code, reason = "memory that the GPU may read meanwhile is no Rust slice")]
            // SAFETY: as in `mean`.
            unsafe {
                std::ptr::copy_nonoverlapping(chunk.as_ptr(), start.add(done), now);
            }
            done += now;
        }
    }

    /// Copies between two regions of the host.
    pub fn copy(&self, to: &Region, from: &Region) {
        let (Some((to, bytes, _)), Some((from, from_bytes, _))) = (self.range(to), self.range(from)) else { return };
        #[expect(unsafe_code, reason = "memory that the GPU may use meanwhile is no Rust slice")]
        // SAFETY: both ranges have been checked; they may overlap.
        unsafe {
            std::ptr::copy(from.cast_const(), to, bytes.min(from_bytes));
        }
    }

    /// Takes a buffer back. Returns page-locked memory for the cache, unless the program frees it itself, which the driver may
    /// refuse.
    fn take_back(&mut self, buffer: BufferId, raw: bool) -> Answer<Option<PinnedMemory>> {
        let Some(place) = self.memories.get_mut(buffer.index()) else { return Ok(None) };
        if let Memory::Pinned(pages) = place
            && raw
        {
            pages.free()?;
        }
        match std::mem::replace(place, Memory::None) {
            Memory::Pinned(pages) if !raw => return Ok(Some(pages)),
            pages @ Memory::Pageable(_) if self.pinned_cache.is_captured(buffer.0) => self.kept.push(pages),
            Memory::None | Memory::Shared | Memory::Pageable(_) | Memory::Pinned(_) => {}
        }
        Ok(None)
    }
}

impl HostBuffers {
    /// A buffer comes into being, by a call of its own where it is `raw`.
    pub fn allocate(
        &mut self,
        device: &mut Device<'_, '_>,
        buffer: BufferId,
        raw: bool,
        capturing: bool,
    ) -> Result<(), Failure> {
        let Some(info) = self.infos.get(buffer.index()) else { return Ok(()) };
        let (bytes, memory, is_filled) = (info.bytes, info.memory, info.fill.is_some());
        let allocated = match memory {
            HostMemory::Pageable => Memory::Pageable(MmapMut::map_anon(bytes.max(1) as usize).map_err(|_| Code(2))?),
            HostMemory::Pinned => {
                let cached = if raw { None } else { self.pinned_cache.take(device, bytes, capturing) };
                Memory::Pinned(match cached {
                    Some(pages) => pages,
                    None => {
                        let start = device.now();
                        let pages = PinnedMemory::new(if raw { bytes } else { pinned_block_bytes(bytes) })?;
                        device.note("cudaMallocHost", SpanKind::Allocation, start);
                        pages
                    }
                })
            }
        };
        if let Some(place) = self.memories.get_mut(buffer.index()) {
            *place = allocated;
        }
        if is_filled {
            let start = device.now();
            self.fill(buffer);
            device.note("fill", SpanKind::Work, start);
        }
        Ok(())
    }

    /// A buffer goes, by a call of its own where it is `raw`.
    pub fn free(
        &mut self,
        device: &mut Device<'_, '_>,
        buffer: BufferId,
        raw: bool,
        capturing: bool,
    ) -> Result<(), Failure> {
        if let Some(pages) = self.take_back(buffer, raw)? {
            let bytes = pages.bytes();
            self.pinned_cache.give_back(device, buffer.0, bytes, pages, capturing);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::lower;
    use crate::scenario::{Knobs, load};

    #[test]
    fn what_prints_one_after_the_other_shares_one_place() {
        let document = r#"{
            "streamscope": 1, "name": "prints", "title": "prints", "host": "cuda", "setup": [],
            "program": [
                {"tensor": {"name": "x", "shape": [1048576]}},
                {"repeat": {"times": 20000, "body": [{"print": {"of": "x"}}, {"item": {"of": "x", "into": "v"}}]}},
                {"host_tensor": {"name": "h", "shape": [4], "fill": 1}}
            ]
        }"#;
        let program = lower(&load("prints.json", document).unwrap(), &Knobs::default()).unwrap();
        let buffers = HostBuffers::new(&program).unwrap();
        assert_eq!((buffers.memories.len(), buffers.shared.len()), (40_001, 4 << 20));
        assert_eq!(buffers.address(BufferId(40_000)), 0, "what an operation allocates is not there before");
    }
}
