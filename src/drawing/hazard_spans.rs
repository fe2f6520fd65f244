//! The two operations of a hazard among the spans of a recording.

use std::collections::{HashMap, HashSet};

use super::layout::Prepared;
use crate::analysis::hazard::Hazard;
use crate::recording::{Correlation, Origin, Recording, Span, Track};
use crate::text::Lang;

/// Most spans that are pointed out for one operation.
const MOST: usize = 64;

/// A span by its lane and its place there.
pub type SpanPlace = (usize, usize);

/// Where the two operations of a hazard are in the timeline: on the GPU if they ran there, or else on the host. Empty for what ran
/// before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HazardSpans {
    /// The operation that comes first in the program, and the one that does not wait for it.
    pub sides: [Vec<SpanPlace>; 2],
}

impl HazardSpans {
    /// Those of each of the hazards.
    pub fn find(recording: &Recording, prepared: &Prepared, hazards: &[Hazard]) -> Vec<Self> {
        let finder = Finder::new(recording, prepared, hazards);
        let spans = |hazard: &Hazard| [&hazard.first, &hazard.second].map(|origin| finder.spans(origin));
        hazards.iter().map(|hazard| Self { sides: spans(hazard) }).collect()
    }

    /// One span of each operation: the first of the first one, and of the second that which met it, if any did.
    pub fn pair(&self, recording: &Recording) -> Option<[(SpanPlace, Span); 2]> {
        let span = |place: &SpanPlace| Some((*place, recording.lanes.get(place.0)?.spans.get(place.1)?));
        let [firsts, seconds] = &self.sides;
        let first = firsts.iter().find_map(span)?;
        let mut known = seconds.iter().filter_map(span);
        let met = known.clone().find(|(_, second)| second.interval().overlaps(first.1.interval()));
        Some([first, met.or_else(|| known.next())?])
    }
}

/// Finds the spans of operations.
struct Finder<'r> {
    recording: &'r Recording,
    prepared: &'r Prepared,
    operations: HashMap<Origin, Correlation>,
    /// Work of replayed graphs, by its name.
    replayed: HashMap<&'r str, Vec<SpanPlace>>,
}

impl<'r> Finder<'r> {
    fn new(recording: &'r Recording, prepared: &'r Prepared, wanted: &[Hazard]) -> Self {
        let origins: Vec<&Origin> = wanted.iter().flat_map(|hazard| [&hazard.first, &hazard.second]).collect();
        let found = origins.iter().zip(recording.operations_of(&origins));
        let operations = found.filter_map(|(origin, found)| Some((Origin::clone(origin), found?))).collect();
        let mut finder = Self { recording, prepared, operations, replayed: HashMap::new() };
        if wanted.is_empty() {
            return finder;
        }
        let names: HashSet<&str> = origins.iter().map(|origin| origin.label.get(Lang::En)).collect();
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
            let Some(correlation) = self.operations.get(origin) else { return Vec::new() };
            let links = self.prepared.linked(*correlation).iter();
            let places = links.map(|link| (link.lane as usize, link.span as usize));
            let is_wanted = |place: &SpanPlace| self.recording.track_of(place.0).is_some_and(wanted);
            places.filter(is_wanted).take(MOST).collect()
        };
        let on_stream = of(|track| track.stream().is_some());
        if !on_stream.is_empty() {
            return on_stream;
        }
        let of_replays = self.replayed.get(origin.label.get(Lang::En)).map(|all| all.iter().take(MOST).copied());
        let of_replays: Vec<SpanPlace> = of_replays.into_iter().flatten().collect();
        if !of_replays.is_empty() {
            return of_replays;
        }
        of(|track| track.host_thread().is_some())
    }
}
