//! Modules, their functions, and launches.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::{CString, c_void};

use cudarc::driver::sys::{self, CUfunction_attribute_enum as Attribute};

use super::{Answer, Code, Stream, check};

/// Most arguments of a kernel.
const MOST_ARGUMENTS: usize = 16;

/// Code that the driver has compiled for its device.
#[derive(Debug)]
pub(in crate::gpu) struct Module {
    handle: sys::CUmodule,
}

impl Module {
    /// Compiles PTX.
    pub fn load(ptx: &str) -> Answer<Self> {
        let text = CString::new(ptx).map_err(|_| Code(218))?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the text ends in a zero; the driver writes one handle.
        check(unsafe { sys::cuModuleLoadData(&raw mut handle, text.as_ptr().cast()) })?;
        Ok(Self { handle })
    }

    /// A function by its name. It lives as long as the module.
    pub fn function(&self, name: &str) -> Answer<Function> {
        let text = CString::new(name).map_err(|_| Code(500))?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the name ends in a zero; the driver writes one handle.
        check(unsafe { sys::cuModuleGetFunction(&raw mut handle, self.handle, text.as_ptr()) })?;
        Ok(Function { handle })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded and unloaded once.
        let _unloaded = unsafe { sys::cuModuleUnload(self.handle) };
    }
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Function {
    handle: sys::CUfunction,
}

/// Blocks, threads and shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) struct LaunchShape {
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
}

impl LaunchShape {
    /// One block of one thread.
    pub const ONE_THREAD: Self = Self { grid: [1, 1, 1], threads: 1, shared_bytes: 0 };
}

/// Arguments of a launch, in order. A 4-byte argument is the low half of its 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Arguments {
    values: [u64; MOST_ARGUMENTS],
    count: usize,
}

impl Arguments {
    /// None yet.
    pub fn new() -> Self {
        Self { values: [0; MOST_ARGUMENTS], count: 0 }
    }

    /// Adds one; more than a kernel takes are dropped, and the launch then fails.
    pub fn push(&mut self, value: u64) {
        if let Some(place) = self.values.get_mut(self.count) {
            *place = value;
        }
        self.count += 1;
    }
}

impl Function {
    /// Lets blocks of this kernel have as much dynamic shared memory as `bytes`, out of the largest share of an SM's memory
    /// that there is: with a smaller one fewer blocks would fit. The limit is the function's, whose launches ask for
    /// different sizes: it only rises.
    pub fn allow_shared(&self, bytes: u32) -> Answer {
        let limit = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let largest = sys::CUshared_carveout_enum::CU_SHAREDMEM_CARVEOUT_MAX_SHARED as i32;
        for (attribute, value) in [
            (limit, self.attribute(limit)?.max(bytes) as i32),
            (Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, largest),
        ] {
            // SAFETY: the handle lives as long as its module.
            check(unsafe { sys::cuFuncSetAttribute(self.handle, attribute, value) })?;
        }
        Ok(())
    }

    fn attribute(&self, attribute: Attribute) -> Answer<u32> {
        let mut value = 0;
        // SAFETY: the handle lives as long as its module; the driver writes one integer.
        check(unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, self.handle) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// `cudaLaunchKernel`. Our kernels take at most as many arguments as there is room for, of at most 8 bytes each; one that
    /// was not given is 0. What a kernel reaches on the device is the program's business: an address that nobody gave out
    /// ends in error 700.
    pub fn launch(&self, shape: &LaunchShape, stream: &Stream, arguments: &mut Arguments) -> Answer {
        if arguments.count > MOST_ARGUMENTS {
            return Err(Code(1));
        }
        let mut pointers = [std::ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        for (pointer, value) in pointers.iter_mut().zip(&mut arguments.values) {
            *pointer = (&raw mut *value).cast();
        }
        let [x, y, z] = shape.grid;
        // SAFETY: the driver reads as many arguments as the kernel has before it returns, and all places are there; both handles
        // live as long as their owners.
        check(unsafe {
            sys::cuLaunchKernel(
                self.handle,
                x,
                y,
                z,
                shape.threads,
                1,
                1,
                shape.shared_bytes,
                stream.handle(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        })
    }

    /// Registers of each thread, and bytes of shared memory that a block has besides the dynamic ones.
    pub fn needs(&self) -> Answer<(u32, u32)> {
        let registers = self.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        Ok((registers, self.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?))
    }
}
