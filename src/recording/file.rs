//! Reading and writing recordings.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Recording;
use super::check::{Damage, check};
use super::version_1::RecordingV1;
use crate::file::{self, WriteError};
use crate::json::{self, Fault};

/// The version that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u64 = 2;
/// The key that makes a file a recording and holds the version of its format.
const VERSION_KEY: &str = "streamscope_recording";
/// The largest recording that is read, in MiB of text: some ten million spans.
pub const LIMIT_MIB: u64 = 1024;

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read as text.
    #[error(transparent)]
    File(#[from] file::ReadError),
    /// It is not JSON, or not a recording of this version.
    #[error("{file}:{fault}")]
    Format {
        /// The file.
        file: String,
        /// Where and what.
        fault: Fault,
    },
    /// It is JSON, but something other than a recording.
    #[error(
        "{file}: not a recording: the key `streamscope_recording` is missing; `streamscope run --save FILE` writes recordings"
    )]
    Other {
        /// The file.
        file: String,
    },
    /// Its format has a version that this program does not know.
    #[error(
        "{file}: the recording has format version {version}, and this program reads up to version {FORMAT_VERSION}: record it again, or use the Streamscope that wrote it"
    )]
    Version {
        /// The file.
        file: String,
        /// Its version.
        version: u64,
    },
    /// Its parts contradict each other.
    #[error("{file}: the recording is damaged: {damage}; record it again")]
    Damaged {
        /// The file.
        file: String,
        /// Where and what.
        damage: Damage,
    },
}

#[derive(Serialize)]
struct Written<'a> {
    streamscope_recording: u64,
    recording: &'a Recording,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read<R> {
    #[serde(rename = "streamscope_recording")]
    _version: u64,
    recording: R,
}

/// Reads a recording from a file of at most 1 GiB of text, which may be compressed with gzip.
///
/// # Errors
/// As [`parse`], and when the file cannot be read.
pub fn read(path: &Path) -> Result<Recording, ReadError> {
    let text = file::read_text(path, LIMIT_MIB)?;
    parse(&path.display().to_string(), &text)
}

/// Reads a recording from the bytes of a file, which may be compressed with gzip; `file` names it in errors.
///
/// # Errors
/// As [`read`].
pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Recording, ReadError> {
    parse(file, &file::text(Path::new(file), bytes, LIMIT_MIB)?)
}

/// Reads a recording from text; `file` names it in errors.
///
/// # Errors
/// When it is not a recording of a known version, or a damaged one.
pub fn parse(file: &str, text: &str) -> Result<Recording, ReadError> {
    let file = file.to_owned();
    let parsed = match json::version_ahead(text, VERSION_KEY) {
        Err(fault) => Err(fault),
        Ok(None) => return Err(ReadError::Other { file }),
        Ok(Some(FORMAT_VERSION)) => json::parse::<Read<Recording>>(text).map(|read| read.recording),
        Ok(Some(1)) => json::parse::<Read<RecordingV1>>(text).map(|read| read.recording.into()),
        Ok(Some(version)) => return Err(ReadError::Version { file, version }),
    };
    let recording = match parsed {
        Err(fault) => return Err(ReadError::Format { file, fault }),
        Ok(recording) => recording,
    };
    match check(&recording) {
        Err(damage) => Err(ReadError::Damaged { file, damage }),
        Ok(()) => Ok(recording),
    }
}

/// Writes a recording in place of the file, whole or not at all; compressed with gzip when its name ends in `.gz`.
///
/// # Errors
/// When the system refuses.
pub fn write(recording: &Recording, path: &Path) -> Result<(), WriteError> {
    let written = Written { streamscope_recording: FORMAT_VERSION, recording };
    file::replace_with(path, |out| serde_json::to_writer(out, &written).map_err(Into::into))
}
