//! A device and its context.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

use cudarc::driver::sys::{self, CUdevice_attribute};

use super::{Answer, check};

/// The primary context of a device, current on the thread that retained it.
#[derive(Debug)]
pub(in crate::gpu) struct Context {
    device: sys::CUdevice,
}

impl Context {
    /// Retains the primary context of device number `index` and makes it current on this thread.
    pub fn retain(index: u32) -> Answer<Self> {
        let mut device = 0;
        // SAFETY: the driver writes one device handle.
        check(unsafe { sys::cuDeviceGet(&raw mut device, index as i32) })?;
        let mut context = std::ptr::null_mut();
        // SAFETY: `device` was just given out; the driver writes one context handle.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut context, device) })?;
        let retained = Self { device };
        // SAFETY: the context is retained until `retained` is dropped.
        check(unsafe { sys::cuCtxSetCurrent(context) })?;
        Ok(retained)
    }

    /// A number of the device.
    pub fn attribute(&self, attribute: CUdevice_attribute) -> Answer<u32> {
        let mut value = 0;
        // SAFETY: the driver writes one integer.
        check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, self.device) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// The name on the box.
    pub fn name(&self) -> Answer<String> {
        let mut text = [0; 128];
        // SAFETY: the driver writes at most as many bytes as it is told, with a zero at the end.
        check(unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), text.len() as i32, self.device) })?;
        let bytes: Vec<u8> = text.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Free and whole device memory in bytes.
    pub fn memory_bytes(&self) -> Answer<(u64, u64)> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two integers.
        check(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
        Ok((free as u64, total as u64))
    }

    /// Waits for all work of the device.
    pub fn synchronize(&self) -> Answer {
        // SAFETY: no arguments.
        check(unsafe { sys::cuCtxSynchronize() })
    }

    /// Lowest and highest priority of a stream; the highest is the smaller number.
    pub fn priorities(&self) -> Answer<(i32, i32)> {
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the driver writes two integers.
        check(unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) })?;
        Ok((least, greatest))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `retain`. A failure leaves the context to the end of the process.
        let _released = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// While it lives, potentially unsafe calls of this thread are allowed although a stream captures, as PyTorch's allocator
/// does it (`c10/cuda/CUDACachingAllocator.cpp`, `cudaMallocMaybeCapturing`).
#[derive(Debug)]
pub(in crate::gpu) struct RelaxedCapture {
    before: sys::CUstreamCaptureMode,
}

impl RelaxedCapture {
    /// Switches this thread to relaxed.
    pub fn enter() -> Answer<Self> {
        let mut before = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the driver swaps one value.
        check(unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut before) })?;
        Ok(Self { before })
    }
}

impl Drop for RelaxedCapture {
    fn drop(&mut self) {
        // SAFETY: the driver swaps one value, that of `enter`.
        let _back = unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut self.before) };
    }
}
