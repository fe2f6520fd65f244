//! The barrier of the legacy default stream (CUDA Runtime API, "Stream synchronization behavior").

use super::{EdgeKind, Node, Order};
use crate::program::cuda_error::CudaError;
use crate::program::{StreamId, StreamKind};

/// What the barrier has to know.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    /// Last work of the legacy default stream.
    pub last: Option<Node>,
    /// Blocking streams that hold something which that work has not waited for.
    pub open: Vec<StreamId>,
    /// Whether a blocking stream has ever had anything to do.
    pub has_blocking_work: bool,
}

impl Order {
    /// A stream holds something new.
    pub(super) fn note_work(&mut self, stream: StreamId) {
        if self.kind(stream) == StreamKind::Blocking
            && let Some(state) = self.streams.get_mut(stream.index())
            && !state.is_open
        {
            state.is_open = true;
            self.barrier.open.push(stream);
            self.barrier.has_blocking_work = true;
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
                let Self { barrier, streams, edges, .. } = self;
                barrier.open.sort_unstable();
                barrier.open.retain(|open| {
                    let Some(state) = streams.get_mut(open.index()) else { return false };
                    // What the legacy stream has waited for before, its own last work stands for.
                    let last = state.live.last.filter(|from| Some(*from) > barrier.last);
                    last.into_iter()
                        .chain(state.live.joined.nodes())
                        .for_each(|from| edges.add(from, EdgeKind::Legacy));
                    state.is_open = state.live.joined.nodes().next().is_some();
                    state.is_open
                });
            }
            StreamKind::Blocking => {
                let seen = self.streams.get(stream.index()).and_then(|state| state.legacy_seen);
                if let Some(from) = self.barrier.last.filter(|_| seen != self.barrier.last) {
                    self.edges.add(from, EdgeKind::Legacy);
                }
            }
        }
    }
}
