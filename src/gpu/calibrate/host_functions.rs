//! Host functions: when the driver's thread runs them, seen on the host's clock.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::super::driver::{self, Answer, Code, Stream};
use super::bench::{Bench, us_since};
use super::figures::median;
use super::latencies;

const ROUNDS: usize = 40;

/// When a host function began and ended.
type Times = Mutex<Option<[Instant; 2]>>;

/// Host time of the call, each on an idle device.
pub(super) fn call_us(bench: &Bench<'_>) -> Answer<f64> {
    let mut samples = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        queue(&bench.stream)?;
        samples.push(us_since(start));
        bench.stream.synchronize()?;
    }
    Ok(median(samples))
}

/// From the end of a kernel to the start of the function behind it, and from its return to the start of the next kernel.
pub(super) fn latencies_us(bench: &Bench<'_>) -> Answer<[f64; 2]> {
    let mut clock = bench.clock()?;
    let zero = Instant::now();
    clock.count_from(zero);
    let mut seen = Vec::new();
    for _ in 0..ROUNDS {
        bench.spin(&bench.stream, 50.0, Some(0))?;
        let times = queue(&bench.stream)?;
        bench.empty(&bench.stream, Some(1))?;
        bench.stream.synchronize()?;
        let times = times.lock().unwrap_or_else(PoisonError::into_inner).ok_or(Code(600))?;
        let stamps = bench.stamps(2)?;
        let [Some(before), Some(after)] = [stamps.first(), stamps.get(1)] else { return Err(Code(999)) };
        seen.push((before.end(), times.map(|time| time.duration_since(zero)), after.start));
    }
    clock.stop()?;
    if !latencies::agree(&clock) {
        return Ok([f64::NAN; 2]);
    }
    let host_us = |gpu_ns: u64| clock.host_time(gpu_ns).us();
    let until = seen.iter().map(|(end, [start, _], _)| start.as_secs_f64() * 1e6 - host_us(*end)).collect();
    let from = seen.iter().map(|(_, [_, end], start)| host_us(*start) - end.as_secs_f64() * 1e6).collect();
    Ok([median(until), median(from)])
}

/// Queues a function that notes when it ran.
fn queue(stream: &Stream) -> Answer<Arc<Times>> {
    let times = Arc::new(Times::default());
    let data = Arc::into_raw(Arc::clone(&times));
    #[expect(unsafe_code, reason = "the driver calls back")]
    // SAFETY: the function takes the share that `data` is, which lives until then; it calls nothing of CUDA. A function that
    // never runs leaves its share to the end of the process.
    unsafe {
        driver::launch_host_function(stream, note, data.cast_mut().cast())?;
    }
    Ok(times)
}

#[expect(unsafe_code, reason = "the driver calls back")]
unsafe extern "C" fn note(data: *mut c_void) {
    let start = Instant::now();
    // SAFETY: `data` is the share that `queue` gave away, and each function runs once.
    let times = unsafe { Arc::from_raw(data.cast_const().cast::<Times>()) };
    *times.lock().unwrap_or_else(PoisonError::into_inner) = Some([start, Instant::now()]);
}
