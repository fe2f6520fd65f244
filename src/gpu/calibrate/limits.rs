//! The limits that the driver does not tell: memory bandwidth by the number of busy SMs, and how much a stream's queue holds.

use std::time::Instant;

use super::super::driver::{Answer, Arguments, DeviceMemory, LaunchShape};
use super::super::slots::{self, Slot};
use super::bench::{Bench, us_since};
use super::figures::{Figures, median};
use super::kernels::span_us;
use crate::profile::{Curve, Gpu};

/// Of each of the two buffers: larger than any cache.
const BYTES: u64 = 256 << 20;
const THREADS: u32 = 1024;
const ROUNDS: u64 = 2;

/// A launch that took this long was waiting for room in the queue of a held stream.
const WAITED_US: f64 = 5_000.0;
const MOST_LAUNCHES: u32 = 20_000;

pub(super) fn measure(bench: &Bench<'_>, base: &Gpu, figures: &mut Figures<'_>) -> Gpu {
    let limits = bench.session.gpu.clone();
    let buffers = DeviceMemory::zeroed(2 * BYTES);
    // At the same parts of all SMs.
    let part = f64::from(limits.sms) / f64::from(base.sms.max(1));
    let places = Curve(base.bandwidth.0.iter().map(|&[sms, rate]| [(sms * part).round(), rate]).collect());
    let bandwidth = figures.curve("gpu.bandwidth", &places, |sms| match sms as u32 {
        0 => Ok(0.0),
        blocks => bandwidth_gb_per_s(bench, buffers.as_ref().map_err(|code| *code)?, blocks),
    });
    let depth = figures.number("gpu.queue_depth", f64::from(base.queue_depth), || {
        let samples: Answer<Vec<f64>> = (0..3).map(|_| queue_depth(bench)).collect();
        Ok(median(samples?))
    });
    Gpu { queue_depth: depth as u32, bandwidth, ..limits }
}

/// Read and written together, with a block on each of so many SMs.
fn bandwidth_gb_per_s(bench: &Bench<'_>, buffers: &DeviceMemory, blocks: u32) -> Answer<f64> {
    let function = bench.session.function("bandwidth").map_err(|_| super::super::driver::Code(500))?;
    let stamps = DeviceMemory::zeroed(u64::from(blocks) * slots::BYTES)?;
    let shape = LaunchShape { grid: [blocks, 1, 1], threads: THREADS, shared_bytes: 0 };
    let mut samples = Vec::new();
    for round in 0..6 {
        let mut arguments = Arguments::new();
        for value in [buffers.address(), buffers.address() + BYTES, BYTES / 16, ROUNDS, stamps.address()] {
            arguments.push(value);
        }
        function.launch(&shape, &bench.stream, &mut arguments)?;
        bench.stream.synchronize()?;
        let mut blocks = vec![Slot::default(); blocks as usize];
        stamps.read(0, &mut blocks)?;
        if round > 0 {
            samples.push((2 * BYTES * ROUNDS) as f64 / (span_us(&blocks) * 1e3));
        }
    }
    Ok(median(samples))
}

/// How many launches a held stream takes before one has to wait.
fn queue_depth(bench: &Bench<'_>) -> Answer<f64> {
    bench.held(|| {
        for launches in 0..MOST_LAUNCHES {
            let start = Instant::now();
            bench.empty(&bench.stream, None)?;
            if us_since(start) > WAITED_US {
                return Ok(f64::from(launches));
            }
        }
        Ok(f64::NAN)
    })
}
