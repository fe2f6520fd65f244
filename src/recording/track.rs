//! Tracks: what the rows of the picture are about.

use serde::{Deserialize, Serialize};

/// Numbers [`super::Recording::tracks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrackId(pub u32);

impl TrackId {
    /// As an index into the tracks.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What one or more rows of the picture are about: a host thread, a stream, a copy engine. Bubbles and numbers belong to tracks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Track {
    /// What it is.
    pub kind: TrackKind,
    /// Number of the GPU, as the driver counts; `None` for a track of the host, and where there is only one GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// Number of the process, as the system counts; `None` where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
    /// What the program's author calls it, such as `compute`; several where two names stand for one track, as streams that
    /// PyTorch hands out twice; none where the kind says it all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// What a track is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackKind {
    /// What a host thread did.
    HostThread {
        /// Number of the thread, 0 for the main one.
        thread: u32,
    },
    /// Stretches of a host thread that the program has given names.
    Regions {
        /// Number of the thread.
        thread: u32,
    },
    /// What the GPU executed for a stream.
    Stream {
        /// Number of the stream; 0 is the legacy default stream.
        stream: u32,
        /// CUDA priority: lower is more urgent.
        priority: i32,
    },
    /// The copies that ran on a copy engine, seen a second time.
    CopyEngine {
        /// Which one.
        engine: Engine,
    },
}

/// A copy engine of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Engine {
    /// Host to device.
    #[serde(rename = "h2d", alias = "h2_d")]
    H2D,
    /// Device to host.
    #[serde(rename = "d2h", alias = "d2_h")]
    D2H,
}

impl Track {
    /// The track of this kind, of the only process and GPU.
    pub fn new(kind: TrackKind) -> Self {
        Self { kind, device: None, process: None, names: Vec::new() }
    }

    /// The same, with the name that the program's author gave it; an empty one is none.
    pub fn named(kind: TrackKind, name: &str) -> Self {
        let names = if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
        Self { names, ..Self::new(kind) }
    }

    /// All its names; empty where it has none.
    pub fn name(&self) -> String {
        self.names.join(", ")
    }

    /// Number of the stream, if it is one.
    pub fn stream(&self) -> Option<u32> {
        match self.kind {
            TrackKind::Stream { stream, .. } => Some(stream),
            TrackKind::HostThread { .. } | TrackKind::Regions { .. } | TrackKind::CopyEngine { .. } => None,
        }
    }

    /// Number of the host thread, if it is what one did.
    pub fn host_thread(&self) -> Option<u32> {
        match self.kind {
            TrackKind::HostThread { thread } => Some(thread),
            TrackKind::Stream { .. } | TrackKind::Regions { .. } | TrackKind::CopyEngine { .. } => None,
        }
    }
}
