//! Lowering: statements become operations, names become ids, loops are unrolled, knobs are fixed.
//!
//! Names follow Python: a functional kernel makes a new tensor, rebinds the name to it and, once the work is queued, releases
//! what the name stood for before. Releases are explicit operations.

mod control;
mod graph;
mod host;
mod memory;
mod names;
mod stream;
mod thread;
mod work;

use std::collections::{HashMap, HashSet};

use super::{
    Action, DeviceSettings, GraphId, HostThread, LabelId, MAX_OPERATIONS, Operation, Place, Program, Region,
    RegionList, SignalId, Stream, StreamId, StreamKind, VariableId,
};
use crate::profile::HostOp;
use crate::scenario::expression::{Scope, Value};
use crate::scenario::{Flag, KnobValue, Knobs, Name, Number, Scenario, Statement};
use names::{Binding, Names};

/// Why a scenario cannot be lowered: the statement, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct LowerError {
    /// JSON pointer of the statement.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// Most statements and turns of loops that are followed.
const MAX_STEPS: usize = 4 * MAX_OPERATIONS;

/// What goes wrong inside a statement, before its place is known.
type Outcome<T = ()> = Result<T, String>;

/// Lowers `scenario` with its knobs at `knobs`.
///
/// # Errors
/// [`LowerError`] names the statement: an undefined name, a size that is none, more than [`MAX_OPERATIONS`] operations, or
/// replays of more than [`MAX_GRAPH_NODES`](super::MAX_GRAPH_NODES) nodes.
pub fn lower(scenario: &Scenario, knobs: &Knobs) -> Result<Program, LowerError> {
    let mut lowering = Lowering::new(scenario, knobs);
    lowering.device(&scenario.device)?;
    lowering.section("/setup", &scenario.setup)?;
    lowering.path = "/setup".to_owned();
    lowering.push(Action::SyncDevice, None, "synchronize").map_err(|message| lowering.error(message))?;
    lowering.program.measured_from = lowering.program.operations.len();
    lowering.section("/program", &scenario.program)?;
    lowering.path = "/program".to_owned();
    lowering.join_threads().map_err(|message| lowering.error(message))?;
    let host = Some(HostOp::Synchronize);
    lowering.push(Action::SyncDevice, host, "synchronize").map_err(|message| lowering.error(message))?;
    Ok(lowering.finish())
}

struct Lowering {
    program: Program,
    scope: Scope,
    names: Names,
    /// The current stream, as `torch.cuda.current_stream()`.
    current: StreamId,
    path: String,
    path_ids: HashMap<String, u32>,
    label_ids: HashMap<String, LabelId>,
    variable_ids: HashMap<String, VariableId>,
    /// Loop indices, outermost first, and the id of the list.
    indices: Vec<u32>,
    iteration: u32,
    /// Statements and turns of loops so far.
    steps: usize,
    /// Names that stand for each tensor, and for each buffer of the host.
    references: Vec<u32>,
    buffer_references: Vec<u32>,
    /// Operations so far, of all threads.
    count: usize,
    /// Operations of the threads that have been lowered, the main one left out.
    bodies: Vec<Vec<Operation>>,
    /// Signals by name.
    signal_ids: HashMap<String, SignalId>,
    /// Where each graph's capture began.
    capture_streams: Vec<StreamId>,
    /// Number of operations when each graph's capture began.
    capture_counts: Vec<usize>,
    /// Graphs that can be replayed.
    executable: HashSet<GraphId>,
    /// Nodes that each graph has at most: what is queued on other streams meanwhile is none.
    graph_nodes: Vec<u64>,
    /// Nodes that all replays so far run.
    replayed_nodes: u64,
}

