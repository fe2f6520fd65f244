//! The last lines of what a worker wrote to standard error.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Most lines that are kept.
const LINES: usize = 20;
/// Most bytes that are kept.
const BYTES: usize = 4096;

/// The last lines of a text that comes bit by bit, shared by who reads it and who shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    /// Reads `source` to its end.
    pub(super) fn follow(&self, mut source: impl Read) {
        let mut piece = [0; 1024];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => self.push(piece.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn push(&self, piece: &[u8]) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(piece);
        let surplus = bytes.len().saturating_sub(BYTES);
        bytes.drain(..surplus);
    }

    /// The end of a sentence that quotes the lines, harmless to a terminal; empty when there are none.
    pub(super) fn quoted(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default();
        let harmless = |line: &&str| line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        match last {
            [] => String::new(),
            last => format!("; it last wrote:\n    {}", last.iter().map(harmless).collect::<Vec<_>>().join("\n    ")),
        }
    }
}
