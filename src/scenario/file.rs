//! Reading and writing scenario files.

use std::path::Path;

use serde::Serialize;

use super::check::{Misfit, check};
use super::layout::{layout, layout_like};
use super::{FORMAT_VERSION, Scenario, SourceText};
use crate::file::{self, BYTE_ORDER_MARK};
use crate::json::{self, Fault};

/// The key that makes a file a scenario and holds the version of its format.
const VERSION_KEY: &str = "streamscope";
/// Far more than a person writes, little enough to read at once.
const LIMIT_MIB: u64 = 16;

/// Why a scenario could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read as text.
    #[error(transparent)]
    File(#[from] file::ReadError),
    /// There is nothing in it.
    #[error("{file}: the file is empty: a scenario starts as {{\"streamscope\": {FORMAT_VERSION}, \"name\": …")]
    Empty {
        /// The file.
        file: String,
    },
    /// It is not JSON, or not a scenario.
    #[error("{file}:{fault}")]
    Format {
        /// The file.
        file: String,
        /// Where and what.
        fault: Fault,
    },
    /// It does not say which version of the format it has.
    #[error(
        "{file}: not a scenario: the key `streamscope` with the version of the format is missing; write \"streamscope\": {FORMAT_VERSION}"
    )]
    Unversioned {
        /// The file.
        file: String,
    },
    /// Its format has a version that this program does not know.
    #[error("{file}: the format has version {version}, and this program reads up to version {FORMAT_VERSION}: {}", advice(*version))]
    Version {
        /// The file.
        file: String,
        /// Its version.
        version: u64,
    },
    /// Every part is well-formed, but one does not fit the rest.
    #[error("{file}:{line}:{column}: {misfit}")]
    Misfit {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Which part, and what is wrong.
        misfit: Misfit,
    },
}

fn advice(version: u64) -> &'static str {
    if version > u64::from(FORMAT_VERSION) { "a newer Streamscope is needed" } else { "the first version is 1" }
}

/// Reads a scenario from text; `file` names it in errors.
///
/// # Errors
/// A sentence with the file, line and column.
pub fn load(file: &str, text: &str) -> Result<Scenario, LoadError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let file = file.to_owned();
    if text.trim().is_empty() {
        return Err(LoadError::Empty { file });
    }
    match json::version(text, VERSION_KEY) {
        Err(fault) => return Err(LoadError::Format { file, fault }),
        Ok(None) => return Err(LoadError::Unversioned { file }),
        Ok(Some(version)) if version != u64::from(FORMAT_VERSION) => return Err(LoadError::Version { file, version }),
        Ok(Some(_)) => {}
    }
    let scenario = match json::parse(text) {
        Err(fault) => return Err(LoadError::Format { file, fault }),
        Ok(scenario) => scenario,
    };
    match check(&scenario) {
        Err(misfit) => {
            let (line, column) = json::locate(text, &misfit.path).unwrap_or((1, 1));
            Err(LoadError::Misfit { file, line, column, misfit })
        }
        Ok(()) => Ok(scenario),
    }
}

/// Reads a scenario from a file of at most 16 MiB.
///
/// # Errors
/// As [`load`], and when the file cannot be read.
pub fn open(path: &Path) -> Result<Scenario, LoadError> {
    open_with_text(path).map(|(scenario, _)| scenario)
}

/// As [`open`], with the text, in which errors of lowering find their line and column.
///
/// # Errors
/// As [`open`].
pub fn open_with_text(path: &Path) -> Result<(Scenario, SourceText), LoadError> {
    let text = file::read_text(path, LIMIT_MIB)?;
    let name = path.display().to_string();
    let scenario = load(&name, &text)?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    Ok((scenario, SourceText::new(&name, text)))
}

/// Writes a scenario in place of the file, whole or not at all.
///
/// # Errors
/// When the system refuses.
pub fn save(scenario: &Scenario, path: &Path) -> Result<(), file::WriteError> {
    let text = written(scenario).map_err(|error| file::WriteError { path: path.to_owned(), source: error.into() })?;
    file::replace(path, text.as_bytes())
}

/// As [`save`], with the keys in the order in which the text has them that the scenario was read from; returns the new text.
///
/// # Errors
/// As [`save`].
pub fn save_like(scenario: &Scenario, like: Option<&SourceText>, path: &Path) -> Result<SourceText, file::WriteError> {
    let failed = |error: serde_json::Error| file::WriteError { path: path.to_owned(), source: error.into() };
    let compact = compact(scenario).map_err(failed)?;
    let text = like.map_or_else(|| layout(&compact), |like| layout_like(&compact, like.text()));
    file::replace(path, text.as_bytes())?;
    Ok(SourceText::new(&path.display().to_string(), &text))
}

/// The text of the file, laid out as a person would write it.
pub fn json(scenario: &Scenario) -> String {
    // Memory takes every byte and all keys are texts, so there is no error to lose.
    written(scenario).unwrap_or_default()
}

fn written(scenario: &Scenario) -> Result<String, serde_json::Error> {
    compact(scenario).map(|compact| layout(&compact))
}

fn compact(scenario: &Scenario) -> Result<String, serde_json::Error> {
    let mut compact = Vec::new();
    scenario.serialize(&mut serde_json::Serializer::with_formatter(&mut compact, WholeNumbers))?;
    Ok(String::from_utf8_lossy(&compact).into_owned())
}

/// Compact JSON in which 3 stays `3`, also where a fraction is allowed.
struct WholeNumbers;

impl serde_json::ser::Formatter for WholeNumbers {
    fn write_f64<W: std::io::Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> std::io::Result<()> {
        if value.fract() == 0.0 && value.abs() < 9e15 {
            write!(writer, "{}", value as i64)
        } else {
            serde_json::ser::CompactFormatter.write_f64(writer, value)
        }
    }
}

/// The JSON Schema of scenario files.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}
