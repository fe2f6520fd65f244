//! One device, opened: its context, its limits, and the kernels compiled for it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use super::device::devices;
use super::driver::{Answer, Blas, Code, Context, Function, Module};
use super::{DeviceInfo, GpuError, kernels};
use crate::profile::{Curve, Gpu};

/// Grids that are resident at once from compute capability 3.5 on (CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability"). The driver has no attribute for it.
const MAX_GRIDS: u32 = 128;

/// One device, opened. It stays open for the next run, since compiling the kernels takes a while.
#[derive(Debug)]
pub(super) struct Session {
    /// What the device is.
    pub info: DeviceInfo,
    /// Its limits. The driver does not tell the queue's depth; the bandwidth is the memory's own, reached by half the SMs.
    pub gpu: Gpu,
    /// Whether matrix products go to cuBLAS.
    pub has_blas: bool,
    /// Modules that have been asked for, by their place among all.
    modules: RefCell<HashMap<usize, Module>>,
    /// Last, since the others belong to it.
    pub context: Context,
}

impl Session {
    /// Opens device number `index`.
    pub fn open(index: u32) -> Result<Self, GpuError> {
        let all = devices()?;
        let count = all.len();
        let info = all.into_iter().nth(index as usize).ok_or(GpuError::NoSuchDevice { index, count })?;
        let context = Context::retain(index).map_err(|code| code.while_trying("open the device"))?;
        let gpu = limits(&context).map_err(|code| code.while_trying("tell the limits of the device"))?;
        Ok(Self { info, gpu, has_blas: Blas::is_present(), modules: RefCell::new(HashMap::new()), context })
    }

    /// A kernel by the name of its entry point. The first one of its file has the driver compile that.
    pub fn function(&self, entry: &str) -> Result<Function, GpuError> {
        let failed = |code: Code| code.while_trying("compile a kernel of this program");
        let found = kernels::MODULES.iter().enumerate().find(|(_, module)| module.entries.contains(&entry));
        let (place, source) = found.ok_or_else(|| failed(Code(500)))?;
        let mut modules = self.modules.borrow_mut();
        let module = match modules.entry(place) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Module::load(source.ptx).map_err(failed)?),
        };
        module.function(entry).map_err(failed)
    }
}

fn limits(context: &Context) -> Answer<Gpu> {
    let (_, highest_priority) = context.priorities()?;
    let sms = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let clock_khz = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?;
    let bus_bits = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?;
    // Two transfers a clock.
    let peak_gb_per_s = 2.0 * f64::from(clock_khz) * 1e3 * f64::from(bus_bits) / 8.0 / 1e9;
    Ok(Gpu {
        name: context.name()?,
        sms,
        threads_per_sm: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        registers_per_sm: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        shared_bytes_per_sm: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_reserved_per_block: context
            .attribute(Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        max_grids: MAX_GRIDS,
        queue_depth: 0,
        memory_bytes: context.memory_bytes()?.1,
        bandwidth: Curve(vec![[0.0, 0.0], [f64::from(sms) / 2.0, peak_gb_per_s]]),
        highest_priority,
    })
}
