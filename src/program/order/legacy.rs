//! The barrier of the legacy default stream (CUDA Runtime API, "Stream synchronization behavior").

use super::{Edge, EdgeKind, Order};
use crate::program::cuda_error::CudaError;
use crate::program::{StreamId, StreamKind};

impl Order {
    /// Whether a blocking stream has ever had anything to do.
    pub(super) fn has_blocking_work(&self) -> bool {
        let mut streams = self.streams.iter().zip(&self.kinds);
        streams.any(|(state, kind)| *kind == StreamKind::Blocking && state.live.nodes().next().is_some())
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
