//! What is in order with itself: the work of one host thread on one stream, and a host thread.
//!
//! A stream works off what it is given in the order in which it was given. What two threads give it, without a word between them, it
//! gets in either order: so their work on one stream is on two lanes.

use super::clocks::LaneId;
use crate::program::effects;
use crate::program::{Program, StreamId, ThreadId};

/// The lanes of a program: one for each stream, that of the main thread; one for each stream that another thread uses; and the
/// threads themselves.
#[derive(Debug)]
pub(super) struct Lanes {
    /// For each lane of a stream that stream.
    of_lane: Vec<StreamId>,
    /// For each thread the streams that it uses with their lanes, by stream; of the main thread none, whose lanes are the streams.
    of_thread: Vec<Vec<(StreamId, LaneId)>>,
}

impl Lanes {
    pub fn new(program: &Program) -> Self {
        let streams = program.streams.len();
        let mut of_lane: Vec<StreamId> = (0..streams as u32).map(StreamId).collect();
        let mut of_thread = vec![Vec::new(); program.threads.len().max(1)];
        // The last thread that was seen to use each stream.
        let mut used_by = vec![0; streams];
        for ((number, thread), lanes) in program.threads.iter().enumerate().zip(&mut of_thread).skip(1) {
            for operation in program.operations.get(thread.operations.clone()).into_iter().flatten() {
                let Some(stream) = effects::stream(&operation.action) else { continue };
                let Some(used_by) = used_by.get_mut(stream.index()).filter(|used_by| **used_by != number) else {
                    continue;
                };
                *used_by = number;
                lanes.push((stream, of_lane.len() as LaneId));
                of_lane.push(stream);
            }
            lanes.sort_unstable();
        }
        Self { of_lane, of_thread }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.of_lane.len() + self.of_thread.len()
    }

    /// The lane of a thread's work on a stream.
    pub fn of_work(&self, stream: StreamId, thread: ThreadId) -> LaneId {
        let own = self.of_thread.get(thread.index()).map_or(&[][..], Vec::as_slice);
        let found = own.binary_search_by_key(&stream, |(stream, _)| *stream).ok().and_then(|at| own.get(at));
        found.map_or(stream.0, |(_, lane)| *lane)
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
