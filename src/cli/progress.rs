//! How far a long run is, on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A run that is over sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// One line on standard error that is written again and again; where that is no terminal, a line for each new stage, if there
/// are stages.
pub(super) struct Progress {
    started: Instant,
    on_terminal: bool,
    shown: String,
    stage: String,
}

impl Progress {
    pub fn new() -> Self {
        let on_terminal = io::stderr().is_terminal();
        Self { started: Instant::now(), on_terminal, shown: String::new(), stage: String::new() }
    }

    /// Shows that `part` (0–1) is done.
    pub fn show(&mut self, part: f32) {
        self.line(format!("running: {}%", percent(part)));
    }

    /// Shows that `part` (0–1) is done, and which figure of which stage comes now: `stage.figure`.
    pub fn measuring(&mut self, what: &str, part: f32) {
        let stage = what.split('.').next().unwrap_or_default();
        if !self.on_terminal && self.stage != stage {
            stage.clone_into(&mut self.stage);
            write(&format!("{:5.1} s: measuring {stage}\n", self.started.elapsed().as_secs_f64()));
        }
        self.line(format!("measuring: {}%, {what}", percent(part)));
    }

    fn line(&mut self, line: String) {
        if self.on_terminal && self.shown != line && self.started.elapsed() > PATIENCE {
            // What the line before had more than this one goes.
            write(&format!("\r{line}\x1b[K"));
            self.shown = line;
        }
    }
}

/// The line goes when the run is over.
impl Drop for Progress {
    fn drop(&mut self) {
        if !self.shown.is_empty() {
            write("\r\x1b[K");
        }
    }
}

fn percent(part: f32) -> u32 {
    (part.clamp(0.0, 1.0) * 100.0) as u32
}

fn write(text: &str) {
    let mut out = io::stderr();
    let _unseen = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
