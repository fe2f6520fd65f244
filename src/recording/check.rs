//! What drawing and analysis rely on in a recording, checked once when it comes from a file.

use std::fmt;

use super::{Correlation, Lane, Recording, Span};
use crate::time::Ns;

/// Parts of a recording that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// JSON pointer of the part, such as `/recording/lanes/0/spans/12`.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.path, self.message)
    }
}

/// Checks that times run forward, that spans of a lane are sorted and disjoint, and that every index points somewhere.
///
/// # Errors
/// The first part that is wrong.
pub fn check(recording: &Recording) -> Result<(), Damage> {
    if recording.wall.start != Ns::ZERO || recording.wall.end < Ns::ZERO {
        return Err(Damage {
            path: "/recording/wall".to_owned(),
            message: format!("the run starts at {}, not at 0, or ends before it starts", recording.wall.start),
        });
    }
    let mut stretches = recording.measured.iter().flat_map(|measured| &measured.sms).enumerate();
    if let Some((i, stretch)) = stretches.find(|(_, stretch)| stretch.end < stretch.start) {
        return Err(Damage {
            path: format!("/recording/measured/sms/{i}"),
            message: format!("the stretch ends at {} before it starts at {}", stretch.end, stretch.start),
        });
    }
    let mut last_row = None;
    recording.lanes.iter().enumerate().try_for_each(|(i, lane)| {
        let damaged = |message| Damage { path: format!("/recording/lanes/{i}/track"), message };
        if lane.track.index() >= recording.tracks.len() {
            let message = format!("track {} does not exist: there are {}", lane.track.0, recording.tracks.len());
            return Err(damaged(message));
        }
        if last_row.is_some_and(|last| last >= (lane.track, lane.depth)) {
            let message = format!("row {} of track {} stands behind a later one", lane.depth, lane.track.0);
            return Err(damaged(message));
        }
        last_row = Some((lane.track, lane.depth));
        check_lane(recording, lane)
            .map_err(|(span, message)| Damage { path: format!("/recording/lanes/{i}/spans/{span}"), message })
    })
}

/// The index of the span, and what is wrong with it.
fn check_lane(recording: &Recording, lane: &Lane) -> Result<(), (usize, String)> {
    let mut free_from = Ns(i64::MIN);
    lane.spans.iter().enumerate().try_for_each(|(i, span)| {
        check_span(recording, &span, free_from).map_err(|message| (i, message))?;
        free_from = span.end;
        Ok(())
    })
}

fn check_span(recording: &Recording, span: &Span, free_from: Ns) -> Result<(), String> {
    if span.end < span.start {
        return Err(format!("the span ends at {} before it starts at {}", span.end, span.start));
    }
    if span.start < free_from {
        return Err(format!("the span starts at {} before the one in front of it ends at {free_from}", span.start));
    }
    if span.name.0 as usize >= recording.names.len() {
        return Err(format!("name {} does not exist: there are {}", span.name.0, recording.names.len()));
    }
    if span.contended < Ns::ZERO || span.contended > span.end - span.start {
        return Err(format!("the span takes {}, of which {} is contention", span.end - span.start, span.contended));
    }
    let origins = recording.origins.entries.len();
    // What was imported belongs together, but comes from no program.
    for origin in [span.correlation, span.after] {
        if origin != Correlation::NONE && origins > 0 && origin.0 as usize >= origins {
            return Err(format!("origin {} does not exist: there are {origins}", origin.0));
        }
    }
    Ok(())
}
