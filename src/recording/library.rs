//! Recordings found by what was run: the shipped ones, or those of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::{ReadError, Recording, from_bytes, read};
use crate::file;
use crate::scenario::{Knobs, Scenario, preset};

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// The files of `assets/recordings`, as presets are listed: the compiler finds each, and a test those not listed.
        const SHIPPED: &[(&str, &[u8])] =
            &[$(($name, include_bytes!(concat!("../../assets/recordings/", $name)))),*];
    };
}

shipped![
    "buckets.batch=1.graph=false.json.gz",
    "buckets.batch=1.json.gz",
    "buckets.batch=16.graph=false.json.gz",
    "buckets.batch=16.json.gz",
    "buckets.batch=3.graph=false.json.gz",
    "buckets.batch=3.json.gz",
    "buckets.batch=9.graph=false.json.gz",
    "buckets.batch=9.json.gz",
    "buckets.graph=false.json.gz",
    "buckets.json.gz",
    "graph.graph=true.json.gz",
    "graph.graph=true.workload=decode-1440.json.gz",
    "graph.graph=true.workload=prefill.json.gz",
    "graph.json.gz",
    "graph.workload=decode-1440.json.gz",
    "graph.workload=prefill.json.gz",
    "implicit-sync.item=true.json.gz",
    "implicit-sync.item=true.op=tiny.steps=50.json.gz",
    "implicit-sync.json.gz",
    "implicit-sync.op=tiny.steps=50.json.gz",
    "pipeline.d2h=fresh.non_blocking=false.pinned=false.streams=one.json.gz",
    "pipeline.d2h=fresh.non_blocking=false.streams=one.json.gz",
    "pipeline.d2h=none.json.gz",
    "pipeline.d2h=none.non_blocking=false.streams=one.json.gz",
    "pipeline.d2h=none.pinned=false.json.gz",
    "pipeline.d2h=none.streams=two.json.gz",
    "pipeline.json.gz",
    "record-stream.delay=false.json.gz",
    "record-stream.delay=false.record_stream=true.json.gz",
    "record-stream.json.gz",
    "record-stream.record_stream=true.json.gz",
    "timing.json.gz",
];

/// Recordings whose files are named by [`file_name`].
#[derive(Clone, Debug, Default)]
pub struct Library {
    entries: Vec<(String, Contents)>,
}

#[derive(Clone, Debug)]
enum Contents {
    Embedded(&'static [u8]),
    File(PathBuf),
}

/// The name of the file that holds the recording of this setting: the scenario, and the knobs that are not at their defaults
/// in alphabetical order, such as `graph.graph=true.workload=prefill.json.gz`.
pub fn file_name(scenario: &Scenario, knobs: &Knobs) -> String {
    let defaults = Knobs::defaults(&scenario.knobs);
    let mut name = scenario.name.clone();
    for (id, value) in knobs.0.iter().filter(|(id, value)| defaults.0.get(*id) != Some(value)) {
        // An option may be named in ways that a file cannot.
        let allowed = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        name.push_str(&format!(".{id}={}", value.to_string().chars().map(allowed).collect::<String>()));
    }
    name + ".json.gz"
}

/// The shipped recordings.
pub fn shipped() -> Library {
    let entries = SHIPPED.iter().map(|(name, bytes)| ((*name).to_owned(), Contents::Embedded(bytes)));
    Library { entries: entries.collect() }
}

impl Library {
    /// The recordings of a folder, by name: files that end in `.json` or `.json.gz`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn folder(path: &Path) -> Result<Self, file::ReadError> {
        let system = |source| file::ReadError::System { path: path.to_owned(), source };
        let mut entries = Vec::new();
        for entry in fs::read_dir(path).map_err(system)? {
            let entry = entry.map_err(system)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".json") || name.ends_with(".json.gz") {
                entries.push((name, Contents::File(entry.path())));
            }
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Self { entries })
    }

    /// Names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Every recording, in the order of [`Self::names`].
    pub fn recordings(&self) -> impl Iterator<Item = Result<Recording, ReadError>> {
        self.entries.iter().map(|(name, contents)| open(name, contents))
    }

    /// Whether there is a recording of this setting of a preset; nothing is read. None is offered for a preset that has been
    /// edited, nor for any other scenario.
    pub fn has(&self, scenario: &Scenario, knobs: &Knobs) -> bool {
        let name = file_name(scenario, knobs);
        let shipped = || preset(&scenario.name)?.scenario().ok();
        self.names().any(|known| known == name) && shipped().is_some_and(|shipped| scenario.runs_like(&shipped))
    }

    /// The recording of `scenario` with its knobs so. `None` when there is none, or when what was recorded is not what
    /// `scenario` would run: an edited scenario must not show an old measurement. What people read of it are the texts of
    /// `scenario`, which may have been written anew since.
    pub fn find(&self, scenario: &Scenario, knobs: &Knobs) -> Option<Result<Recording, ReadError>> {
        let name = file_name(scenario, knobs);
        let (_, contents) = self.entries.iter().find(|(known, _)| *known == name)?;
        let same = |recording: &Recording| {
            recording.knobs == *knobs
                && recording.scenario.as_ref().is_some_and(|recorded| recorded.runs_like(scenario))
        };
        let found = Some(open(&name, contents)).filter(|opened| opened.as_ref().map_or(true, same))?;
        Some(found.map(|recording| Recording { scenario: Some(scenario.clone()), ..recording }))
    }
}

fn open(name: &str, contents: &Contents) -> Result<Recording, ReadError> {
    match contents {
        Contents::Embedded(bytes) => from_bytes(name, bytes),
        Contents::File(path) => read(path),
    }
}
