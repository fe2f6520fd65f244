//! One walk over the host threads of a program and the signals between them, for all that needs no clock.
//!
//! Threads take turns in the order of their numbers, operation by operation; one that waits for another thread or for a signal
//! is left out until that has come. Whoever does not get on that way waits for ever, and the walk ends without it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::effects::{self, Presence, Returns};
use super::order::Refusal;
use super::{Action, Operation, Place, Program, ThreadId};

/// Operations between two questions whether to go on.
const BETWEEN: u32 = 1024;

/// What is done with each operation on the way.
pub trait Visitor {
    /// Carries out an operation that is not skipped and has nothing to wait for any more.
    ///
    /// # Errors
    /// What CUDA or PyTorch says: the operation has had no effect, and the thread goes on where it does after an error.
    fn carry_out(&mut self, thread: ThreadId, index: usize, operation: &Operation) -> Result<(), Refusal>;
}

/// Nobody waits for the end of the walk any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Walks over `program`. `goes_on` is asked every so many operations, and before each that may take long.
///
/// # Errors
/// [`Cancelled`] when `goes_on` said no.
pub fn walk(program: &Program, visitor: &mut impl Visitor, goes_on: &mut dyn FnMut() -> bool) -> Result<(), Cancelled> {
    let mut walk = Walk::new(program);
    let mut carried_out = 0_u32;
    while let Some(turn) = walk.turns.pop() {
        if (carried_out.is_multiple_of(BETWEEN) || walk.is_long(turn)) && !goes_on() {
            return Err(Cancelled);
        }
        carried_out = carried_out.wrapping_add(1);
        walk.act(turn, visitor);
    }
    Ok(())
}

/// The turn of a thread: in which round, and which thread.
type Turn = Reverse<(u64, u32)>;

/// A host thread on its way through the program.
struct Thread {
    range: Range<usize>,
    index: usize,
    started: bool,
    /// Whether the operation before was carried out.
    before: bool,
    /// Who waits for its end.
    joined_by: Vec<u32>,
}

/// A signal.
#[derive(Default)]
struct Signal {
    given: bool,
    awaited_by: Vec<u32>,
}

struct Walk<'p> {
    program: &'p Program,
    threads: Vec<Thread>,
    signals: Vec<Signal>,
    /// Of the threads that neither wait nor have ended.
    turns: BinaryHeap<Turn>,
    /// Which tensors and buffers are there.
    tensors: Vec<bool>,
    buffers: Vec<bool>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        let thread = |(number, thread): (usize, &super::HostThread)| Thread {
            range: thread.operations.clone(),
            index: thread.operations.start,
            started: number == 0,
            before: true,
            joined_by: Vec::new(),
        };
        Self {
            program,
            threads: program.threads.iter().enumerate().map(thread).collect(),
            signals: program.signals.iter().map(|_| Signal::default()).collect(),
            turns: BinaryHeap::from([Reverse((0, 0))]),
            tensors: vec![false; program.tensors.len()],
            buffers: vec![true; program.buffers.len()],
        }
    }

    /// Whether the next operation may take long: it concerns all nodes of a graph.
    fn is_long(&self, Reverse((_, number)): Turn) -> bool {
        let next = self.threads.get(number as usize).and_then(|thread| self.program.operations.get(thread.index));
        next.is_some_and(|operation| {
            matches!(
                operation.action,
                Action::Replay { .. }
                    | Action::EndCapture { .. }
                    | Action::ChildGraph { .. }
                    | Action::UpdateGraph { .. }
            )
        })
    }

    /// One operation of a thread, unless it has to wait.
    fn act(&mut self, turn: Turn, visitor: &mut impl Visitor) {
        let Reverse((round, number)) = turn;
        let program = self.program;
        let Some(thread) = self.threads.get(number as usize).filter(|thread| !thread.is_over()) else { return };
        let (index, before) = (thread.index, thread.before);
        let Some(operation) = program.operations.get(index) else { return };
        let skipped = effects::is_skipped(program, &operation.action, before, |place| self.is_there(place));
        if !skipped && self.waits(number, &operation.action) {
            return;
        }
        let done = if skipped { Ok(()) } else { visitor.carry_out(ThreadId(number), index, operation) };
        if !skipped && done.is_ok() {
            self.note(&operation.action, turn);
        }
        let Some(thread) = self.threads.get_mut(number as usize) else { return };
        thread.before = !skipped && done.is_ok();
        thread.index = if done.is_ok() { index + 1 } else { program.after_error(index) };
        if thread.is_over() {
            let joined_by = std::mem::take(&mut thread.joined_by);
            self.wake(joined_by, turn);
        } else {
            self.turns.push(Reverse((round + 1, number)));
        }
    }

    /// Whether the thread has to wait; if so, it is left out until what it waits for has come.
    fn waits(&mut self, number: u32, action: &Action) -> bool {
        // How much a copy stages plays no part for other threads.
        let waiting = match effects::returns(action, 0) {
            Returns::ThreadDone(other) => self
                .threads
                .get_mut(other.index())
                .filter(|other| !other.started || !other.is_over())
                .map(|other| &mut other.joined_by),
            Returns::Signalled(signal) => {
                self.signals.get_mut(signal.index()).filter(|signal| !signal.given).map(|signal| &mut signal.awaited_by)
            }
            Returns::AtOnce | Returns::Staged | Returns::CopyDone => None,
            Returns::StreamDone(_) | Returns::DeviceDone | Returns::EventDone(_) => None,
        };
        waiting.map(|waiting| waiting.push(number)).is_some()
    }

    /// What an operation means for other threads, and for what is there.
    fn note(&mut self, action: &Action, turn: Turn) {
        match effects::presence(action) {
            Presence::Same => {}
            Presence::Comes(place) => self.set_there(place, true),
            Presence::Goes(place) => self.set_there(place, false),
        }
        if let Action::Signal { signal } = *action
            && let Some(signal) = self.signals.get_mut(signal.index())
        {
            signal.given = true;
            let awaited_by = std::mem::take(&mut signal.awaited_by);
            self.wake(awaited_by, turn);
        }
        if let Action::StartThread { thread: started } = *action
            && let Some(thread) = self.threads.get_mut(started.index()).filter(|thread| !thread.started)
        {
            thread.started = true;
            let joined_by = if thread.is_over() { std::mem::take(&mut thread.joined_by) } else { Vec::new() };
            self.wake(joined_by, turn);
            self.wake(vec![started.0], turn);
        }
    }

    /// Threads go on: those whose turn in this round is still to come, in this round.
    fn wake(&mut self, threads: Vec<u32>, Reverse((round, acting)): Turn) {
        let turn = |number| Reverse((if number > acting { round } else { round + 1 }, number));
        self.turns.extend(threads.into_iter().map(turn));
    }

    fn is_there(&self, place: Place) -> bool {
        match place {
            Place::Device(tensor) => self.tensors.get(tensor.index()) == Some(&true),
            Place::Host(buffer) => self.buffers.get(buffer.index()) == Some(&true),
        }
    }

    fn set_there(&mut self, place: Place, is_there: bool) {
        let known = match place {
            Place::Device(tensor) => self.tensors.get_mut(tensor.index()),
            Place::Host(buffer) => self.buffers.get_mut(buffer.index()),
        };
        if let Some(known) = known {
            *known = is_there;
        }
    }
}

impl Thread {
    fn is_over(&self) -> bool {
        !self.range.contains(&self.index)
    }
}
