//! What is in order with itself: the work of one host thread on one stream, and a host thread.
//!
//! A stream works off what it is given in the order in which it was given. What two threads give it, without a word between them, it
//! gets in either order: so their work on one stream is on two lanes.

use super::clocks::LaneId;
use crate::program::effects;
use crate::program::{Action, Program, StreamId, ThreadId};

/// The lanes of a program.
#[derive(Debug)]
pub(super) struct Lanes {
    streams: usize,
    /// For each thread and stream its lane.
    table: Vec<LaneId>,
    /// For each lane of a stream that stream.
    of_lane: Vec<StreamId>,
    threads: usize,
}

impl Lanes {
    pub fn new(program: &Program) -> Self {
        let (streams, threads) = (program.streams.len(), program.threads.len().max(1));
        // Each stream has a lane, that of the main thread; other threads have one where they use the stream.
        let mut of_lane: Vec<StreamId> = (0..streams as u32).map(StreamId).collect();
        let mut table: Vec<LaneId> = (0..streams * threads).map(|index| (index % streams.max(1)) as LaneId).collect();
        for (number, thread) in program.threads.iter().enumerate().skip(1) {
            for operation in program.operations.get(thread.operations.clone()).into_iter().flatten() {
                let Some(stream) = stream_of(&operation.action) else { continue };
                let Some(lane) = table.get_mut(number * streams + stream.index()) else { continue };
                if *lane == stream.0 {
                    *lane = of_lane.len() as LaneId;
                    of_lane.push(stream);
                }
            }
        }
        Self { streams, table, of_lane, threads }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.of_lane.len() + self.threads
    }

    /// The lane of a thread's work on a stream.
    pub fn of_work(&self, stream: StreamId, thread: ThreadId) -> LaneId {
        self.table.get(thread.index() * self.streams + stream.index()).copied().unwrap_or(stream.0)
    }

    /// The lane of a thread itself.
    pub fn of_thread(&self, thread: ThreadId) -> LaneId {
        self.of_lane.len() as LaneId + thread.0
    }

    /// The stream of a lane, if it is one of work.
    pub fn stream(&self, lane: LaneId) -> Option<StreamId> {
        self.of_lane.get(lane as usize).copied()
    }

    /// The thread of a lane that is a thread.
    pub fn thread(&self, lane: LaneId) -> Option<ThreadId> {
        (lane as usize).checked_sub(self.of_lane.len()).map(|thread| ThreadId(thread as u32))
    }
}

/// The stream that an action gives something to.
fn stream_of(action: &Action) -> Option<StreamId> {
    match action {
        Action::Wait { stream, .. } => Some(*stream),
        action => effects::enqueues(action).map(|(stream, _)| stream),
    }
}