impl Lowering {
    fn new(scenario: &Scenario, knobs: &Knobs) -> Self {
        let scope = knobs.0.iter().map(|(id, value)| {
            let value = match value {
                KnobValue::Toggle(on) => Value::Number(f64::from(u8::from(*on))),
                KnobValue::Number(number) => Value::Number(*number),
                KnobValue::Choice(option) => Value::Text(option.clone()),
            };
            (id.clone(), value)
        });
        let mut lowering = Self {
            program: Program {
                host: scenario.host,
                iterations: vec![Vec::new()],
                threads: vec![HostThread { name: String::new(), operations: 0..0 }],
                ..Program::default()
            },
            scope: scope.collect(),
            names: Names::default(),
            current: StreamId::LEGACY,
            path: String::new(),
            path_ids: HashMap::new(),
            label_ids: HashMap::new(),
            variable_ids: HashMap::new(),
            indices: Vec::new(),
            iteration: 0,
            steps: 0,
            references: Vec::new(),
            buffer_references: Vec::new(),
            count: 0,
            bodies: Vec::new(),
            signal_ids: HashMap::new(),
            capture_streams: Vec::new(),
            capture_counts: Vec::new(),
            executable: HashSet::new(),
            graph_nodes: Vec::new(),
            replayed_nodes: 0,
        };
        for (name, kind) in [("default", StreamKind::Legacy), ("per_thread", StreamKind::Blocking)] {
            let id = StreamId(lowering.program.streams.len() as u32);
            lowering.program.streams.push(Stream { name: name.to_owned(), kind, priority: 0 });
            lowering.names.bind(name, Binding::Stream(id));
        }
        lowering
    }

    /// What the scenario says about its device.
    fn device(&mut self, it: &crate::scenario::Device) -> Result<(), LowerError> {
        self.path = "/device".to_owned();
        let whole = |number: &Option<Number>, what: &str, max: u64| {
            number.as_ref().map(|number| self.whole(number, what, 1, max)).transpose()
        };
        let settings = || -> Outcome<DeviceSettings> {
            let queue_scale = it.queue_scale.as_ref().map(|number| self.number(number)).transpose()?;
            if queue_scale.is_some_and(|scale| !(0.25..=4.0).contains(&scale)) {
                return Err("`queue_scale` must be from 0.25 to 4".to_owned());
            }
            Ok(DeviceSettings {
                memory_bytes: whole(&it.memory_bytes, "`memory_bytes`", 1 << 40)?,
                connections: whole(&it.connections, "`connections`", 32)?.map(|connections| connections as u32),
                queue_scale,
            })
        };
        let settings = settings().map_err(|message| self.error(message))?;
        self.program.device = settings;
        Ok(())
    }

    /// The program: the other threads' operations behind those of the main one.
    fn finish(mut self) -> Program {
        let main = HostThread { name: String::new(), operations: 0..self.program.operations.len() };
        for (thread, body) in self.program.threads.iter_mut().zip(std::iter::once(Vec::new()).chain(self.bodies)) {
            let start = self.program.operations.len();
            self.program.operations.extend(body);
            thread.operations = start..self.program.operations.len();
        }
        if let Some(first) = self.program.threads.first_mut() {
            *first = main;
        }
        self.program
    }

    fn error(&self, message: String) -> LowerError {
        LowerError { path: self.path.clone(), message }
    }

    fn section(&mut self, path: &str, statements: &[Statement]) -> Result<(), LowerError> {
        self.path = path.to_owned();
        self.body(statements)
    }

    /// Statements one after the other; the path names each while it is lowered.
    fn body(&mut self, statements: &[Statement]) -> Result<(), LowerError> {
        for (index, statement) in statements.iter().enumerate() {
            let len = self.path.len();
            self.path.push_str(&format!("/{index}/{}", statement.tag()));
            self.count_step()?;
            self.statement(statement)?;
            self.path.truncate(len);
        }
        Ok(())
    }

