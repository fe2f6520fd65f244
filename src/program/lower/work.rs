//! Statements that give the GPU something to do.

use super::super::{Action, Copy, HostMemory, LabelId, Place, Region, StreamId};
use super::names::{Array, Binding};
use super::{Lowering, Outcome, values, wrong};
use crate::bytes::Bytes;
use crate::kernel::{Elementwise, Grid, Kernel};
use crate::profile::HostOp;
use crate::scenario::HostOverhead;
use crate::scenario::statement::work as statement;
use crate::scenario::statement::work::KernelChoice;
use crate::text::Key;

impl Lowering<'_> {
    pub(super) fn launch(&mut self, it: &statement::Launch) -> Outcome {
        let reads = it.reads.iter().map(|name| self.tensor_named(name)).collect::<Outcome<Vec<Array>>>()?;
        let (kernel, shape) = self.kernel(&it.kernel, &reads, it)?;
        values::fits(&shape)?;
        let label = it.label.as_ref().map(|label| self.lists.labels.localized(label));
        let read_regions: Vec<Region> = reads.iter().map(|array| array.region).collect();
        match (&it.out, it.writes.as_slice()) {
            (Some(out), []) => {
                let dtype = reads.first().map_or_else(Default::default, |array| array.dtype);
                let name = self.resolve(out)?;
                let array = self.allocate(&name, shape, dtype, None)?;
                self.push_kernel(kernel, Some(host_op(&it.kernel)), &read_regions, &[array.region], label)?;
                self.bind(&name, Binding::Array(array))
            }
            (None, writes) => {
                let writes = writes.iter().map(|name| self.tensor_named(name)).collect::<Outcome<Vec<Array>>>()?;
                let regions: Vec<Region> = writes.iter().map(|array| array.region).collect();
                let host = match host_op(&it.kernel) {
                    HostOp::Add | HostOp::Scalar if regions.iter().any(|w| read_regions.contains(w)) => HostOp::InPlace,
                    HostOp::Add => HostOp::Out,
                    HostOp::Full => HostOp::InPlace,
                    other => other,
                };
                self.push_kernel(kernel, Some(host), &read_regions, &regions, label)
            }
            (Some(_), _) => wrong("`out` makes a new tensor and `writes` goes into existing ones; use one of them"),
        }
    }

    /// The kernel with its shape, and the shape of a new result.
    fn kernel(&self, choice: &KernelChoice, reads: &[Array], it: &statement::Launch) -> Outcome<(Kernel, Vec<u64>)> {
        let operand = |index: usize| {
            reads
                .get(index)
                .ok_or_else(|| format!("operand {} of this kernel is missing; name it in `reads`", index + 1))
        };
        match choice {
            KernelChoice::Matmul => {
                let (a, b) = (operand(0)?, operand(1)?);
                let ((m, k), (rows, n)) = (a.rows_and_columns(), b.rows_and_columns());
                if k != rows {
                    return wrong(format!("{} @ {} does not fit: {k} columns meet {rows} rows", a.shown(), b.shown()));
                }
                Ok((Kernel::Matmul { m, k, n, dtype: a.dtype }, with_last(a, n)))
            }
            KernelChoice::Linear => {
                let (x, weight) = (operand(0)?, operand(1)?);
                let ((m, k), (n, inputs)) = (x.rows_and_columns(), weight.rows_and_columns());
                if k != inputs {
                    return wrong(format!(
                        "a weight of {} takes {inputs} inputs, but {} has {k}",
                        weight.shown(),
                        x.shown()
                    ));
                }
                Ok((Kernel::Linear { m, k, n, dtype: x.dtype }, with_last(x, n)))
            }
            KernelChoice::LayerNorm => {
                let (rows, cols) = operand(0)?.rows_and_columns();
                Ok((Kernel::LayerNorm { rows, cols }, operand(0)?.shape.clone()))
            }
            KernelChoice::Softmax => {
                let (rows, cols) = operand(0)?.rows_and_columns();
                Ok((Kernel::Softmax { rows, cols }, operand(0)?.shape.clone()))
            }
            KernelChoice::Gelu => elementwise(Elementwise::Gelu, operand(0)?),
            KernelChoice::Clone => elementwise(Elementwise::Clone, operand(0)?),
            KernelChoice::AddScalar(by) => elementwise(Elementwise::AddScalar(self.values.number(by)?), operand(0)?),
            KernelChoice::MulScalar(by) => elementwise(Elementwise::MulScalar(self.values.number(by)?), operand(0)?),
            KernelChoice::Add => {
                let (a, b) = (operand(0)?, operand(1)?);
                if a.elements() != b.elements() {
                    return wrong(format!("{} + {} does not fit", a.shown(), b.shown()));
                }
                elementwise(Elementwise::Add, a)
            }
            KernelChoice::Fill(value) => {
                let target = match (it.writes.first(), reads.first()) {
                    (Some(name), _) => self.tensor_named(name)?,
                    (None, Some(like)) => like.clone(),
                    (None, None) => return wrong("`fill` needs a tensor in `writes`"),
                };
                elementwise(Elementwise::Fill(self.values.number(value)?), &target)
            }
            KernelChoice::Sum => {
                let x = operand(0)?;
                Ok((Kernel::Sum { elements: x.elements(), dtype: x.dtype }, vec![1]))
            }
            KernelChoice::Timed(timed) => {
                let shape = reads.first().map_or_else(|| vec![1], |array| array.shape.clone());
                Ok((self.timed(timed)?, shape))
            }
        }
    }

    fn timed(&self, it: &statement::Timed) -> Outcome<Kernel> {
        let whole = |number: &Option<_>, what, default, min, max| match number {
            Some(number) => self.values.whole(number, what, min, max).map(|value| value as u32),
            None => Ok(default),
        };
        let grid = Grid {
            blocks: whole(&it.grid, "grid", 1, 1, i32::MAX as u64)?,
            threads: whole(&it.block, "block", 128, 1, 1024)?,
            registers: whole(&it.registers, "registers", 32, 1, 255)?,
            shared_bytes: whole(&it.shared_bytes, "shared_bytes", 0, 0, 232_448)?,
        };
        Ok(Kernel::Timed { dur: self.values.duration(&it.dur_us)?, grid })
    }

    /// Appends a launch on the current stream. Without a label it is called after its kernel.
    pub(super) fn push_kernel(
        &mut self,
        kernel: Kernel,
        host: Option<HostOp>,
        reads: &[Region],
        writes: &[Region],
        label: Option<LabelId>,
    ) -> Outcome {
        let id = self.lists.kernel(kernel);
        let (reads, writes) = (self.region_list(reads)?, self.region_list(writes)?);
        let label = label.unwrap_or_else(|| self.lists.kernel_label(id, &kernel));
        self.push_labelled(Action::Launch { kernel: id, stream: self.current, reads, writes }, host, label)
    }

    pub(super) fn copy(&mut self, it: &statement::Copy) -> Outcome {
        let (from, to) = (self.array(&it.from)?, self.array(&it.to)?);
        if from.region.bytes != to.region.bytes {
            return wrong(format!(
                "`{}` has {} bytes and `{}` has {}; a copy needs the same size on both sides, a `view` takes a part",
                it.from, from.region.bytes, it.to, to.region.bytes
            ));
        }
        let non_blocking = self.values.flag(&it.non_blocking)?;
        let host = match (from.region.place, to.region.place) {
            (Place::Host(_), Place::Host(_)) => {
                return wrong("both sides of the copy live in host memory, which the GPU has no part in");
            }
            (Place::Device(_), Place::Device(_)) => HostOp::CopyDevice,
            _ => HostOp::CopyLink,
        };
        let blocking = !non_blocking && host == HostOp::CopyLink;
        self.push_copy_of(from.region, to.region, blocking, it.untracked, host)
    }

    pub(super) fn copy_to_device(&mut self, it: &statement::ToDevice) -> Outcome {
        let (from, _) = self.on_host(&it.of)?;
        let blocking = !self.values.flag(&it.non_blocking)?;
        let name = self.resolve(&it.out)?;
        let array = self.allocate(&name, from.shape.clone(), from.dtype, None)?;
        self.push_copy(from.region, array.region, blocking, HostOp::ToDevice)?;
        self.bind(&name, Binding::Array(array))
    }

    pub(super) fn copy_to_host(&mut self, it: &statement::ToHost) -> Outcome {
        let (from, _) = self.on_device(&it.of)?;
        let blocking = !self.values.flag(&it.non_blocking)?;
        let name = self.resolve(&it.out)?;
        let memory = if blocking { HostMemory::Pageable } else { HostMemory::Pinned };
        let array = self.host_buffer(&name, from.shape.clone(), from.dtype, memory, None)?;
        self.push_host_alloc(&array, false)?;
        self.push_copy(from.region, array.region, blocking, HostOp::ToHost)?;
        self.bind(&name, Binding::Array(array))
    }

    /// Appends a copy on the current stream.
    pub(super) fn push_copy(&mut self, from: Region, to: Region, blocking: bool, host: HostOp) -> Outcome {
        self.push_copy_of(from, to, blocking, false, host)
    }

    fn push_copy_of(&mut self, from: Region, to: Region, blocking: bool, untracked: bool, host: HostOp) -> Outcome {
        let memory = |region: &Region| match region.place {
            Place::Host(buffer) => self.program.buffers.get(buffer.index()).map(|buffer| buffer.memory),
            Place::Device(_) => None,
        };
        let memory = memory(&from).or_else(|| memory(&to)).unwrap_or(HostMemory::Pinned);
        let label = match (from.place, to.place) {
            (Place::Host(_), _) => "H2D",
            (_, Place::Host(_)) => "D2H",
            _ => "D2D",
        };
        let label = format!("{label} {}", Bytes(from.bytes));
        let is_memcpy = blocking && self.program.host == HostOverhead::Cuda && self.current == StreamId::LEGACY;
        let copy = Copy { stream: self.current, from, to, memory, blocking, is_memcpy, untracked };
        self.push(Action::Copy(copy), Some(host), &label)
    }

    pub(super) fn collective(&mut self, it: &statement::Collective) -> Outcome {
        let (array, _) = self.on_device(&it.tensor)?;
        let blocks = it.grid.as_ref().map_or(Ok(16), |grid| self.values.whole(grid, "grid", 1, i32::MAX as u64))?;
        let grid = Grid { blocks: blocks as u32, threads: 512, registers: 32, shared_bytes: 0 };
        let kernel = Kernel::Timed { dur: self.values.duration(&it.dur_us)?, grid };
        let label = match &it.label {
            Some(label) => self.lists.labels.localized(label),
            None => self.lists.labels.same(&format!("all-reduce {}", Bytes(array.region.bytes))),
        };
        self.push_kernel(kernel, Some(HostOp::Custom), &[array.region], &[array.region], Some(label))
    }

    pub(super) fn memset(&mut self, it: &statement::Memset) -> Outcome {
        let (array, _) = self.on_device(&it.tensor)?;
        let value = it.value.as_ref().map_or(Ok(0.0), |value| self.values.number(value))?;
        let action = Action::Memset { stream: self.current, region: array.region, value, dtype: array.dtype };
        self.push(action, Some(HostOp::InPlace), "memset")
    }

    pub(super) fn host_function(&mut self, it: &statement::HostFunction) -> Outcome {
        let dur = self.values.duration(&it.dur_us)?;
        let label = self.label_or(it.label.as_ref(), Key::LabelHostFunction);
        self.push_labelled(Action::HostFunction { stream: self.current, dur }, None, label)
    }
}

fn host_op(choice: &KernelChoice) -> HostOp {
    match choice {
        KernelChoice::Matmul => HostOp::Matmul,
        KernelChoice::Linear => HostOp::Linear,
        KernelChoice::LayerNorm => HostOp::LayerNorm,
        KernelChoice::Gelu => HostOp::Gelu,
        KernelChoice::Softmax => HostOp::Softmax,
        KernelChoice::Add => HostOp::Add,
        KernelChoice::AddScalar(_) | KernelChoice::MulScalar(_) => HostOp::Scalar,
        KernelChoice::Clone => HostOp::Clone,
        KernelChoice::Fill(_) => HostOp::Full,
        KernelChoice::Sum => HostOp::Sum,
        KernelChoice::Timed(_) => HostOp::Custom,
    }
}

fn elementwise(function: Elementwise, x: &Array) -> Outcome<(Kernel, Vec<u64>)> {
    Ok((Kernel::Elementwise { function, elements: x.elements(), dtype: x.dtype }, x.shape.clone()))
}

fn with_last(x: &Array, last: u64) -> Vec<u64> {
    let mut shape = x.shape.clone();
    if let Some(dim) = shape.last_mut() {
        *dim = last;
    }
    shape
}
