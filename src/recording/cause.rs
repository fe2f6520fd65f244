//! Why something waited: one vocabulary for executors, analysis, JSON and window.

use serde::{Deserialize, Serialize};

/// Why a stream or the whole GPU was idle, or what held an operation back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The host was inside launching the next work.
    #[default]
    LaunchBound,
    /// The host computed something of its own.
    HostWork,
    /// The host waited inside a call.
    HostBlocked,
    /// A wait on an event of another stream.
    EventWait,
    /// A copy in front of it in its stream.
    CopyWait,
    /// The copy engine was busy with another copy.
    EngineBusy,
    /// No SM had room.
    NoRoom,
    /// The barrier of the legacy default stream.
    LegacyBarrier,
    /// A host function in its stream.
    HostFunction,
    /// The host allocated or freed memory.
    Allocation,
    /// The pause of the hardware between two operations of a stream.
    KernelGap,
    /// The pause of the hardware between two nodes of a graph.
    GraphGap,
}

impl Cause {
    /// All of them, in the order in which tables list them.
    pub const ALL: [Self; 12] = [
        Self::LaunchBound,
        Self::HostWork,
        Self::HostBlocked,
        Self::EventWait,
        Self::CopyWait,
        Self::EngineBusy,
        Self::NoRoom,
        Self::LegacyBarrier,
        Self::HostFunction,
        Self::Allocation,
        Self::KernelGap,
        Self::GraphGap,
    ];

    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::LaunchBound => "launch_bound",
            Self::HostWork => "host_work",
            Self::HostBlocked => "host_blocked",
            Self::EventWait => "event_wait",
            Self::CopyWait => "copy_wait",
            Self::EngineBusy => "engine_busy",
            Self::NoRoom => "no_room",
            Self::LegacyBarrier => "legacy_barrier",
            Self::HostFunction => "host_function",
            Self::Allocation => "allocation",
            Self::KernelGap => "kernel_gap",
            Self::GraphGap => "graph_gap",
        }
    }
}
