//! Memory of the host: pages touched for the first time, and plain reading and writing.

use std::hint::black_box;
use std::time::Instant;

use memmap2::MmapMut;

use super::super::driver::{self, Answer, Code, CopyKind, DeviceMemory};
use super::bench::{Bench, us_since};
use super::figures::median;

const BYTES: usize = 16 << 20;
const PAGE: usize = 4096;
const ROUNDS: usize = 5;

/// What a copy to the host takes longer for each page that it touches first.
pub(super) fn fresh_page_us(bench: &Bench<'_>) -> Answer<f64> {
    let device = DeviceMemory::zeroed(BYTES as u64)?;
    let mut samples = Vec::new();
    for _ in 0..ROUNDS {
        let mut pages = fresh()?;
        let mut copied_us = || {
            bench.settle()?;
            let start = Instant::now();
            #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
            // SAFETY: the pages are as many as said, and nobody looks at them before the device has been synchronized.
            unsafe {
                let to = pages.as_mut_ptr() as u64;
                driver::copy(to, device.address(), CopyKind::D2H, BYTES as u64, &bench.stream)?;
            }
            bench.settle()?;
            Ok(us_since(start))
        };
        let first: Answer<f64> = copied_us();
        let second: Answer<f64> = copied_us();
        bench.settle()?;
        samples.push((first? - second?) / (BYTES / PAGE) as f64);
    }
    Ok(median(samples))
}

/// What the host takes for each page that it touches first.
pub(super) fn touch_page_us() -> Answer<f64> {
    let mut samples = Vec::new();
    for _ in 0..ROUNDS {
        let mut pages = fresh()?;
        let start = Instant::now();
        for page in pages.chunks_mut(PAGE) {
            if let Some(byte) = page.first_mut() {
                *byte = 1;
            }
        }
        samples.push(us_since(start) / (BYTES / PAGE) as f64);
        black_box(&pages);
    }
    Ok(median(samples))
}

/// Writing and reading memory that was touched, one after the other: the mean of both, in ns a byte.
pub(super) fn access_ns_per_byte() -> Answer<f64> {
    let mut memory = fresh()?;
    memory.fill(1);
    let mut chunk = vec![0_u8; 16 * PAGE];
    let mut samples = Vec::new();
    for round in 0..ROUNDS as u8 {
        let start = Instant::now();
        memory.fill(black_box(round));
        for part in memory.chunks_exact(chunk.len()) {
            chunk.copy_from_slice(part);
            black_box(&mut chunk);
        }
        samples.push(us_since(start) * 1e3 / (2 * BYTES) as f64);
    }
    Ok(median(samples))
}

fn fresh() -> Answer<MmapMut> {
    MmapMut::map_anon(BYTES).map_err(|_| Code(2))
}
