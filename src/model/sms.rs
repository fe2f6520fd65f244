//! The SMs: which blocks of which grids run where, in cohorts.
//!
//! Blocks of one grid that start together also end together, so they are one cohort with one end. Blocks are placed by
//! priority, then age: a younger grid gets only the room that older ones cannot use ("leftover" policy; NVIDIA does not
//! document it, it is what an H200 does). Kernels that together ask for more memory bandwidth than there is slow down.

use crate::profile::{Gpu, KernelCost, SmRoom};
use crate::recording::SmUse;
use crate::time::Ns;

/// Names a grid from arrival to completion; the caller's own number.
pub(super) type GridKey = u32;

/// What the SMs want to be told about at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SmEvent {
    /// The only grid on the GPU ends.
    Solo(GridKey),
    /// A cohort ends, unless its rate changed meanwhile: then its epoch is another.
    Cohort {
        /// Which.
        cohort: u32,
        /// Its epoch when this was scheduled.
        epoch: u32,
    },
}

/// What became of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Its first block started.
    Started(GridKey),
    /// Its last block ended.
    Finished(GridKey),
}

/// A grid that has arrived and is not finished.
#[derive(Clone, Debug)]
struct Active {
    key: GridKey,
    priority: i32,
    cost: KernelCost,
    need: SmRoom,
    waves: u32,
    started: Option<Ns>,
    /// Blocks not placed yet.
    left: u32,
    running: u32,
}

impl Active {
    /// How long one wave takes; rounded so that all of them together take the whole duration.
    fn wave_end(&self, start: Ns, wave: u32) -> Ns {
        let share = f64::from(wave + 1) / f64::from(self.waves.max(1));
        start + self.cost.dur.scale(share)
    }

    fn wave_dur(&self) -> Ns {
        self.cost.dur.scale(1.0 / f64::from(self.waves.max(1))).max(Ns(1))
    }
}

/// Blocks of one grid that run together.
#[derive(Clone, Debug)]
struct Cohort {
    key: GridKey,
    /// (SM, blocks on it)
    on: Vec<(u32, u16)>,
    blocks: u32,
    /// Work left at full rate, in ns, at `updated`.
    left: f64,
    rate: f64,
    updated: Ns,
    epoch: u32,
}

/// The SMs of a GPU.
#[derive(Clone, Debug)]
pub(super) struct Sms<'a> {
    gpu: &'a Gpu,
    /// In the order of arrival.
    active: Vec<Active>,
    /// Grids beyond the number that can be resident, in the order of arrival.
    queue: Vec<(GridKey, KernelCost, i32)>,
    cohorts: Vec<Option<Cohort>>,
    /// Room of each SM; empty while a single grid has the GPU to itself.
    rooms: Vec<SmRoom>,
    /// Epochs are never used twice, so that an event left over cannot end a later cohort.
    last_epoch: u32,
    events: Vec<(Ns, SmEvent)>,
    progress: Vec<(Ns, Progress)>,
    /// How many SMs had blocks up to `counted`.
    used: SmUse,
    counted: Ns,
}

impl<'a> Sms<'a> {
    pub fn new(gpu: &'a Gpu) -> Self {
        Self {
            gpu,
            active: Vec::new(),
            queue: Vec::new(),
            cohorts: Vec::new(),
            rooms: Vec::new(),
            last_epoch: 0,
            events: Vec::new(),
            progress: Vec::new(),
            used: SmUse { sms: gpu.sms.max(1), ..SmUse::default() },
            counted: Ns::ZERO,
        }
    }

