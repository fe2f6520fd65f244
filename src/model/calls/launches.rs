//! Work that is queued on a stream.

use super::super::host::Host;
use super::super::step::{Step, Until, Wait};
use super::super::task::{TaskId, TaskKind};
use crate::program::cuda_error::CudaError;
use crate::program::order::{Enqueued, Refusal};
use crate::program::{KernelId, StreamId};
use crate::recording::SpanKind;
use crate::text::Key;
use crate::time::Ns;

impl Host<'_> {
    pub(super) fn launch(&mut self, kernel: KernelId, stream: StreamId) -> Result<Step, Refusal> {
        let Some(cost) = self.costs.of(self.program, self.profile, kernel) else { return Ok(Step::Done) };
        // The driver refuses it (CUDA Driver API, `cuLaunchKernel`); the model would wait for ever for room.
        if !self.profile.gpu.has_room_for(&cost.grid) {
            return Err(CudaError::LaunchOutOfResources.into());
        }
        let call_us = self.profile.calls.launch_us * f64::from(cost.kernels);
        self.queue(stream, TaskKind::Kernel(cost), call_us)
    }

    /// Queues work on a stream, when its queue has room.
    pub(super) fn queue(&mut self, stream: StreamId, kind: TaskKind, call_us: f64) -> Result<Step, Refusal> {
        match self.wait_for_room(stream) {
            Some(wait) => Ok(wait),
            None => self.enqueue(stream, kind, call_us).map(|_| Step::Done),
        }
    }

    /// Queues work on a stream: into a graph, or for the GPU. Returns the task in the latter case.
    pub(super) fn enqueue(
        &mut self,
        stream: StreamId,
        kind: TaskKind,
        call_us: f64,
    ) -> Result<Option<TaskId>, Refusal> {
        let task = match self.gpu.order.enqueue(stream)? {
            Enqueued::Captured(graph, _) => {
                self.gpu.graphs.add(graph, self.thread.operation(), stream, kind, self.gpu.order.edges());
                self.spend(SpanKind::Call, self.profile.calls.capture_node_us);
                None
            }
            Enqueued::Live(_) => {
                self.spend(SpanKind::Call, call_us);
                let issue = self.issue();
                self.gpu.look_for_fault(issue.operation);
                let visible = issue.at + Ns::from_us(self.profile.latencies.launch_us);
                Some(self.gpu.submit(kind, stream, issue, visible))
            }
        };
        self.thread.host_time.launched(self.thread.now);
        Ok(task)
    }

    /// A full queue makes the call wait until the GPU has taken something from it.
    pub(super) fn wait_for_room(&mut self, stream: StreamId) -> Option<Step> {
        if self.gpu.has_room(stream) || self.gpu.order.capturing(stream).is_some() {
            return None;
        }
        let name = self.words(Key::NameQueueFull);
        Some(Step::Wait(Wait { until: Until::Room(stream), name, wake_us: 0.0 }))
    }
}
