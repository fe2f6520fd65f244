//! Calls that wait: for the GPU, for an event, for another thread; and calls that only ask.

use super::super::host::Host;
use super::super::step::{Step, Until, Wait};
use super::super::task::TaskKind;
use crate::program::cuda_error::CudaError;
use crate::program::effects::{self, Returns};
use crate::program::order::{Enqueued, Refusal};
use crate::program::{Action, EventId, StreamId, ThreadId, VariableId};
use crate::recording::SpanKind;
use crate::time::Ns;

impl Host<'_> {
    fn event_cost(&self, event: EventId) -> (f64, Ns) {
        let timing = self.program.events.get(event.index()).is_some_and(|event| event.timing);
        match timing {
            true => (self.profile.calls.record_timing_us, Ns::from_us(self.profile.latencies.timing_event_us)),
            false => (self.profile.calls.record_us, Ns::ZERO),
        }
    }

    pub(super) fn record(&mut self, event: EventId, stream: StreamId, external: bool) -> Result<Step, Refusal> {
        if external {
            return self.record_as_node(event, stream);
        }
        let (call_us, dur) = self.event_cost(event);
        if let Some(wait) = self.wait_for_room(stream) {
            return Ok(wait);
        }
        let node = self.gpu.order.record(event, stream, false)?;
        self.spend(SpanKind::Call, call_us);
        if node.is_some() {
            if let Some(stamp) = self.gpu.device.stamps.get_mut(event.index()) {
                *stamp = None;
            }
            let visible = self.thread.now + Ns::from_us(self.profile.latencies.launch_us);
            let issue = self.issue();
            self.gpu.submit(TaskKind::Record { event: Some(event), dur }, stream, issue, visible);
            self.thread.host_time.launched(self.thread.now);
        }
        Ok(Step::Done)
    }

    fn record_as_node(&mut self, event: EventId, stream: StreamId) -> Result<Step, Refusal> {
        let (_, dur) = self.event_cost(event);
        let dur = if dur > Ns::ZERO { Ns::from_us(self.profile.latencies.graph_timing_event_us) } else { dur };
        if let Some(Enqueued::Captured(graph, _)) = self.gpu.order.record(event, stream, true)? {
            let kind = TaskKind::Record { event: Some(event), dur };
            self.gpu.graphs.add(graph, self.thread.operation(), stream, kind, self.gpu.order.edges());
        }
        self.spend(SpanKind::Call, self.profile.calls.capture_node_us);
        Ok(Step::Done)
    }

    pub(super) fn wait_event(&mut self, event: EventId, stream: StreamId, external: bool) -> Result<(), Refusal> {
        if !external {
            let barrier = self.gpu.order.wait(event, stream, false)?;
            self.spend(SpanKind::Call, self.profile.calls.wait_us);
            if barrier.is_some() {
                let issue = self.issue();
                self.gpu.submit(TaskKind::Record { event: None, dur: Ns::ZERO }, stream, issue, issue.at);
                self.thread.host_time.launched(self.thread.now);
            }
            return Ok(());
        }
        if let Some(Enqueued::Captured(graph, _)) = self.gpu.order.wait(event, stream, true)? {
            let kind = TaskKind::Record { event: None, dur: Ns::ZERO };
            self.gpu.graphs.add(graph, self.thread.operation(), stream, kind, self.gpu.order.edges());
        }
        self.spend(SpanKind::Call, self.profile.calls.capture_node_us);
        Ok(())
    }

    pub(super) fn synchronize(&mut self, part: u8, action: &Action) -> Result<Step, Refusal> {
        if part > 0 {
            return Ok(Step::Done);
        }
        let (calls, latencies) = (&self.profile.calls, &self.profile.latencies);
        let (nodes, call_us, wake_us) = match effects::returns(action, 0) {
            Returns::DeviceDone => (self.gpu.order.device_frontier(), calls.device_sync_us, latencies.wake_us),
            Returns::StreamDone(stream) => {
                (self.gpu.order.stream_frontier(stream), calls.stream_sync_us, latencies.wake_us)
            }
            Returns::EventDone(event) => {
                let sleeps = self.program.events.get(event.index()).is_some_and(|event| event.blocking_sync);
                let wake_us = if sleeps { latencies.sleep_wake_us } else { latencies.wake_us };
                (self.gpu.order.event_node(event)?.into_iter().collect(), calls.event_sync_us, wake_us)
            }
            Returns::AtOnce | Returns::Staged | Returns::CopyDone => return Ok(Step::Done),
            Returns::ThreadDone(_) | Returns::Signalled(_) => return Ok(Step::Done),
        };
        let entered = self.thread.call.enter;
        self.spend(SpanKind::Call, call_us);
        // What was over before the call is nothing to wake up from.
        let open = self.gpu.open_tasks(nodes, entered);
        Ok(if open.is_empty() { Step::Done } else { self.wait_for(open, wake_us) })
    }

    pub(super) fn await_thread(&mut self, part: u8, action: &Action) -> Step {
        let until = match effects::returns(action, 0) {
            Returns::ThreadDone(thread) => Until::Thread(thread),
            Returns::Signalled(signal) => Until::Signal(signal),
            _ => return Step::Done,
        };
        match part {
            0 => Step::Wait(Wait { until, name: self.thread.call.name, wake_us: 0.0 }),
            _ => Step::Done,
        }
    }

    pub(super) fn start_thread(&mut self, thread: ThreadId) {
        self.spend(SpanKind::Work, 0.0);
        self.threads.start(thread, self.thread.now);
    }

    pub(super) fn query(&mut self, event: EventId, into: Option<VariableId>) -> Result<(), Refusal> {
        let nodes: Vec<_> = self.gpu.order.event_node(event)?.into_iter().collect();
        let done = self.gpu.open_tasks(nodes, self.thread.now).is_empty();
        self.spend(SpanKind::Call, self.profile.calls.query_us);
        into.into_iter().for_each(|into| self.results.set(into, f64::from(u8::from(done))));
        Ok(())
    }

    pub(super) fn query_stream(&mut self, stream: StreamId, into: Option<VariableId>) {
        let done = self.gpu.open_tasks(self.gpu.order.stream_frontier(stream), self.thread.now).is_empty();
        self.spend(SpanKind::Call, self.profile.calls.query_us);
        into.into_iter().for_each(|into| self.results.set(into, f64::from(u8::from(done))));
    }

    /// `cudaEventElapsedTime`: 400 without timing or record, 600 before both are complete.
    pub(super) fn elapsed(&mut self, start: EventId, end: EventId) -> Result<Ns, Refusal> {
        let mut times = [Ns::ZERO; 2];
        for (time, event) in times.iter_mut().zip([start, end]) {
            let timing = self.program.events.get(event.index()).is_some_and(|event| event.timing);
            let node = self.gpu.order.event_node(event)?;
            if !timing || node.is_none() {
                return Err(CudaError::InvalidResourceHandle.into());
            }
            let stamp = self.gpu.device.stamps.get(event.index()).copied().flatten();
            *time = stamp.filter(|stamp| *stamp <= self.thread.now).ok_or(CudaError::NotReady)?;
        }
        let [from, to] = times;
        Ok(to - from)
    }
}
