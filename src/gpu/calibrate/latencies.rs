//! Times between one thing and the next, from stamps: on the GPU alone, or against the host's clock.

use std::time::{Duration, Instant};

use super::super::clock::Clock;
use super::super::driver::{Answer, CopyKind, DeviceMemory, Event, PinnedMemory, Stream, copy};
use super::bench::{Bench, gaps_us, pause};
use super::figures::{Figures, median};
use super::{graphs, host_functions};
use crate::profile::Latencies;
use crate::time::Ns;

/// Between two clocks that are compared.
const MOST_CLOCK_ERROR: Ns = Ns(10_000);

/// Stamps of one chain of kernels.
const CHAIN: u64 = 200;

pub(super) fn measure(bench: &Bench<'_>, base: &Latencies, figures: &mut Figures<'_>) -> Latencies {
    let kernel_gap_us =
        figures.number("latencies.kernel_gap_us", base.kernel_gap_us, || bench.gap_us(CHAIN, |_| Ok(())));
    let graph_gap_us = figures.number("latencies.graph_gap_us", base.graph_gap_us, || graphs::gap_us(bench));
    let timing_event_us =
        figures.number("latencies.timing_event_us", base.timing_event_us, || bench.event_pair_us(100, |_| Ok(())));
    Latencies {
        launch_us: figures.number("latencies.launch_us", base.launch_us, || launch_us(bench)),
        graph_launch_us: figures.number("latencies.graph_launch_us", base.graph_launch_us, || graphs::start_us(bench)),
        kernel_gap_us,
        graph_gap_us,
        replay_gap_us: figures.number("latencies.replay_gap_us", base.replay_gap_us, || graphs::replay_gap_us(bench)),
        cross_stream_us: figures.number("latencies.cross_stream_us", base.cross_stream_us, || cross_stream_us(bench)),
        engine_hop_us: figures.number("latencies.engine_hop_us", base.engine_hop_us, || engine_hop_us(bench)),
        timing_event_us,
        graph_timing_event_us: figures.number("latencies.graph_timing_event_us", base.graph_timing_event_us, || {
            graphs::timing_event_us(bench, graph_gap_us)
        }),
        // Between two kernels an event takes its own time, this, and the gap before the second kernel.
        timing_event_delay_us: figures.number("latencies.timing_event_delay_us", base.timing_event_delay_us, || {
            let event = Event::new(true, false)?;
            let pause = bench.gap_us(CHAIN, |stream| event.record(stream))?;
            Ok((pause - kernel_gap_us - timing_event_us).max(0.0))
        }),
        wake_us: figures.number("latencies.wake_us", base.wake_us, || wake_us(bench)),
        sleep_wake_us: figures.number("latencies.sleep_wake_us", base.sleep_wake_us, || sleep_wake_us(bench)),
        host_function_us: figures.number("latencies.host_function_us", base.host_function_us, || {
            Ok(host_functions::latencies_us(bench)?[0])
        }),
        host_function_return_us: figures.number(
            "latencies.host_function_return_us",
            base.host_function_return_us,
            || Ok(host_functions::latencies_us(bench)?[1]),
        ),
    }
}

/// Whether the clocks agree well enough to tell a latency. On a host that is busy with other things they may not.
pub(super) fn agree(clock: &Clock) -> bool {
    clock.error().0 < MOST_CLOCK_ERROR
}

/// How much later than a time of the host something on the GPU was, in µs, sample by sample. The clocks are compared before and
/// afterwards; no samples where they do not agree.
pub(super) fn after_host(
    bench: &Bench<'_>,
    count: usize,
    mut sample: impl FnMut() -> Answer<(Instant, u64)>,
) -> Answer<Vec<f64>> {
    let mut clock = bench.clock()?;
    let zero = Instant::now();
    clock.count_from(zero);
    let samples = (0..count).map(|_| sample()).collect::<Answer<Vec<_>>>()?;
    clock.stop()?;
    if !agree(&clock) {
        return Ok(Vec::new());
    }
    let after = |(host, gpu_ns): (Instant, u64)| {
        clock.host_time(gpu_ns).us() - host.saturating_duration_since(zero).as_secs_f64() * 1e6
    };
    Ok(samples.into_iter().map(after).collect())
}

fn launch_us(bench: &Bench<'_>) -> Answer<f64> {
    let after = after_host(bench, 200, || {
        // As close behind other calls as in a program; the pause lets the GPU come to rest.
        bench.stream.synchronize()?;
        pause(Duration::from_micros(10));
        bench.empty(&bench.stream, Some(0))?;
        let returned = Instant::now();
        bench.stream.synchronize()?;
        Ok((returned, bench.stamp()?.start))
    })?;
    Ok(median(after))
}

fn wake_us(bench: &Bench<'_>) -> Answer<f64> {
    let after = after_host(bench, 100, || {
        bench.spin(&bench.stream, 30.0, Some(0))?;
        bench.stream.synchronize()?;
        let returned = Instant::now();
        Ok((returned, bench.stamp()?.end()))
    })?;
    Ok(-median(after))
}

fn sleep_wake_us(bench: &Bench<'_>) -> Answer<f64> {
    let event = Event::new(false, true)?;
    let after = after_host(bench, 50, || {
        bench.spin(&bench.stream, 200.0, Some(0))?;
        event.record(&bench.stream)?;
        event.synchronize()?;
        let returned = Instant::now();
        Ok((returned, bench.stamp()?.end()))
    })?;
    Ok(-median(after))
}

/// Kernels on two streams by turns, each behind an event of the one before, all queued ahead.
fn cross_stream_us(bench: &Bench<'_>) -> Answer<f64> {
    const HOPS: u64 = 100;
    let events = (0..HOPS).map(|_| Event::new(false, false)).collect::<Answer<Vec<_>>>()?;
    bench.held(|| {
        bench.empty(&bench.stream, Some(0))?;
        for (hop, event) in events.iter().enumerate() {
            let streams: [&Stream; 2] = [&bench.stream, &bench.other];
            let [from, to] = if hop % 2 == 0 { streams } else { [streams[1], streams[0]] };
            event.record(from)?;
            event.wait(to)?;
            bench.empty(to, Some(hop as u64 + 1))?;
        }
        Ok(())
    })?;
    bench.settle()?;
    Ok(median(gaps_us(&bench.stamps(HOPS + 1)?)))
}

/// Half of what a four-byte copy to the host adds to the pause between two kernels beyond its own time.
fn engine_hop_us(bench: &Bench<'_>) -> Answer<f64> {
    let (device, host) = (DeviceMemory::zeroed(64)?, PinnedMemory::new(64)?);
    let copied = |stream: &Stream| {
        #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
        // SAFETY: both memories live until the device has been synchronized below.
        unsafe {
            copy(host.address() as u64, device.address(), CopyKind::D2H, 4, stream)
        }
    };
    let pause = bench.gap_us(100, copied);
    let own = bench.event_pair_us(50, copied);
    let event = bench.event_pair_us(50, |_| Ok(()));
    bench.settle()?;
    Ok((pause? - (own? - event?)) / 2.0)
}