    /// Counts statements and turns of loops, so that a loop around nothing ends too.
    fn count_step(&mut self) -> Result<(), LowerError> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let message = format!("the loops of the program take more than {MAX_STEPS} turns; lower a loop count");
            return Err(self.error(message));
        }
        Ok(())
    }

    /// Statements under `part` of the current one, such as `then`.
    fn nested(&mut self, part: &str, statements: &[Statement]) -> Result<(), LowerError> {
        let len = self.path.len();
        self.path.push('/');
        self.path.push_str(part);
        self.body(statements)?;
        self.path.truncate(len);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), LowerError> {
        let outcome = match statement {
            Statement::Tensor(it) => self.tensor(it),
            Statement::HostTensor(it) => self.host_tensor(it),
            Statement::View(it) => self.view(it),
            Statement::Drop(it) => self.drop_name(it),
            Statement::Rebind(it) => self.rebind(it),
            Statement::RecordStream(it) => self.record_stream(it),
            Statement::EmptyCache(_) => self.push(Action::EmptyCache, Some(HostOp::EmptyCache), "empty_cache"),
            Statement::RawMalloc(it) => self.raw_malloc(it),
            Statement::RawFree(it) => self.raw_free(it),
            Statement::MallocHost(it) => self.malloc_host(it),
            Statement::FreeHost(it) => self.free_host(it),
            Statement::Launch(it) => self.launch(it),
            Statement::Copy(it) => self.copy(it),
            Statement::ToDevice(it) => self.copy_to_device(it),
            Statement::ToHost(it) => self.copy_to_host(it),
            Statement::Memset(it) => self.memset(it),
            Statement::HostFunction(it) => self.host_function(it),
            Statement::Stream(it) => self.stream(it),
            Statement::On(it) => return self.on(it),
            Statement::Event(it) => self.event(it),
            Statement::Record(it) => self.record(it),
            Statement::Wait(it) => self.wait(it),
            Statement::WaitStream(it) => self.wait_stream(it),
            Statement::Synchronize(it) => self.synchronize(it),
            Statement::Query(it) => self.query(it),
            Statement::Elapsed(it) => self.elapsed(it),
            Statement::Work(it) => self.work(it),
            Statement::Clock(it) => self.clock(it),
            Statement::Item(it) => self.item(it, HostOp::Item),
            Statement::Tolist(it) => self.item(it, HostOp::Tolist),
            Statement::Print(it) => self.item(it, HostOp::Print),
            Statement::Nonzero(it) | Statement::Mask(it) => self.nonzero(it, statement.tag()),
            Statement::ReadHost(it) => self.read_host(it),
            Statement::WriteHost(it) => self.write_host(it),
            Statement::Capture(it) => return self.capture(it),
            Statement::Replay(it) => self.replay(it),
            Statement::Repeat(it) => return self.repeat(it),
            Statement::When(it) => return self.when(it),
            Statement::Region(it) => return self.nested("body", &it.body),
            Statement::Report(it) => self.report(it),
            Statement::MallocAsync(it) => self.malloc_async(it),
            Statement::FreeAsync(it) => self.free_async(it),
            Statement::Collective(it) => self.collective(it),
            Statement::Thread(it) => return self.thread(it),
            Statement::Signal(it) => self.signal(it),
            Statement::Await(it) => self.await_signal(it),
            Statement::BeginCapture(it) => self.begin_capture_only(it),
            Statement::EndCapture(it) => self.end_capture_only(it),
            Statement::Instantiate(it) => self.instantiate(it),
            Statement::GraphUpdate(it) => self.update_graph(it),
            Statement::ChildGraph(it) => self.child_graph(it),
        };
        outcome.map_err(|message| self.error(message))
    }

    /// Appends an operation of the current statement.
    fn push(&mut self, action: Action, host: Option<HostOp>, label: &str) -> Outcome {
        if self.count >= MAX_OPERATIONS {
            return Err(too_many());
        }
        self.count += 1;
        let label = self.label(label);
        let path = match self.path_ids.get(&self.path) {
            Some(id) => *id,
            None => {
                let id = self.program.paths.len() as u32;
                self.program.paths.push(self.path.clone());
                self.path_ids.insert(self.path.clone(), id);
                id
            }
        };
        self.program.operations.push(Operation { action, host, label, path, iteration: self.iteration });
        Ok(())
    }

    fn label(&mut self, text: &str) -> LabelId {
        if let Some(id) = self.label_ids.get(text) {
            return *id;
        }
        let id = LabelId(self.program.labels.len() as u32);
        self.program.labels.push(text.to_owned());
        self.label_ids.insert(text.to_owned(), id);
        id
    }

    fn variable(&mut self, name: &Name) -> Outcome<VariableId> {
        let name = self.resolve(name)?;
        if let Some(id) = self.variable_ids.get(&name) {
            return Ok(*id);
        }
        let id = VariableId(self.program.variables.len() as u32);
        self.program.variables.push(name.clone());
        self.variable_ids.insert(name, id);
        Ok(id)
    }

    fn region_list(&mut self, regions: &[Region]) -> Outcome<RegionList> {
        let start = self.program.regions.len() as u32;
        let len = u16::try_from(regions.len()).map_err(|_| "more than 65535 operands".to_owned())?;
        self.program.regions.extend_from_slice(regions);
        Ok(RegionList { start, len })
    }

    fn number(&self, number: &Number) -> Outcome<f64> {
        let value = match number {
            Number::Literal(value) => *value,
            Number::Expression(expression) => expression.number(&self.scope).map_err(|error| error.to_string())?,
        };
        if value.is_finite() { Ok(value) } else { Err(format!("a number is needed, but this gives {value}")) }
    }

    /// A whole number from `min` to `max`.
    fn whole(&self, number: &Number, what: &str, min: u64, max: u64) -> Outcome<u64> {
        let value = self.number(number)?;
        if value.fract() == 0.0 && value >= min as f64 && value <= max as f64 {
            Ok(value as u64)
        } else {
            Err(format!("{what} must be a whole number from {min} to {max}, not {}", shown(value)))
        }
    }

    fn flag(&self, flag: &Flag) -> Outcome<bool> {
        match flag {
            Flag::Literal(value) => Ok(*value),
            Flag::Expression(expression) => {
                expression.number(&self.scope).map(|value| value != 0.0).map_err(|error| error.to_string())
            }
        }
    }

    /// A name with its index worked out.
    fn resolve(&self, name: &Name) -> Outcome<String> {
        let index = match &name.index {
            None => None,
            Some(index) => Some(index.number(&self.scope).map_err(|error| error.to_string())?.round() as i64),
        };
        Ok(super::resolved(name, index))
    }

    fn references(&mut self, place: Place) -> Option<&mut u32> {
        match place {
            Place::Device(tensor) => self.references.get_mut(tensor.index()),
            Place::Host(buffer) => self.buffer_references.get_mut(buffer.index()),
        }
    }

    /// One more name stands for a tensor or buffer.
    fn retain(&mut self, place: Place) {
        if let Some(count) = self.references(place) {
            *count += 1;
        }
    }

    /// One name less stands for a tensor or buffer; the last one releases it.
    fn release(&mut self, place: Place) -> Outcome {
        let Some(count) = self.references(place) else { return Ok(()) };
        *count = count.saturating_sub(1);
        if *count > 0 {
            return Ok(());
        }
        match place {
            Place::Device(tensor) => {
                let info = self.program.tensors.get(tensor.index());
                let name = info.map_or_else(String::new, |tensor| tensor.name.clone());
                self.push(Action::Free { tensor }, None, &format!("free {name}"))
            }
            Place::Host(buffer) => self.push(Action::HostFree { buffer, raw: false }, None, "free"),
        }
    }
}

/// A number as a person writes it, however large.
fn shown(value: f64) -> String {
    if value.abs() < 1e15 { value.to_string() } else { format!("{value:e}") }
}

fn too_many() -> String {
    format!("the program has more than {MAX_OPERATIONS} operations; lower a loop count")
}
