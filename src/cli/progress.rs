//! How far a long run is, on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A run that is over sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// One line on standard error that is written again and again; nothing where that is no terminal.
pub(super) struct Progress {
    started: Instant,
    on_terminal: bool,
    shown: Option<u32>,
}

impl Progress {
    pub fn new() -> Self {
        Self { started: Instant::now(), on_terminal: io::stderr().is_terminal(), shown: None }
    }

    /// Shows that `part` (0–1) is done.
    pub fn show(&mut self, part: f32) {
        let percent = (part.clamp(0.0, 1.0) * 100.0) as u32;
        if self.on_terminal && self.shown != Some(percent) && self.started.elapsed() > PATIENCE {
            self.shown = Some(percent);
            write(&format!("\rrunning: {percent} %"));
        }
    }
}

/// The line goes when the run is over.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            write("\r\x1b[K");
        }
    }
}

fn write(text: &str) {
    let mut out = io::stderr();
    let _unseen = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
