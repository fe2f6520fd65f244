//! Copies and memsets: how long the engines take, how long the host is kept, and what fits into the staging buffers.

use std::time::Instant;

use memmap2::MmapMut;

use super::super::driver::{self, Answer, Code, CopyKind, DeviceMemory, PinnedMemory, Stream};
use super::bench::{Bench, us_since};
use super::figures::{Figures, median};
use super::host_memory;
use crate::profile::{Calls, Copies, Curve, Latencies};

/// A call that took this long was waiting for the held stream.
const WAITED_US: f64 = 20_000.0;

pub(super) fn measure(
    bench: &Bench<'_>,
    base: &Copies,
    calls: &Calls,
    latencies: &Latencies,
    figures: &mut Figures<'_>,
) -> Copies {
    let buffers = Buffers::new(base);
    let with = |measure: &dyn Fn(&Buffers) -> Answer<f64>| measure(buffers.as_ref().map_err(|code| *code)?);
    let pinned = |kind| move |bytes: f64| with(&|buffers| buffers.pinned_us(bench, kind, bytes as u64));
    // A model's copy to pageable memory is a call, its start, the copy, and the wake-up.
    let around_us = calls.copy_us + latencies.launch_us + latencies.wake_us;
    let between_us = 2.0 * latencies.kernel_gap_us;
    let copies = Copies {
        pinned_h2d_us: figures.curve("copies.pinned_h2d_us", &base.pinned_h2d_us, pinned(CopyKind::H2D)),
        pinned_d2h_us: figures.curve("copies.pinned_d2h_us", &base.pinned_d2h_us, pinned(CopyKind::D2H)),
        pageable_h2d_us: figures.curve("copies.pageable_h2d_us", &base.pageable_h2d_us, |bytes| {
            with(&|buffers| buffers.pageable_us(bench, CopyKind::H2D, bytes as u64))
        }),
        staged_busy_us: figures.curve("copies.staged_busy_us", &base.staged_busy_us, |bytes| {
            with(&|buffers| buffers.staged_busy_us(bench, bytes as u64))
        }),
        pageable_d2h_us: figures.curve("copies.pageable_d2h_us", &base.pageable_d2h_us, |bytes| {
            let us = with(&|buffers| buffers.pageable_us(bench, CopyKind::D2H, bytes as u64))?;
            Ok((us - around_us).max(0.0))
        }),
        memcpy_chunk_bytes: base.memcpy_chunk_bytes,
        staging_bytes: figures
            .number("copies.staging_bytes", base.staging_bytes as f64, || with(&|buffers| buffers.staging_bytes(bench)))
            as u64,
        fresh_page_us: figures.number("copies.fresh_page_us", base.fresh_page_us, || host_memory::fresh_page_us(bench)),
        touch_page_us: figures.number("copies.touch_page_us", base.touch_page_us, host_memory::touch_page_us),
        host_access_ns_per_byte: figures.number("copies.host_access_ns_per_byte", base.host_access_ns_per_byte, || {
            host_memory::access_ns_per_byte()
        }),
        duplex: figures.number("copies.duplex", base.duplex, || with(&|buffers| buffers.duplex(bench))),
        d2d_us: figures.curve("copies.d2d_us", &base.d2d_us, |bytes| {
            Ok(with(&|buffers| buffers.d2d_pause_us(bench, bytes as u64))? - between_us)
        }),
        memset_us: figures.curve("copies.memset_us", &base.memset_us, |bytes| {
            Ok(with(&|buffers| buffers.memset_pause_us(bench, bytes as u64))? - between_us)
        }),
    };
    // No copy is under way when the buffers go, whatever went wrong.
    let _settled = bench.settle();
    copies
}

/// As large as the largest copy.
struct Buffers {
    device: [DeviceMemory; 2],
    pinned: PinnedMemory,
    /// Touched.
    pageable: MmapMut,
}

impl Buffers {
    fn new(base: &Copies) -> Answer<Self> {
        let curves = [&base.pinned_h2d_us, &base.pinned_d2h_us, &base.pageable_h2d_us, &base.pageable_d2h_us]
            .into_iter()
            .chain([&base.d2d_us, &base.memset_us]);
        let largest = |curve: &Curve| curve.0.last().map_or(0.0, |point| point[0]);
        let bytes = curves.map(largest).fold(0.0, f64::max).max(DUPLEX_BYTES as f64 * 2.0) as u64;
        let mut pageable = MmapMut::map_anon(bytes as usize).map_err(|_| Code(2))?;
        pageable.fill(1);
        let device = [DeviceMemory::zeroed(bytes)?, DeviceMemory::zeroed(bytes)?];
        Ok(Self { device, pinned: PinnedMemory::new(bytes)?, pageable })
    }

