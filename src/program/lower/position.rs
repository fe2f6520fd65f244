//! Where lowering is: the statement, the turns of the loops around it, and how far it may go.

use std::fmt::Write;

use super::super::MAX_OPERATIONS;
use super::interned::Interned;
use super::{Fault, LowerError};

/// Most statements and turns of loops that are followed.
const MAX_STEPS: usize = 4 * MAX_OPERATIONS;
/// Steps between two looks at whether anybody still waits: a millisecond or two.
const STEPS_A_LOOK: usize = 4096;

/// Where lowering is.
pub(super) struct Position<'w> {
    path: String,
    paths: Interned<String>,
    /// Loop indices, outermost first.
    indices: Vec<u32>,
    iterations: Vec<Vec<u32>>,
    /// The place of the indices in the list, once an operation has asked for it.
    iteration: Option<u32>,
    /// Statements and turns of loops so far.
    steps: usize,
    watch: &'w mut dyn FnMut() -> bool,
    until_look: usize,
}

impl<'w> Position<'w> {
    /// Before the first statement. `watch` says whether to go on.
    pub fn start(watch: &'w mut dyn FnMut() -> bool) -> Self {
        Self {
            path: String::new(),
            paths: Interned::default(),
            indices: Vec::new(),
            iterations: vec![Vec::new()],
            iteration: Some(0),
            steps: 0,
            watch,
            until_look: STEPS_A_LOOK,
        }
    }

    /// The current statement as a JSON pointer.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Goes to a part of the scenario, such as `/setup`.
    pub fn go_to(&mut self, path: &str) {
        self.path.clear();
        self.path.push_str(path);
    }

    /// Goes into a list of the current statement, such as `body`. Returns what [`Self::leave`] needs.
    pub fn enter(&mut self, list: &str) -> usize {
        let outside = self.path.len();
        self.path.push('/');
        self.path.push_str(list);
        outside
    }

    /// Goes to a statement of the current list. Returns what [`Self::leave`] needs.
    pub fn enter_statement(&mut self, index: usize, tag: &str) -> Result<usize, Fault> {
        let outside = self.path.len();
        let _never_fails = write!(self.path, "/{index}/{tag}");
        self.step()?;
        Ok(outside)
    }

    /// Goes back.
    pub fn leave(&mut self, outside: usize) {
        self.path.truncate(outside);
    }

    /// A loop begins. Returns what [`Self::end_loop`] needs.
    pub fn begin_loop(&mut self) -> Option<u32> {
        self.indices.push(0);
        self.iteration.take()
    }

    /// The next turn of the innermost loop.
    pub fn turn(&mut self, turn: u32) -> Result<(), Fault> {
        if let Some(last) = self.indices.last_mut() {
            *last = turn;
        }
        self.iteration = None;
        self.step()
    }

    /// The innermost loop ends.
    pub fn end_loop(&mut self, outer: Option<u32>) {
        self.indices.pop();
        self.iteration = outer;
    }

    /// The number of the current path.
    pub fn path_id(&mut self) -> u32 {
        self.paths.id(self.path.as_str())
    }

    /// The number of the current loop indices.
    pub fn iteration_id(&mut self) -> u32 {
        if let Some(id) = self.iteration {
            return id;
        }
        let id = self.iterations.len() as u32;
        self.iterations.push(self.indices.clone());
        self.iteration = Some(id);
        id
    }

    /// Work of so many steps is to come, which count for nothing but the next look at whether anybody still waits.
    pub fn take_time(&mut self, steps: usize) -> Result<(), Fault> {
        self.until_look = self.until_look.saturating_sub(steps);
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = STEPS_A_LOOK;
        if (self.watch)() { Ok(()) } else { Err(LowerError::Cancelled.into()) }
    }

    /// Counts statements and turns of loops, so that a loop around nothing ends too.
    fn step(&mut self) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let message = format!("the loops of the program take more than {MAX_STEPS} turns; lower a loop count");
            return Err(message.into());
        }
        self.take_time(1)
    }

    /// All paths and all loop indices that operations have.
    pub fn into_lists(self) -> (Vec<String>, Vec<Vec<u32>>) {
        (self.paths.into_list(), self.iterations)
    }
}
