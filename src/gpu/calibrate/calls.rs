//! Host time of CUDA calls on an idle device, by calls in a row that never fill the queue.

use std::time::Instant;

use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;

use super::super::driver::{self, Answer, Code, CopyKind, DeviceMemory, Event, PinnedMemory, Stream};
use super::bench::{Bench, call_us, us_since};
use super::figures::{Figures, median};
use super::{graphs, host_functions, threads};
use crate::profile::Calls;

const ROUNDS: usize = 15;
/// A small copy or memset.
const SMALL: u64 = 4096;
/// As large as the caching allocator's segments often are.
const LARGE: u64 = 16 << 20;
/// A page-locked allocation that the driver serves from what it has.
const PINNED: u64 = 1 << 20;

pub(super) fn measure(bench: &Bench<'_>, base: &Calls, figures: &mut Figures<'_>) -> Calls {
    let stream = &bench.stream;
    Calls {
        launch_us: figures
            .number("calls.launch_us", base.launch_us, || call_us(bench, ROUNDS, 200, |_| bench.empty(stream, None))),
        record_us: figures.number("calls.record_us", base.record_us, || record_us(bench, false)),
        record_timing_us: figures.number("calls.record_timing_us", base.record_timing_us, || record_us(bench, true)),
        wait_us: figures.number("calls.wait_us", base.wait_us, || wait_us(bench)),
        query_us: figures.number("calls.query_us", base.query_us, || {
            let event = completed(bench, false)?;
            call_us(bench, ROUNDS, 200, |_| event.is_done().map(|_| ()))
        }),
        elapsed_us: figures.number("calls.elapsed_us", base.elapsed_us, || {
            let (start, end) = (completed(bench, true)?, completed(bench, true)?);
            call_us(bench, ROUNDS, 200, |_| start.elapsed_us(&end).map(|_| ()))
        }),
        copy_us: figures.number("calls.copy_us", base.copy_us, || copy_us(bench)),
        copy_d2d_us: figures.number("calls.copy_d2d_us", base.copy_d2d_us, || {
            let memory = DeviceMemory::zeroed(2 * SMALL)?;
            let (from, to) = (memory.address(), memory.address() + SMALL);
            call_us(bench, ROUNDS, 100, |_| copy(to, from, CopyKind::D2D, SMALL, stream))
        }),
        memset_us: figures.number("calls.memset_us", base.memset_us, || {
            let memory = DeviceMemory::zeroed(SMALL)?;
            call_us(bench, ROUNDS, 100, |_| driver::fill(memory.address(), 0, SMALL, stream))
        }),
        stream_sync_us: figures.number("calls.stream_sync_us", base.stream_sync_us, || {
            call_us(bench, ROUNDS, 200, |_| stream.synchronize())
        }),
        device_sync_us: figures
            .number("calls.device_sync_us", base.device_sync_us, || call_us(bench, ROUNDS, 200, |_| bench.settle())),
        event_sync_us: figures.number("calls.event_sync_us", base.event_sync_us, || {
            let event = completed(bench, false)?;
            call_us(bench, ROUNDS, 200, |_| event.synchronize())
        }),
        host_function_us: figures
            .number("calls.host_function_us", base.host_function_us, || host_functions::call_us(bench)),
        malloc_us: figures.curve("calls.malloc_us", &base.malloc_us, |bytes| Ok(malloc_us(bench, bytes as u64)?[0])),
        free_us: figures.number("calls.free_us", base.free_us, || Ok(malloc_us(bench, LARGE)?[1])),
        malloc_async_us: figures
            .number("calls.malloc_async_us", base.malloc_async_us, || Ok(malloc_async_us(bench)?[0])),
        free_async_us: figures.number("calls.free_async_us", base.free_async_us, || Ok(malloc_async_us(bench)?[1])),
        malloc_host_us: figures
            .curve("calls.malloc_host_us", &base.malloc_host_us, |bytes| Ok(malloc_host_us(bench, bytes as u64)?[0])),
        free_host_us: figures.number("calls.free_host_us", base.free_host_us, || Ok(malloc_host_us(bench, PINNED)?[1])),
        stream_create_us: figures
            .number("calls.stream_create_us", base.stream_create_us, || create_us(bench, 20, || Stream::new(false, 0))),
        event_create_us: figures.number("calls.event_create_us", base.event_create_us, || {
            create_us(bench, 200, || Event::new(false, false))
        }),
        graph_launch_us: figures
            .curve("calls.graph_launch_us", &base.graph_launch_us, |nodes| graphs::launch_us(bench, nodes as usize)),
        graph_relaunch_node_us: figures
            .number("calls.graph_relaunch_node_us", base.graph_relaunch_node_us, || graphs::relaunch_node_us(bench)),
        capture_node_us: figures
            .number("calls.capture_node_us", base.capture_node_us, || graphs::capture_node_us(bench)),
        instantiate_us: figures
            .curve("calls.instantiate_us", &base.instantiate_us, |nodes| graphs::instantiate_us(bench, nodes as usize)),
        lock_us: figures.number("calls.lock_us", base.lock_us, || threads::lock_us(bench.session.info.index)),
    }
}

