//! Lowering: statements become operations, names become ids, loops are unrolled, knobs are fixed.
//!
//! Names follow Python: a functional kernel makes a new tensor, rebinds the name to it and, once the work is queued, releases
//! what the name stood for before. Releases are explicit operations.
//!
//! Each part of the work owns what it needs: where lowering is ([`position`]), what knobs and indices stand for ([`values`]),
//! what names stand for ([`names`]) and how many of them hold a tensor ([`references`]), the operations of each host thread
//! ([`threads`]), graphs ([`captures`]), and lists without duplicates ([`interned`]). Statements, one file a family, use them.

mod captures;
mod control;
mod graph;
mod host;
mod interned;
mod memory;
mod names;
mod position;
mod references;
mod stream;
mod thread;
mod threads;
mod values;
mod work;

use std::borrow::Cow;
use std::collections::HashMap;

use super::{
    Action, DeviceSettings, KernelId, LabelId, Operation, Place, Program, Region, RegionList, Stream, StreamId,
    StreamKind, VariableId,
};
use crate::kernel::Kernel;
use crate::profile::HostOp;
use crate::scenario::{Device, Knobs, Name, Number, Scenario, Statement};
use crate::text::{Key, Localized};
use captures::Captures;
use interned::{Interned, Labels};
use names::{Binding, Names};
use position::Position;
use references::References;
use threads::Threads;
use values::Values;

/// Why a scenario cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// A statement is wrong: an undefined name, a size that is none, more than there is room for.
    #[error("{path}: {message}")]
    Statement {
        /// JSON pointer of the statement.
        path: String,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// Nobody waits for the program any more.
    #[error("the run was cancelled")]
    Cancelled,
}

impl LowerError {
    /// JSON pointer of the statement at fault.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Statement { path, .. } => Some(path),
            Self::Cancelled => None,
        }
    }
}

/// What goes wrong inside a statement.
#[derive(Debug)]
enum Fault {
    /// In this one, whose place is not known here.
    Here(String),
    /// In one inside it, or outside of any.
    Lower(LowerError),
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Here(message)
    }
}

impl From<LowerError> for Fault {
    fn from(error: LowerError) -> Self {
        Self::Lower(error)
    }
}

type Outcome<T = ()> = Result<T, Fault>;

/// The current statement is wrong.
fn wrong<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Fault::Here(message.into()))
}

/// Lowers `scenario` with its knobs at `knobs`.
///
/// # Errors
/// [`LowerError::Statement`]: an undefined name, a size that is none, more than [`MAX_OPERATIONS`](super::MAX_OPERATIONS)
/// operations, or replays of more than [`MAX_GRAPH_NODES`](super::MAX_GRAPH_NODES) nodes.
pub fn lower(scenario: &Scenario, knobs: &Knobs) -> Result<Program, LowerError> {
    lower_watched(scenario, knobs, &mut || true)
}

/// As [`lower`]. `watch` is asked every few milliseconds at most whether to go on.
///
/// # Errors
/// As [`lower`], and [`LowerError::Cancelled`] when `watch` said no.
pub fn lower_watched(
    scenario: &Scenario,
    knobs: &Knobs,
    watch: &mut dyn FnMut() -> bool,
) -> Result<Program, LowerError> {
    let mut lowering = Lowering::new(scenario, knobs, watch);
    match lowering.scenario(scenario) {
        Ok(()) => Ok(lowering.finish()),
        Err(Fault::Lower(error)) => Err(error),
        Err(Fault::Here(message)) => Err(LowerError::Statement { path: lowering.position.path().to_owned(), message }),
    }
}

struct Lowering<'w> {
    /// Streams, events, tensors, buffers, graphs and reports as they come. What the other fields own is added at the end.
    program: Program,
    position: Position<'w>,
    values: Values,
    names: Names,
    references: References,
    threads: Threads,
    captures: Captures,
    lists: Lists,
    /// The current stream, as `torch.cuda.current_stream()`.
    current: StreamId,
}

/// What operations point into.
#[derive(Debug, Default)]
struct Lists {
    labels: Labels,
    kernels: Interned<Kernel>,
    /// What each kernel is called where its statement has no label.
    kernel_labels: HashMap<KernelId, LabelId>,
    variables: Interned<String>,
    signals: Interned<String>,
}

