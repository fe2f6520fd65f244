//! The clock of the GPU beside that of the host. A kernel answers the host's flag with `%globaltimer`; the answer was given
//! between the question and its arrival, so the shortest of many round trips bounds the error.

use std::time::{Duration, Instant};

use super::driver::{Answer, Arguments, Code, DeviceMemory, Event, Function, LaunchShape, PinnedMemory, Stream};
use super::slots::{self, Slot};
use crate::time::Ns;

/// Round trips for one alignment.
const ROUNDS: u32 = 100;
/// The GPU's kernel gives up by itself after 2 s.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long work is held back so that what comes behind it is queued.
const BACKLOG_NS: u64 = 40_000;

/// One moment on both clocks.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// On the host, from the first comparison on.
    host: Ns,
    /// `%globaltimer`.
    gpu_ns: u64,
    /// Either way.
    error: Ns,
}

/// The clock of the GPU, compared with the host's before and after a run.
#[derive(Debug)]
pub(super) struct Clock {
    /// When the first comparison began.
    base: Instant,
    /// Where host time counts from, after `base`.
    zero: Ns,
    stream: Stream,
    flag: PinnedMemory,
    answer: PinnedMemory,
    echo: Function,
    tick: Function,
    hold: Function,
    /// Stands for a known moment of the GPU's clock, so that events can be placed on it.
    event: Event,
    event_ns: u64,
    event_error: Ns,
    before: Moment,
    after: Moment,
}

impl Clock {
    /// Compares the clocks now, with the kernels `echo`, `tick` and `hold`.
    pub fn start([echo, tick, hold]: [Function; 3]) -> Answer<Self> {
        let moment = Moment { host: Ns::ZERO, gpu_ns: 0, error: Ns::MAX };
        let mut clock = Self {
            base: Instant::now(),
            zero: Ns::ZERO,
            stream: Stream::new(false, 0)?,
            flag: PinnedMemory::new(64)?,
            answer: PinnedMemory::new(64)?,
            echo,
            tick,
            hold,
            event: Event::new(true, false)?,
            event_ns: 0,
            event_error: Ns::ZERO,
            before: moment,
            after: moment,
        };
        clock.before = clock.compare()?;
        clock.after = clock.before;
        clock.place_event()?;
        Ok(clock)
    }

    /// Compares the clocks once more after the run, against drift.
    pub fn stop(&mut self) -> Answer {
        self.after = self.compare()?;
        Ok(())
    }

    /// From here on host time counts from `zero`.
    pub fn count_from(&mut self, zero: Instant) {
        self.zero = Ns(zero.duration_since(self.base).as_nanos() as i64);
    }

    /// A time of the GPU's clock as host time.
    pub fn host_time(&self, gpu_ns: u64) -> Ns {
        let since = |moment: &Moment| gpu_ns.wrapping_sub(moment.gpu_ns) as i64;
        let offset = |moment: &Moment| moment.host.0.wrapping_sub(moment.gpu_ns as i64);
        let between = self.after.gpu_ns.wrapping_sub(self.before.gpu_ns);
        if between < 1_000_000 {
            return self.before.host + Ns(since(&self.before)) - self.zero;
        }
        let drift = offset(&self.after).wrapping_sub(offset(&self.before)) as f64;
        let share = since(&self.before) as f64 / between as f64;
        self.before.host + Ns(since(&self.before) + (drift * share) as i64) - self.zero
    }

    /// When `event` was passed, as host time.
    pub fn event_time(&self, event: &Event) -> Answer<Ns> {
        let us = self.event.elapsed_us(event)?;
        Ok(self.host_time(self.event_ns.wrapping_add_signed((us * 1e3) as i64)))
    }

    /// A time of the GPU is right against the host's within this, either way; of an event within the second. The driver tells
    /// the time of an event as a number of 24 binary digits, from the start of the run on.
    pub fn error(&self) -> (Ns, Ns) {
        let clocks = self.before.error.max(self.after.error);
        let digits = self.after.gpu_ns.wrapping_sub(self.before.gpu_ns) >> 24;
        (clocks, clocks + self.event_error + Ns(digits as i64))
    }

    fn compare(&mut self) -> Answer<Moment> {
        self.flag.store_at(0, 0);
        self.answer.store_at(0, 0);
        self.answer.store_at(1, 0);
        let mut arguments = Arguments::new();
        arguments.push(self.flag.address() as u64);
        arguments.push(self.answer.address() as u64);
        arguments.push(u64::from(ROUNDS));
        self.echo.launch(&LaunchShape::ONE_THREAD, &self.stream, &mut arguments)?;
        let mut best = Moment { host: Ns::ZERO, gpu_ns: 0, error: Ns::MAX };
        // `%globaltimer` advances in steps, of 32 ns on an H200 and of 1 µs on other GPUs.
        let (mut step_ns, mut last) = (0, 0);
        for round in 1..=u64::from(ROUNDS) {
            let asked = self.base.elapsed();
            self.flag.store_at(0, round);
            while self.answer.load_at(1) != round {
                if self.base.elapsed() - asked > PATIENCE {
                    return Err(Code(702));
                }
                std::hint::spin_loop();
            }
            let answered = self.base.elapsed();
            let trip = (answered - asked).as_nanos() as i64;
            let (error, gpu_ns) = (Ns(trip / 2), self.answer.load_at(0));
            step_ns = greatest_divisor(step_ns, gpu_ns.wrapping_sub(last));
            last = gpu_ns;
            if error < best.error {
                best = Moment { host: Ns(asked.as_nanos() as i64 + trip / 2), gpu_ns, error };
            }
        }
        self.stream.synchronize()?;
        best.error += Ns(step_ns as i64);
        Ok(best)
    }

    /// Puts the event between two moments of the GPU's clock, as close together as some twenty attempts have been.
    fn place_event(&mut self) -> Answer {
        let slots = DeviceMemory::zeroed(2 * slots::BYTES)?;
        let mut narrowest = i64::MAX;
        for _ in 0..20 {
            let [first, second] = self.bracket(&slots)?;
            narrowest = narrowest.min(second.start.wrapping_sub(first.start) as i64);
        }
        // The event stands for its last record, so attempts go on until one is as good as the best.
        for attempts_left in (0..50).rev() {
            let [first, second] = self.bracket(&slots)?;
            let width = second.start.wrapping_sub(first.start) as i64;
            if width <= narrowest + 200 || attempts_left == 0 {
                self.event_ns = first.start + (width / 2) as u64;
                self.event_error = Ns(width / 2);
                break;
            }
        }
        Ok(())
    }

    fn bracket(&self, slots: &DeviceMemory) -> Answer<[Slot; 2]> {
        // Behind a kernel that takes a while, so that all three are queued when the GPU comes to them.
        self.flag.store_at(0, 0);
        let mut hold = Arguments::new();
        hold.push(self.flag.address() as u64);
        hold.push(BACKLOG_NS);
        self.hold.launch(&LaunchShape::ONE_THREAD, &self.stream, &mut hold)?;
        for place in 0..2 {
            let mut arguments = Arguments::new();
            arguments.push(slots.address() + place * slots::BYTES);
            self.tick.launch(&LaunchShape::ONE_THREAD, &self.stream, &mut arguments)?;
            if place == 0 {
                self.event.record(&self.stream)?;
            }
        }
        self.stream.synchronize()?;
        let mut both = [Slot::default(); 2];
        slots.read(0, &mut both)?;
        Ok(both)
    }
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}
