//! What a scenario can say, one file a family.
//!
//! Statements are externally tagged, `{"launch": {…}}`, so that an error has a line and a column.

pub mod control;
pub mod graph;
pub mod host;
pub mod memory;
pub mod stream;
pub mod work;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares the statements, each once: its type, its tag in the file and, if statements stand inside it, the lists that hold
/// them.
macro_rules! statements {
    ($($(#[$doc:meta])* $variant:ident($body:ty) = $tag:literal $([$($field:ident: $key:ident),+])?,)*) => {
        /// One statement.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Statement {
            $($(#[$doc])* $variant($body),)*
        }

        /// What a statement is: the key of the one entry that it has in the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum StatementTag {
            $($(#[$doc])* $variant,)*
        }

        impl StatementTag {
            /// All of them, in the order of the schema.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// As it stands in the file.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $tag,)*
                }
            }

            /// The lists that statements stand in inside this one, in the order of the file.
            pub const fn bodies(self) -> &'static [BodyKey] {
                match self {
                    $(Self::$variant => &[$($(BodyKey::$key,)+)?],)*
                }
            }
        }

        impl Statement {
            /// What it is.
            pub const fn tag(&self) -> StatementTag {
                match self {
                    $(Self::$variant(_) => StatementTag::$variant,)*
                }
            }

            /// The statements in one of its lists; `None` where it has no such list.
            pub fn body(&self, key: BodyKey) -> Option<&Vec<Statement>> {
                match (self, key) {
                    $($($((Self::$variant(it), BodyKey::$key) => Some(&it.$field),)+)?)*
                    $((Self::$variant(_), _) => None,)*
                }
            }

            /// As [`Self::body`], to be changed.
            pub fn body_mut(&mut self, key: BodyKey) -> Option<&mut Vec<Statement>> {
                match (self, key) {
                    $($($((Self::$variant(it), BodyKey::$key) => Some(&mut it.$field),)+)?)*
                    $((Self::$variant(_), _) => None,)*
                }
            }
        }
    };
}

/// A list of statements inside a statement, by its key in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodyKey {
    /// The only list.
    Body,
    /// What happens if a test holds.
    Then,
    /// What happens if not.
    Else,
}

impl BodyKey {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Body, Self::Then, Self::Else];

    /// As it stands in the file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Then => "then",
            Self::Else => "else",
        }
    }
}

impl fmt::Display for StatementTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Statement {
    /// The lists of statements inside it, with their keys.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyKey, &Vec<Statement>)> {
        self.tag().bodies().iter().filter_map(|key| Some((*key, self.body(*key)?)))
    }
}

