//! Work that ran while a graph was captured and is not in it, though the graph works on what it wrote.

use super::super::scene::Scene;
use super::super::{Class, Conflict};
use super::{Node, Touch, meant};
use crate::program::{GraphId, Place, ThreadId};

/// What work wrote that ran while a graph was captured and is not in it.
#[derive(Clone, Debug)]
pub(super) struct Write {
    operation: u32,
    start: u64,
    end: u64,
    place: Place,
}

/// All of it, by the graph that is being captured.
#[derive(Debug, Default)]
pub(super) struct Uncaptured(Vec<(GraphId, Write)>);

impl Uncaptured {
    /// Work wrote on a stream that does not capture while `thread` captures on another. What work only reads, a graph can do
    /// without.
    pub fn note(&mut self, scene: &Scene<'_>, thread: ThreadId, (start, end): (u64, u64), place: Place) {
        let operation = scene.operation;
        let write = |graph: GraphId| (graph, Write { operation, start, end, place });
        self.0.extend(scene.course.order.captures_of(thread).map(write));
    }

    /// What was written during the capture of `graph`, which is over.
    pub fn take(&mut self, graph: GraphId) -> Vec<Write> {
        self.0.extract_if(.., |(of, _)| *of == graph).map(|(_, write)| write).collect()
    }
}

/// The capture of `graph` gave these nodes: which of them touch what was written beside them?
pub(super) fn report(scene: &mut Scene<'_>, graph: GraphId, writes: &[Write], nodes: &[Node]) {
    for write in writes {
        let meets = |touch: &&Touch| touch.start < write.end && write.start < touch.end;
        let met = nodes.iter().find_map(|node| Some((node, node.touches.iter().find(meets)?)));
        let Some((node, touch)) = met else { continue };
        for node in nodes.iter().filter(|node| node.touches.iter().any(|touch| meets(&touch))) {
            scene.findings.tear(write.operation, node.operation);
        }
        let access = if touch.writes { Conflict::AccessAccess } else { Conflict::WriteRead };
        let missing = meant::keep(scene, graph, write.place);
        let pair = [(write.operation, None), (node.operation, None)];
        scene.findings.add(scene.program, Class::Uncaptured, pair, write.place, access, missing);
    }
}
