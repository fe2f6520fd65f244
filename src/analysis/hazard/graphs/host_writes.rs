//! Buffers that the host wrote while a graph was captured: replays do not repeat that.

use std::collections::HashMap;

use super::super::Conflict;
use super::super::scene::Scene;
use super::meant;
use crate::program::{BufferId, GraphId, Place, Region, ThreadId};

/// The host wrote to a buffer while a graph was captured.
#[derive(Clone, Copy, Debug)]
struct HostWrite {
    operation: u32,
    graph: GraphId,
    offset: u64,
    bytes: u64,
    /// Number of the access.
    at: u32,
}

/// The last such write of each buffer.
#[derive(Debug, Default)]
pub(super) struct HostWrites(HashMap<BufferId, HostWrite>);

impl HostWrites {
    /// `thread` has just written a buffer.
    pub fn note(&mut self, scene: &Scene<'_>, thread: ThreadId, region: &Region) {
        let Place::Host(buffer) = region.place else { return };
        match scene.course.order.captures_of(thread).next() {
            Some(graph) => {
                let (operation, at) = (scene.operation, scene.accesses.issued());
                let write = HostWrite { operation, graph, offset: region.offset, bytes: region.bytes, at };
                self.0.insert(buffer, write);
            }
            None => {
                self.0.remove(&buffer);
            }
        }
    }

    /// The host reads a buffer. `replayed_at` says of a graph when it was replayed last, as the number of an access.
    pub fn report(&self, scene: &mut Scene<'_>, region: &Region, replayed_at: impl Fn(GraphId) -> Option<u32>) {
        let Place::Host(buffer) = region.place else { return };
        let Some(write) = self.0.get(&buffer) else { return };
        let is_replayed = replayed_at(write.graph).is_some_and(|replayed_at| replayed_at >= write.at);
        if is_replayed && write.offset < region.offset + region.bytes && region.offset < write.offset + write.bytes {
            let pair = [(write.operation, None), (scene.operation, None)];
            meant::stale(scene, write.graph, pair, region.place, Conflict::WriteOnceRead);
        }
    }
}
