//! What work makes of the contents of memory: it reads over its interval, and what it writes appears at its end.

use super::memory::{Memory, Staged};
use super::task::TaskId;
use crate::kernel::Kernel;
use crate::program::{Action, Copy, Program, Region};

/// What work saw when it started.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Operand by operand.
    values: Vec<f64>,
    /// How often the contents had changed by then.
    changes: u64,
}

/// What the tasks under way saw when they started, by their places.
#[derive(Debug, Default)]
pub(super) struct Values {
    seen: Vec<Seen>,
    now: Vec<f64>,
}

impl Values {
    /// The task at `place` starts.
    pub fn start(&mut self, program: &Program, memory: &Memory, place: usize, operation: u32) {
        let Some(operation) = program.operations.get(operation as usize) else { return };
        if self.seen.len() <= place {
            self.seen.resize_with(place + 1, Seen::default);
        }
        if let Some(seen) = self.seen.get_mut(place) {
            seen.changes = memory.contents.changes();
            read(program, memory, &operation.action, &mut seen.values);
        }
    }

    /// The task at `place` ends. What it read may have changed while it ran: then it saw some of both.
    pub fn end(&mut self, program: &Program, memory: &mut Memory, place: usize, task: TaskId, operation: u32) {
        let Some(operation) = program.operations.get(operation as usize) else { return };
        let Some(seen) = self.seen.get_mut(place) else { return };
        self.now.clear();
        let is_as_seen = seen.changes == memory.contents.changes() || {
            read(program, memory, &operation.action, &mut self.now);
            let is_same = self.now == seen.values;
            seen.values.iter_mut().zip(&self.now).for_each(|(seen, now)| *seen = (*seen + now) / 2.0);
            is_same
        };
        match operation.action {
            Action::Launch { kernel, reads, writes, .. } => {
                let Some(kernel) = program.kernels.get(kernel.index()) else { return };
                // Where the operands changed meanwhile, there is no saying which part saw what.
                let reads = if is_as_seen { program.regions(reads) } else { &[] };
                compute(memory, kernel, &seen.values, reads, program.regions(writes));
            }
            Action::Copy(copy) => {
                let read = match (memory.staged.remove(&task), seen.values.first()) {
                    (Some(staged), _) => staged,
                    (None, Some(_)) if is_as_seen => memory.read(&copy.from),
                    (None, Some(mean)) => Staged { mean: *mean, parts: None },
                    (None, None) => return,
                };
                arrive(memory, &copy, read);
            }
            Action::Memset { region, value, .. } => memory.write(&region, value),
            // Nothing else that the GPU does has an effect on contents.
            _ => {}
        }
    }
}

/// The values of what an action reads on the GPU.
fn read(program: &Program, memory: &Memory, action: &Action, values: &mut Vec<f64>) {
    values.clear();
    match action {
        Action::Launch { reads, .. } => {
            values.extend(program.regions(*reads).iter().map(|region| memory.mean(region)));
        }
        Action::Copy(copy) => values.push(memory.mean(&copy.from)),
        _ => {}
    }
}

fn compute(memory: &mut Memory, kernel: &Kernel, operands: &[f64], reads: &[Region], writes: &[Region]) {
    let value = kernel.compute(operands);
    let parts = memory.computed(kernel, reads);
    for region in writes {
        if !parts.as_ref().is_some_and(|parts| memory.write_parts(region, parts)) {
            memory.write(region, value);
        }
    }
}

fn arrive(memory: &mut Memory, copy: &Copy, Staged { mean, parts }: Staged) {
    if !parts.is_some_and(|parts| memory.write_parts(&copy.to, &parts)) {
        memory.write(&copy.to, mean);
    }
}
