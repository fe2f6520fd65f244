//! What is in order within one graph: its branches, and what comes before an event that it records.

use std::collections::BTreeMap;

use super::super::accesses::{Access, Accesses};
use super::super::clocks::{Clocks, Stamp};
use super::super::judge::Judge;
use super::super::{Missing, MissingEnd, MissingKind, findings};
use super::{Graph, Node};
use crate::program::StreamId;

impl Judge<'_> {
    /// Hazards between branches of one graph.
    pub(super) fn judge_within(&mut self, graph: &Graph) {
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        let mut names: BTreeMap<u32, StreamId> = BTreeMap::new();
        for node in graph.nodes_now() {
            let next = lines.len() as u32;
            names.entry(*lines.entry(node.line).or_insert(next)).or_insert(node.stream);
        }
        if lines.len() < 2 {
            return;
        }
        let mut clocks = Clocks::new(lines.len());
        let mut accesses = Accesses::default();
        let mut stamps: Vec<Stamp> = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes_now() {
            let lane = lines.get(&node.line).copied().unwrap_or(0);
            let mut before: Vec<Stamp> =
                node.before.iter().filter_map(|it| stamps.get(*it as usize).copied()).collect();
            before.push(Clocks::at(Clocks::START));
            let base = clocks.join(&before);
            let stamp = Stamp { base, documented: base, lane, seq: clocks.next(lane) };
            stamps.push(stamp);
            for touch in &node.touches {
                let (at, operation) = (stamps.len() as u32, node.operation);
                let second = Access {
                    lane,
                    seq: stamp.seq,
                    at,
                    operation,
                    replay: Some(self.operation),
                    place: touch.place,
                    start: touch.start,
                    end: touch.end,
                    writes: touch.writes,
                    by: touch.by,
                };
                let mut met = Vec::new();
                accesses.make(touch.start, touch.end, second, |first| met.push(*first));
                for first in met.iter().filter(|first| !clocks.is_before(first.lane, first.seq, stamp)) {
                    let name = |lane: u32| names.get(&lane).copied().unwrap_or(StreamId::LEGACY);
                    let end = |lane: u32| MissingEnd::stream(self.program, name(lane));
                    let missing = Missing::new(MissingKind::Wait, end(first.lane), end(lane));
                    let class = findings::class(first, &second);
                    let what = findings::what(first, &second);
                    self.findings.add(self.program, class, findings::pair(first, &second), first.place, what, missing);
                }
            }
        }
    }
}

/// For each node the first of `records` that comes after it; as many as there are for one that none comes after.
pub(super) fn parts(nodes: &[Node], records: &[u32]) -> Vec<u32> {
    if records.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![records.len() as u32; nodes.len()];
    for (part, record) in records.iter().enumerate().rev() {
        let mut open = vec![*record];
        while let Some(node) = open.pop() {
            let Some(known) = parts.get_mut(node as usize) else { continue };
            if *known != part as u32 {
                *known = part as u32;
                open.extend(nodes.get(node as usize).into_iter().flat_map(|node| &node.before));
            }
        }
    }
    parts
}
