//! Traces of other programs, read into recordings.
//!
//! What is read is the JSON of PyTorch's profiler (`torch.profiler`, libkineto/src/output_json.cpp): operations and calls of host
//! threads, which nest, work of streams, and the launches that tie the two together. Nothing is invented: what the file does not say,
//! as the layers above the driver, is not there, and what has no place is counted.

mod event;
mod host;
mod number;
mod place;

use std::collections::BTreeMap;
use std::path::Path;

use crate::file;
use crate::json::{self, Fault};
use crate::recording::Recording;
use crate::text::{Key, Lang, Localized};
use event::TraceFile;

/// The largest trace that is read, in MiB of text.
pub const LIMIT_MIB: u64 = 1024;

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read as text.
    #[error(transparent)]
    File(#[from] file::ReadError),
    /// It is not JSON, or not of the form that profilers write.
    #[error("{file}:{fault}")]
    Format {
        /// The file.
        file: String,
        /// Where and what.
        fault: Fault,
    },
    /// It has no event that takes time.
    #[error(
        "{file}: the trace holds no operation, call or kernel; record it with torch.profiler, with CPU and CUDA activities"
    )]
    Empty {
        /// The file.
        file: String,
    },
}

/// A trace that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Its tracks.
    pub recording: Recording,
    /// What has no place in it: how many events of each category, or of each kind of gap in what they say.
    pub left_out: BTreeMap<String, usize>,
}

impl Imported {
    /// What has no place in it, in one line; `None` where all has.
    pub fn left_out(&self) -> Option<Localized> {
        let parts = |lang: Lang| -> Vec<String> {
            self.left_out.iter().map(|(what, count)| format!("{count} {}", in_words(what, lang))).collect()
        };
        let said = |lang: Lang| lang.fill(Key::NotShown, &[&lang.list(&parts(lang))]);
        (!self.left_out.is_empty()).then(|| Localized::each(said))
    }
}

/// Gaps in what a file says, by the English words that they are counted under; everything else is a category of its own.
const GAPS: [Key; 6] =
    [Key::LeftUnread, Key::LeftBegins, Key::LeftInstants, Key::LeftNoCategory, Key::LeftNoTime, Key::LeftLaunches];

fn in_words(what: &str, lang: Lang) -> &str {
    let gap = GAPS.into_iter().find(|gap| Lang::En.text(*gap) == what);
    gap.map_or(what, |gap| lang.text(gap))
}

/// Whether a text may be a trace: an object with `traceEvents`, or a bare list of events.
pub fn is_trace(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('[') || (text.starts_with('{') && text.contains("\"traceEvents\""))
}

/// Reads a trace from a file, which may be compressed with gzip.
///
/// # Errors
/// As [`parse`], and when the file cannot be read.
pub fn open(path: &Path) -> Result<Imported, TraceError> {
    let text = file::read_text(path, LIMIT_MIB)?;
    parse(&path.display().to_string(), &text)
}

/// Reads a trace from text; `file` names it in errors and on the picture.
///
/// # Errors
/// When it is not a trace, or an empty one.
pub fn parse(file: &str, text: &str) -> Result<Imported, TraceError> {
    let file = file.to_owned();
    match json::parse::<TraceFile<'_>>(text) {
        Err(fault) => Err(TraceError::Format { file, fault }),
        Ok(read) => place::placed(&file, &read).ok_or(TraceError::Empty { file }),
    }
}