    /// Between the first device buffer and host memory at `host`.
    fn copy(&self, host: u64, kind: CopyKind, bytes: u64, stream: &Stream) -> Answer {
        let device = self.device[0].address();
        let (to, from) = match kind {
            CopyKind::H2D => (device, host),
            CopyKind::D2H => (host, device),
            CopyKind::D2D => (self.device[1].address(), device),
        };
        #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
        // SAFETY: all buffers are as large as the largest copy, and live until the device has been synchronized.
        unsafe {
            driver::copy(to, from, kind, bytes.min(self.pinned.bytes()), stream)
        }
    }

    /// On the engine: an event pair around the copy, less a pair around nothing.
    fn pinned_us(&self, bench: &Bench<'_>, kind: CopyKind, bytes: u64) -> Answer<f64> {
        let host = self.pinned.address() as u64;
        let pairs = repetitions(bytes, 3, 30);
        let nothing = bench.event_pair_us(pairs, |_| Ok(()))?;
        Ok(bench.event_pair_us(pairs, |stream| self.copy(host, kind, bytes, stream))? - nothing)
    }

    /// Until the call returns, on an idle device.
    fn pageable_us(&self, bench: &Bench<'_>, kind: CopyKind, bytes: u64) -> Answer<f64> {
        let mut samples = Vec::new();
        for round in 0..=repetitions(bytes, 3, 30) {
            bench.settle()?;
            let start = Instant::now();
            self.copy(self.pageable.as_ptr() as u64, kind, bytes, &bench.stream)?;
            let us = us_since(start);
            if round > 0 {
                samples.push(us);
            }
        }
        bench.settle()?;
        Ok(median(samples))
    }

    fn staged_busy_us(&self, bench: &Bench<'_>, bytes: u64) -> Answer<f64> {
        let samples: Answer<Vec<f64>> = (0..15).map(|_| self.staged_behind_us(bench, bytes)).collect();
        Ok(median(samples?))
    }

    /// Host time of a pageable copy to the device while its stream is held.
    fn staged_behind_us(&self, bench: &Bench<'_>, bytes: u64) -> Answer<f64> {
        bench.settle()?;
        bench.held(|| {
            let start = Instant::now();
            self.copy(self.pageable.as_ptr() as u64, CopyKind::H2D, bytes, &bench.stream)?;
            Ok(us_since(start))
        })
    }

    /// The largest size, of powers of two, of which the call does not wait for a held stream.
    fn staging_bytes(&self, bench: &Bench<'_>) -> Answer<f64> {
        let mut fits = f64::NAN;
        for power in 16..=22 {
            let bytes = 1 << power;
            // The one of three that waited least, since a busy host makes a call long too.
            let samples = (0..3).map(|_| self.staged_behind_us(bench, bytes)).collect::<Answer<Vec<_>>>()?;
            if samples.into_iter().fold(f64::INFINITY, f64::min) > WAITED_US {
                break;
            }
            fits = bytes as f64;
        }
        Ok(fits)
    }

    /// The rate of the slower direction while both are busy, against that direction alone.
    fn duplex(&self, bench: &Bench<'_>) -> Answer<f64> {
        let host = self.pinned.address() as u64;
        let to_device = |stream: &Stream| self.copy(host, CopyKind::H2D, DUPLEX_BYTES, stream);
        let to_host = |stream: &Stream| {
            let (to, from) = (host + DUPLEX_BYTES, self.device[1].address());
            #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
            // SAFETY: the buffers hold twice as much, and live until the device has been synchronized.
            unsafe {
                driver::copy(to, from, CopyKind::D2H, DUPLEX_BYTES, stream)
            }
        };
        let whole = |copy: &dyn Fn() -> Answer| {
            let mut samples = Vec::new();
            for _ in 0..5 {
                bench.settle()?;
                let start = Instant::now();
                for _ in 0..4 {
                    copy()?;
                }
                bench.settle()?;
                samples.push(us_since(start));
            }
            Ok(median(samples))
        };
        let up = whole(&|| to_device(&bench.stream))?;
        let down = whole(&|| to_host(&bench.other))?;
        let both = whole(&|| {
            to_device(&bench.stream)?;
            to_host(&bench.other)
        })?;
        Ok((up.max(down) / both).min(1.0))
    }

    /// Between two kernels with a copy within the device between them.
    fn d2d_pause_us(&self, bench: &Bench<'_>, bytes: u64) -> Answer<f64> {
        bench.gap_us(repetitions(bytes, 5, 50) as u64, |stream| self.copy(0, CopyKind::D2D, bytes, stream))
    }

    /// Between two kernels with a memset between them.
    fn memset_pause_us(&self, bench: &Bench<'_>, bytes: u64) -> Answer<f64> {
        let address = self.device[1].address();
        bench.gap_us(repetitions(bytes, 5, 50) as u64, |stream| driver::fill(address, 0, bytes, stream))
    }
}

/// Of each copy in a measurement of both directions at once.
const DUPLEX_BYTES: u64 = 64 << 20;

/// More of small copies than of large ones.
fn repetitions(bytes: u64, few: usize, many: usize) -> usize {
    match bytes {
        0..=0x10_0000 => many,
        0x10_0001..=0x100_0000 => (few * 3).min(many),
        _ => few,
    }
}
