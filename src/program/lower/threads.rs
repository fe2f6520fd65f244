//! Host threads and the operations of each.

use std::collections::HashSet;

use super::super::{HostThread, MAX_OPERATIONS, Operation, ThreadId};

/// What has been lowered so far, thread by thread.
#[derive(Debug)]
pub(super) struct Threads {
    /// The thread that is being lowered.
    open: Body,
    /// Those that have been lowered, by thread; the main one is not among them.
    closed: Vec<Vec<Operation>>,
    /// Names by thread; that of the main one is empty.
    names: Vec<String>,
    known: HashSet<String>,
    /// Operations of all threads.
    count: usize,
}

/// A thread while it is being lowered.
#[derive(Debug, Default)]
pub(super) struct Body {
    thread: ThreadId,
    operations: Vec<Operation>,
    /// Nodes that the operations would be in a graph.
    nodes: u64,
}

/// How far lowering has come, to tell how much lies between two places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    thread: ThreadId,
    /// Operations of all threads.
    all: usize,
    /// Operations of the thread, and nodes that they would be.
    own: usize,
    nodes: u64,
}

impl Threads {
    /// The main thread alone, with nothing to do.
    pub fn new() -> Self {
        Self {
            open: Body::default(),
            closed: Vec::new(),
            names: vec![String::new()],
            known: HashSet::from([String::new()]),
            count: 0,
        }
    }

    /// Appends an operation to the thread that is being lowered; in a graph it would be so many nodes.
    pub fn push(&mut self, operation: Operation, nodes: u64) -> Result<(), String> {
        if self.count >= MAX_OPERATIONS {
            return Err(format!("the program has more than {MAX_OPERATIONS} operations; lower a loop count"));
        }
        self.count += 1;
        self.open.operations.push(operation);
        self.open.nodes += nodes;
        Ok(())
    }

    /// A thread of that name; `None` where there is one already.
    pub fn add(&mut self, name: &str) -> Option<ThreadId> {
        if !self.known.insert(name.to_owned()) {
            return None;
        }
        let thread = ThreadId(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.closed.push(Vec::new());
        Some(thread)
    }

    /// What comes now belongs to `thread`. Returns what [`Self::end`] needs.
    pub fn begin(&mut self, thread: ThreadId) -> Body {
        std::mem::replace(&mut self.open, Body { thread, ..Body::default() })
    }

    /// What comes now belongs to the thread that started the one before.
    pub fn end(&mut self, starter: Body) {
        let ended = std::mem::replace(&mut self.open, starter);
        if let Some(place) = ended.thread.index().checked_sub(1).and_then(|index| self.closed.get_mut(index)) {
            *place = ended.operations;
        }
    }

    /// The threads besides the main one, with their names.
    pub fn others(&self) -> Vec<(ThreadId, String)> {
        (0..).map(ThreadId).zip(self.names.iter().cloned()).skip(1).collect()
    }

    /// Operations of the thread that is being lowered.
    pub fn len(&self) -> usize {
        self.open.operations.len()
    }

    /// How far lowering has come.
    pub fn mark(&self) -> Mark {
        let Body { thread, operations, nodes } = &self.open;
        Mark { thread: *thread, all: self.count, own: operations.len(), nodes: *nodes }
    }

    /// The operations of all threads, the main one's first, and the part of each.
    pub fn into_lists(self) -> (Vec<Operation>, Vec<HostThread>) {
        let mut operations = self.open.operations;
        let mut names = self.names.into_iter();
        let main = HostThread { name: names.next().unwrap_or_default(), operations: 0..operations.len() };
        let mut threads = vec![main];
        for (name, body) in names.zip(self.closed) {
            let start = operations.len();
            operations.extend(body);
            threads.push(HostThread { name, operations: start..operations.len() });
        }
        (operations, threads)
    }
}

impl Mark {
    /// Most nodes of a graph that captures from `begin` to here: those of the thread that is being lowered, and whatever
    /// others have issued.
    pub fn nodes_since(self, begin: Self) -> u64 {
        let is_own = self.thread == begin.thread;
        let (own, nodes) =
            if is_own { (self.own - begin.own, self.nodes - begin.nodes) } else { (self.own, self.nodes) };
        let others = (self.all - begin.all).saturating_sub(own);
        nodes.saturating_add(others as u64)
    }
}
