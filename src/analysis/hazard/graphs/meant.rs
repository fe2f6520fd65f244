//! What a replay finds where something else was meant to be: memory given back, another owner, old contents.

use super::super::accesses::Access;
use super::super::judge::Judge;
use super::super::{Class, Conflict, Missing, MissingEnd, MissingKind};
use super::{Graph, Node, Touch};
use crate::kernel::{Elementwise, Kernel};
use crate::program::{Action, GraphId, KernelId, Place, StreamId};

impl Judge<'_> {
    /// Whether the bytes that a node touches are still what they were when it was captured. If not, that is reported.
    pub(super) fn is_as_meant(&mut self, id: GraphId, graph: &Graph, node: &Node, touch: &Touch, replay: u32) -> bool {
        let Some(life) = self.memory.life(touch.place).copied() else { return true };
        let this = (node.operation, Some(replay));
        let access = if touch.writes { Conflict::FreeWrite } else { Conflict::FreeRead };
        if let Some(ended) = life.ended_by.filter(|_| life.is_up_for_reuse && life.pool == 0) {
            match self.new_owner(touch, life.since).filter(|_| touch.writes) {
                Some(owner) => {
                    let missing = self.keep(id, touch.place);
                    let pair = [this, (owner.operation, owner.replay)];
                    self.findings.add(self.program, Class::Pool, pair, touch.place, Conflict::WriteOwned, missing);
                }
                None => {
                    // Whoever has the memory now may have written it.
                    let overwritten = self.foreign_write(touch, life.since).is_some();
                    let access = if overwritten { Conflict::OverwriteRead } else { access };
                    self.stale(id, [(ended, None), this], touch.place, access);
                }
            }
            return false;
        }
        if touch.writes {
            return true;
        }
        if let Some(other) = self.foreign_write(touch, life.since) {
            let pair = [(other.operation, other.replay), this];
            match life.pool {
                0 => self.stale(id, pair, touch.place, Conflict::WriteRead),
                _ => {
                    let missing = self.keep(id, touch.place);
                    self.findings.add(self.program, Class::Pool, pair, other.place, Conflict::WriteRead, missing);
                }
            }
            return false;
        }
        match graph.replayed {
            None => {
                if let Some(old) = self.warmed_up(node, touch, graph.captured_at) {
                    self.stale(id, [(old.operation, old.replay), this], touch.place, Conflict::WarmUpRead);
                }
            }
            Some((_, replayed_at)) => {
                if let Some(old) = self.left_from_before(touch, graph.captured_at, replayed_at) {
                    // What pads a batch does no harm in results that nobody looks at; in state that lasts it does.
                    let class =
                        if self.writes_lasting(node, graph.captured_at) { Class::Stale } else { Class::Fragile };
                    let (pair, missing) = ([(old.operation, old.replay), this], self.keep(id, touch.place));
                    self.findings.add(self.program, class, pair, touch.place, Conflict::WriteInPartRead, missing);
                }
            }
        }
        true
    }

    /// What `graph` uses has to stay as it is.
    pub(super) fn keep(&self, graph: GraphId, place: Place) -> Missing {
        let (from, to) = (MissingEnd::memory(self.program, place), MissingEnd::graph(self.program, graph));
        Missing::new(MissingKind::Keep, from, to)
    }

    /// An access to the same bytes by somebody who has them now.
    fn new_owner(&self, touch: &Touch, since: u32) -> Option<Access> {
        let foreign = |access: &&Access| access.place != touch.place && access.at > since;
        let cells = self.accesses.cells(touch.start, touch.end);
        cells.flat_map(|cell| cell.write.iter().chain(&cell.reads)).find(foreign).copied()
    }

    /// The last write of the same bytes, if another tensor made it after this one came.
    fn foreign_write(&self, touch: &Touch, since: u32) -> Option<Access> {
        let foreign = |access: &&Access| access.place != touch.place && access.at > since;
        self.accesses.cells(touch.start, touch.end).filter_map(|cell| cell.write.as_ref()).find(foreign).copied()
    }

    /// Of an input that was refreshed in part since the last replay, what still holds an earlier refresh.
    fn left_from_before(&self, touch: &Touch, captured_at: u32, replayed_at: u32) -> Option<Access> {
        let from_outside = |access: &&Access| access.replay.is_none() && access.at > captured_at;
        let cells = self.accesses.cells(touch.start, touch.end);
        let writes: Vec<&Access> = cells.filter_map(|cell| cell.write.as_ref()).filter(from_outside).collect();
        let (fresh, old): (Vec<&Access>, Vec<&Access>) = writes.iter().partition(|write| write.at > replayed_at);
        // A refresh of the same bytes that went further: what is only added to, as a cache is row by row, is no refresh.
        let went_further = |old: &&&Access| fresh.iter().any(|fresh| old.start < fresh.end && fresh.start < old.end);
        old.iter().find(went_further).map(|old| **old)
    }

    /// Whether a node writes memory that is no graph's own and held something before the capture, such as a cache.
    fn writes_lasting(&self, node: &Node, captured_at: u32) -> bool {
        let is_older = |access: &Access| access.at <= captured_at && access.replay.is_none();
        node.touches.iter().filter(|touch| touch.writes).any(|touch| {
            let is_private = self.memory.life(touch.place).is_some_and(|life| life.pool != 0);
            let was_filled = || self.memory.life(touch.place).is_some_and(|life| life.is_filled);
            let mut cells = self.accesses.cells(touch.start, touch.end);
            !is_private && (was_filled() || cells.any(|cell| cell.write.as_ref().is_some_and(is_older)))
        })
    }

    /// What a warm-up has added to in place by the same kernel before the capture, so that the first replay starts from there.
    fn warmed_up(&self, node: &Node, touch: &Touch, captured_at: u32) -> Option<Access> {
        let in_place = |other: &Touch| other.writes && other.place == touch.place && other.start == touch.start;
        let cell = self.accesses.cells(touch.start, touch.end).next()?;
        let write = cell.write.filter(|write| write.replay.is_none() && write.at <= captured_at)?;
        // A warm-up runs beside the program, as PyTorch's notes on graphs have it; what runs on the default stream is a step.
        let is_aside = match self.program.operations.get(write.operation as usize).map(|it| it.action) {
            Some(Action::Launch { stream, .. }) => stream != StreamId::LEGACY,
            _ => false,
        };
        let same = node.touches.iter().any(in_place) && self.same_launch(write.operation, node.operation);
        (is_aside && same).then_some(write)
    }

    fn same_launch(&self, first: u32, second: u32) -> bool {
        let launch = |index: u32| match self.program.operations.get(index as usize)?.action {
            Action::Launch { kernel, reads, writes, .. } if self.accumulates(kernel) => {
                Some((kernel, self.program.regions(reads), self.program.regions(writes)))
            }
            _ => None,
        };
        launch(first).is_some_and(|first| launch(second) == Some(first))
    }

    /// Whether running a kernel once too often shows: other kernels in place may be run for their time alone.
    fn accumulates(&self, kernel: KernelId) -> bool {
        match self.program.kernels.get(kernel.index()) {
            Some(Kernel::Elementwise { function, .. }) => {
                matches!(function, Elementwise::Add | Elementwise::AddScalar(_) | Elementwise::MulScalar(_))
            }
            _ => false,
        }
    }
}
