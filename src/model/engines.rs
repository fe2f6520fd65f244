//! The copy engines: one copy at a time in each direction, in the order in which copies become ready; both directions
//! together are slower than each alone.

use std::collections::VecDeque;

use crate::recording::Engine;
use crate::time::Ns;

/// Names a copy; the caller's own number.
pub(super) type CopyKey = u32;

/// The end of a copy, unless its rate changed meanwhile: then its epoch is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CopyEnd {
    to_host: bool,
    epoch: u32,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    key: CopyKey,
    /// Work left at full rate, in ns, at `updated`.
    left: f64,
    updated: Ns,
    rate: f64,
}

#[derive(Clone, Debug, Default)]
struct State {
    running: Option<Running>,
    queue: VecDeque<(CopyKey, Ns)>,
    epoch: u32,
}

/// Both copy engines.
#[derive(Clone, Debug)]
pub(super) struct Engines {
    duplex: f64,
    states: [State; 2],
    events: Vec<(Ns, CopyEnd)>,
    started: Vec<(Ns, CopyKey)>,
}

fn index(engine: Engine) -> usize {
    match engine {
        Engine::H2D => 0,
        Engine::D2H => 1,
    }
}

impl Engines {
    pub fn new(duplex: f64) -> Self {
        Self { duplex: duplex.clamp(0.01, 1.0), states: Default::default(), events: Vec::new(), started: Vec::new() }
    }

    /// Events to schedule since the last call.
    pub fn take_events(&mut self) -> impl Iterator<Item = (Ns, CopyEnd)> + '_ {
        self.events.drain(..)
    }

    /// Copies that started since the last call.
    pub fn take_started(&mut self) -> Vec<(Ns, CopyKey)> {
        std::mem::take(&mut self.started)
    }

    /// A copy is ready and takes `dur` alone.
    pub fn arrive(&mut self, at: Ns, engine: Engine, key: CopyKey, dur: Ns) {
        let Some(state) = self.states.get_mut(index(engine)) else { return };
        state.queue.push_back((key, dur));
        self.next(at);
    }

    /// A scheduled end happens; returns the copy that is done.
    pub fn happen(&mut self, at: Ns, end: CopyEnd) -> Option<CopyKey> {
        let state = self.states.get_mut(usize::from(end.to_host)).filter(|state| state.epoch == end.epoch)?;
        let done = state.running.take()?.key;
        self.next(at);
        Some(done)
    }

    /// Starts what can start and settles the rates.
    fn next(&mut self, at: Ns) {
        for state in &mut self.states {
            if state.running.is_none()
                && let Some((key, dur)) = state.queue.pop_front()
            {
                state.running = Some(Running { key, left: dur.0 as f64, updated: at, rate: 0.0 });
                self.started.push((at, key));
            }
        }
        let both = self.states.iter().all(|state| state.running.is_some());
        let rate = if both { self.duplex } else { 1.0 };
        for (to_host, state) in self.states.iter_mut().enumerate() {
            let Some(copy) = state.running.as_mut().filter(|copy| copy.rate != rate) else { continue };
            copy.left -= (at - copy.updated).0 as f64 * copy.rate;
            copy.updated = at;
            copy.rate = rate;
            state.epoch += 1;
            let end = at + Ns((copy.left.max(0.0) / rate).ceil() as i64);
            self.events.push((end, CopyEnd { to_host: to_host == 1, epoch: state.epoch }));
        }
    }
}
