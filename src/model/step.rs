//! How far a call gets at a time, and what it waits for.

use super::task::TaskId;
use crate::program::{SignalId, StreamId, ThreadId};
use crate::recording::NameId;

/// How far one part of a call got.
pub(super) enum Step {
    /// The call has returned.
    Done,
    /// It waits, and goes on with its next part afterwards.
    Wait(Wait),
    /// It goes on with its next part, but a thread whose clock is behind may act first.
    Later,
    /// The same with this part.
    Again,
}

/// What a call waits for.
pub(super) struct Wait {
    pub until: Until,
    /// What the timeline says.
    pub name: NameId,
    /// From then until the thread notices, in µs.
    pub wake_us: f64,
}

#[derive(Clone, Debug)]
pub(super) enum Until {
    /// Until all these are done.
    Tasks(Vec<TaskId>),
    /// Until the launch queue of a stream has room.
    Room(StreamId),
    /// Until a thread has returned.
    Thread(ThreadId),
    /// Until a signal has been given.
    Signal(SignalId),
}
