//! Why something waited: one vocabulary for executors, analysis, JSON and window.

use serde::{Deserialize, Serialize};

use crate::program::order::EdgeKind;

macro_rules! causes {
    ($($(#[$doc:meta])* $cause:ident = $id:literal,)*) => {
        /// Why a stream or the whole GPU was idle, or what held an operation back.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Cause {
            $($(#[$doc])* $cause,)*
        }

        impl Cause {
            /// All of them, in the order in which tables list them.
            pub const ALL: [Self; 13] = [$(Self::$cause,)*];

            /// The name in JSON.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$cause => $id,)*
                }
            }
        }
    };
}

causes! {
    /// The host was inside launching the next work.
    #[default]
    LaunchBound = "launch_bound",
    /// The host computed something of its own.
    HostWork = "host_work",
    /// The host waited inside a call.
    HostBlocked = "host_blocked",
    /// A wait on an event of another stream, or, in a graph, for another branch.
    EventWait = "event_wait",
    /// The same, where what it waited for was a copy.
    CopyWait = "copy_wait",
    /// The copy engine was busy with another copy.
    EngineBusy = "engine_busy",
    /// No SM had room.
    NoRoom = "no_room",
    /// The barrier of the legacy default stream.
    LegacyBarrier = "legacy_barrier",
    /// A host function in its stream.
    HostFunction = "host_function",
    /// The host allocated or freed memory.
    Allocation = "allocation",
    /// The pause of the hardware between two operations of a stream.
    KernelGap = "kernel_gap",
    /// The pause of the hardware between two nodes of a graph.
    GraphGap = "graph_gap",
    /// The way from the return of the call to the start of the work. Only a stage of a bubble, never what a whole one is put down to.
    LaunchLatency = "launch_latency",
}

/// What stands before a piece of work, as far as the cause of waiting for it depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Before {
    /// A copy over the link.
    Copy,
    /// A host function.
    HostFunction,
    /// Work of the SMs or of a whole graph.
    Work,
    /// An event or the begin of a graph: no work, so that what it waited for itself is what was waited for.
    Nothing(Cause),
}

impl Cause {
    /// Why a piece of work waits that stands behind `before`: the one rule for model and measurement.
    ///
    /// The stream's own order is the hardware's pause and nothing else, for while the work before runs, the stream is not idle.
    /// `in_graph` says that both are nodes of one replay; then an edge from another branch is [`EdgeKind::Event`].
    pub fn of_edge(edge: EdgeKind, before: Before, in_graph: bool) -> Self {
        match (edge, before) {
            (EdgeKind::Legacy, _) => Self::LegacyBarrier,
            (_, Before::HostFunction) => Self::HostFunction,
            (EdgeKind::Event, Before::Copy) => Self::CopyWait,
            (EdgeKind::Event, Before::Work | Before::Nothing(_)) => Self::EventWait,
            (EdgeKind::Stream, Before::Nothing(cause)) => cause,
            (EdgeKind::Stream, Before::Copy | Before::Work) if in_graph => Self::GraphGap,
            (EdgeKind::Stream, Before::Copy | Before::Work) => Self::KernelGap,
        }
    }

    /// Whether it lies in work that stands before on the GPU, rather than in the host or in units that are taken.
    pub fn is_of_order(self) -> bool {
        match self {
            Self::EventWait | Self::CopyWait | Self::LegacyBarrier | Self::HostFunction => true,
            Self::KernelGap | Self::GraphGap => true,
            Self::LaunchBound | Self::HostWork | Self::HostBlocked | Self::Allocation | Self::LaunchLatency => false,
            Self::EngineBusy | Self::NoRoom => false,
        }
    }
}
