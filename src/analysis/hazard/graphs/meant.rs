//! What a replay finds where something else was meant to be: memory given back, another owner, old contents.

use super::super::accesses::Access;
use super::super::scene::Scene;
use super::super::{Class, Conflict, Missing, MissingEnd, MissingKind};
use super::{Graph, Node, Touch};
use crate::kernel::{Elementwise, Kernel};
use crate::program::{Action, GraphId, KernelId, Place, StreamId};

/// Whether the bytes that a node touches are still what they were when it was captured. If not, that is reported.
pub(super) fn is_as_meant(
    scene: &mut Scene<'_>,
    id: GraphId,
    graph: &Graph,
    node: &Node,
    touch: &Touch,
    replay: u32,
) -> bool {
    let Some(life) = scene.memory.lives.get(touch.place).copied() else { return true };
    let this = (node.operation, Some(replay));
    let access = if touch.writes { Conflict::FreeWrite } else { Conflict::FreeRead };
    if let Some(ended) = life.ended_by.filter(|_| life.is_up_for_reuse && life.pool == 0) {
        match new_owner(scene, touch, life.since).filter(|_| touch.writes) {
            Some(owner) => {
                let missing = keep(scene, id, touch.place);
                let pair = [this, (owner.operation, owner.replay)];
                scene.findings.add(scene.program, Class::Pool, pair, touch.place, Conflict::WriteOwned, missing);
            }
            None => {
                // Whoever has the memory now may have written it.
                let overwritten = foreign_write(scene, touch, life.since).is_some();
                let access = if overwritten { Conflict::OverwriteRead } else { access };
                stale(scene, id, [(ended, None), this], touch.place, access);
            }
        }
        return false;
    }
    if touch.writes {
        return true;
    }
    if let Some(other) = foreign_write(scene, touch, life.since) {
        let pair = [(other.operation, other.replay), this];
        match life.pool {
            0 => stale(scene, id, pair, touch.place, Conflict::WriteRead),
            _ => {
                let missing = keep(scene, id, touch.place);
                scene.findings.add(scene.program, Class::Pool, pair, other.place, Conflict::WriteRead, missing);
            }
        }
        return false;
    }
    match graph.replayed {
        None => {
            if let Some(old) = warmed_up(scene, node, touch, graph.captured_at) {
                stale(scene, id, [(old.operation, old.replay), this], touch.place, Conflict::WarmUpRead);
            }
        }
        Some((_, replayed_at)) => {
            if let Some(old) = left_from_before(scene, touch, graph.captured_at, replayed_at) {
                // What pads a batch does no harm in results that nobody looks at; in state that lasts it does.
                let class = if writes_lasting(scene, node, graph.captured_at) { Class::Stale } else { Class::Fragile };
                let (pair, missing) = ([(old.operation, old.replay), this], keep(scene, id, touch.place));
                scene.findings.add(scene.program, class, pair, touch.place, Conflict::WriteInPartRead, missing);
            }
        }
    }
    true
}

/// What `graph` uses has to stay as it is.
pub(super) fn keep(scene: &Scene<'_>, graph: GraphId, place: Place) -> Missing {
    let (from, to) = (MissingEnd::memory(scene.program, place), MissingEnd::graph(scene.program, graph));
    Missing::new(MissingKind::Keep, from, to)
}

/// What `graph` finds is out of date.
pub(super) fn stale(scene: &mut Scene<'_>, graph: GraphId, pair: super::super::Pair, place: Place, access: Conflict) {
    let missing = keep(scene, graph, place);
    scene.findings.add(scene.program, Class::Stale, pair, place, access, missing);
}

/// An access to the same bytes by somebody who has them now.
fn new_owner(scene: &Scene<'_>, touch: &Touch, since: u32) -> Option<Access> {
    let foreign = |access: &&Access| access.place != touch.place && access.at > since;
    let all = scene.accesses.all(touch.start, touch.end).filter(foreign);
    all.min_by_key(|access| (access.start.max(touch.start), access.at)).copied()
}

