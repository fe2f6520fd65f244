//! What measurements share: two streams, the small kernels, room for stamps, and a stream that is held while it is filled.

use std::time::{Duration, Instant};

use super::super::GpuError;
use super::super::clock::Clock;
use super::super::driver::{
    Answer, Arguments, CaptureMode, Code, DeviceMemory, Event, Function, Graph, LaunchShape, PinnedMemory, Stream,
};
use super::super::session::Session;
use super::super::slots::{self, Slot};
use super::figures::median;

/// Stamps that one measurement can have.
const SLOTS: u64 = 2048;

/// A held stream goes on by itself after this, whatever the host does.
const HOLD: Duration = Duration::from_millis(100);

/// Before anything is measured.
const WARM_UP_US: f64 = 300_000.0;

/// One warp.
const SMALL: LaunchShape = LaunchShape { grid: [1, 1, 1], threads: 32, shared_bytes: 0 };

/// What is measured with.
pub(super) struct Bench<'s> {
    pub session: &'s Session,
    pub stream: Stream,
    /// A second one, independent of the first.
    pub other: Stream,
    empty: Function,
    timed: Function,
    hold: Function,
    flag: PinnedMemory,
    slots: DeviceMemory,
}

impl<'s> Bench<'s> {
    pub fn new(session: &'s Session) -> Result<Self, GpuError> {
        let refused = |code: Code| code.while_trying("set up the calibration");
        let bench = Self {
            session,
            stream: Stream::new(false, 0).map_err(refused)?,
            other: Stream::new(false, 0).map_err(refused)?,
            empty: session.function("empty")?,
            timed: session.function("timed")?,
            hold: session.function("hold")?,
            flag: PinnedMemory::new(64).map_err(refused)?,
            slots: DeviceMemory::zeroed(SLOTS * slots::BYTES).map_err(refused)?,
        };
        // The first launch of a kernel loads it, which may wait for the device: not behind a held stream.
        bench.warm_up().map_err(refused)?;
        Ok(bench)
    }

    fn warm_up(&self) -> Answer {
        // An idle GPU takes a while to run at its full clock.
        self.spin(&self.stream, WARM_UP_US, None)?;
        self.settle()?;
        for _ in 0..100 {
            self.empty(&self.stream, Some(0))?;
            self.empty(&self.other, Some(1))?;
            self.spin(&self.stream, 1.0, Some(0))?;
        }
        self.held(|| Ok(()))?;
        self.settle()
    }

    /// Waits for the device.
    pub fn settle(&self) -> Answer {
        self.session.context.synchronize()
    }

    /// A kernel that does nothing.
    pub fn empty(&self, stream: &Stream, slot: Option<u64>) -> Answer {
        let mut arguments = Arguments::new();
        arguments.push(self.slot(slot));
        self.empty.launch(&SMALL, stream, &mut arguments)
    }

    /// A kernel that takes `us`.
    pub fn spin(&self, stream: &Stream, us: f64, slot: Option<u64>) -> Answer {
        let mut arguments = Arguments::new();
        arguments.push((us * 1e3) as u64);
        // No operand and no results.
        for _ in 0..10 {
            arguments.push(0);
        }
        arguments.push(self.slot(slot));
        self.timed.launch(&SMALL, stream, &mut arguments)
    }

    fn slot(&self, slot: Option<u64>) -> u64 {
        slot.map_or(0, |slot| self.slots.address() + slot.min(SLOTS - 1) * slots::BYTES)
    }

    /// The first `count` stamps. The work that writes them has to be done.
    pub fn stamps(&self, count: u64) -> Answer<Vec<Slot>> {
        let mut stamps = vec![Slot::default(); count.min(SLOTS) as usize];
        self.slots.read(0, &mut stamps)?;
        Ok(stamps)
    }

    /// The first stamp. The work that writes it has to be done.
    pub fn stamp(&self) -> Answer<Slot> {
        self.stamps(1)?.first().copied().ok_or(Code(999))
    }

