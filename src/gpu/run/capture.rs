//! Captures, executable graphs, and replays.

use super::super::driver::{Arguments, CaptureMode, Code, Executable, Graph, LaunchShape};
use super::super::slots;
use super::{Failure, Replay, Run};
use crate::program::{GraphId, StreamId};
use crate::scenario::HostOverhead;

/// Most blocks of the kernel that copies the slots of a replay away, and their threads; each thread copies 16 bytes at a time.
const MOST_COLLECTORS: u64 = 128;
const COLLECTOR_THREADS: u32 = 256;

/// A captured graph, as far as it got.
#[derive(Debug)]
pub(super) struct Captured {
    /// Index of the operation that began the capture.
    begin: usize,
    graph: Option<Graph>,
    executable: Option<Executable>,
    replays: u32,
}

impl Run<'_> {
    pub(super) fn begin_capture(
        &mut self,
        index: usize,
        graph: GraphId,
        stream: StreamId,
        mode: CaptureMode,
    ) -> Result<(), Failure> {
        self.stream(stream)?.begin_capture(mode)?;
        self.capturing += 1;
        self.open_graph = Some(graph);
        if let Some(place) = self.graphs.get_mut(graph.index()) {
            *place = Some(Captured { begin: index, graph: None, executable: None, replays: 0 });
        }
        Ok(())
    }

    pub(super) fn end_capture(&mut self, graph: GraphId, stream: StreamId) -> Result<(), Failure> {
        self.collect(graph, stream);
        let ended = self.stream(stream)?.end_capture();
        // 401: the stream was not capturing, and a capture elsewhere lives on.
        if ended.as_ref().err() != Some(&Code(401)) {
            self.capturing = self.capturing.saturating_sub(1);
        }
        match (ended, self.graphs.get_mut(graph.index())) {
            (Ok(captured), Some(Some(place))) => place.graph = Some(captured),
            (Ok(_), _) => {}
            (Err(code), place) => {
                if let Some(place) = place.filter(|_| code != Code(401)) {
                    *place = None;
                }
                return Err(code.into());
            }
        }
        Ok(())
    }

    /// The last node of a traced graph: it copies what the blocks of this replay have written away. What goes wrong here is
    /// no error of the program.
    fn collect(&self, graph: GraphId, stream: StreamId) {
        let begin = self.graphs.get(graph.index()).and_then(Option::as_ref).map(|captured| captured.begin);
        let Some(capture) = begin.and_then(|begin| self.slots?.captures.get(&begin)) else { return };
        let (Ok(stream), Some(slots), Ok(collect)) =
            (self.stream(stream), self.slots, self.session.function("collect"))
        else {
            return;
        };
        if capture.count == 0 || capture.replays == 0 || !stream.is_capturing() {
            return;
        }
        let words = u64::from(capture.count) * slots::BYTES / 16;
        let mut arguments = Arguments::new();
        arguments.push(slots.address(capture.first));
        arguments.push(capture.history.address());
        arguments.push(words);
        arguments.push(capture.counter.address());
        arguments.push(capture.counter.address() + 4);
        arguments.push(u64::from(capture.replays));
        let blocks = words.div_ceil(u64::from(COLLECTOR_THREADS)).clamp(1, MOST_COLLECTORS) as u32;
        let shape = LaunchShape { grid: [blocks, 1, 1], threads: COLLECTOR_THREADS, shared_bytes: 0 };
        let _collected = collect.launch(&shape, stream, &mut arguments);
    }

    /// A capture that failed has said so already: what depends on it is skipped.
    pub(super) fn instantiate(&mut self, graph: GraphId) -> Result<(), Failure> {
        let Some(Some(captured)) = self.graphs.get_mut(graph.index()) else { return Ok(()) };
        let Some(graph) = &captured.graph else { return Ok(()) };
        // As PyTorch asks for it (`aten/src/ATen/cuda/CUDAGraph.cpp`).
        let as_pytorch = self.program.host == HostOverhead::Pytorch;
        captured.executable = Some(graph.instantiate(as_pytorch)?);
        Ok(())
    }

    pub(super) fn destroy_graph(&mut self, graph: GraphId) -> Result<(), Failure> {
        if let Some(Some(captured)) = self.graphs.get_mut(graph.index()) {
            if let Some(executable) = &mut captured.executable {
                executable.destroy()?;
            }
            captured.executable = None;
        }
        Ok(())
    }

    pub(super) fn replay(&mut self, index: usize, graph: GraphId, stream: StreamId) -> Result<(), Failure> {
        let Some(Some(captured)) = self.graphs.get(graph.index()) else { return Ok(()) };
        let (begin, number) = (captured.begin, captured.replays);
        let Some(executable) = &captured.executable else { return Ok(()) };
        self.between_marks(index, stream, |stream| executable.launch(stream))?;
        self.outcome.replays.push(Replay { operation: index, capture: begin, number });
        if let Some(Some(captured)) = self.graphs.get_mut(graph.index()) {
            captured.replays += 1;
        }
        Ok(())
    }
}
