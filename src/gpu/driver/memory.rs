//! Memory of the device and page-locked memory of the host, and what moves bytes between them.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::c_void;

use cudarc::driver::sys;

use super::{Answer, Stream, check};

/// `cudaMalloc`: an address that [`free`] takes back.
pub(in crate::gpu) fn malloc(bytes: u64) -> Answer<u64> {
    let mut address = 0;
    // SAFETY: the driver writes one address.
    check(unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes.max(1) as usize) })?;
    Ok(address)
}

/// `cudaFree`.
pub(in crate::gpu) fn free(address: u64) -> Answer {
    // SAFETY: an address that nobody gave out is refused with error 1.
    check(unsafe { sys::cuMemFree_v2(address) })
}

/// `cudaMallocAsync`, from the device's own pool: an address that [`free_async`] takes back.
pub(in crate::gpu) fn malloc_async(bytes: u64, stream: &Stream) -> Answer<u64> {
    let mut address = 0;
    // SAFETY: the driver writes one address; the stream lives as long as its owner.
    check(unsafe { sys::cuMemAllocAsync(&raw mut address, bytes.max(1) as usize, stream.handle()) })?;
    Ok(address)
}

/// `cudaFreeAsync`.
pub(in crate::gpu) fn free_async(address: u64, stream: &Stream) -> Answer {
    // SAFETY: an address that nobody gave out is refused with error 1; the stream lives as long as its owner.
    check(unsafe { sys::cuMemFreeAsync(address, stream.handle()) })
}

/// Device memory of the executor's own.
#[derive(Debug)]
pub(in crate::gpu) struct DeviceMemory {
    address: u64,
    bytes: u64,
}

impl DeviceMemory {
    /// `bytes` bytes of zeros, there when this returns: a stream that does not wait for the legacy default stream, where a
    /// memset is work like any other, may use them at once.
    pub fn zeroed(bytes: u64) -> Answer<Self> {
        let memory = Self { address: malloc(bytes)?, bytes };
        // SAFETY: the range is the allocation's own.
        check(unsafe { sys::cuMemsetD8_v2(memory.address, 0, bytes as usize) })?;
        Stream::legacy().synchronize()?;
        Ok(memory)
    }

    /// Its address on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads `into.len()` values from `offset` bytes on, waiting for the legacy default stream.
    pub fn read<T: Plain>(&self, offset: u64, into: &mut [T]) -> Answer {
        let bytes = size_of_val(into) as u64;
        if offset + bytes > self.bytes {
            return Err(super::Code(1));
        }
        // SAFETY: source and destination are as long as said, and any bytes are a value of a `Plain` type.
        check(unsafe { sys::cuMemcpyDtoH_v2(into.as_mut_ptr().cast(), self.address + offset, bytes as usize) })
    }

    /// Writes `from` to `offset` bytes on.
    pub fn write<T: Plain>(&self, offset: u64, from: &[T]) -> Answer {
        let bytes = size_of_val(from) as u64;
        if offset + bytes > self.bytes {
            return Err(super::Code(1));
        }
        // SAFETY: source and destination are as long as said.
        check(unsafe { sys::cuMemcpyHtoD_v2(self.address + offset, from.as_ptr().cast(), bytes as usize) })
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let _freed = free(self.address);
    }
}

/// Types of which any bytes are a value.
///
/// # Safety
/// As it says, and without padding.
pub(in crate::gpu) unsafe trait Plain: Copy + Default {}

// SAFETY: any bytes are a number.
unsafe impl Plain for u8 {}
// SAFETY: any bytes are a number.
unsafe impl Plain for u32 {}
// SAFETY: any bytes are a number.
unsafe impl Plain for u64 {}
// SAFETY: any bytes are a number.
unsafe impl Plain for f32 {}

/// Page-locked memory of the host, which the device can reach.
#[derive(Debug)]
pub(in crate::gpu) struct PinnedMemory {
    address: *mut u8,
    bytes: u64,
}

