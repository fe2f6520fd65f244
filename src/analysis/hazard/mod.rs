//! Hazards: pairs of accesses to the same bytes that nothing keeps in order, and graphs that work on something else than meant.
//!
//! The verdict is one on the program. It follows what [`crate::program::order`] says about order, and does not depend on how long
//! anything takes; a run may look right in spite of it. Two accesses to bytes in common, at least one a write, by two streams, or by
//! a stream and the host, are a hazard when neither is certainly over before the other.

mod accesses;
mod clocks;
mod conflict;
mod corruption;
mod course;
mod findings;
mod fix;
mod graphs;
mod judge;
mod lanes;
mod memory;
mod missing;
mod scene;
mod wording;

use serde::{Serialize, Serializer};

use crate::program::Program;
use crate::program::walk::Cancelled;
use crate::recording::{Origin, Recording};

pub use conflict::Conflict;
pub use fix::fix;
pub use missing::{Missing, MissingEnd, MissingEndKind, MissingKind};
pub use wording::{class_key, explain, object, short};

/// What kind of hazard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Class {
    /// A read that does not wait for the write.
    #[serde(rename = "RAW")]
    Raw,
    /// A write that does not wait for the read.
    #[serde(rename = "WAR")]
    War,
    /// Two writes in no order.
    #[serde(rename = "WAW")]
    Waw,
    /// The host reads what the GPU may still write.
    #[serde(rename = "HOST-RAW")]
    HostRaw,
    /// The host writes what the GPU may still read or write.
    #[serde(rename = "HOST-WAR")]
    HostWar,
    /// A memory block belongs to another tensor while work of the one before may still run.
    #[serde(rename = "REUSE")]
    Reuse,
    /// Memory of graphs with one pool, or memory that a graph believes to be its own, is used by somebody else.
    #[serde(rename = "POOL")]
    Pool,
    /// A graph reads what is out of date: old contents, or an address that has been given back.
    #[serde(rename = "STALE")]
    Stale,
    /// Work that belongs to a graph ran while it was captured, and never again.
    #[serde(rename = "UNCAPTURED")]
    Uncaptured,
    /// Right only by what no document promises. Told apart from hazards.
    #[serde(rename = "FRAGILE")]
    Fragile,
}

impl Class {
    /// The word in the JSON output and in the window.
    pub fn id(self) -> &'static str {
        match self {
            Self::Raw => "RAW",
            Self::War => "WAR",
            Self::Waw => "WAW",
            Self::HostRaw => "HOST-RAW",
            Self::HostWar => "HOST-WAR",
            Self::Reuse => "REUSE",
            Self::Pool => "POOL",
            Self::Stale => "STALE",
            Self::Uncaptured => "UNCAPTURED",
            Self::Fragile => "FRAGILE",
        }
    }
}

/// JSON for other programs is English.
fn in_english<S: Serializer>(origin: &Origin, serializer: S) -> Result<S::Ok, S::Error> {
    origin.in_english().serialize(serializer)
}

/// One hazard: all pairs of the same two statements on the same object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hazard {
    /// What kind.
    pub class: Class,
    /// The tensor or buffer, by the name that the first operation had for it.
    pub object: String,
    /// The operation that comes first in the program.
    #[serde(serialize_with = "in_english")]
    pub first: Origin,
    /// The one that does not wait for it.
    #[serde(serialize_with = "in_english")]
    pub second: Origin,
    /// How many pairs there are.
    pub count: usize,
    /// What the two do.
    pub access: Conflict,
    /// What is missing.
    pub missing: Missing,
    /// Whether this run was in fact spoiled; `None` where that is not known.
    pub corrupted: Option<bool>,
    /// Some of the pairs.
    #[serde(skip)]
    pairs: Vec<Pair>,
    /// What both touch.
    #[serde(skip)]
    shared: SharedBytes,
    /// Whether the second one is the host's own access.
    #[serde(skip)]
    is_host_second: bool,
}

impl Hazard {
    /// The bytes that both operations touch.
    pub fn shared(&self) -> &SharedBytes {
        &self.shared
    }
}

/// The bytes that the two operations of a hazard touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedBytes {
    /// From which byte of the object to which, where both know it by that name.
    pub range: Option<(u64, u64)>,
    /// What the second one knows them by, where that is another tensor or buffer.
    pub second_object: Option<String>,
}

/// Two operations, each with the one that replayed it.
type Pair = [(u32, Option<u32>); 2];

/// What a program is found to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// Hazards, in the order of their second operations.
    pub hazards: Vec<Hazard>,
    /// What is right only by behaviour that no document promises.
    pub fragile: Vec<Hazard>,
}

impl Verdict {
    /// Of a run that failed, or that reported what the program does not mean, nobody says that it was right by luck.
    pub(super) fn forget_luck(&mut self) {
        for hazard in self.hazards.iter_mut().filter(|hazard| hazard.corrupted == Some(false)) {
            hazard.corrupted = None;
        }
    }
}

/// Judges a program.
pub fn judge(program: &Program) -> Verdict {
    judge::judge(program, &mut || true).unwrap_or_default()
}

/// Judges a program that was run: the same, and for each hazard whether this run was spoiled by it.
pub fn judge_run(program: &Program, recording: &Recording) -> Verdict {
    judge_run_while(program, recording, &mut || true).unwrap_or_default()
}

/// The same, as long as `goes_on`, which is asked now and then, says that somebody still waits for it.
///
/// # Errors
/// [`Cancelled`] when nobody does.
pub fn judge_run_while(
    program: &Program,
    recording: &Recording,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Verdict, Cancelled> {
    let mut verdict = judge::judge(program, goes_on)?;
    corruption::look(program, recording, &mut verdict);
    Ok(verdict)
}
