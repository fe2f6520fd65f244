//! Whether one run was in fact spoiled by the hazards of its program.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::is_host_access;
use super::{Class, Conflict, Hazard, MissingKind, Verdict};
use crate::program::Program;
use crate::recording::{Correlation, Recording, Span, TrackKind};
use crate::time::{Interval, Ns};

/// Looks at the run and fills in what became of each hazard.
pub(super) fn look(program: &Program, recording: &Recording, verdict: &mut Verdict) {
    let run = Run::new(program, recording, verdict);
    for hazard in &mut verdict.hazards {
        hazard.corrupted = run.spoiled(hazard);
    }
    for fragile in &mut verdict.fragile {
        fragile.corrupted = (fragile.access != Conflict::WriteInPartRead).then_some(false);
    }
}

/// When the operations in question ran.
struct Run<'r> {
    program: &'r Program,
    recording: &'r Recording,
    gpu: BTreeMap<u32, Vec<Span>>,
    host: BTreeMap<u32, Vec<Span>>,
}

impl<'r> Run<'r> {
    fn new(program: &'r Program, recording: &'r Recording, verdict: &Verdict) -> Self {
        let mut run = Self { program, recording, gpu: BTreeMap::new(), host: BTreeMap::new() };
        let pairs = verdict.hazards.iter().flat_map(|hazard| hazard.pairs.iter().flatten());
        let wanted: BTreeSet<u32> = pairs.filter_map(|(of, replay)| run.correlation(replay.unwrap_or(*of))).collect();
        for (index, lane) in recording.lanes.iter().enumerate() {
            let spans = match recording.track_of(index).map(|track| track.kind) {
                Some(TrackKind::Stream { .. }) => &mut run.gpu,
                Some(TrackKind::HostThread { .. }) => &mut run.host,
                Some(TrackKind::CopyEngine { .. } | TrackKind::Regions { .. }) | None => continue,
            };
            for span in lane.spans.iter().filter(|span| wanted.contains(&span.correlation.0)) {
                spans.entry(span.correlation.0).or_default().push(span);
            }
        }
        run
    }

    fn correlation(&self, operation: u32) -> Option<u32> {
        Correlation::of(self.program, operation as usize).map(|correlation| correlation.0)
    }

    fn spoiled(&self, hazard: &Hazard) -> Option<bool> {
        // What a graph works on in place of what was meant does not depend on time.
        if hazard.missing.kind == MissingKind::Keep || hazard.class == Class::Uncaptured {
            return match hazard.access {
                Conflict::WriteInPartRead | Conflict::WarmUpRead => None,
                access => Some(!access.is_after_free()),
            };
        }
        let met: Vec<Option<bool>> = hazard.pairs.iter().map(|[first, second]| self.met(*first, *second)).collect();
        match () {
            () if met.contains(&Some(true)) => Some(true),
            () if met.contains(&None) || hazard.count > hazard.pairs.len() => None,
            () => Some(false),
        }
    }

    /// Whether the second operation began before the first was over. Nodes of one name cannot be told apart in a replay.
    fn met(&self, first: (u32, Option<u32>), second: (u32, Option<u32>)) -> Option<bool> {
        let ((first, firsts), (second, seconds)) = self.ran(first).zip(self.ran(second))?;
        let met = second.start < first.end;
        (firsts == 1 && seconds == 1 || !met).then_some(met)
    }

    /// When an operation touched its bytes, as far as the timeline shows it, and how many spans that may be.
    fn ran(&self, (operation, replay): (u32, Option<u32>)) -> Option<(Interval, usize)> {
        let correlation = self.correlation(replay.unwrap_or(operation))?;
        let info = self.program.operations.get(operation as usize)?;
        if is_host_access(&info.action) {
            return Some((self.on_host(operation, correlation), 1));
        }
        let label = self.program.label(info.label);
        let spans = self.gpu.get(&correlation)?;
        let spans = spans.iter().filter(|span| replay.is_none() || self.recording.name(span.name) == label);
        let hull = |hull: Option<(Interval, usize)>, span: &Span| {
            Some(hull.map_or((span.interval(), 1), |(it, count)| {
                (Interval::new(it.start.min(span.start), it.end.max(span.end)), count + 1)
            }))
        };
        spans.fold(None, hull)
    }

    /// The host's own accesses may be too short to be drawn: then they were where the thread was by then.
    fn on_host(&self, operation: u32, correlation: u32) -> Interval {
        if let Some(span) = self.host.get(&correlation).and_then(|spans| spans.last()) {
            return span.interval();
        }
        let thread = self.program.thread_of(operation as usize).0;
        let track = self.recording.host_threads().find(|(_, track)| track.host_thread() == Some(thread));
        let lane = track.and_then(|(track, _)| self.recording.lanes_of(track).next());
        let before = lane.and_then(|(_, lane)| lane.spans.iter().rev().find(|span| span.correlation.0 < correlation));
        let at = before.map_or(Ns::ZERO, |span| span.end);
        Interval::new(at, at)
    }
}