impl PinnedMemory {
    /// `cudaMallocHost`.
    pub fn new(bytes: u64) -> Answer<Self> {
        let mut address: *mut c_void = std::ptr::null_mut();
        // SAFETY: the driver writes one address.
        check(unsafe { sys::cuMemHostAlloc(&raw mut address, bytes.max(1) as usize, 0) })?;
        Ok(Self { address: address.cast(), bytes })
    }

    /// `cudaFreeHost`. Nothing is left of it then; where the driver refuses, it stays.
    pub fn free(&mut self) -> Answer {
        if !self.address.is_null() {
            // SAFETY: given out in `new` and freed once, since it is null afterwards.
            check(unsafe { sys::cuMemFreeHost(self.address.cast()) })?;
            (self.address, self.bytes) = (std::ptr::null_mut(), 0);
        }
        Ok(())
    }

    /// Where it starts.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes word number `index`, of 8 bytes, for the device to see at once; nothing beyond the end.
    pub fn store_at(&self, index: u64, value: u64) {
        if (index + 1) * 8 <= self.bytes {
            // SAFETY: inside the allocation, which the driver aligns to a page.
            unsafe { self.address.cast::<u64>().add(index as usize).write_volatile(value) };
        }
    }

    /// Reads word number `index`, of 8 bytes, as the device left it; 0 beyond the end.
    pub fn load_at(&self, index: u64) -> u64 {
        if (index + 1) * 8 > self.bytes {
            return 0;
        }
        // SAFETY: inside the allocation, which the driver aligns to a page.
        unsafe { self.address.cast::<u64>().add(index as usize).read_volatile() }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let _freed = self.free();
    }
}

/// Between which memories a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) enum CopyKind {
    /// Host to device.
    H2D,
    /// Device to host.
    D2H,
    /// Within the device.
    D2D,
}

/// `cudaMemcpyAsync` between any two addresses.
///
/// # Safety
/// Memory of the host has to live until the copy is done.
pub(in crate::gpu) unsafe fn copy(to: u64, from: u64, kind: CopyKind, bytes: u64, stream: &Stream) -> Answer {
    let bytes = bytes as usize;
    // SAFETY: the driver refuses device addresses that nobody gave out; host memory is the caller's promise.
    check(unsafe {
        match kind {
            CopyKind::H2D => sys::cuMemcpyHtoDAsync_v2(to, from as *const c_void, bytes, stream.handle()),
            CopyKind::D2H => sys::cuMemcpyDtoHAsync_v2(to as *mut c_void, from, bytes, stream.handle()),
            CopyKind::D2D => sys::cuMemcpyDtoDAsync_v2(to, from, bytes, stream.handle()),
        }
    })
}

/// `cudaMemcpy` on the legacy default stream.
///
/// # Safety
/// As for [`copy`].
pub(in crate::gpu) unsafe fn copy_blocking(to: u64, from: u64, kind: CopyKind, bytes: u64) -> Answer {
    let bytes = bytes as usize;
    // SAFETY: as for `copy`.
    check(unsafe {
        match kind {
            CopyKind::H2D => sys::cuMemcpyHtoD_v2(to, from as *const c_void, bytes),
            CopyKind::D2H => sys::cuMemcpyDtoH_v2(to as *mut c_void, from, bytes),
            CopyKind::D2D => sys::cuMemcpyDtoD_v2(to, from, bytes),
        }
    })
}

/// `cudaMemsetAsync`: `word`, over and over. A size or an address that is no multiple of 4 needs a word of two equal halves,
/// an odd one a word of four equal bytes.
pub(in crate::gpu) fn fill(address: u64, word: u32, bytes: u64, stream: &Stream) -> Answer {
    // SAFETY: the driver refuses addresses that nobody gave out.
    check(unsafe {
        if (bytes | address).is_multiple_of(4) {
            sys::cuMemsetD32Async(address, word, (bytes / 4) as usize, stream.handle())
        } else if (bytes | address).is_multiple_of(2) {
            sys::cuMemsetD16Async(address, word as u16, (bytes / 2) as usize, stream.handle())
        } else {
            sys::cuMemsetD8Async(address, word as u8, bytes as usize, stream.handle())
        }
    })
}

// SAFETY: numbers without padding, of which any bytes are a value.
unsafe impl Plain for crate::gpu::slots::Slot {}
