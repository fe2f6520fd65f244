//! Graphs: what capturing, instantiating and launching them costs the host, and the pauses inside and between replays.

use std::time::Instant;

use super::super::driver::{Answer, Code, Event, Executable, Graph};
use super::bench::{Bench, gaps_us, us_since};
use super::figures::median;

/// Nodes of a graph that stands for all.
const NODES: usize = 1000;

/// A chain of kernels that do nothing; with stamps, node `i` writes slot `i`.
fn chain(bench: &Bench<'_>, nodes: usize, stamped: bool) -> Answer<Graph> {
    bench.capture(|| (0..nodes).try_for_each(|node| bench.empty(&bench.stream, stamped.then_some(node as u64))))
}

fn instantiated(bench: &Bench<'_>, graph: &Graph) -> Answer<Executable> {
    let executable = graph.instantiate(false)?;
    executable.upload(&bench.stream)?;
    for _ in 0..3 {
        executable.launch(&bench.stream)?;
    }
    bench.stream.synchronize()?;
    Ok(executable)
}

/// Host time of a launch on an idle device.
pub(super) fn launch_us(bench: &Bench<'_>, nodes: usize) -> Answer<f64> {
    let executable = instantiated(bench, &chain(bench, nodes, false)?)?;
    let mut samples = Vec::new();
    for _ in 0..40 {
        let start = Instant::now();
        executable.launch(&bench.stream)?;
        samples.push(us_since(start));
        bench.stream.synchronize()?;
    }
    Ok(median(samples))
}

/// What a launch takes longer while the same graph still runs, by the node.
pub(super) fn relaunch_node_us(bench: &Bench<'_>) -> Answer<f64> {
    let executable = instantiated(bench, &chain(bench, NODES, false)?)?;
    let mut samples = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        executable.launch(&bench.stream)?;
        let idle = us_since(start);
        let start = Instant::now();
        executable.launch(&bench.stream)?;
        samples.push((us_since(start) - idle) / NODES as f64);
        bench.stream.synchronize()?;
    }
    // Less than nothing is the noise of two calls.
    Ok(median(samples).max(0.0))
}

/// Host time of a launch that goes into a graph.
pub(super) fn capture_node_us(bench: &Bench<'_>) -> Answer<f64> {
    let mut samples = Vec::new();
    for _ in 0..9 {
        let mut us = 0.0;
        let graph = bench.capture(|| {
            let start = Instant::now();
            for _ in 0..NODES {
                bench.empty(&bench.stream, None)?;
            }
            us = us_since(start) / NODES as f64;
            Ok(())
        })?;
        drop(graph);
        samples.push(us);
    }
    Ok(median(samples))
}

/// Host time of making a graph executable and having it on the device.
pub(super) fn instantiate_us(bench: &Bench<'_>, nodes: usize) -> Answer<f64> {
    let graph = chain(bench, nodes, false)?;
    let mut samples = Vec::new();
    for round in 0..8 {
        bench.settle()?;
        let start = Instant::now();
        let executable = graph.instantiate(false)?;
        executable.upload(&bench.stream)?;
        bench.stream.synchronize()?;
        let us = us_since(start);
        drop(executable);
        if round > 0 {
            samples.push(us);
        }
    }
    Ok(median(samples))
}

/// From the end of a node to the start of the next.
pub(super) fn gap_us(bench: &Bench<'_>) -> Answer<f64> {
    const NODES: usize = 200;
    let executable = instantiated(bench, &chain(bench, NODES, true)?)?;
    replayed_gap_us(bench, &executable, NODES)
}

/// What a timing event between two nodes adds to the pause between them, which is `gap_us` without.
pub(super) fn timing_event_us(bench: &Bench<'_>, gap_us: f64) -> Answer<f64> {
    const NODES: usize = 100;
    let events = (0..NODES).map(|_| Event::new(true, false)).collect::<Answer<Vec<_>>>()?;
    let graph = bench.capture(|| {
        for (node, event) in events.iter().enumerate() {
            bench.empty(&bench.stream, Some(node as u64))?;
            event.record_as_node(&bench.stream)?;
        }
        Ok(())
    })?;
    let executable = instantiated(bench, &graph)?;
    Ok(replayed_gap_us(bench, &executable, NODES)? - gap_us)
}

fn replayed_gap_us(bench: &Bench<'_>, executable: &Executable, nodes: usize) -> Answer<f64> {
    let mut gaps = Vec::new();
    for _ in 0..5 {
        executable.launch(&bench.stream)?;
        bench.stream.synchronize()?;
        gaps.extend(gaps_us(&bench.stamps(nodes as u64)?));
    }
    Ok(median(gaps))
}

/// From the return of the call to the start of the first node.
pub(super) fn start_us(bench: &Bench<'_>) -> Answer<f64> {
    let executable = instantiated(bench, &chain(bench, 20, true)?)?;
    let after = super::latencies::after_host(bench, 60, || {
        bench.stream.synchronize()?;
        executable.launch(&bench.stream)?;
        let returned = Instant::now();
        bench.stream.synchronize()?;
        Ok((returned, bench.stamp()?.start))
    })?;
    Ok(median(after))
}

/// From the end of a replay to the start of the next of the same graph. A replay overwrites the stamps of the one before, so
/// this comes from how much longer many replays take than one.
pub(super) fn replay_gap_us(bench: &Bench<'_>) -> Answer<f64> {
    const NODES: u64 = 4;
    const REPLAYS: u64 = 16;
    let graph = bench.capture(|| (0..NODES).try_for_each(|node| bench.spin(&bench.stream, 10.0, Some(node + 1))))?;
    let executable = instantiated(bench, &graph)?;
    let mut gaps = Vec::new();
    for _ in 0..9 {
        let (one, replay) = span_us(bench, &executable, 1, NODES)?;
        let (many, _) = span_us(bench, &executable, 1 + REPLAYS, NODES)?;
        gaps.push((many - one) / REPLAYS as f64 - replay);
    }
    Ok(median(gaps))
}

/// From a kernel before to one behind `replays` replays in a backlogged stream, and how long the last replay took.
fn span_us(bench: &Bench<'_>, executable: &Executable, replays: u64, nodes: u64) -> Answer<(f64, f64)> {
    bench.held(|| {
        bench.empty(&bench.stream, Some(0))?;
        for _ in 0..replays {
            executable.launch(&bench.stream)?;
        }
        bench.empty(&bench.stream, Some(nodes + 1))
    })?;
    let stamps = bench.stamps(nodes + 2)?;
    let us = |from: u64, to: u64| to.wrapping_sub(from) as i64 as f64 / 1e3;
    let place = |slot: u64| stamps.get(slot as usize).copied().ok_or(Code(999));
    Ok((us(place(0)?.end(), place(nodes + 1)?.start), us(place(1)?.start, place(nodes)?.end())))
}
