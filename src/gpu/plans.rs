//! What the GPU is given for each operation, worked out before the first run so that a launch has little left to do.

use std::collections::HashMap;

use super::GpuError;
use super::driver::{Arguments, Blas, Function, Gemm, LaunchShape};
use super::element;
use super::kernels::{self, Argument};
use super::session::Session;
use crate::kernel::Kernel;
use crate::program::effects::{self, Unit};
use crate::program::{Action, KernelId, Operation, Program, RegionList};

/// Linear layers of up to this many rows go to our own kernels, which read the weights once.
const FEW_ROWS: u64 = 1;

/// How a launch is carried out.
#[derive(Clone, Debug)]
pub(super) enum Launch {
    /// By a kernel of our own.
    Own {
        /// The kernel.
        function: Function,
        /// Its blocks.
        shape: LaunchShape,
        /// Its arguments, but for the stamps.
        arguments: Vec<Argument>,
    },
    /// By cuBLAS: operands and result are the first reads and the first write.
    Library(Gemm),
}

/// How much there is to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Nothing that takes time on the GPU.
    None,
    /// So many blocks of a kernel that stamps.
    Blocks(u32),
    /// Something that cannot stamp: a copy, a memset, a kernel of a library.
    Opaque,
}

/// All launches of a program, each shape once.
#[derive(Debug)]
pub(super) struct Plans {
    launches: Vec<Launch>,
    /// For each operation: index into `launches`, or [`Plans::NO_LAUNCH`].
    of_operation: Vec<u32>,
    work: Vec<Work>,
}

impl Plans {
    const NO_LAUNCH: u32 = u32::MAX;

    /// Plans every launch of `program` on the device of `session`.
    pub fn new(session: &Session, program: &Program) -> Result<Self, GpuError> {
        let mut plans = Self {
            launches: Vec::new(),
            of_operation: Vec::with_capacity(program.operations.len()),
            work: Vec::with_capacity(program.operations.len()),
        };
        let mut known: HashMap<(KernelId, Vec<u64>, Vec<u64>), u32> = HashMap::new();
        for operation in &program.operations {
            if let Some(what) = unsupported(&operation.action) {
                let at = program.origin(operation).0.to_owned();
                return Err(GpuError::Unsupported { what: what.to_owned(), at });
            }
            if let Action::Memset { value, dtype, .. } = operation.action
                && element::word(value, dtype).is_none()
            {
                let what = format!("`memset` of {} to {value} (the kernel `fill` does that)", dtype.id());
                return Err(GpuError::Unsupported { what, at: program.origin(operation).0.to_owned() });
            }
            let Action::Launch { kernel, reads, writes, .. } = operation.action else {
                plans.of_operation.push(Self::NO_LAUNCH);
                plans.work.push(match effects::enqueues(&operation.action).map(|(_, unit)| unit) {
                    Some(Unit::H2D | Unit::D2H | Unit::Memory) => Work::Opaque,
                    Some(Unit::Sms | Unit::FrontEnd | Unit::HostFunction | Unit::Graph(_)) | None => Work::None,
                });
                continue;
            };
            let sizes = |list: RegionList| program.regions(list).iter().map(|region| region.bytes).collect::<Vec<_>>();
            let key = (kernel, sizes(reads), sizes(writes));
            let index = match known.get(&key) {
                Some(index) => *index,
                None => {
                    let launch = plan(session, program, operation, kernel, &key.1, &key.2)?;
                    plans.launches.push(launch);
                    let index = plans.launches.len() as u32 - 1;
                    known.insert(key, index);
                    index
                }
            };
            plans.of_operation.push(index);
            plans.work.push(match plans.launches.get(index as usize) {
                Some(Launch::Own { shape, .. }) => {
                    Work::Blocks(shape.grid.iter().fold(1_u32, |blocks, side| blocks.saturating_mul(*side)))
                }
                Some(Launch::Library(_)) => Work::Opaque,
                None => Work::None,
            });
        }
        Ok(plans)
    }

