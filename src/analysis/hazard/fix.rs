//! A hazard's fix: the edge that is missing, as an edit of the scenario.

use super::{Hazard, MissingEnd, MissingEndKind, MissingKind};
use crate::document::{Edit, Slot};
use crate::program::lower;
use crate::scenario::path::StatementPath;
use crate::scenario::statement::{memory, stream};
use crate::scenario::{Knobs, Name, Scenario, Statement, StatementTag};

/// Statements that give memory back.
const RELEASES: [StatementTag; 4] =
    [StatementTag::Drop, StatementTag::RawFree, StatementTag::FreeAsync, StatementTag::FreeHost];

/// The edit that puts the missing edge of `hazard` into `scenario`; `None` where there is no one edge that would do, as for
/// work that belongs inside a capture.
pub fn fix(scenario: &Scenario, hazard: &Hazard) -> Option<Edit> {
    let edit = edge(scenario, hazard)?;
    let mut fixed = scenario.clone();
    edit.clone().apply(&mut fixed).ok()?;
    // An edge may have ends that have no name in the scenario.
    lower(&fixed, &Knobs::defaults(&fixed.knobs)).ok().map(|_| edit)
}

fn edge(scenario: &Scenario, hazard: &Hazard) -> Option<Edit> {
    let missing = &hazard.missing;
    let first = || hazard.first.path.parse::<StatementPath>().ok();
    let (at, statement) = match missing.kind {
        MissingKind::Wait => {
            let (other, waiting) = (stream_of(&missing.from)?, stream_of(&missing.to)?);
            let wait = stream::WaitStream { other, stream: Some(waiting) };
            (before_loops(scenario, hazard)?, Statement::WaitStream(wait))
        }
        MissingKind::Sync => {
            let synchronize = stream::Synchronize { stream: Some(stream_of(&missing.from)?), event: None };
            (before_loops(scenario, hazard)?, Statement::Synchronize(synchronize))
        }
        MissingKind::RecordStream => {
            let (tensor, stream) = (Name::parse(&missing.from.name).ok()?, stream_of(&missing.to)?);
            let record = memory::RecordStream { tensor, stream: Some(stream) };
            (first()?, Statement::RecordStream(record))
        }
        // The statement goes that gave memory back which is still used.
        MissingKind::Keep => return first().filter(|at| RELEASES.contains(&at.tag)).map(|at| Edit::Remove { at }),
    };
    Some(Edit::Insert { to: Slot::of(&at), statement: Box::new(statement) })
}

/// The name of a stream; `None` for what is not one, which no one statement waits for.
fn stream_of(end: &MissingEnd) -> Option<Name> {
    match end.what {
        MissingEndKind::Stream(_) => Name::parse(&end.name).ok(),
        MissingEndKind::Thread(_) | MissingEndKind::Memory(_) | MissingEndKind::Graph(_) => None,
    }
}

/// Where the second operation waits: before the outermost loop that the first is not in, so that it waits once.
fn before_loops(scenario: &Scenario, hazard: &Hazard) -> Option<StatementPath> {
    let (first, second) = (&hazard.first, &hazard.second);
    let mut found: StatementPath = second.path.parse().ok()?;
    // What a graph holds runs where it is replayed, and another thread in its own time: neither is seen from the path.
    if first.thread != second.thread || uses(scenario, StatementTag::Replay) {
        return Some(found);
    }
    // The end of the setup is not a statement, and stands in no loop.
    let first: Option<StatementPath> = first.path.parse().ok();
    let holds_first = |outer: &StatementPath| first.as_ref().is_some_and(|first| outer.holds(first));
    let mut outer = found.list.owner();
    while let Some(around) = outer.filter(|outer| !holds_first(outer)) {
        outer = around.list.owner();
        if around.tag == StatementTag::Repeat {
            found = around;
        } else if around.tag != StatementTag::On {
            break;
        }
    }
    Some(found)
}

/// Whether a statement with that tag stands anywhere.
fn uses(scenario: &Scenario, tag: StatementTag) -> bool {
    let mut uses = false;
    scenario.walk(|path, _| uses |= path.tag == tag);
    uses
}
