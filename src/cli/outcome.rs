//! How a command ends, and how results and errors are printed.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use crate::worker::WorkerError;

/// A command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finished {
    /// Exit 0.
    Done,
    /// Exit 1: it found something.
    Findings,
}

/// A command that did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Exit 2: the input is wrong.
    Input(String),
    /// Exit 3: the machine cannot.
    Machine(String),
}

impl Failure {
    pub fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    pub fn machine(error: impl Display) -> Self {
        Self::Machine(error.to_string())
    }

    /// What a worker came to, with the option that may help.
    pub fn worker(error: &WorkerError) -> Self {
        let sentence = error.to_string();
        let sentence = match error {
            WorkerError::Unanswered { .. } | WorkerError::Stalled { .. } => {
                let why = sentence.strip_suffix(error.said()).unwrap_or(&sentence);
                format!("{why}; `--patience SECONDS` gives it more time{}", error.said())
            }
            _ => sentence,
        };
        if error.is_machine() { Self::Machine(sentence) } else { Self::Input(sentence) }
    }

    pub fn code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Machine(_) => 3,
        }
    }

    /// One sentence on standard error.
    pub fn print(&self) {
        let (Self::Input(text) | Self::Machine(text)) = self;
        tell(&format!("streamscope: {text}"));
    }
}

/// One line on standard error. Nothing can be done when that is closed.
pub(super) fn tell(text: &str) {
    let _unheard = writeln!(io::stderr(), "{text}");
}

/// Prints text. A reader that has gone away, as `head` does, is no failure.
///
/// # Errors
/// When standard output cannot be written, such as on a full disk.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::machine(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value.
pub(super) fn print_json(value: &impl Serialize) -> Result<Finished, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::input)?;
    print(&format!("{text}\n"))?;
    Ok(Finished::Done)
}

/// Rows as columns of equal width, the first row being the heading. Numbers stand to the right.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let numeric = cell.trim_end_matches(['%', '×']).trim().parse::<f64>().is_ok();
            if numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
