//! What one run produced: lanes of spans, links between a launch and what it started, values and errors.
//!
//! The model, the GPU executor and the import of other programs' traces all fill a [`Recording`]; what draws or explains it
//! cannot tell them apart except by [`Source`]. A recording is never run again to be shown.

mod builder;
mod cause;
mod check;
mod columns;
mod file;
mod find;
mod lane;
mod layers;
mod library;
mod measured;
mod memory_map;
mod names;
mod open_regions;
mod program_builder;
mod released;
mod reported;
mod sm_use;
mod source;
mod span;
mod spans;
mod stream_words;
mod track;
mod version_1;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use builder::{Builder, Rows};
pub use cause::{Before, Cause};
pub use check::{Damage, check};
pub use file::{FORMAT_VERSION, LIMIT_MIB, ReadError, from_bytes, parse, read, write};
pub use lane::Lane;
pub use layers::LAYER_SHARES;
pub use library::{Library, file_name, shipped};
pub use measured::{Instrument, Measured, SmSpan, Walls};
pub use memory_map::{MemoryBlock, MemoryMap, Segment};
pub use program_builder::{Built, ProgramBuilder};
pub use released::{LONGEST_PAUSE, estimate_released, released};
pub use reported::{Reported, number};
pub use sm_use::SmUse;
pub use source::{Executor, Source};
pub use span::{Correlation, NameId, Span, SpanKind};
pub use spans::Spans;
pub use stream_words::{stream_below, stream_in_words};
pub use track::{Engine, Track, TrackId, TrackKind};

use crate::memory;
use crate::program::cuda_error::CudaError;
use crate::scenario::{Knobs, Scenario};
use crate::text::{Lang, Localized};
use crate::time::{Interval, Ns};

/// One run of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Who produced it, on what.
    pub source: Source,
    /// The document that was run; an imported trace has none.
    pub scenario: Option<Scenario>,
    /// The values that the knobs had.
    pub knobs: Knobs,
    /// From the end of setup to the return of the final device synchronization. Starts at zero.
    pub wall: Interval,
    /// Names that spans point into: operations, kernels, calls.
    pub names: Vec<Localized>,
    /// In the order of drawing: host threads with their regions, streams, copy engines.
    pub tracks: Vec<Track>,
    /// Rows of tracks, in the order of tracks and of their depth.
    pub lanes: Vec<Lane>,
    /// Where in the program each [`Correlation`] comes from.
    pub origins: Origins,
    /// What `report` statements put out, in the unit that the name ends with.
    pub values: BTreeMap<String, Option<f64>>,
    /// CUDA and PyTorch errors. They are results of a run, not failures of it.
    pub errors: Vec<RunError>,
    /// What the allocator did.
    pub memory: MemoryUse,
    /// The same over time; empty where it is not known.
    #[serde(default, skip_serializing_if = "MemoryMap::is_empty")]
    pub memory_map: MemoryMap,
    /// How many SMs had blocks; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sm_use: Option<SmUse>,
    /// How it was measured; `None` for the model and for imported traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// The place in the program that an operation was lowered from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// JSON pointer of the statement in the scenario, such as `/program/0/repeat/body/1`.
    pub path: String,
    /// Loop indices, outermost first.
    pub iter: Vec<u32>,
    /// Number of the host thread.
    pub thread: u16,
    /// What a person calls the operation, such as `gemm 1024×1024×1024`.
    pub label: Localized,
}

/// Where operations were lowered from, shared among many: the index of an entry is a [`Correlation`], entry 0 is unused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// JSON pointers of statements.
    pub paths: Vec<String>,
    /// Loop indices, outermost first.
    pub iters: Vec<Vec<u32>>,
    /// One for each operation.
    #[serde(with = "columns::entries")]
    pub entries: Vec<OriginEntry>,
}

/// One operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct OriginEntry {
    /// Index into [`Origins::paths`].
    pub path: u32,
    /// Index into [`Origins::iters`].
    pub iter: u32,
    /// Number of the host thread.
    pub thread: u16,
    /// What a person calls it.
    pub label: NameId,
}

/// An error that a CUDA call or PyTorch returned during the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// The driver's number, such as 900; `None` for an error of PyTorch's own.
    pub code: Option<u32>,
    /// Such as `cudaErrorStreamCaptureUnsupported` or `RuntimeError`.
    pub name: String,
    /// The sentence that the user of CUDA or PyTorch reads.
    pub text: String,
    /// The operation that caused it.
    pub at: Origin,
}

/// What the caching allocator held during the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Most bytes in live memory blocks at once.
    pub peak_bytes: u64,
    /// Most bytes in segments at once.
    pub reserved_bytes: u64,
    /// Number of `cudaMalloc` calls.
    pub raw_allocs: u64,
    /// Most freed memory blocks that waited for another stream at once.
    pub blocks_waiting: u64,
}

