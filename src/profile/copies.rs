//! Copies and host memory.

use serde::{Deserialize, Serialize};

use super::Curve;

/// Copies and host memory. Curves are µs against bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Pinned host memory to device, on the copy engine.
    pub pinned_h2d_us: Curve,
    /// Device to pinned host memory, on the copy engine.
    pub pinned_d2h_us: Curve,
    /// Host time of a pageable copy to an idle device: staging, and waiting for it.
    pub pageable_h2d_us: Curve,
    /// Host time of a pageable copy that is staged whole while the device has work: the ring of staging buffers is not
    /// handed back meanwhile, so each byte goes to memory that is in no cache.
    pub staged_busy_us: Curve,
    /// Host time of a copy from an idle device to pageable memory that was touched before, beyond that of its call, its start
    /// and the wake-up.
    pub pageable_d2h_us: Curve,
    /// A pageable copy to the device of up to this size is staged whole: the call returns before the copy is done.
    pub staging_bytes: u64,
    /// `cudaMemcpy` from pageable memory passes through the staging buffers in chunks of this size: when the call returns, the
    /// last one may still be on its way. One of half a chunk or less is over by then.
    #[serde(default = "memcpy_chunk_bytes")]
    pub memcpy_chunk_bytes: u64,
    /// Added for each page of 4096 bytes that a copy to the host touches for the first time.
    pub fresh_page_us: f64,
    /// Added for each page of 4096 bytes that the host itself touches for the first time.
    pub touch_page_us: f64,
    /// Host time to write or read a byte of its own memory, in ns.
    pub host_access_ns_per_byte: f64,
    /// Rate of each direction while both are busy, against one alone.
    pub duplex: f64,
    /// Copy within the device.
    pub d2d_us: Curve,
    /// Memset.
    pub memset_us: Curve,
}

/// On an H200, driver 580: of 200 kernels on a non-blocking stream right behind such a call 197 saw old data from 512 KiB on, 1 at
/// 256 KiB, and none below.
fn memcpy_chunk_bytes() -> u64 {
    512 << 10
}
