//! Device memory of a program: the caching allocator drives the real thing.

use super::super::driver::{self, Stream};
use super::device::{Device, Given};
use super::handles::Handles;
use super::pace::Pace;
use super::{Failure, MemoryStep};
use crate::memory::{Allocator, Usage};
use crate::program::{Program, StreamId, TensorId};
use crate::time::Ns;

/// Device memory of a program.
#[derive(Debug)]
pub(super) struct Memory {
    /// Address of each tensor; 0 before it is allocated.
    addresses: Vec<u64>,
    sizes: Vec<u64>,
    allocator: Allocator<u32>,
    pub given: Given,
    /// What has become of the allocator's memory, where that is kept.
    steps: Option<Vec<MemoryStep>>,
    /// Whether the measured part has begun.
    measuring: bool,
}

impl Memory {
    /// Nothing is allocated yet. `is_traced` says whether it is kept what becomes of the memory.
    pub fn new(program: &Program, is_traced: bool) -> Self {
        Self {
            addresses: vec![0; program.tensors.len()],
            sizes: program.tensors.iter().map(|tensor| tensor.bytes).collect(),
            allocator: Allocator::default(),
            given: Given::new(program.device.memory_bytes),
            steps: is_traced.then(Vec::new),
            measuring: false,
        }
    }

    /// The measured part begins.
    pub fn begin_measured(&mut self) {
        self.allocator.reset_peaks();
        self.measuring = true;
    }

    /// What the allocator holds.
    pub fn usage(&self) -> Usage {
        self.allocator.usage()
    }

    /// How that came, where it was kept.
    pub fn take_steps(&mut self) -> Vec<MemoryStep> {
        self.steps.take().unwrap_or_default()
    }

    /// Address of a tensor, 0 before it is allocated.
    pub fn address(&self, tensor: TensorId) -> u64 {
        self.addresses.get(tensor.index()).copied().unwrap_or(0)
    }

    fn set_address(&mut self, tensor: TensorId, address: u64) {
        if let Some(place) = self.addresses.get_mut(tensor.index()) {
            *place = address;
        }
    }

    fn bytes(&self, tensor: TensorId) -> u64 {
        self.sizes.get(tensor.index()).copied().unwrap_or(0)
    }

    fn with_allocator<T>(
        &mut self,
        (handles, pace): (&Handles, &mut Pace<'_>),
        operation: usize,
        what: impl FnOnce(&mut Allocator<u32>, &mut Device<'_, '_>) -> T,
    ) -> T {
        let Self { allocator, given, steps, measuring, .. } = self;
        let result = what(allocator, &mut given.within(handles, pace, operation));
        let changes = allocator.take_changes();
        if let Some(steps) = steps {
            // The clocks run from the start of the measured part on; what the setup held is there from its start on.
            let at = if *measuring { pace.now() } else { Ns::ZERO };
            steps.extend(changes.map(|change| MemoryStep::Change(at, change)));
        }
        result
    }

    /// A tensor gets a block for use on `stream`, from the private pool `pool`.
    pub fn allocate(
        &mut self,
        around: (&Handles, &mut Pace<'_>),
        operation: usize,
        tensor: TensorId,
        (stream, pool, capturing): (StreamId, u32, bool),
    ) -> Result<(), Failure> {
        let bytes = self.bytes(tensor);
        let (outcome, refused) = self.with_allocator(around, operation, |allocator, device| {
            let outcome = allocator.allocate(device, bytes, stream.0, pool, capturing).or_else(|_| {
                // Neither waiting nor `cudaFree` is allowed in most captures, and PyTorch does both as it is.
                allocator.empty_cache(device, capturing);
                allocator.allocate(device, bytes, stream.0, pool, capturing)
            });
            (outcome, device.refused)
        });
        if let Some(code) = refused {
            return Err(code.into());
        }
        let allocated = outcome.map_err(|error| Failure::Pytorch("torch.OutOfMemoryError", error.to_string()))?;
        self.set_address(tensor, allocated.address);
        if let Some(steps) = &mut self.steps {
            steps.push(MemoryStep::Owner(allocated.address, tensor));
        }
        Ok(())
    }

    /// The last name of a tensor went out of scope.
    pub fn free(&mut self, around: (&Handles, &mut Pace<'_>), operation: usize, tensor: TensorId, capturing: bool) {
        let address = self.address(tensor);
        self.with_allocator(around, operation, |allocator, device| allocator.free(device, address, capturing));
    }

    /// The memory block of a tensor is in use on another stream too.
    pub fn record_stream(&mut self, tensor: TensorId, stream: StreamId) {
        let address = self.address(tensor);
        self.allocator.record_stream(address, stream.0);
    }

    /// Cached memory goes back to the driver.
    pub fn empty_cache(&mut self, around: (&Handles, &mut Pace<'_>), operation: usize, capturing: bool) {
        self.with_allocator(around, operation, |allocator, device| {
            allocator.empty_cache(device, capturing);
        });
    }

    /// `cudaMalloc`.
    pub fn raw_malloc(&mut self, tensor: TensorId) -> Result<(), Failure> {
        let bytes = self.bytes(tensor);
        let address = driver::malloc(bytes)?;
        self.given.owned.insert(address, bytes);
        self.set_address(tensor, address);
        Ok(())
    }

    /// `cudaFree`.
    pub fn raw_free(&mut self, tensor: TensorId) -> Result<(), Failure> {
        let address = self.address(tensor);
        driver::free(address)?;
        self.given.owned.remove(&address);
        Ok(())
    }

    /// `cudaMallocAsync`. What a graph allocates is the graph's own.
    pub fn malloc_async(&mut self, tensor: TensorId, stream: &Stream, captured: bool) -> Result<(), Failure> {
        let bytes = self.bytes(tensor);
        let address = driver::malloc_async(bytes, stream)?;
        if !captured {
            self.given.owned.insert(address, bytes);
        }
        self.set_address(tensor, address);
        Ok(())
    }

    /// `cudaFreeAsync`.
    pub fn free_async(&mut self, tensor: TensorId, stream: &Stream) -> Result<(), Failure> {
        let address = self.address(tensor);
        driver::free_async(address, stream)?;
        self.given.owned.remove(&address);
        Ok(())
    }
}
