//! What has been found so far, each pair of statements once.

use std::collections::{BTreeMap, HashSet};

use super::accesses::{Access, By};
use super::clocks::LaneId;
use super::{Class, Conflict, Hazard, Missing, Pair, SharedBytes, Verdict};
use crate::program::{Action, Place, Program, Region, StreamId, ThreadId, effects};
use crate::recording::Origin;
use crate::text::{Key, Lang};

/// Most pairs of one hazard that are kept.
const MOST_PAIRS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Findings {
    hazards: Vec<Hazard>,
    /// By class, object and the paths of the two statements.
    known: BTreeMap<(Class, String, u32, u32), usize>,
    /// Accesses that a lane has been reported against: one missing edge is one finding.
    told: HashSet<(u32, LaneId)>,
    /// Pairs of an operation that ran during a capture and a captured one that have been reported.
    torn: HashSet<(u32, u32)>,
}

impl Findings {
    /// Whether nothing has been reported so far that these two are a part of.
    pub fn is_news(&mut self, first: &Access, second: &Access) -> bool {
        !self.torn.contains(&(first.operation, second.operation)) && self.told.insert((first.at, second.lane))
    }

    /// A capture tore these two operations apart, which is reported as such.
    pub fn tear(&mut self, first: u32, second: u32) {
        self.torn.insert((first, second));
    }

    pub fn add(
        &mut self,
        program: &Program,
        class: Class,
        pair: Pair,
        object: Place,
        access: Conflict,
        missing: Missing,
    ) {
        let path = |(operation, _): (u32, Option<u32>)| {
            program.operations.get(operation as usize).map_or(0, |operation| operation.path)
        };
        let [first, second] = pair;
        let place = object;
        let object = name_of(program, object);
        let key = (class, object.clone(), path(first), path(second));
        if let Some(hazard) = self.known.get(&key).and_then(|index| self.hazards.get_mut(*index)) {
            hazard.count += 1;
            if hazard.pairs.len() < MOST_PAIRS {
                hazard.pairs.push(pair);
            }
            return;
        }
        self.known.insert(key, self.hazards.len());
        let origin = |(index, _): (u32, Option<u32>)| {
            let operation = program.operations.get(index as usize);
            operation.map_or_else(Origin::default, |operation| Origin::of(program, index as usize, operation))
        };
        self.hazards.push(Hazard {
            class,
            object,
            first: origin(first),
            second: origin(second),
            count: 1,
            access,
            missing,
            corrupted: None,
            shared: shared(program, [first.0, second.0], place),
            pairs: vec![pair],
            is_host_second: program.operations.get(second.0 as usize).is_some_and(|it| is_host_access(&it.action)),
        });
    }

    pub fn verdict(self) -> Verdict {
        let (fragile, hazards) = self.hazards.into_iter().partition(|hazard| hazard.class == Class::Fragile);
        Verdict { hazards, fragile }
    }
}

/// What both operations touch of `object`, as the first one knows it.
fn shared(program: &Program, pair: [u32; 2], object: Place) -> SharedBytes {
    let touched = |index: u32| -> Vec<Region> {
        let Some(operation) = program.operations.get(index as usize) else { return Vec::new() };
        effects::writes(program, &operation.action).chain(effects::reads(program, &operation.action)).collect()
    };
    let [firsts, seconds] = pair.map(touched);
    let of_object = |region: &&Region| region.place == object;
    if !seconds.iter().any(|region| region.place == object) {
        let second_object = seconds.first().map(|region| name_of(program, region.place));
        return SharedBytes { range: None, second_object };
    }
    let ends = |region: &Region| (region.offset, region.offset.saturating_add(region.bytes));
    let both = |first: &Region| {
        let ((from, to), seconds) = (ends(first), seconds.iter().filter(of_object).map(ends));
        seconds.map(|(low, high)| (from.max(low), to.min(high))).find(|(from, to)| from < to)
    };
    SharedBytes { range: firsts.iter().filter(of_object).find_map(both), second_object: None }
}

/// The name of a tensor or buffer; what the program has no name for, such as what `.item()` reads into, says so.
pub(super) fn name_of(program: &Program, place: Place) -> String {
    let name = match place {
        Place::Device(tensor) => program.tensors.get(tensor.index()).map(|tensor| tensor.name.as_str()),
        Place::Host(buffer) => program.buffers.get(buffer.index()).map(|buffer| buffer.name.as_str()),
    };
    name.filter(|name| !name.is_empty()).unwrap_or(Lang::En.text(Key::NoName)).to_owned()
}

pub(super) fn stream_name(program: &Program, stream: StreamId) -> String {
    program.streams.get(stream.index()).map_or_else(String::new, |stream| stream.name.clone())
}

pub(super) fn thread_name(program: &Program, thread: ThreadId) -> String {
    match program.threads.get(thread.index()).map(|thread| thread.name.as_str()) {
        None | Some("") => Lang::En.text(Key::ThreadMain).to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// Whether an action touches memory by the host itself.
pub(super) fn is_host_access(action: &Action) -> bool {
    matches!(action, Action::ReadHost { .. } | Action::WriteHost { .. } | Action::HostAlloc { .. })
}

pub(super) fn what(first: &Access, second: &Access) -> Conflict {
    if first.by == By::Lifetime || second.by == By::Lifetime {
        return Conflict::Lifetime;
    }
    match (first.writes, second.writes) {
        (true, true) => Conflict::WriteWrite,
        (true, false) => Conflict::WriteRead,
        (false, true) => Conflict::ReadWrite,
        (false, false) => Conflict::ReadRead,
    }
}

pub(super) fn pair(first: &Access, second: &Access) -> Pair {
    [(first.operation, first.replay), (second.operation, second.replay)]
}

/// The class of a conflict, leaving graphs aside.
pub(super) fn class(first: &Access, second: &Access) -> Class {
    let lifetime = first.by == By::Lifetime || second.by == By::Lifetime;
    let host = first.by == By::Host || second.by == By::Host;
    let on_device = matches!(second.place, Place::Device(_));
    match (first.writes, second.writes) {
        _ if lifetime || (on_device && first.place != second.place) => Class::Reuse,
        (_, true) if host && second.by == By::Host => Class::HostWar,
        (true, false) if host => Class::HostRaw,
        _ if host => Class::HostWar,
        (true, false) => Class::Raw,
        (false, _) => Class::War,
        (true, true) => Class::Waw,
    }
}