statements! {
    /// A tensor on the device, from the caching allocator, bound to the current stream.
    Tensor(memory::Tensor) = "tensor",
    /// A buffer in host memory.
    HostTensor(memory::HostTensor) = "host_tensor",
    /// Another name for a part of a tensor.
    View(memory::View) = "view",
    /// The name goes out of scope; with its last name a tensor is freed, an event or a graph destroyed.
    Drop(memory::Drop) = "drop",
    /// A name starts to stand for another tensor.
    Rebind(memory::Rebind) = "rebind",
    /// `tensor.record_stream(stream)`: the memory block is in use on that stream too.
    RecordStream(memory::RecordStream) = "record_stream",
    /// `torch.cuda.empty_cache()`.
    EmptyCache(memory::EmptyCache) = "empty_cache",
    /// `cudaMalloc`, past the caching allocator.
    RawMalloc(memory::RawMalloc) = "raw_malloc",
    /// `cudaFree`; waits for the device.
    RawFree(memory::RawFree) = "raw_free",
    /// `cudaMallocAsync`.
    MallocAsync(memory::MallocAsync) = "malloc_async",
    /// `cudaFreeAsync`.
    FreeAsync(memory::FreeAsync) = "free_async",
    /// `cudaMallocHost`, past the pinned allocator.
    MallocHost(memory::MallocHost) = "malloc_host",
    /// `cudaFreeHost`; waits for the device.
    FreeHost(memory::FreeHost) = "free_host",
    /// A kernel.
    Launch(work::Launch) = "launch",
    /// `to.copy_(from)`, or a CUDA copy.
    Copy(work::Copy) = "copy",
    /// `tensor.to("cuda")`: a copy into a new tensor on the device.
    ToDevice(work::ToDevice) = "to_device",
    /// `tensor.to("cpu")`: a copy into new memory of the host.
    ToHost(work::ToHost) = "to_host",
    /// `cudaMemsetAsync`.
    Memset(work::Memset) = "memset",
    /// `cudaLaunchHostFunc`: the stream waits while a driver thread runs it.
    HostFunction(work::HostFunction) = "host_function",
    /// A collective over several GPUs, modelled on this one.
    Collective(work::Collective) = "collective",
    /// A stream.
    Stream(stream::Stream) = "stream",
    /// `with torch.cuda.stream(…)`: statements whose current stream is another.
    On(stream::On) = "on" [body: Body],
    /// An event.
    Event(stream::Event) = "event",
    /// `event.record(stream)`.
    Record(stream::Record) = "record",
    /// `stream.wait_event(event)`: work queued afterwards waits, the host does not.
    Wait(stream::Wait) = "wait",
    /// `stream.wait_stream(other)`.
    WaitStream(stream::WaitStream) = "wait_stream",
    /// The host waits for the device, for a stream, or for an event.
    Synchronize(stream::Synchronize) = "synchronize",
    /// `event.query()` or `stream.query()`.
    Query(stream::Query) = "query",
    /// Milliseconds between two timing events become a value, in microseconds.
    Elapsed(stream::Elapsed) = "elapsed",
    /// The host computes something of its own.
    Work(host::Work) = "work",
    /// The wall clock is read into a value, in microseconds.
    Clock(host::Clock) = "clock",
    /// `tensor.item()`: four bytes to the host, which waits for them.
    Item(host::Item) = "item",
    /// `tensor.tolist()`: the whole tensor to the host, which waits for it.
    Tolist(host::Item) = "tolist",
    /// `print(tensor)`.
    Print(host::Item) = "print",
    /// `tensor.nonzero()`: the host waits for the size of the result.
    Nonzero(host::Nonzero) = "nonzero",
    /// `x[x > 0]`: the host waits for the size of the result.
    Mask(host::Nonzero) = "mask",
    /// The host reads a buffer of its own.
    ReadHost(host::Access) = "read_host",
    /// The host writes a buffer of its own.
    WriteHost(host::Write) = "write_host",
    /// Statements of another host thread.
    Thread(host::Thread) = "thread" [body: Body],
    /// Lets threads that await the signal go on.
    Signal(host::Signal) = "signal",
    /// The thread waits for a signal.
    Await(host::Signal) = "await",
    /// Statements that are captured into a graph instead of executed.
    Capture(graph::Capture) = "capture" [body: Body],
    /// `cudaStreamBeginCapture`, which `end_capture` ends.
    BeginCapture(graph::BeginCapture) = "begin_capture",
    /// `cudaStreamEndCapture`.
    EndCapture(graph::EndCapture) = "end_capture",
    /// `cudaGraphInstantiate`.
    Instantiate(graph::Instantiate) = "instantiate",
    /// `graph.replay()`: one launch for all nodes.
    Replay(graph::Replay) = "replay",
    /// `cudaGraphExecUpdate`.
    GraphUpdate(graph::Update) = "graph_update",
    /// A captured graph becomes a node of the one being captured.
    ChildGraph(graph::Child) = "child_graph",
    /// Statements several times over.
    Repeat(control::Repeat) = "repeat" [body: Body],
    /// Statements that depend on the knobs.
    When(control::When) = "when" [then: Then, otherwise: Else],
    /// Statements under a name that the timeline can show.
    Region(control::Region) = "region" [body: Body],
    /// A value of the run.
    Report(control::Report) = "report",
}
