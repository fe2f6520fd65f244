//! Statements about memory.

use super::super::{Action, Buffer, BufferId, HostMemory, Place, Region, Tensor, TensorId};
use super::names::{Array, Binding};
use super::values::MAX_BYTES;
use super::{Lowering, Outcome, wrong};
use crate::kernel::{Dtype, Elementwise, Kernel};
use crate::profile::HostOp;
use crate::scenario::Name;
use crate::scenario::statement::memory as statement;
use crate::text::Key;
use crate::time::Ns;

impl Lowering<'_> {
    pub(super) fn tensor(&mut self, it: &statement::Tensor) -> Outcome {
        let shape = self.values.shape(&it.shape)?;
        let name = self.resolve(&it.name)?;
        let host = if it.fill.is_some() { None } else { Some(HostOp::Empty) };
        let array = self.allocate(&name, shape, it.dtype, host)?;
        if let Some(fill) = &it.fill {
            let function = Elementwise::Fill(self.values.number(fill)?);
            let kernel = Kernel::Elementwise { function, elements: array.elements(), dtype: array.dtype };
            self.push_kernel(kernel, Some(HostOp::Full), &[], &[array.region], None)?;
        }
        self.bind(&name, Binding::Array(array))
    }

    pub(super) fn host_tensor(&mut self, it: &statement::HostTensor) -> Outcome {
        let shape = self.values.shape(&it.shape)?;
        let name = self.resolve(&it.name)?;
        let memory = if self.values.flag(&it.pinned)? { HostMemory::Pinned } else { HostMemory::Pageable };
        let fill = it.fill.as_ref().map(|fill| self.values.number(fill)).transpose()?;
        let array = self.host_buffer(&name, shape, it.dtype, memory, fill)?;
        self.push_host_alloc(&array, false)?;
        self.bind(&name, Binding::Array(array))
    }

    pub(super) fn view(&mut self, it: &statement::View) -> Outcome {
        let whole = self.array(&it.of)?;
        let shape = self.values.shape(&it.shape)?;
        let size = whole.dtype.bytes();
        let offset = match &it.offset {
            Some(offset) => self.values.whole(offset, "the offset of a view", 0, MAX_BYTES)? * size,
            None => 0,
        };
        let bytes = shape.iter().product::<u64>() * size;
        if offset + bytes > whole.region.bytes {
            return wrong(format!(
                "the view needs {} bytes, but `{}` has {}; shrink its shape or offset",
                offset + bytes,
                it.of,
                whole.region.bytes
            ));
        }
        let region = Region { place: whole.region.place, offset: whole.region.offset + offset, bytes };
        let name = self.resolve(&it.name)?;
        self.references.retain(region.place);
        self.push(Action::Work { dur: Ns::ZERO }, Some(HostOp::Slice), "slice")?;
        self.bind(&name, Binding::Array(Array { region, shape, dtype: whole.dtype }))
    }

    pub(super) fn drop_name(&mut self, it: &statement::Drop) -> Outcome {
        let name = self.resolve(&it.name)?;
        self.names.anything(&name)?;
        match self.names.unbind(&name) {
            Some(Binding::Array(array)) => self.release(array.region.place),
            Some(Binding::Graph(graph)) => {
                self.push_about(Action::DestroyGraph { graph }, None, Key::LabelDestroy, &name)
            }
            // What an event stood for goes on without it (CUDA driver API, `cuEventDestroy`); PyTorch keeps its streams.
            Some(Binding::Event(_) | Binding::Stream(_) | Binding::Pool(_)) | None => Ok(()),
        }
    }

    pub(super) fn rebind(&mut self, it: &statement::Rebind) -> Outcome {
        let array = self.array(&it.to)?;
        self.references.retain(array.region.place);
        let name = self.resolve(&it.name)?;
        self.bind(&name, Binding::Array(array))
    }

    pub(super) fn record_stream(&mut self, it: &statement::RecordStream) -> Outcome {
        let (_, tensor) = self.on_device(&it.tensor)?;
        let stream = self.stream_or_current(it.stream.as_ref())?;
        self.push(Action::RecordStream { tensor, stream }, Some(HostOp::RecordStream), "record_stream")
    }

    pub(super) fn raw_malloc(&mut self, it: &statement::RawMalloc) -> Outcome {
        let bytes = self.values.whole(&it.bytes, "bytes", 1, MAX_BYTES)?;
        let name = self.resolve(&it.name)?;
        let tensor = self.new_tensor(&name, bytes);
        self.push(Action::RawMalloc { tensor }, None, "cudaMalloc")?;
        let region = Region { place: Place::Device(tensor), offset: 0, bytes };
        self.bind(&name, Binding::Array(Array { region, shape: vec![bytes], dtype: Dtype::U8 }))
    }

    pub(super) fn raw_free(&mut self, it: &statement::RawFree) -> Outcome {
        let (_, tensor) = self.on_device(&it.name)?;
        let name = self.resolve(&it.name)?;
        self.names.unbind(&name);
        self.push(Action::RawFree { tensor }, None, "cudaFree")
    }

    pub(super) fn malloc_async(&mut self, it: &statement::MallocAsync) -> Outcome {
        let bytes = self.values.whole(&it.bytes, "bytes", 1, MAX_BYTES)?;
        let name = self.resolve(&it.name)?;
        let tensor = self.new_tensor(&name, bytes);
        self.push_about(Action::MallocAsync { tensor, stream: self.current }, None, Key::LabelAllocate, &name)?;
        // As in C++, no name that goes out of scope gives it back.
        let region = Region { place: Place::Device(tensor), offset: 0, bytes };
        self.references.retain(region.place);
        self.bind(&name, Binding::Array(Array { region, shape: vec![bytes], dtype: Dtype::U8 }))
    }

    pub(super) fn free_async(&mut self, it: &statement::FreeAsync) -> Outcome {
        let (_, tensor) = self.on_device(&it.name)?;
        let name = self.resolve(&it.name)?;
        self.names.unbind(&name);
        self.push_about(Action::FreeAsync { tensor, stream: self.current }, None, Key::LabelFree, &name)
    }

    pub(super) fn malloc_host(&mut self, it: &statement::MallocHost) -> Outcome {
        let bytes = self.values.whole(&it.bytes, "bytes", 1, MAX_BYTES)?;
        let name = self.resolve(&it.name)?;
        let array = self.host_buffer(&name, vec![bytes], Dtype::U8, HostMemory::Pinned, Some(0.0))?;
        self.push_host_alloc(&array, true)?;
        // As in C++, no name that goes out of scope gives it back.
        self.references.retain(array.region.place);
        self.bind(&name, Binding::Array(array))
    }

    pub(super) fn free_host(&mut self, it: &statement::FreeHost) -> Outcome {
        let (_, buffer) = self.on_host(&it.name)?;
        let name = self.resolve(&it.name)?;
        self.names.unbind(&name);
        self.push(Action::HostFree { buffer, raw: true }, None, "cudaFreeHost")
    }

    /// A new tensor from the caching allocator on the current stream. It is bound to no name yet.
    pub(super) fn allocate(
        &mut self,
        name: &str,
        shape: Vec<u64>,
        dtype: Dtype,
        host: Option<HostOp>,
    ) -> Outcome<Array> {
        let bytes = shape.iter().product::<u64>() * dtype.bytes();
        let tensor = self.new_tensor(name, bytes);
        let action = Action::Alloc { tensor, stream: self.current };
        self.push(action, host, "torch.empty")?;
        Ok(Array { region: Region { place: Place::Device(tensor), offset: 0, bytes }, shape, dtype })
    }

    fn new_tensor(&mut self, name: &str, bytes: u64) -> TensorId {
        let tensor = TensorId(self.program.tensors.len() as u32);
        self.program.tensors.push(Tensor { name: name.to_owned(), bytes });
        self.references.new_tensor();
        tensor
    }

    /// A new buffer of the host. It is bound to no name yet.
    pub(super) fn host_buffer(
        &mut self,
        name: &str,
        shape: Vec<u64>,
        dtype: Dtype,
        memory: HostMemory,
        fill: Option<f64>,
    ) -> Outcome<Array> {
        let bytes = shape.iter().product::<u64>() * dtype.bytes();
        let buffer = BufferId(self.program.buffers.len() as u32);
        self.program.buffers.push(Buffer { name: name.to_owned(), bytes, dtype, memory, fill });
        self.references.new_buffer();
        Ok(Array { region: Region { place: Place::Host(buffer), offset: 0, bytes }, shape, dtype })
    }

    pub(super) fn push_host_alloc(&mut self, array: &Array, raw: bool) -> Outcome {
        let Some(buffer) = array.buffer() else { return Ok(()) };
        let action = Action::HostAlloc { buffer, raw };
        match raw {
            true => self.push(action, None, "cudaMallocHost"),
            false => self.push_about(action, None, Key::LabelHostMemory, ""),
        }
    }

    /// A tensor, buffer or view that a statement names.
    pub(super) fn array(&self, name: &Name) -> Outcome<Array> {
        Ok(self.names.array(&self.resolve(name)?)?.clone())
    }

    /// One on the device.
    pub(super) fn on_device(&self, name: &Name) -> Outcome<(Array, TensorId)> {
        let name = self.resolve(name)?;
        let (array, tensor) = self.names.on_device(&name)?;
        Ok((array.clone(), tensor))
    }

    /// An operand of a kernel.
    pub(super) fn tensor_named(&self, name: &Name) -> Outcome<Array> {
        self.on_device(name).map(|(array, _)| array)
    }

    /// One in host memory.
    pub(super) fn on_host(&self, name: &Name) -> Outcome<(Array, BufferId)> {
        let name = self.resolve(name)?;
        let (array, buffer) = self.names.on_host(&name)?;
        Ok((array.clone(), buffer))
    }
}