    /// Events to schedule since the last call.
    pub fn take_events(&mut self) -> impl Iterator<Item = (Ns, SmEvent)> + '_ {
        self.events.drain(..)
    }

    /// Starts and ends since the last call.
    pub fn take_progress(&mut self) -> impl Iterator<Item = (Ns, Progress)> + '_ {
        self.progress.drain(..)
    }

    /// How many SMs had blocks.
    pub fn used(&self) -> SmUse {
        self.used
    }

    /// What was used so far does not count.
    pub fn forget_use(&mut self) {
        self.used = SmUse { sms: self.used.sms, ..SmUse::default() };
    }

    /// Counts the SMs that have had blocks up to `at`, before anything changes there.
    fn count_use(&mut self, at: Ns) {
        let from = std::mem::replace(&mut self.counted, at);
        let Some(grid) = self.active.first().filter(|_| at > from) else { return };
        self.used.kernel_time += at - from;
        if self.rooms.is_empty() {
            self.used.sm_time += self.used_alone(grid, from, at);
        } else {
            let busy = self.rooms.iter().filter(|room| room.blocks < self.gpu.blocks_per_sm).count();
            self.used.sm_time += Ns((at - from).0 * busy as i64);
        }
    }

    /// The same of the single grid: every wave but the last has blocks on all SMs.
    fn used_alone(&self, grid: &Active, from: Ns, at: Ns) -> Ns {
        let sms = self.gpu.sms.max(1);
        let before = grid.waves.saturating_sub(1);
        let last = grid.left.saturating_sub(before.saturating_mul(self.gpu.blocks_per_sm(&grid.cost.grid) * sms));
        let start = grid.started.unwrap_or(from);
        let last_from = before.checked_sub(1).map_or(start, |wave| grid.wave_end(start, wave)).clamp(from, at);
        Ns((last_from - from).0 * i64::from(sms) + (at - last_from).0 * i64::from(last.min(sms)))
    }

    /// A grid is ready to run.
    pub fn arrive(&mut self, at: Ns, key: GridKey, cost: KernelCost, priority: i32) {
        self.count_use(at);
        if self.active.len() >= self.gpu.max_grids as usize {
            self.queue.push((key, cost, priority));
            return;
        }
        let alone = self.active.is_empty();
        let waves = self.gpu.waves(&cost.grid);
        let need = self.gpu.block_need(&cost.grid);
        let blocks = cost.grid.blocks.max(1);
        if !alone && self.rooms.is_empty() {
            self.share(at);
        }
        let mut grid = Active { key, priority, cost, need, waves, started: None, left: blocks, running: 0 };
        if alone {
            grid.started = Some(at);
            self.progress.push((at, Progress::Started(key)));
            self.events.push((at + cost.dur, SmEvent::Solo(key)));
            self.active.push(grid);
        } else {
            self.active.push(grid);
            self.place(at);
        }
    }

    /// Something scheduled happens.
    pub fn happen(&mut self, at: Ns, event: SmEvent) {
        self.count_use(at);
        match event {
            SmEvent::Solo(key) => {
                if self.rooms.is_empty() && self.active.first().is_some_and(|grid| grid.key == key) {
                    self.active.clear();
                    self.progress.push((at, Progress::Finished(key)));
                    self.admit(at);
                }
            }
            SmEvent::Cohort { cohort, epoch } => self.end_cohort(at, cohort as usize, epoch),
        }
    }

    /// The single grid gets company: from now on it is known where its blocks are.
    fn share(&mut self, at: Ns) {
        let gpu = self.gpu;
        let full = SmRoom {
            threads: gpu.threads_per_sm,
            blocks: gpu.blocks_per_sm,
            registers: gpu.registers_per_sm,
            shared_bytes: gpu.shared_bytes_per_sm,
        };
        self.rooms = vec![full; gpu.sms.max(1) as usize];
        self.cohorts.clear();
        let Some(grid) = self.active.first_mut() else { return };
        let Some(start) = grid.started else { return };
        let at_once = gpu.blocks_per_sm(&grid.cost.grid) * gpu.sms.max(1);
        let wave = (0..grid.waves).find(|wave| grid.wave_end(start, *wave) > at).unwrap_or(grid.waves - 1);
        let placed_before = at_once.saturating_mul(wave).min(grid.left);
        let blocks = at_once.min(grid.left - placed_before);
        grid.left -= placed_before;
        let left = grid.wave_end(start, wave) - at;
        self.place_cohort(at, 0, blocks, left);
    }

    /// Places blocks of all grids that have some left: the most urgent first, then the oldest.
    fn place(&mut self, at: Ns) {
        let mut by_urgency: Vec<usize> = (0..self.active.len()).collect();
        by_urgency.sort_by_key(|index| self.active.get(*index).map(|grid| grid.priority));
        for index in by_urgency {
            let Some(grid) = self.active.get(index).filter(|grid| grid.left > 0) else { continue };
            let (left, dur) = (grid.left, grid.wave_dur());
            self.place_cohort(at, index, left, dur);
        }
        self.balance(at);
    }

    /// Places up to `blocks` blocks of a grid, one a SM in each round, as one cohort of `dur`.
    fn place_cohort(&mut self, at: Ns, index: usize, blocks: u32, dur: Ns) {
        let Some(grid) = self.active.get_mut(index) else { return };
        let mut counts = vec![0u16; self.rooms.len()];
        let mut placed = 0;
        loop {
            let before = placed;
            for (room, count) in self.rooms.iter_mut().zip(&mut counts) {
                if placed < blocks && room.fits(&grid.need) {
                    room.take(&grid.need);
                    *count += 1;
                    placed += 1;
                }
            }
            if placed == before {
                break;
            }
        }
        if placed == 0 {
            return;
        }
        grid.left -= placed;
        grid.running += placed;
        if grid.started.is_none() {
            grid.started = Some(at);
            self.progress.push((at, Progress::Started(grid.key)));
        }
        self.last_epoch += 1;
        let epoch = self.last_epoch;
        let on = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(sm, n)| (sm as u32, *n)).collect();
        let cohort = Cohort { key: grid.key, on, blocks: placed, left: dur.0 as f64, rate: 1.0, updated: at, epoch };
        let slot = self.cohorts.iter().position(Option::is_none).unwrap_or_else(|| {
            self.cohorts.push(None);
            self.cohorts.len() - 1
        });
        self.events.push((at + dur, SmEvent::Cohort { cohort: slot as u32, epoch }));
        if let Some(free) = self.cohorts.get_mut(slot) {
            *free = Some(cohort);
        }
    }

    fn end_cohort(&mut self, at: Ns, slot: usize, epoch: u32) {
        let Some(place) = self.cohorts.get_mut(slot) else { return };
        let Some(cohort) = place.take_if(|cohort| cohort.epoch == epoch) else { return };
        let Some(index) = self.active.iter().position(|grid| grid.key == cohort.key) else { return };
        let Some(grid) = self.active.get_mut(index) else { return };
        for (sm, blocks) in &cohort.on {
            if let Some(room) = self.rooms.get_mut(*sm as usize) {
                room.give(&grid.need, u32::from(*blocks));
            }
        }
        grid.running -= cohort.blocks;
        if grid.running == 0 && grid.left == 0 {
            self.progress.push((at, Progress::Finished(cohort.key)));
            self.active.remove(index);
            if self.active.is_empty() {
                self.rooms.clear();
                self.cohorts.clear();
            }
            self.admit(at);
        }
        if !self.rooms.is_empty() {
            self.place(at);
        }
    }

    /// A resident grid is gone: one that waited for its place moves up.
    fn admit(&mut self, at: Ns) {
        if !self.queue.is_empty() && self.active.len() < self.gpu.max_grids as usize {
            let (key, cost, priority) = self.queue.remove(0);
            self.arrive(at, key, cost, priority);
        }
    }

    /// Shares the memory bandwidth among the cohorts, if they ask for more than there is.
    fn balance(&mut self, at: Ns) {
        let running = || self.cohorts.iter().flatten();
        let demand_of = |cohort: &Cohort, active: &[Active]| {
            active.iter().find(|grid| grid.key == cohort.key).map_or(0.0, |grid| {
                let at_once = grid.cost.grid.blocks.min(self.gpu.blocks_per_sm(&grid.cost.grid) * self.gpu.sms).max(1);
                grid.cost.bandwidth * f64::from(cohort.blocks) / f64::from(at_once)
            })
        };
        let demand: f64 = running().map(|cohort| demand_of(cohort, &self.active)).sum();
        if demand == 0.0 {
            return;
        }
        let busy_sms = self.rooms.iter().filter(|room| room.blocks < self.gpu.blocks_per_sm).count();
        let supply = self.gpu.bandwidth.at(busy_sms as f64).max(1.0);
        let slowed = (supply / demand).min(1.0);
        let rates: Vec<(usize, f64)> = self
            .cohorts
            .iter()
            .enumerate()
            .filter_map(|(slot, cohort)| {
                let share = demand_of(cohort.as_ref()?, &self.active) / supply;
                // A kernel that hardly touches memory hardly notices.
                let rate = if share > 0.0 { 1.0 / (1.0 + share.min(1.0) * (1.0 / slowed - 1.0)) } else { 1.0 };
                Some((slot, rate))
            })
            .collect();
        for (slot, rate) in rates {
            let Some(cohort) = self.cohorts.get_mut(slot).and_then(Option::as_mut) else { continue };
            if (cohort.rate - rate).abs() < 1e-9 {
                continue;
            }
            cohort.left -= (at - cohort.updated).0 as f64 * cohort.rate;
            cohort.updated = at;
            cohort.rate = rate;
            self.last_epoch += 1;
            cohort.epoch = self.last_epoch;
            let end = at + Ns((cohort.left.max(0.0) / rate).ceil() as i64);
            self.events.push((end, SmEvent::Cohort { cohort: slot as u32, epoch: cohort.epoch }));
        }
    }
}