impl Lists {
    fn kernel(&mut self, kernel: Kernel) -> KernelId {
        KernelId(self.kernels.id(&kernel))
    }

    /// What a launch of the kernel is called.
    fn kernel_label(&mut self, id: KernelId, kernel: &Kernel) -> LabelId {
        if let Some(label) = self.kernel_labels.get(&id) {
            return *label;
        }
        let label = match kernel {
            Kernel::Timed { dur, .. } => self.labels.of(Key::LabelKernel, &dur.to_string()),
            known => self.labels.same(&known.label()),
        };
        self.kernel_labels.insert(id, label);
        label
    }
}

impl<'w> Lowering<'w> {
    fn new(scenario: &Scenario, knobs: &Knobs, watch: &'w mut dyn FnMut() -> bool) -> Self {
        let mut lowering = Self {
            program: Program { host: scenario.host, ..Program::default() },
            position: Position::start(watch),
            values: Values::of(knobs),
            names: Names::default(),
            references: References::default(),
            threads: Threads::new(),
            captures: Captures::default(),
            lists: Lists::default(),
            current: StreamId::LEGACY,
        };
        for (name, kind) in [("default", StreamKind::Legacy), ("per_thread", StreamKind::Blocking)] {
            let id = StreamId(lowering.program.streams.len() as u32);
            lowering.program.streams.push(Stream { name: name.to_owned(), kind, priority: 0 });
            lowering.names.bind(name, Binding::Stream(id));
        }
        lowering
    }

    fn scenario(&mut self, scenario: &Scenario) -> Outcome {
        self.position.go_to("/device");
        self.program.device = self.device(&scenario.device)?;
        self.position.go_to("/setup");
        self.body(&scenario.setup)?;
        self.push(Action::SyncDevice, None, "synchronize")?;
        self.program.measured_from = self.threads.len();
        self.position.go_to("/program");
        self.body(&scenario.program)?;
        self.join_threads()?;
        self.push(Action::SyncDevice, Some(HostOp::Synchronize), "synchronize")
    }

    /// What the scenario says about its device.
    fn device(&self, it: &Device) -> Result<DeviceSettings, String> {
        let whole = |number: &Option<Number>, what: &str, max: u64| {
            number.as_ref().map(|number| self.values.whole(number, what, 1, max)).transpose()
        };
        let queue_scale = it.queue_scale.as_ref().map(|number| self.values.number(number)).transpose()?;
        if queue_scale.is_some_and(|scale| !(0.25..=4.0).contains(&scale)) {
            return Err("`queue_scale` must be from 0.25 to 4".to_owned());
        }
        Ok(DeviceSettings {
            memory_bytes: whole(&it.memory_bytes, "`memory_bytes`", 1 << 40)?,
            connections: whole(&it.connections, "`connections`", 32)?.map(|connections| connections as u32),
            queue_scale,
        })
    }

    fn finish(self) -> Program {
        let (operations, threads) = self.threads.into_lists();
        let (paths, iterations) = self.position.into_lists();
        let Lists { labels, kernels, variables, signals, .. } = self.lists;
        Program {
            operations,
            threads,
            paths,
            iterations,
            labels: labels.into_list(),
            kernels: kernels.into_list(),
            variables: variables.into_list(),
            signals: signals.into_list(),
            ..self.program
        }
    }

    /// Statements one after the other; the position names each while it is lowered.
    fn body(&mut self, statements: &[Statement]) -> Outcome {
        for (index, statement) in statements.iter().enumerate() {
            let outside = self.position.enter_statement(index, statement.tag().word())?;
            self.statement(statement).map_err(|fault| match fault {
                Fault::Here(message) => LowerError::Statement { path: self.position.path().to_owned(), message },
                Fault::Lower(error) => error,
            })?;
            self.position.leave(outside);
        }
        Ok(())
    }