/// An event that is complete.
fn completed(bench: &Bench<'_>, timing: bool) -> Answer<Event> {
    let event = Event::new(timing, false)?;
    event.record(&bench.stream)?;
    bench.stream.synchronize()?;
    Ok(event)
}

fn record_us(bench: &Bench<'_>, timing: bool) -> Answer<f64> {
    let events = (0..200).map(|_| Event::new(timing, false)).collect::<Answer<Vec<_>>>()?;
    let record = |index: usize| events.get(index).ok_or(Code(400))?.record(&bench.stream);
    call_us(bench, ROUNDS, events.len(), record)
}

/// A wait for an event that was recorded just before, as `wait_stream` has it, less the record.
fn wait_us(bench: &Bench<'_>) -> Answer<f64> {
    let events = (0..200).map(|_| Event::new(false, false)).collect::<Answer<Vec<_>>>()?;
    let record = |index: usize| events.get(index).ok_or(Code(400))?.record(&bench.stream);
    let both = call_us(bench, ROUNDS, events.len(), |index| {
        record(index)?;
        events.get(index).ok_or(Code(400))?.wait(&bench.other)
    })?;
    Ok(both - call_us(bench, ROUNDS, events.len(), record)?)
}

/// Both directions alike.
fn copy_us(bench: &Bench<'_>) -> Answer<f64> {
    let (device, host) = (DeviceMemory::zeroed(SMALL)?, PinnedMemory::new(SMALL)?);
    let (there, here) = (device.address(), host.address() as u64);
    let to_device = call_us(bench, ROUNDS, 100, |_| copy(there, here, CopyKind::H2D, SMALL, &bench.stream));
    let to_host = call_us(bench, ROUNDS, 100, |_| copy(here, there, CopyKind::D2H, SMALL, &bench.stream));
    // Before the memory goes, also after an error.
    bench.settle()?;
    Ok((to_device? + to_host?) / 2.0)
}

fn copy(to: u64, from: u64, kind: CopyKind, bytes: u64, stream: &Stream) -> Answer {
    #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
    // SAFETY: the callers here keep the memory until the device has been synchronized.
    unsafe {
        driver::copy(to, from, kind, bytes, stream)
    }
}

/// Allocation, and taking back.
fn malloc_us(bench: &Bench<'_>, bytes: u64) -> Answer<[f64; 2]> {
    both_us(bench, ROUNDS, || driver::malloc(bytes), driver::free)
}

fn malloc_async_us(bench: &Bench<'_>) -> Answer<[f64; 2]> {
    if bench.session.context.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Err(Code(801));
    }
    let stream = &bench.stream;
    // Without a synchronization in between, since that gives the pool's memory back to the system.
    both_us(bench, 100, || driver::malloc_async(LARGE, stream), |address| driver::free_async(address, stream))
}

fn malloc_host_us(bench: &Bench<'_>, bytes: u64) -> Answer<[f64; 2]> {
    let free = |memory| {
        drop::<PinnedMemory>(memory);
        Ok(())
    };
    both_us(bench, ROUNDS, || PinnedMemory::new(bytes), free)
}

/// The host times of giving and taking back: the median of each, after one round to warm up.
fn both_us<T>(
    bench: &Bench<'_>,
    rounds: usize,
    mut give: impl FnMut() -> Answer<T>,
    mut take: impl FnMut(T) -> Answer,
) -> Answer<[f64; 2]> {
    let (mut gave, mut took) = (Vec::new(), Vec::new());
    bench.settle()?;
    for round in 0..=rounds {
        let start = Instant::now();
        let given = give()?;
        let give_us = us_since(start);
        let start = Instant::now();
        take(given)?;
        if round > 0 {
            took.push(us_since(start));
            gave.push(give_us);
        }
    }
    bench.settle()?;
    Ok([median(gave), median(took)])
}

/// Mean host time of making one of many that are kept meanwhile; the median of some rounds.
fn create_us<T>(bench: &Bench<'_>, count: usize, mut create: impl FnMut() -> Answer<T>) -> Answer<f64> {
    let mut means = Vec::new();
    for round in 0..6 {
        bench.settle()?;
        let mut made = Vec::with_capacity(count);
        let start = Instant::now();
        for _ in 0..count {
            made.push(create()?);
        }
        let us = us_since(start) / count.max(1) as f64;
        if round > 0 {
            means.push(us);
        }
    }
    Ok(median(means))
}
