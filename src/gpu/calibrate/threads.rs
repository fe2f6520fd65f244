//! What a second host thread costs: the driver's lock.

use std::sync::Barrier;
use std::time::Instant;

use super::super::driver::{Answer, Arguments, Code, Context, LaunchShape, Module, Stream};
use super::super::kernels;
use super::bench::us_since;
use super::figures::median;

const THREADS: usize = 2;
const ROUNDS: usize = 9;
const LAUNCHES: usize = 200;

const SMALL: LaunchShape = LaunchShape { grid: [1, 1, 1], threads: 32, shared_bytes: 0 };

/// How long a launch holds the driver's lock. Where threads, each with a stream of its own, contend for it, one launch of each
/// takes as long as all of them hold it.
pub(super) fn lock_us(device: u32) -> Answer<f64> {
    let barrier = Barrier::new(THREADS);
    let times = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| launch_us(device, &barrier))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Code(999)))).collect::<Answer<Vec<_>>>()
    })?;
    Ok(median(times.into_iter().flatten().collect()) / THREADS as f64)
}

/// What launches: everything of the driver that belongs to one thread.
struct Launcher {
    stream: Stream,
    module: Module,
    /// Last, since the others belong to it.
    _context: Context,
}

/// Mean host time of a launch in each round, beside the other threads.
fn launch_us(device: u32, barrier: &Barrier) -> Answer<Vec<f64>> {
    let launcher = launcher(device);
    let mut means = Vec::new();
    let mut failed = None;
    for round in 0..=ROUNDS {
        // A thread that failed still comes here, or the others would wait for ever.
        barrier.wait();
        match launcher.as_ref().map_err(|code| *code).and_then(launch_all) {
            Ok(us) if round > 0 => means.push(us),
            Ok(_) => {}
            Err(code) => failed = Some(code),
        }
    }
    failed.map_or(Ok(means), Err)
}

fn launcher(device: u32) -> Answer<Launcher> {
    let context = Context::retain(device)?;
    let source = kernels::MODULES.iter().find(|module| module.entries.contains(&"empty")).ok_or(Code(500))?;
    Ok(Launcher { stream: Stream::new(false, 0)?, module: Module::load(source.ptx)?, _context: context })
}

fn launch_all(launcher: &Launcher) -> Answer<f64> {
    let empty = launcher.module.function("empty")?;
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        empty.launch(&SMALL, &launcher.stream, &mut Arguments::new())?;
    }
    let us = us_since(start) / LAUNCHES as f64;
    launcher.stream.synchronize()?;
    Ok(us)
}
