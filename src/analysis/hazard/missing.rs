//! The edge that a hazard misses.

use std::fmt;

use serde::{Serialize, Serializer};

use super::findings::{name_of, stream_name, thread_name};
use crate::program::{GraphId, Place, Program, StreamId, ThreadId};
use crate::recording::stream_in_words;
use crate::text::{Key, Lang};

/// What would put the two operations of a hazard in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingKind {
    /// Stream `to` has to wait for stream `from`.
    Wait,
    /// The host thread `to` has to wait for `from`, a stream or a host thread.
    Sync,
    /// The caching allocator has to know that stream `to` uses the tensor `from`.
    RecordStream,
    /// `from` has to stay as it is while `to` uses it.
    Keep,
}

/// The edge that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Missing {
    /// What kind of edge.
    pub kind: MissingKind,
    /// A stream, a host thread, or a tensor or buffer.
    pub from: MissingEnd,
    /// A stream, a host thread or a graph.
    pub to: MissingEnd,
}

/// One end of a missing edge: what it is in the program that was judged, and its name, which is all that JSON has of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MissingEnd {
    /// What it is.
    pub what: MissingEndKind,
    /// What the program calls it.
    pub name: String,
}

/// What is at an end of a missing edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MissingEndKind {
    /// A stream.
    Stream(StreamId),
    /// A host thread.
    Thread(ThreadId),
    /// A tensor on the device or a buffer of the host.
    Memory(Place),
    /// A captured graph.
    Graph(GraphId),
}

impl MissingEnd {
    pub(super) fn stream(program: &Program, stream: StreamId) -> Self {
        Self { what: MissingEndKind::Stream(stream), name: stream_name(program, stream) }
    }

    pub(super) fn thread(program: &Program, thread: ThreadId) -> Self {
        Self { what: MissingEndKind::Thread(thread), name: thread_name(program, thread) }
    }

    pub(super) fn memory(program: &Program, place: Place) -> Self {
        Self { what: MissingEndKind::Memory(place), name: name_of(program, place) }
    }

    pub(super) fn graph(program: &Program, graph: GraphId) -> Self {
        let name = program.graphs.get(graph.index()).map_or_else(String::new, |graph| graph.name.clone());
        Self { what: MissingEndKind::Graph(graph), name }
    }
}

impl MissingEnd {
    /// What a sentence calls it: what every program has, in words of the language.
    pub fn shown(&self, lang: Lang) -> String {
        match self.what {
            MissingEndKind::Stream(_) => stream_in_words(&self.name, lang),
            MissingEndKind::Thread(ThreadId(0)) => lang.text(Key::ThreadMain).to_owned(),
            MissingEndKind::Memory(_) if self.name == Lang::En.text(Key::NoName) => lang.text(Key::NoName).to_owned(),
            MissingEndKind::Thread(_) | MissingEndKind::Memory(_) | MissingEndKind::Graph(_) => self.name.clone(),
        }
    }
}

impl Missing {
    pub(super) fn new(kind: MissingKind, from: MissingEnd, to: MissingEnd) -> Self {
        Self { kind, from, to }
    }
}

impl fmt::Display for MissingEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Serialize for MissingEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}
