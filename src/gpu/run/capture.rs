//! Captures, and the executable graphs that come of them.

use super::super::driver::{Arguments, CaptureMode, Code, Executable, Function, Graph, LaunchShape, Stream};
use super::super::slots::{self, Slots};
use super::Failure;
use crate::program::{GraphId, Program};
use crate::scenario::HostOverhead;

/// Most blocks of the kernel that copies the slots of a replay away, and their threads; each thread copies 16 bytes at a time.
const MAX_COLLECTORS: u64 = 128;
const COLLECTOR_THREADS: u32 = 256;

/// A captured graph, as far as it got.
#[derive(Debug)]
struct Captured {
    /// Index of the operation that began the capture.
    begin: usize,
    graph: Option<Graph>,
    executable: Option<Executable>,
    replays: u32,
}

/// All captures of a program.
#[derive(Debug)]
pub(super) struct Captures {
    graphs: Vec<Option<Captured>>,
    /// Number of captures under way.
    open: u32,
    /// The graph whose capture began last.
    latest: Option<GraphId>,
    /// An exception of PyTorch was raised within a capture.
    raised: bool,
}

impl Captures {
    pub fn new(program: &Program) -> Self {
        Self { graphs: program.graphs.iter().map(|_| None).collect(), open: 0, latest: None, raised: false }
    }

    /// Whether any capture is under way.
    pub fn are_open(&self) -> bool {
        self.open > 0
    }

    /// Whether work on `stream` goes into a graph.
    pub fn captures(&self, stream: &Stream) -> bool {
        self.are_open() && stream.is_capturing()
    }

    /// The private pool of the graph that `stream` is captured into, or the ordinary pool.
    pub fn pool(&self, program: &Program, stream: Option<&Stream>) -> u32 {
        let captures = stream.is_some_and(|stream| self.captures(stream));
        let graph = self.latest.filter(|_| captures);
        graph.and_then(|graph| program.graphs.get(graph.index())).map_or(0, |graph| graph.pool)
    }

    /// An operation failed. With PyTorch that is an exception, which a capture does not survive.
    pub fn note_failure(&mut self, failure: &Failure, host: HostOverhead) {
        self.raised |= matches!(failure, Failure::Pytorch(..)) || (host == HostOverhead::Pytorch && self.are_open());
    }

    /// Whether an exception was raised within a capture.
    pub fn raised(&self) -> bool {
        self.raised
    }

    /// A capture begins by the operation at `index`.
    pub fn begin(&mut self, index: usize, graph: GraphId, stream: &Stream, mode: CaptureMode) -> Result<(), Failure> {
        stream.begin_capture(mode)?;
        self.open += 1;
        self.latest = Some(graph);
        if let Some(place) = self.graphs.get_mut(graph.index()) {
            *place = Some(Captured { begin: index, graph: None, executable: None, replays: 0 });
        }
        Ok(())
    }

    /// A capture ends.
    pub fn end(&mut self, graph: GraphId, stream: &Stream) -> Result<(), Failure> {
        let ended = stream.end_capture();
        // 401: the stream was not capturing, and a capture elsewhere lives on.
        if ended.as_ref().err() != Some(&Code(401)) {
            self.open = self.open.saturating_sub(1);
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
    pub fn collect(&self, graph: GraphId, stream: &Stream, slots: &Slots, collect: &Function) {
        let begin = self.graphs.get(graph.index()).and_then(Option::as_ref).map(|captured| captured.begin);
        let Some(capture) = begin.and_then(|begin| slots.captures.get(&begin)) else { return };
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
        let blocks = words.div_ceil(u64::from(COLLECTOR_THREADS)).clamp(1, MAX_COLLECTORS) as u32;
        let shape = LaunchShape { grid: [blocks, 1, 1], threads: COLLECTOR_THREADS, shared_bytes: 0 };
        let _collected = collect.launch(&shape, stream, &mut arguments);
    }

    /// A capture that failed has said so already: what depends on it is skipped.
    pub fn instantiate(&mut self, graph: GraphId, host: HostOverhead) -> Result<(), Failure> {
        let Some(Some(captured)) = self.graphs.get_mut(graph.index()) else { return Ok(()) };
        let Some(graph) = &captured.graph else { return Ok(()) };
        // As PyTorch asks for it (`aten/src/ATen/cuda/CUDAGraph.cpp`).
        captured.executable = Some(graph.instantiate(host == HostOverhead::Pytorch)?);
        Ok(())
    }

    /// An executable graph is destroyed.
    pub fn destroy(&mut self, graph: GraphId) -> Result<(), Failure> {
        if let Some(Some(captured)) = self.graphs.get_mut(graph.index()) {
            if let Some(executable) = &mut captured.executable {
                executable.destroy()?;
            }
            captured.executable = None;
        }
        Ok(())
    }

    /// What a replay of `graph` launches, if there is anything; with the index of the operation that began its capture, and the
    /// number of the replay.
    pub fn executable(&self, graph: GraphId) -> Option<(&Executable, usize, u32)> {
        let captured = self.graphs.get(graph.index())?.as_ref()?;
        Some((captured.executable.as_ref()?, captured.begin, captured.replays))
    }

    /// A replay of `graph` has been launched.
    pub fn replayed(&mut self, graph: GraphId) {
        if let Some(Some(captured)) = self.graphs.get_mut(graph.index()) {
            captured.replays += 1;
        }
    }
}
