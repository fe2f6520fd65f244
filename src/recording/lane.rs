//! Lanes: the rows of a track.

use serde::{Deserialize, Serialize};

use super::{Spans, TrackId};

/// One row of a track. A track has several where its spans nest, as operations of a framework do, or run side by side, as branches
/// of a graph do. The spans of a lane are sorted by start and never overlap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// What it is a row of.
    pub track: TrackId,
    /// Which row, counted from 0: where spans nest, one lies within a span of the row above.
    pub depth: u16,
    /// Sorted by start, disjoint.
    pub spans: Spans,
}
