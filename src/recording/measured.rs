//! How a run on a GPU was measured: what stands beside its picture so that nobody has to believe it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::Correlation;
use crate::time::{Interval, Ns};

/// How the times on the GPU were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Instrument {
    /// Each block of a kernel writes the clock of the GPU and its SM when it starts and when it ends. Copies and kernels of a
    /// library, which cannot do that, stand between two events.
    #[default]
    Stamps,
    /// Two events around each operation.
    Events,
}

impl Instrument {
    /// The name in files and on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Stamps => "stamps",
            Self::Events => "events",
        }
    }
}

/// How a run on a GPU was measured. The recording's spans are those of one traced run; what it cost to look follows from
/// the runs without an instrument.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Day of the measurement, UTC: `2026-11-30`.
    pub date: String,
    /// How the times on the GPU were taken in the traced run; `None` where no run was traced, because the program broke the
    /// GPU's context. Then the recording's errors are those of the run that did, and nothing is known of the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instrument: Option<Instrument>,
    /// Wall times of the runs without an instrument, in the order in which they were made.
    pub untraced: Vec<Ns>,
    /// Smallest and largest figure of each value over those runs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spread: BTreeMap<String, [f64; 2]>,
    /// A time of the GPU is right against times of the host within this, either way; `None` where no run was traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error: Option<Ns>,
    /// Who sat on which SM: what stamped kernels wrote, in the order of launches; empty where nothing was stamped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sms: Vec<SmSpan>,
    /// From here on nothing was kept of the SMs; `None` when all was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms_until: Option<Ns>,
}

/// A stretch in which an SM had blocks of one launch without a break. In a file it is a list of its fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct SmSpan {
    /// Number of the SM.
    pub sm: u32,
    /// When the first block started.
    pub start: Ns,
    /// When the last one ended.
    pub end: Ns,
    /// How many there were.
    pub blocks: u32,
    /// The launch that they belong to.
    pub correlation: Correlation,
}

/// A list, as [`super::Span`] is one and for the same reason. Reading takes either.
impl Serialize for SmSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { sm, start, end, blocks, correlation } = self;
        (sm, start, end, blocks, correlation).serialize(serializer)
    }
}

impl SmSpan {
    /// The time that it took.
    pub fn interval(&self) -> Interval {
        Interval::new(self.start, self.end)
    }
}

/// Wall times of several runs, summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walls {
    /// Of an even number of runs, the longer of the two in the middle.
    pub median: Ns,
    /// The shortest.
    pub min: Ns,
    /// The longest.
    pub max: Ns,
    /// How many there were.
    pub runs: usize,
}

impl Walls {
    /// Sums wall times up; `None` when there are none.
    pub fn of(walls: &[Ns]) -> Option<Self> {
        let mut sorted = walls.to_vec();
        sorted.sort_unstable();
        let median = *sorted.get(sorted.len() / 2)?;
        Some(Self { median, min: *sorted.first()?, max: *sorted.last()?, runs: sorted.len() })
    }
}

impl Measured {
    /// What the runs without an instrument took; `None` when there were none.
    pub fn walls(&self) -> Option<Walls> {
        Walls::of(&self.untraced)
    }

    /// The median of those times.
    pub fn median(&self) -> Option<Ns> {
        self.walls().map(|walls| walls.median)
    }

    /// By which factor the traced run, of wall time `traced`, took longer than the median of the others; `None` where there is
    /// not both.
    pub fn cost_of_looking(&self, traced: Ns) -> Option<f64> {
        self.instrument?;
        self.median().filter(|median| *median > Ns::ZERO).map(|median| traced.0 as f64 / median.0 as f64)
    }
}
