//! What is in order within one graph: its branches, and what comes before an event that it records.

use std::collections::BTreeMap;

use super::super::accesses::{Access, Accesses};
use super::super::clocks::{Clocks, Stamp};
use super::super::scene::Scene;
use super::super::{Missing, MissingEnd, MissingKind, findings};
use super::{Graph, Node, Touch};
use crate::program::StreamId;

/// Finds hazards between branches of one graph, which a replay runs now.
pub(super) fn judge(scene: &mut Scene<'_>, graph: &Graph) {
    let mut lanes: BTreeMap<u32, u32> = BTreeMap::new();
    let mut streams: Vec<StreamId> = Vec::new();
    for node in graph.nodes_now() {
        lanes.entry(node.line).or_insert_with(|| {
            streams.push(node.stream);
            streams.len() as u32 - 1
        });
    }
    if lanes.len() < 2 {
        return;
    }
    let mut clocks = Clocks::new(lanes.len());
    let mut accesses = Accesses::default();
    let mut stamps: Vec<Stamp> = Vec::with_capacity(graph.nodes.len());
    let mut met = Vec::new();
    for node in graph.nodes_now() {
        let lane = lanes.get(&node.line).copied().unwrap_or(0);
        let before: Vec<Stamp> = node.before.iter().filter_map(|it| stamps.get(*it as usize).copied()).collect();
        let base = clocks.join(&before);
        let stamp = Stamp { base, documented: base, lane, seq: clocks.next(lane) };
        stamps.push(stamp);
        for touch in &node.touches {
            let second = touch.by_node(node, stamp, (accesses.next(), scene.operation));
            met.clear();
            accesses.make(second, &mut met);
            for first in met.iter().filter(|first| !clocks.is_before(first.lane, first.seq, stamp)) {
                report(scene, &streams, first, &second);
            }
        }
    }
}

fn report(scene: &mut Scene<'_>, streams: &[StreamId], first: &Access, second: &Access) {
    let stream = |lane: u32| streams.get(lane as usize).copied().unwrap_or(StreamId::LEGACY);
    let end = |lane: u32| MissingEnd::stream(scene.program, stream(lane));
    let missing = Missing::new(MissingKind::Wait, end(first.lane), end(second.lane));
    let (class, what) = (findings::class(first, second), findings::what(first, second));
    scene.findings.add(scene.program, class, findings::pair(first, second), first.place, what, missing);
}

impl Touch {
    /// As an access of its node, with its number and the replay that it is a part of.
    fn by_node(&self, node: &Node, Stamp { lane, seq, .. }: Stamp, (at, replay): (u32, u32)) -> Access {
        let Self { start, end, place, writes, by } = *self;
        Access { lane, seq, at, operation: node.operation, replay: Some(replay), place, start, end, writes, by }
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
