//! The barrier of the legacy default stream (CUDA Runtime API, "Stream synchronization behavior").

use super::{Edge, EdgeKind, Node, Order};
use crate::program::cuda_error::CudaError;
use crate::program::{StreamId, StreamKind};

impl Order {
    /// A wait on the legacy default stream is a barrier like work there: it comes after all work of the blocking streams, and
    /// they go on after it (CUDA Runtime API, "Stream synchronization behavior").
    pub(super) fn legacy_wait(&mut self, node: Node) {
        let mut before: Vec<Node> = vec![node];
        for (state, kind) in self.streams.iter().zip(&self.kinds) {
            if *kind != StreamKind::NonBlocking {
                before.extend(state.live.nodes());
            }
        }
        for (state, kind) in self.streams.iter_mut().zip(&self.kinds) {
            if *kind != StreamKind::NonBlocking {
                before.iter().for_each(|node| state.live.join(*node, EdgeKind::Legacy));
            }
        }
    }

    /// Work of the legacy default stream would wait for a blocking stream that captures.
    pub(super) fn check_legacy(&mut self, stream: StreamId) -> Result<(), CudaError> {
        if self.kind(stream) != StreamKind::Legacy || self.captures.is_empty() {
            return Ok(());
        }
        let blocking = self.kinds.iter().zip(&self.streams).find_map(|(kind, state)| {
            let (graph, _) = state.capture.as_ref()?;
            (*kind == StreamKind::Blocking).then_some(*graph)
        });
        match blocking {
            Some(graph) => {
                self.invalidate(graph);
                Err(CudaError::StreamCaptureImplicit)
            }
            None => Ok(()),
        }
    }

    /// Work of the legacy default stream waits for all blocking streams; work of a blocking stream for its last work.
    pub(super) fn legacy_edges(&mut self, stream: StreamId) {
        match self.kind(stream) {
            StreamKind::NonBlocking => {}
            StreamKind::Legacy => {
                for (state, kind) in self.streams.iter().zip(&self.kinds) {
                    if *kind != StreamKind::Blocking {
                        continue;
                    }
                    // What the legacy stream has waited for before, its own last work stands for.
                    let last = state.live.last.filter(|from| Some(*from) > self.legacy_last);
                    for from in last.into_iter().chain(state.live.joined.iter().map(|edge| edge.from)) {
                        if self.edges.iter().all(|edge| edge.from != from) {
                            self.edges.push(Edge { from, kind: EdgeKind::Legacy });
                        }
                    }
                }
            }
            StreamKind::Blocking => {
                let seen = self.streams.get(stream.index()).and_then(|state| state.legacy_seen);
                if let Some(from) = self.legacy_last.filter(|_| seen != self.legacy_last)
                    && self.edges.iter().all(|edge| edge.from != from)
                {
                    self.edges.push(Edge { from, kind: EdgeKind::Legacy });
                }
            }
        }
    }
}