/// The last write of the same bytes, if another tensor made it after this one came.
fn foreign_write(scene: &Scene<'_>, touch: &Touch, since: u32) -> Option<Access> {
    let foreign = |access: &&Access| access.place != touch.place && access.at > since;
    scene.accesses.writes(touch.start, touch.end).find(foreign).copied()
}

/// Of an input that was refreshed in part since the last replay, what still holds an earlier refresh.
fn left_from_before(scene: &Scene<'_>, touch: &Touch, captured_at: u32, replayed_at: u32) -> Option<Access> {
    let from_outside = |access: &&Access| access.replay.is_none() && access.at > captured_at;
    let writes = scene.accesses.writes(touch.start, touch.end).filter(from_outside);
    let (mut fresh, old): (Vec<&Access>, Vec<&Access>) = writes.partition(|write| write.at > replayed_at);
    fresh.sort_by_key(|fresh| fresh.start);
    // How far those go that start no later than each.
    let furthest = |known: &mut u64, fresh: &&Access| {
        *known = (*known).max(fresh.end);
        Some(*known)
    };
    let ends: Vec<u64> = fresh.iter().scan(0, furthest).collect();
    // A refresh of the same bytes that went further: what is only added to, as a cache is row by row, is no refresh.
    let went_further = |old: &&&Access| {
        let before = fresh.partition_point(|fresh| fresh.start < old.end);
        before.checked_sub(1).and_then(|last| ends.get(last)).is_some_and(|end| *end > old.start)
    };
    old.iter().find(went_further).map(|old| **old)
}

/// Whether a node writes memory that is no graph's own and held something before the capture, such as a cache.
fn writes_lasting(scene: &Scene<'_>, node: &Node, captured_at: u32) -> bool {
    let is_older = |access: &Access| access.at <= captured_at && access.replay.is_none();
    node.touches.iter().filter(|touch| touch.writes).any(|touch| {
        let is_private = scene.memory.lives.get(touch.place).is_some_and(|life| life.pool != 0);
        let was_filled = || scene.memory.lives.get(touch.place).is_some_and(|life| life.is_filled);
        !is_private && (was_filled() || scene.accesses.writes(touch.start, touch.end).any(is_older))
    })
}

/// What a warm-up has added to in place by the same kernel before the capture, so that the first replay starts from there.
fn warmed_up(scene: &Scene<'_>, node: &Node, touch: &Touch, captured_at: u32) -> Option<Access> {
    let in_place = |other: &Touch| other.writes && other.place == touch.place && other.start == touch.start;
    let first = scene.accesses.writes(touch.start, touch.end).next()?;
    let write = Some(*first).filter(|write| write.replay.is_none() && write.at <= captured_at)?;
    // A warm-up runs beside the program, as PyTorch's notes on graphs have it; what runs on the default stream is a step.
    let is_aside = match scene.program.operations.get(write.operation as usize).map(|it| it.action) {
        Some(Action::Launch { stream, .. }) => stream != StreamId::LEGACY,
        _ => false,
    };
    let same = node.touches.iter().any(in_place) && same_launch(scene, write.operation, node.operation);
    (is_aside && same).then_some(write)
}

fn same_launch(scene: &Scene<'_>, first: u32, second: u32) -> bool {
    let launch = |index: u32| match scene.program.operations.get(index as usize)?.action {
        Action::Launch { kernel, reads, writes, .. } if accumulates(scene, kernel) => {
            Some((kernel, scene.program.regions(reads), scene.program.regions(writes)))
        }
        _ => None,
    };
    launch(first).is_some_and(|first| launch(second) == Some(first))
}

/// Whether running a kernel once too often shows: other kernels in place may be run for their time alone.
fn accumulates(scene: &Scene<'_>, kernel: KernelId) -> bool {
    match scene.program.kernels.get(kernel.index()) {
        Some(Kernel::Elementwise { function, .. }) => {
            matches!(function, Elementwise::Add | Elementwise::AddScalar(_) | Elementwise::MulScalar(_))
        }
        _ => false,
    }
}
