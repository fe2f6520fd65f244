//! The course of a program: which work follows which, and what each host thread knows to be over.

use super::clocks::{Clocks, LaneId, Stamp};
use super::lanes::Lanes;
use crate::program::order::{Edge, EdgeKind, Node, Order};
use crate::program::{Program, SignalId, StreamId, ThreadId};

/// What is known to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// All that is over for certain.
    pub clock: u32,
    /// The same without what no document promises.
    pub documented: u32,
}

impl Known {
    const NOTHING: Self = Self { clock: Clocks::START, documented: Clocks::START };

    fn stamp(self) -> Stamp {
        Clocks::knowing(self.clock, self.documented)
    }
}

/// The course of a program so far.
#[derive(Debug)]
pub(super) struct Course {
    pub order: Order,
    pub clocks: Clocks,
    pub lanes: Lanes,
    /// What each thread knows.
    threads: Vec<Known>,
    /// What was over when each signal was given.
    signals: Vec<Option<Known>>,
    /// The point of each live node of `order`.
    nodes: Vec<Stamp>,
    /// For each lane of work, its last point, and what its host thread knew then.
    last: Vec<Option<(Stamp, Known)>>,
    /// Of each live node, who issued it, and how far that thread had come; only where there are several.
    issuers: Vec<(ThreadId, u32)>,
}

impl Course {
    pub fn new(program: &Program) -> Self {
        let lanes = Lanes::new(program);
        Self {
            order: Order::new(program),
            clocks: Clocks::new(lanes.count()),
            last: vec![None; lanes.count()],
            lanes,
            threads: vec![Known::NOTHING; program.threads.len().max(1)],
            signals: vec![None; program.signals.len()],
            nodes: Vec::new(),
            issuers: Vec::new(),
        }
    }

    /// What a thread knows.
    pub fn known(&self, thread: ThreadId) -> Known {
        self.threads.get(thread.index()).copied().unwrap_or(Known::NOTHING)
    }

    /// The point of a live node.
    pub fn node(&self, node: Node) -> Option<Stamp> {
        self.nodes.get(node.index()).copied()
    }

    /// The point of the work that was enqueued last.
    pub fn latest(&self) -> Option<Stamp> {
        self.nodes.last().copied()
    }

    /// The thread knows that all these points are over; `documented` says whether a document promises it.
    pub fn learn(&mut self, thread: ThreadId, points: &[Stamp], documented: bool) {
        let mut all = points.to_vec();
        all.push(self.known(thread).stamp());
        let joined = self.clocks.join_both(&all);
        if let Some(known) = self.threads.get_mut(thread.index()) {
            known.clock = joined.0;
            if documented {
                known.documented = joined.1;
            }
        }
    }

    /// The same of nodes.
    pub fn learn_nodes(&mut self, thread: ThreadId, nodes: &[Node], documented: bool) {
        let points: Vec<Stamp> = nodes.iter().filter_map(|node| self.node(*node)).collect();
        self.learn(thread, &points, documented);
    }

    /// The thread waits for the device by a call that does not have to.
    pub fn learn_device(&mut self, thread: ThreadId) {
        self.learn_nodes(thread, &self.order.device_frontier(), false);
    }

    /// The thread does something that others may be ordered with. Returns its point of time.
    pub fn step(&mut self, thread: ThreadId) -> Stamp {
        let lane = self.lanes.of_thread(thread);
        let Known { clock: base, documented } = self.known(thread);
        let stamp = Stamp { base, documented, lane, seq: self.clocks.next(lane) };
        self.learn(thread, &[stamp], true);
        stamp
    }

    /// A thread starts another.
    pub fn start(&mut self, by: ThreadId, thread: ThreadId) {
        self.step(by);
        let known = self.known(by);
        if let Some(started) = self.threads.get_mut(thread.index()) {
            *started = known;
        }
    }

