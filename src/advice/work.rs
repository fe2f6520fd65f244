//! How much a program does, whatever the time that takes: what a change must leave as it is to be a saving.

use std::collections::BTreeMap;

use super::Effect;
use crate::kernel::Kernel;
use crate::program::{Action, GraphId, Place, Program};

/// The work of the measured part, whole numbers so that the order of adding does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    gpu: GpuWork,
    host_ns: i64,
    /// Reads of host memory.
    reads: u64,
    /// Reads of a clock, and the host's waits that stand before one.
    clocks: Vec<u64>,
}

/// What streams or a graph do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct GpuWork {
    flops: u128,
    kernel_bytes: u128,
    timed_ns: i128,
    to_device: u128,
    to_host: u128,
    other_bytes: u128,
    host_function_ns: i128,
}

impl Work {
    /// What a program does. Captured work counts where the graph is replayed.
    pub fn of(program: &Program) -> Self {
        let mut work = Self::default();
        let mut graphs: BTreeMap<GraphId, GpuWork> = BTreeMap::new();
        let mut captures: Option<GraphId> = None;
        let mut waits = 0;
        for (index, operation) in program.operations.iter().enumerate() {
            let is_measured = index >= program.measured_from;
            let mut gpu = GpuWork::default();
            match operation.action {
                Action::BeginCapture { graph, .. } => captures = Some(graph),
                Action::EndCapture { .. } => captures = None,
                Action::UpdateGraph { graph, from } => {
                    let new = graphs.get(&from).copied().unwrap_or_default();
                    graphs.insert(graph, new);
                }
                Action::Replay { graph, .. } | Action::ChildGraph { graph, .. } => {
                    gpu = graphs.get(&graph).copied().unwrap_or_default();
                }
                Action::Work { dur } if is_measured => work.host_ns += dur.0,
                Action::ReadHost { .. } if is_measured => work.reads += 1,
                Action::SyncDevice | Action::SyncStream { .. } | Action::SyncEvent { .. } if is_measured => waits += 1,
                Action::Clock { .. } | Action::Elapsed { .. } if is_measured => work.clocks.push(waits),
                action => gpu = GpuWork::of(program, &action),
            }
            match captures {
                Some(graph) => graphs.entry(graph).or_default().add(gpu),
                None if is_measured => work.gpu.add(gpu),
                None => {}
            }
        }
        work
    }

    /// What a change does that leads to `after`.
    pub fn effect(&self, after: &Self, same_results: bool) -> Effect {
        let (mut before_gpu, mut after_gpu) = (self.gpu, after.gpu);
        if self.reads != after.reads {
            // What is read has to be copied to the host first.
            (before_gpu.to_host, after_gpu.to_host) = (0, 0);
        }
        if after_gpu.is_less_than(&before_gpu) || after.host_ns < self.host_ns {
            Effect::LessWork
        } else if self.reads != after.reads {
            Effect::Reads { before: self.reads, after: after.reads }
        } else if !same_results {
            Effect::OtherResult
        } else if self.clocks != after.clocks {
            Effect::Measures
        } else {
            Effect::Same
        }
    }
}

impl GpuWork {
    fn of(program: &Program, action: &Action) -> Self {
        let mut work = Self::default();
        match action {
            Action::Launch { kernel, .. } => match program.kernels.get(kernel.index()) {
                Some(Kernel::Timed { dur, .. }) => work.timed_ns = dur.0.into(),
                Some(kernel) => {
                    let declared = kernel.work();
                    (work.flops, work.kernel_bytes) = (declared.flops as u128, declared.bytes as u128);
                }
                None => {}
            },
            Action::Copy(copy) => {
                let bytes = copy.to.bytes.into();
                match (copy.from.place, copy.to.place) {
                    (Place::Host(_), Place::Device(_)) => work.to_device = bytes,
                    (Place::Device(_), Place::Host(_)) => work.to_host = bytes,
                    (Place::Device(_), Place::Device(_)) | (Place::Host(_), Place::Host(_)) => work.other_bytes = bytes,
                }
            }
            Action::Memset { region, .. } => work.other_bytes = region.bytes.into(),
            Action::HostFunction { dur, .. } => work.host_function_ns = dur.0.into(),
            _ => {}
        }
        work
    }

    /// Whether any part of it is less: what a graph copies into its inputs beside that is still the same work.
    fn is_less_than(&self, other: &Self) -> bool {
        let parts = |it: &Self| [it.flops, it.kernel_bytes, it.to_device, it.to_host, it.other_bytes];
        let times = |it: &Self| [it.timed_ns, it.host_function_ns];
        let is_less = parts(self).iter().zip(parts(other)).any(|(part, before)| *part < before);
        is_less || times(self).iter().zip(times(other)).any(|(part, before)| *part < before)
    }

    fn add(&mut self, other: Self) {
        self.flops += other.flops;
        self.kernel_bytes += other.kernel_bytes;
        self.timed_ns += other.timed_ns;
        self.to_device += other.to_device;
        self.to_host += other.to_host;
        self.other_bytes += other.other_bytes;
        self.host_function_ns += other.host_function_ns;
    }
}
