//! Recordings and traces that are shown by themselves: as they ran, with nothing to switch.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::run_failure::RunFailure;
use crate::recording::{self, Recording};
use crate::text::Localized;
use crate::trace;

/// What a file holds, as far as its beginning tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::window) enum Kind {
    /// A scenario, or something that its loader has to refuse.
    Scenario,
    Recording,
    Trace,
}

/// Looks at the beginning of a file. One that cannot be read is left to the loader of scenarios, which says why.
pub(in crate::window) fn kind(path: &Path) -> Kind {
    const ENOUGH: u64 = 8192;
    let mut head = Vec::new();
    let read = |head: &mut Vec<u8>| -> std::io::Result<()> {
        let mut file = File::open(path)?;
        // A pipe would be waited for.
        if !file.metadata()?.is_file() {
            return Ok(());
        }
        file.by_ref().take(ENOUGH).read_to_end(head)?;
        if head.starts_with(&[0x1f, 0x8b]) {
            let packed = std::mem::take(head);
            // Of a compressed file only the beginning is there: it breaks off in the middle.
            let _breaks_off = MultiGzDecoder::new(packed.as_slice()).take(ENOUGH).read_to_end(head);
        }
        Ok(())
    };
    if read(&mut head).is_err() {
        return Kind::Scenario;
    }
    let head = String::from_utf8_lossy(&head);
    let holds = |key: &str| head.contains(key);
    if holds("\"streamscope_recording\"") {
        Kind::Recording
    } else if holds("\"streamscope\"") {
        Kind::Scenario
    } else if trace::is_trace(&head) || (holds("\"schemaVersion\"") || holds("\"distributedInfo\"")) {
        Kind::Trace
    } else {
        Kind::Scenario
    }
}

/// Reads a recording or a trace, and what of it has no place in the picture.
pub(in crate::window) fn read(path: &Path) -> Result<(Recording, Option<Localized>), RunFailure> {
    if kind(path) == Kind::Recording {
        return Ok((recording::read(path)?, None));
    }
    let imported = trace::open(path)?;
    let left_out = imported.left_out();
    Ok((imported.recording, left_out))
}