impl Origin {
    /// The same with its label in English, as JSON for other programs has it.
    pub fn in_english(&self) -> Self {
        Self { label: self.label.in_english(), ..self.clone() }
    }
}

impl RunError {
    /// What a CUDA call returned.
    pub fn of_cuda(error: CudaError, at: Origin) -> Self {
        Self { code: Some(error.code()), name: error.name().to_owned(), text: error.text().to_owned(), at }
    }

    /// Its name, and its number if it has one: `cudaErrorIllegalAddress (700)`.
    pub fn title(&self) -> String {
        match self.code {
            Some(code) => format!("{} ({code})", self.name),
            None => self.name.clone(),
        }
    }

    /// The same with its labels in English, as JSON for other programs has them.
    pub fn in_english(self) -> Self {
        Self { at: self.at.in_english(), ..self }
    }

    /// An exception of PyTorch's own: its class and its text.
    pub fn of_pytorch(class: &str, text: String, at: Origin) -> Self {
        Self { code: None, name: class.to_owned(), text, at }
    }
}

impl From<memory::Usage> for MemoryUse {
    fn from(usage: memory::Usage) -> Self {
        Self {
            peak_bytes: usage.peak,
            reserved_bytes: usage.peak_reserved,
            raw_allocs: usage.mallocs,
            blocks_waiting: usage.peak_waiting,
        }
    }
}

impl Recording {
    /// Whether the program broke the GPU's context, so that nothing is known but the errors of the run that did, and the runs
    /// before it.
    pub fn broke_the_context(&self) -> bool {
        self.measured.as_ref().is_some_and(|measured| measured.instrument.is_none())
    }

    /// The text behind a [`NameId`] in English; empty when a damaged file points nowhere.
    pub fn name(&self, id: NameId) -> &str {
        self.name_in(id, Lang::En)
    }

    /// The text behind a [`NameId`].
    pub fn name_in(&self, id: NameId, lang: Lang) -> &str {
        self.names.get(id.0 as usize).map_or("", |name| name.get(lang))
    }

    /// Where `correlation` comes from, unless it is [`Correlation::NONE`].
    pub fn origin(&self, correlation: Correlation) -> Option<Origin> {
        let entry = self.origins.entries.get(correlation.0 as usize).filter(|_| correlation != Correlation::NONE)?;
        Some(Origin {
            path: self.origins.paths.get(entry.path as usize).cloned().unwrap_or_default(),
            iter: self.origins.iters.get(entry.iter as usize).cloned().unwrap_or_default(),
            thread: entry.thread,
            label: self.names.get(entry.label.0 as usize).cloned().unwrap_or_default(),
        })
    }

    /// What the lane at that index is a row of; `None` when a damaged file points nowhere.
    pub fn track_of(&self, lane: usize) -> Option<&Track> {
        self.tracks.get(self.lanes.get(lane)?.track.index())
    }

    /// The rows of a track, each with its index.
    pub fn lanes_of(&self, track: TrackId) -> impl Iterator<Item = (usize, &Lane)> {
        // They stand together, in the order of tracks.
        let first = self.lanes.partition_point(|lane| lane.track < track);
        let end = self.lanes.partition_point(|lane| lane.track <= track);
        (first..end).zip(self.lanes.get(first..end).unwrap_or_default())
    }

    /// Tracks on which the GPU works: streams. Copy engines show the same copies a second time.
    pub fn streams(&self) -> impl Iterator<Item = (TrackId, &Track)> {
        (0..).map(TrackId).zip(&self.tracks).filter(|(_, track)| track.stream().is_some())
    }

    /// Tracks of what host threads did.
    pub fn host_threads(&self) -> impl Iterator<Item = (TrackId, &Track)> {
        (0..).map(TrackId).zip(&self.tracks).filter(|(_, track)| track.host_thread().is_some())
    }

    /// What a track holds, row by row.
    pub fn spans_of(&self, track: TrackId) -> impl Iterator<Item = Span> {
        self.lanes_of(track).flat_map(|(_, lane)| &lane.spans)
    }

    /// Everything that the GPU executed, stream by stream.
    pub fn gpu_spans(&self) -> impl Iterator<Item = Span> {
        self.streams().flat_map(|(track, _)| self.spans_of(track))
    }

    /// The interval that holds every span, and the wall time.
    pub fn extent(&self) -> Interval {
        let ends = self.lanes.iter().filter_map(|lane| lane.spans.ends().last().copied());
        Interval::new(Ns::ZERO, ends.fold(self.wall.end, Ns::max))
    }

    /// Number of spans in all lanes.
    pub fn span_count(&self) -> usize {
        self.lanes.iter().map(|lane| lane.spans.len()).sum()
    }
}