    /// How the operation at `index` is launched; `None` for one that is no launch.
    pub fn launch(&self, index: usize) -> Option<&Launch> {
        self.launches.get(*self.of_operation.get(index)? as usize)
    }

    /// How much there is to watch of the operation at `index`.
    pub fn work(&self, index: usize) -> Work {
        self.work.get(index).copied().unwrap_or(Work::None)
    }
}

/// What only the model carries out so far.
fn unsupported(action: &Action) -> Option<&'static str> {
    match action {
        Action::StartThread { .. } | Action::JoinThread { .. } => Some("a second host thread"),
        Action::Signal { .. } | Action::Await { .. } => Some("a signal between host threads"),
        Action::UpdateGraph { .. } => Some("`graph_update`"),
        Action::ChildGraph { .. } => Some("`child_graph`"),
        _ => None,
    }
}

fn plan(
    session: &Session,
    program: &Program,
    operation: &Operation,
    id: KernelId,
    reads: &[u64],
    writes: &[u64],
) -> Result<Launch, GpuError> {
    let at = program.origin(operation).0;
    match program.kernels.get(id.index()) {
        Some(kernel) => Launch::of(session, kernel, reads, writes, session.has_blas, at),
        None => Err(GpuError::Unsupported { what: "a kernel that is not there".to_owned(), at: at.to_owned() }),
    }
}

impl Launch {
    /// How `kernel` is launched with operands and results of these sizes in bytes; by cuBLAS only where `library` allows it.
    /// `at` is where it stands in the scenario.
    pub fn of(
        session: &Session,
        kernel: &Kernel,
        reads: &[u64],
        writes: &[u64],
        library: bool,
        at: &str,
    ) -> Result<Self, GpuError> {
        // The library looks at no size of an operand: what our own kernel refuses is refused either way.
        let plan = kernels::plan(kernel, reads, writes, &session.gpu)
            .map_err(|unsupported| GpuError::Unsupported { what: unsupported.to_string(), at: at.to_owned() })?;
        if let Some(gemm) = product(kernel).filter(|_| library) {
            return Ok(Self::Library(gemm));
        }
        let function = session.function(plan.entry)?;
        if plan.shared_bytes > 0 {
            function
                .allow_shared(plan.shared_bytes)
                .map_err(|code| code.while_trying("give a block its shared memory"))?;
        }
        let shape = LaunchShape { grid: plan.grid, threads: plan.threads, shared_bytes: plan.shared_bytes };
        Ok(Self::Own { function, shape, arguments: plan.arguments })
    }
}

/// The arguments of a launch but for the stamps, with the addresses that its operands, results and scratch memory have.
pub(super) fn arguments(
    list: &[Argument],
    read: impl Fn(usize) -> u64,
    write: impl Fn(usize) -> u64,
    scratch: u64,
) -> Arguments {
    let mut values = Arguments::new();
    for argument in list {
        values.push(match *argument {
            Argument::Read(place) => read(place),
            Argument::Write(place) => write(place),
            Argument::U32(value) => u64::from(value),
            Argument::U64(value) => value,
            Argument::F64(value) => value.to_bits(),
            Argument::Null => 0,
            Argument::Scratch => scratch,
        });
    }
    values
}

/// The product as cuBLAS takes it, if it is one.
fn product(kernel: &Kernel) -> Option<Gemm> {
    let gemm = match *kernel {
        Kernel::Matmul { m, k, n, dtype } => Gemm { m, k, n, dtype, b_is_transposed: false },
        Kernel::Linear { m, k, n, dtype } if m > FEW_ROWS => Gemm { m, k, n, dtype, b_is_transposed: true },
        Kernel::Linear { .. } | Kernel::LayerNorm { .. } | Kernel::Softmax { .. } => return None,
        Kernel::Elementwise { .. } | Kernel::Sum { .. } | Kernel::Timed { .. } => return None,
    };
    Blas::takes(gemm.dtype).then_some(gemm)
}
