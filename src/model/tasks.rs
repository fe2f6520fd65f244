//! Tasks: those under way in full, and of those that are over what later ones ask.

use super::task::{Finished, Task, TaskId};
use crate::program::order::EdgeKind;

/// End of a list.
const NONE: u32 = u32::MAX;

/// What became of a task.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// It is under way, at this place.
    Live(u32),
    Finished(Finished),
}

#[derive(Clone, Copy, Debug)]
struct Successor {
    task: TaskId,
    edge: EdgeKind,
    next: u32,
}

/// All tasks.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// By number.
    fates: Vec<Fate>,
    /// Places of tasks under way, with the first of each one's successors; `free` are those of tasks that are over.
    live: Vec<(Task, u32)>,
    free: Vec<u32>,
    /// Lists of successors; places of tasks that are over are used again.
    successors: Vec<Successor>,
    free_successors: Vec<u32>,
}

impl Tasks {
    pub fn count(&self) -> usize {
        self.fates.len()
    }

    /// The task, while it is under way.
    pub fn get(&self, id: TaskId) -> Option<&Task> {
        self.live.get(self.place(id)?).map(|(task, _)| task)
    }

    pub fn get_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        let place = self.place(id)?;
        self.live.get_mut(place).map(|(task, _)| task)
    }

    /// Where a task lies while it is under way: no other has the same number then.
    pub fn place(&self, id: TaskId) -> Option<usize> {
        match self.fates.get(id.index()) {
            Some(Fate::Live(place)) => Some(*place as usize),
            Some(Fate::Finished(_)) | None => None,
        }
    }

    /// What is left of a task that is over.
    pub fn finished(&self, id: TaskId) -> Option<&Finished> {
        match self.fates.get(id.index()) {
            Some(Fate::Finished(finished)) => Some(finished),
            Some(Fate::Live(_)) | None => None,
        }
    }

    /// The number that the next task gets.
    pub fn next_id(&self) -> TaskId {
        TaskId(self.fates.len() as u32)
    }

    pub fn add(&mut self, task: Task) {
        let place = match self.free.pop() {
            Some(place) => {
                if let Some(free) = self.live.get_mut(place as usize) {
                    *free = (task, NONE);
                }
                place
            }
            None => {
                self.live.push((task, NONE));
                self.live.len() as u32 - 1
            }
        };
        self.fates.push(Fate::Live(place));
    }

    /// `task` waits for `before`, which is under way.
    pub fn follow(&mut self, before: TaskId, task: TaskId, edge: EdgeKind) {
        let Some(place) = self.place(before) else { return };
        let Some((_, first)) = self.live.get_mut(place) else { return };
        let successor = Successor { task, edge, next: *first };
        *first = match self.free_successors.pop() {
            Some(free) => {
                if let Some(place) = self.successors.get_mut(free as usize) {
                    *place = successor;
                }
                free
            }
            None => {
                self.successors.push(successor);
                self.successors.len() as u32 - 1
            }
        };
    }

    /// The task is over: the one behind it comes next, one at a time, until there is none.
    pub fn finish(&mut self, id: TaskId, finished: Finished) -> Successors {
        let Some(place) = self.place(id) else { return Successors(NONE) };
        let first = self.live.get(place).map_or(NONE, |(_, first)| *first);
        self.free.push(place as u32);
        if let Some(fate) = self.fates.get_mut(id.index()) {
            *fate = Fate::Finished(finished);
        }
        Successors(first)
    }

    /// The next of the tasks behind one that is over, the latest first.
    pub fn next_successor(&mut self, successors: &mut Successors) -> Option<(TaskId, EdgeKind)> {
        let Successor { task, edge, next } = self.successors.get(successors.0 as usize).copied()?;
        self.free_successors.push(successors.0);
        successors.0 = next;
        Some((task, edge))
    }
}

/// The tasks behind one that is over.
pub(super) struct Successors(u32);
