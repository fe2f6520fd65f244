//! What the picture of a scenario is about: which lanes, and which part of the time is seen first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of lanes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum LaneKind {
    /// Host threads and their regions.
    Host,
    /// Depth of the launch queue.
    Queue,
    /// What each stream executed.
    Streams,
    /// What each copy engine executed.
    Copies,
    /// Which SMs had a block.
    Sms,
    /// Memory on the GPU.
    Memory,
}

impl LaneKind {
    /// All, from top to bottom.
    pub const ALL: [Self; 6] = [Self::Host, Self::Queue, Self::Streams, Self::Copies, Self::Sms, Self::Memory];
}

/// Some kinds of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSet(u8);

impl LaneSet {
    /// None.
    pub const NONE: Self = Self(0);

    /// Whether `kind` is one of them.
    pub fn contains(self, kind: LaneKind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// The same with `kind`, or without it.
    pub fn with(self, kind: LaneKind, is_in: bool) -> Self {
        if is_in { Self(self.0 | Self::bit(kind)) } else { Self(self.0 & !Self::bit(kind)) }
    }

    /// All but those in `lanes`; none where nothing is said.
    pub fn but(lanes: Option<&[LaneKind]>) -> Self {
        let Some(lanes) = lanes.filter(|lanes| !lanes.is_empty()) else { return Self::NONE };
        LaneKind::ALL.into_iter().filter(|kind| !lanes.contains(kind)).collect()
    }

    fn bit(kind: LaneKind) -> u8 {
        1 << kind as u8
    }
}

impl FromIterator<LaneKind> for LaneSet {
    fn from_iter<I: IntoIterator<Item = LaneKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, |set, kind| set.with(kind, true))
    }
}

/// The part of the time that is seen first, in microseconds from the start of the measured part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstView {
    /// Where it begins.
    #[serde(default, skip_serializing_if = "super::value::is_default")]
    pub from_us: f64,
    /// Where it ends.
    pub to_us: f64,
}
