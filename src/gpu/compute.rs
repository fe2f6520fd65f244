//! One kernel on given bytes: what it makes of them, for whoever wants to hold it against a reference.

use super::driver::{Answer, Blas, DeviceMemory, Stream};
use super::kernels::SCRATCH_BYTES;
use super::plans::{self, Launch};
use super::{GpuError, with_session};
use crate::kernel::Kernel;

/// Runs `kernel` once on device number `device` with these operands and returns its results, of `writes` bytes each, zeroed
/// before. `library` says whether cuBLAS may do it.
///
/// # Errors
/// [`GpuError`] when there is no such device, or it cannot run this kernel.
pub fn compute(
    device: u32,
    kernel: &Kernel,
    reads: &[Vec<u8>],
    writes: &[u64],
    library: bool,
) -> Result<Vec<Vec<u8>>, GpuError> {
    with_session(device, |session| {
        let sizes: Vec<u64> = reads.iter().map(|read| read.len() as u64).collect();
        let launch = Launch::of(session, kernel, &sizes, writes, library && session.has_blas, "")?;
        let computed = || -> Answer<Vec<Vec<u8>>> {
            let operands = reads.iter().map(|read| {
                let memory = DeviceMemory::zeroed(read.len() as u64)?;
                memory.write(0, read)?;
                Ok(memory)
            });
            let operands = operands.collect::<Result<Vec<_>, _>>()?;
            let results = writes.iter().map(|bytes| DeviceMemory::zeroed(*bytes)).collect::<Result<Vec<_>, _>>()?;
            let at = |list: &[DeviceMemory], place: usize| list.get(place).map_or(0, DeviceMemory::address);
            let stream = Stream::new(true, 0)?;
            match &launch {
                Launch::Library(gemm) => {
                    let blas = Blas::new(&stream)?;
                    blas.gemm(&stream, gemm, at(&operands, 0), at(&operands, 1), at(&results, 0))?;
                    stream.synchronize()?;
                }
                Launch::Own { function, shape, arguments } => {
                    let scratch = DeviceMemory::zeroed(SCRATCH_BYTES)?;
                    let (read, write) = (|place| at(&operands, place), |place| at(&results, place));
                    let mut values = plans::arguments(arguments, read, write, scratch.address());
                    values.push(0);
                    function.launch(shape, &stream, &mut values)?;
                    stream.synchronize()?;
                }
            }
            let read = |memory: &DeviceMemory| {
                let mut bytes = vec![0_u8; memory.bytes() as usize];
                memory.read(0, &mut bytes)?;
                Ok(bytes)
            };
            results.iter().map(read).collect()
        };
        computed().map_err(|code| code.while_trying("run a kernel by itself"))
    })
}
