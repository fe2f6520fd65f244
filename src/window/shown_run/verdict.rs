//! The hazards of a run as the window shows them: a verdict, worked out once beside the run, and where its operations are.

use std::collections::{HashMap, HashSet};

use crate::analysis::Outcome;
use crate::analysis::hazard::{self, Hazard, Verdict};
use crate::document::Edit;
use crate::drawing::Prepared;
use crate::recording::{Correlation, Origin, Recording, Track};

/// How many hazards are listed at most, and how many fragile places.
const MAX_LISTED: usize = 40;
/// Most spans that are pointed out for one operation.
const MAX_SPANS: usize = 64;

/// A span by its lane and its place there.
pub(in crate::window) type SpanPlace = (usize, usize);

/// What a run's program was found to be.
#[derive(Debug)]
pub(in crate::window) struct Judged {
    /// How many hazards there are.
    pub(in crate::window) hazards: usize,
    /// How many places are right only by what no document promises.
    pub(in crate::window) fragile: usize,
    /// What the run came to.
    pub(in crate::window) outcome: Outcome,
    /// The first of them, hazards before fragile ones.
    pub(in crate::window) listed: Vec<ListedHazard>,
}

/// How far the judging of the run that is shown has come.
#[derive(Debug, Default)]
pub(in crate::window) enum Judging {
    /// There is no program to judge.
    #[default]
    Nothing,
    /// The verdict is on its way.
    Pending,
    /// It was given up.
    Stopped,
    /// It is known.
    Done(Judged),
}

/// One of them.
#[derive(Debug)]
pub(in crate::window) struct ListedHazard {
    pub(in crate::window) hazard: Hazard,
    /// Where its two operations are in the timeline; empty for what ran before it.
    pub(in crate::window) sides: [Vec<SpanPlace>; 2],
    /// The edit that mends it, if one edge does.
    pub(in crate::window) fix: Option<Edit>,
}

impl Judged {
    /// Finds the operations of a verdict among the spans.
    pub(in crate::window) fn new(
        recording: &Recording,
        prepared: &Prepared,
        verdict: &Verdict,
        outcome: &Outcome,
    ) -> Self {
        let Verdict { hazards, fragile } = verdict;
        let first: Vec<Hazard> =
            hazards.iter().take(MAX_LISTED).chain(fragile.iter().take(MAX_LISTED)).cloned().collect();
        let finder = SpanFinder::new(recording, prepared, &first);
        let scenario = recording.scenario.as_ref();
        let listed = first.into_iter().map(|hazard| ListedHazard {
            sides: [finder.spans(&hazard.first), finder.spans(&hazard.second)],
            fix: scenario.and_then(|scenario| hazard::fix(scenario, &hazard)),
            hazard,
        });
        Self { hazards: hazards.len(), fragile: fragile.len(), outcome: outcome.clone(), listed: listed.collect() }
    }

    /// Those that may have spoiled a run, and those that are only fragile; each with its place in the list.
    pub(in crate::window) fn parts(&self) -> [impl Iterator<Item = (usize, &ListedHazard)>; 2] {
        let at = self.hazards.min(MAX_LISTED);
        let of = |from: usize, to: usize| self.listed.iter().enumerate().skip(from).take(to - from);
        [of(0, at), of(at, self.listed.len().max(at))]
    }
}

/// Finds the spans of operations.
struct SpanFinder<'r> {
    recording: &'r Recording,
    prepared: &'r Prepared,
    operations: HashMap<Origin, Correlation>,
    /// Work of replayed graphs, by its name.
    replayed: HashMap<&'r str, Vec<SpanPlace>>,
}

impl<'r> SpanFinder<'r> {
    fn new(recording: &'r Recording, prepared: &'r Prepared, wanted: &[Hazard]) -> Self {
        let origins: Vec<&Origin> = wanted.iter().flat_map(|hazard| [&hazard.first, &hazard.second]).collect();
        let found = origins.iter().zip(recording.operations_of(&origins));
        let operations = found.filter_map(|(origin, found)| Some((Origin::clone(origin), found?))).collect();
        let mut finder = Self { recording, prepared, operations, replayed: HashMap::new() };
        if wanted.is_empty() {
            return finder;
        }
        let names: HashSet<&str> = origins.iter().map(|origin| origin.label.as_str()).collect();
        for (lane, spans) in recording.lanes.iter().enumerate() {
            if recording.track_of(lane).and_then(Track::stream).is_none() {
                continue;
            }
            for (place, name) in spans.spans.names().iter().enumerate() {
                let name = recording.name(*name);
                if names.contains(name) {
                    finder.replayed.entry(name).or_default().push((lane, place));
                }
            }
        }
        finder
    }

    /// Where the operation ran: on the GPU if it did, or else on the host. One that was captured ran when its graph was replayed.
    fn spans(&self, origin: &Origin) -> Vec<SpanPlace> {
        let of = |wanted: fn(&Track) -> bool| -> Vec<SpanPlace> {
            let Some(correlation) = self.operations.get(origin) else {
                return Vec::new();
            };
            let links = self.prepared.linked(*correlation).iter();
            let places = links.map(|link| (link.lane as usize, link.span as usize));
            let is_wanted = |place: &SpanPlace| self.recording.track_of(place.0).is_some_and(wanted);
            places.filter(is_wanted).take(MAX_SPANS).collect()
        };
        let on_stream = of(|track| track.stream().is_some());
        if !on_stream.is_empty() {
            return on_stream;
        }
        let of_replays = self.replayed.get(origin.label.as_str()).map(|all| all.iter().take(MAX_SPANS).copied());
        let of_replays: Vec<SpanPlace> = of_replays.into_iter().flatten().collect();
        if !of_replays.is_empty() {
            return of_replays;
        }
        of(|track| track.host_thread().is_some())
    }
}
