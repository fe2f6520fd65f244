//! Host memory of a program: pageable and page-locked, touched and fresh.

use memmap2::MmapMut;

use super::super::driver::{Answer, Code, PinnedMemory};
use super::super::element::{bits, value};
use super::{Failure, InnerCall, Run};
use crate::kernel::Dtype;
use crate::program::{Action, Buffer, BufferId, HostMemory, Place, Program, Region};
use crate::recording::SpanKind;

/// Buffers that no operation allocates lie side by side, this far apart at least.
const ALIGNMENT: u64 = 64;

/// Where a buffer lies.
#[derive(Debug)]
enum Memory {
    /// Nowhere yet, or no longer.
    None,
    /// In the arena, from this byte on.
    Arena(usize),
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
    /// What no operation allocates, such as the number that `.item()` waits for.
    arena: MmapMut,
    /// Page-locked memory that waits for reuse, as in PyTorch (`aten/src/ATen/core/CachingHostAllocator.h`).
    cached: Vec<PinnedMemory>,
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
        let mut memories = Vec::with_capacity(program.buffers.len());
        let mut end = 0_u64;
        for (buffer, allocated) in program.buffers.iter().zip(allocated) {
            if allocated {
                memories.push(Memory::None);
            } else {
                memories.push(Memory::Arena(end as usize));
                end = (end + buffer.bytes).next_multiple_of(ALIGNMENT);
            }
        }
        let arena = MmapMut::map_anon(end.max(1) as usize).map_err(|_| Code(2))?;
        let mut buffers = Self { infos: program.buffers.clone(), memories, arena, cached: Vec::new() };
        for index in 0..program.buffers.len() {
            buffers.fill(BufferId(index as u32));
        }
        Ok(buffers)
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
            Some(Memory::Arena(offset)) => self.arena.as_ptr().wrapping_add(*offset),
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

    /// Takes a buffer back: page-locked memory goes into the cache unless the program frees it itself, which the driver may
    /// refuse.
    pub fn free(&mut self, buffer: BufferId, raw: bool) -> Answer {
        let Some(place) = self.memories.get_mut(buffer.index()) else { return Ok(()) };
        if let Memory::Pinned(pages) = place
            && raw
        {
            pages.free()?;
        }
        if let Memory::Pinned(pages) = std::mem::replace(place, Memory::None)
            && !raw
        {
            self.cached.push(pages);
        }
        Ok(())
    }
}

impl Run<'_> {
    pub(super) fn host_alloc(&mut self, index: usize, buffer: BufferId, raw: bool) -> Result<(), Failure> {
        let Some(info) = self.buffers.infos.get(buffer.index()) else { return Ok(()) };
        let (bytes, memory) = (info.bytes, info.memory);
        let allocated = match memory {
            HostMemory::Pageable => Memory::Pageable(MmapMut::map_anon(bytes.max(1) as usize).map_err(|_| Code(2))?),
            HostMemory::Pinned => {
                let size = if raw { bytes } else { bytes.next_power_of_two() };
                let found = self.buffers.cached.iter().position(|pages| pages.bytes() == size).filter(|_| !raw);
                Memory::Pinned(match found {
                    Some(place) => self.buffers.cached.swap_remove(place),
                    None => {
                        let start = self.now();
                        let pages = PinnedMemory::new(size)?;
                        let (kind, name) = (SpanKind::Allocation, "cudaMallocHost");
                        self.outcome.inner.push(InnerCall { operation: index, name, kind, start, end: self.now() });
                        pages
                    }
                })
            }
        };
        if let Some(place) = self.buffers.memories.get_mut(buffer.index()) {
            *place = allocated;
        }
        self.buffers.fill(buffer);
        Ok(())
    }
}