    /// A thread learns that another has returned.
    pub fn join(&mut self, by: ThreadId, thread: ThreadId) {
        if thread.index() < self.threads.len() {
            // To return is a step: whatever it issued, it had issued by then.
            self.step(thread);
            self.take_over(by, self.known(thread));
        }
    }

    /// A thread gives a signal. Only the first time counts.
    pub fn give(&mut self, signal: SignalId, by: ThreadId) {
        self.step(by);
        let known = self.known(by);
        if let Some(given) = self.signals.get_mut(signal.index()) {
            given.get_or_insert(known);
        }
    }

    /// A thread learns that a signal has been given.
    pub fn take_up(&mut self, signal: SignalId, by: ThreadId) {
        if let Some(known) = self.signals.get(signal.index()).copied().flatten() {
            self.take_over(by, known);
        }
    }

    fn take_over(&mut self, by: ThreadId, new: Known) {
        let known = self.known(by);
        let clock = self.clocks.join(&[Clocks::at(known.clock), Clocks::at(new.clock)]);
        let documented = self.clocks.join(&[Clocks::at(known.documented), Clocks::at(new.documented)]);
        if let Some(thread) = self.threads.get_mut(by.index()) {
            *thread = Known { clock, documented };
        }
    }

    fn has_several_threads(&self) -> bool {
        self.threads.len() > 1
    }

    /// The point of the work that was enqueued last, which becomes the next live node.
    pub fn live(&mut self, stream: StreamId, thread: ThreadId) -> Stamp {
        let lane = self.lanes.of_work(stream, thread);
        let known = self.known(thread);
        let seq = self.clocks.next(lane);
        let last = self.last.get(lane as usize).copied().flatten();
        let edges = self.order.edges().iter().filter(|edge| self.is_certain(edge, thread, known.clock));
        let mut before: Vec<Stamp> = edges.filter_map(|edge| self.node(edge.from)).collect();
        if self.has_several_threads() {
            // Work of another thread may have come between on the stream.
            before.extend(last.map(|(last, _)| last).filter(|last| !before.contains(last)));
        }
        let (base, documented) = match (before.as_slice(), last) {
            ([only], Some((_, before))) if only.lane == lane && before == known => (only.base, only.documented),
            _ => {
                before.push(known.stamp());
                self.clocks.join_both(&before)
            }
        };
        let stamp = Stamp { base, documented, lane, seq };
        self.add_node_at(stamp, thread);
        if let Some(last) = self.last.get_mut(lane as usize) {
            *last = Some((stamp, known));
        }
        stamp
    }

    /// Whether an edge holds in whatever order the threads come: that within a stream does where `thread`, which knows `clock`,
    /// knows that the other one has issued its work.
    fn is_certain(&self, edge: &Edge, thread: ThreadId, clock: u32) -> bool {
        let Some((issuer, reached)) = self.issuers.get(edge.from.index()).copied() else { return true };
        edge.kind != EdgeKind::Stream
            || issuer == thread
            || self.clocks.is_before(self.lanes.of_thread(issuer), reached + 1, Clocks::at(clock))
    }

    /// The point of the next live node, which `thread` issued.
    pub fn add_node_at(&mut self, stamp: Stamp, thread: ThreadId) {
        self.nodes.push(stamp);
        if self.has_several_threads() {
            self.issuers.push((thread, self.clocks.reached_last(self.lanes.of_thread(thread))));
        }
    }

    /// The work that was enqueued last has waited for more than its stream.
    pub fn replace_last(&mut self, stamp: Stamp) {
        if let Some(last) = self.nodes.last_mut() {
            *last = stamp;
        }
        if let Some(Some((last, _))) = self.last.get_mut(stamp.lane as usize) {
            *last = stamp;
        }
    }

    /// The next numbers of a lane, `count` of them. Returns the last, which is `from` where there are none.
    pub fn skip(&mut self, lane: LaneId, count: usize, from: u32) -> u32 {
        (0..count).fold(from, |_, _| self.clocks.next(lane))
    }
}