    /// Does something while [`Bench::stream`] is held, so that what is queued there runs back to back afterwards; returns when
    /// that stream has nothing left. The stream goes on after a while even if the host is blocked.
    pub fn held<T>(&self, what: impl FnOnce() -> Answer<T>) -> Answer<T> {
        self.flag.store_at(0, 0);
        let mut arguments = Arguments::new();
        arguments.push(self.flag.address() as u64);
        arguments.push(HOLD.as_nanos() as u64);
        self.hold.launch(&LaunchShape::ONE_THREAD, &self.stream, &mut arguments)?;
        // Until the kernel runs.
        pause(Duration::from_micros(50));
        let result = what();
        self.flag.store_at(0, 1);
        self.stream.synchronize()?;
        result
    }

    /// Does the work once before the stream is held: the first time may load code, and wait for the device.
    fn once(&self, work: &mut impl FnMut(&Stream) -> Answer) -> Answer {
        work(&self.stream)?;
        self.settle()
    }

    /// The two clocks, compared now.
    pub fn clock(&self) -> Answer<Clock> {
        let function = |entry| self.session.function(entry).map_err(|_| Code(500));
        Clock::start([function("echo")?, function("tick")?, function("hold")?])
    }

    /// A graph of what `work` queues on [`Bench::stream`].
    pub fn capture(&self, work: impl FnOnce() -> Answer) -> Answer<Graph> {
        self.stream.begin_capture(CaptureMode::Relaxed)?;
        let worked = work();
        let graph = self.stream.end_capture();
        worked.and(graph)
    }

    /// Pauses between kernels that stamp, in a backlogged stream, in µs: the median. `between` is queued between each two.
    pub fn gap_us(&self, gaps: u64, mut between: impl FnMut(&Stream) -> Answer) -> Answer<f64> {
        self.once(&mut between)?;
        self.held(|| {
            for slot in 0..=gaps {
                if slot > 0 {
                    between(&self.stream)?;
                }
                self.empty(&self.stream, Some(slot))?;
            }
            Ok(())
        })?;
        Ok(median(gaps_us(&self.stamps(gaps + 1)?)))
    }

    /// What event pairs around `work` show in a backlogged stream, in µs: the median.
    pub fn event_pair_us(&self, pairs: usize, mut work: impl FnMut(&Stream) -> Answer) -> Answer<f64> {
        let events = (0..2 * pairs).map(|_| Event::new(true, false)).collect::<Answer<Vec<_>>>()?;
        self.once(&mut work)?;
        self.held(|| {
            for pair in events.chunks_exact(2) {
                let [before, after] = pair else { continue };
                before.record(&self.stream)?;
                work(&self.stream)?;
                after.record(&self.stream)?;
            }
            Ok(())
        })?;
        let elapsed = |pair: &[Event]| match pair {
            [before, after] => before.elapsed_us(after),
            _ => Err(Code(1)),
        };
        Ok(median(events.chunks_exact(2).map(elapsed).collect::<Answer<Vec<_>>>()?))
    }
}

/// From the end of each to the start of the next, in µs.
pub(super) fn gaps_us(stamps: &[Slot]) -> Vec<f64> {
    let gap = |pair: &[Slot]| match pair {
        [before, after] => Some(after.start.wrapping_sub(before.end()) as i64 as f64 / 1e3),
        _ => None,
    };
    stamps.windows(2).filter_map(gap).collect()
}

/// Mean host time of `count` calls in a row on an idle device, in µs: the median of `rounds`, after one to warm up.
pub(super) fn call_us(
    bench: &Bench<'_>,
    rounds: usize,
    count: usize,
    mut call: impl FnMut(usize) -> Answer,
) -> Answer<f64> {
    let mut means = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        bench.settle()?;
        let start = Instant::now();
        for index in 0..count {
            call(index)?;
        }
        let us = us_since(start) / count.max(1) as f64;
        if round > 0 {
            means.push(us);
        }
    }
    bench.settle()?;
    Ok(median(means))
}

/// Host time since then, in µs.
pub(super) fn us_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// Keeps the host busy.
pub(super) fn pause(dur: Duration) {
    let start = Instant::now();
    while start.elapsed() < dur {
        std::hint::spin_loop();
    }
}