    /// Statements under `part` of the current one, such as `then`.
    fn nested(&mut self, part: &str, statements: &[Statement]) -> Outcome {
        let outside = self.position.enter(part);
        self.body(statements)?;
        self.position.leave(outside);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Outcome {
        match statement {
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
            Statement::On(it) => self.on(it),
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
            Statement::Nonzero(it) => self.nonzero(it, "nonzero"),
            Statement::Mask(it) => self.nonzero(it, "mask"),
            Statement::ReadHost(it) => self.read_host(it),
            Statement::WriteHost(it) => self.write_host(it),
            Statement::Capture(it) => self.capture(it),
            Statement::Replay(it) => self.replay(it),
            Statement::Repeat(it) => self.repeat(it),
            Statement::When(it) => self.when(it),
            Statement::Region(it) => self.region(it),
            Statement::Report(it) => self.report(it),
            Statement::MallocAsync(it) => self.malloc_async(it),
            Statement::FreeAsync(it) => self.free_async(it),
            Statement::Collective(it) => self.collective(it),
            Statement::Thread(it) => self.thread(it),
            Statement::Signal(it) => self.signal(it),
            Statement::Await(it) => self.await_signal(it),
            Statement::BeginCapture(it) => self.begin_capture_only(it),
            Statement::EndCapture(it) => self.end_capture_only(it),
            Statement::Instantiate(it) => self.instantiate(it),
            Statement::GraphUpdate(it) => self.update_graph(it),
            Statement::ChildGraph(it) => self.child_graph(it),
        }
    }

    /// Appends an operation of the current statement, with a label that is the same in both languages.
    fn push(&mut self, action: Action, host: Option<HostOp>, label: &str) -> Outcome {
        let label = self.lists.labels.same(label);
        self.push_labelled(action, host, label)
    }

    /// Appends an operation of the current statement, with the label of `key` about `what`, which may be empty.
    fn push_about(&mut self, action: Action, host: Option<HostOp>, key: Key, what: &str) -> Outcome {
        let label = self.lists.labels.of(key, what);
        self.push_labelled(action, host, label)
    }

    /// Appends an operation of the current statement.
    fn push_labelled(&mut self, action: Action, host: Option<HostOp>, label: LabelId) -> Outcome {
        let (path, iteration) = (self.position.path_id(), self.position.iteration_id());
        let nodes = self.captures.nodes_of(&action);
        Ok(self.threads.push(Operation { action, host, label, path, iteration }, nodes)?)
    }

    /// The label of a statement, or that of `key` where it has none.
    fn label_or(&mut self, label: Option<&Localized>, key: Key) -> LabelId {
        match label {
            Some(label) => self.lists.labels.localized(label),
            None => self.lists.labels.of(key, ""),
        }
    }

    fn variable(&mut self, name: &Name) -> Outcome<VariableId> {
        let name = self.values.resolve(name)?;
        Ok(VariableId(self.lists.variables.id(&*name)))
    }

    fn region_list(&mut self, regions: &[Region]) -> Outcome<RegionList> {
        let start = self.program.regions.len() as u32;
        let len = u16::try_from(regions.len()).map_err(|_| "more than 65535 operands".to_owned())?;
        self.program.regions.extend_from_slice(regions);
        self.position.take_time(regions.len() / 8)?;
        Ok(RegionList { start, len })
    }

    /// A name with its index worked out.
    fn resolve<'n>(&self, name: &'n Name) -> Outcome<Cow<'n, str>> {
        Ok(self.values.resolve(name)?)
    }

    fn stream_named(&self, name: &Name) -> Outcome<StreamId> {
        Ok(*self.names.stream(&self.values.resolve(name)?)?)
    }

    /// The stream that a statement names, or the current one.
    fn stream_or_current(&self, name: Option<&Name>) -> Outcome<StreamId> {
        name.map_or(Ok(self.current), |name| self.stream_named(name))
    }

    /// Binds a name and releases what it stood for.
    fn bind(&mut self, name: &str, binding: Binding) -> Outcome {
        match self.names.bind(name, binding) {
            Some(Binding::Array(before)) => self.release(before.region.place),
            _ => Ok(()),
        }
    }

    /// One name less stands for a tensor or buffer; the last one releases it.
    fn release(&mut self, place: Place) -> Outcome {
        if !self.references.release(place) {
            return Ok(());
        }
        match place {
            Place::Device(tensor) => {
                let info = self.program.tensors.get(tensor.index());
                let label = self.lists.labels.of(Key::LabelFree, info.map_or("", |tensor| &tensor.name));
                self.push_labelled(Action::Free { tensor }, None, label)
            }
            Place::Host(buffer) => {
                self.push_about(Action::HostFree { buffer, raw: false }, None, Key::LabelHostFree, "")
            }
        }
    }
}
