//! Matrix products by cuBLAS, where it can be loaded.
#![expect(unsafe_code, reason = "calls of cuBLAS")]

use std::ffi::c_void;

use cudarc::cublas::sys::{self, cublasOperation_t as Operation, cudaDataType as DataType};

use super::{Answer, Code, DeviceMemory, Stream};
use crate::kernel::Dtype;

/// As PyTorch gives it on Hopper (`aten/src/ATen/cuda/CublasHandlePool.cpp`).
const WORKSPACE_BYTES: u64 = 32 << 20;

/// A cuBLAS handle for one stream, with a workspace of its own, so that nothing is allocated while the stream captures.
#[derive(Debug)]
pub(in crate::gpu) struct Blas {
    handle: sys::cublasHandle_t,
    _workspace: DeviceMemory,
}

/// A product of row-major matrices: `out[m, n] = a[m, k] @ b`, with `b[k, n]`, or `b[n, k]` where it is transposed.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Gemm {
    /// Rows of the result.
    pub m: u64,
    /// Length of the dot products.
    pub k: u64,
    /// Columns of the result.
    pub n: u64,
    /// Type of all elements; sums are in `f32`.
    pub dtype: Dtype,
    /// Whether `b` is `[n, k]`.
    pub b_is_transposed: bool,
}

impl Blas {
    /// Whether the library can be loaded.
    pub fn is_present() -> bool {
        // SAFETY: the library is NVIDIA's, which may be loaded at any time and from any thread.
        unsafe { sys::is_culib_present() }
    }

    /// A handle for `stream`.
    pub fn new(stream: &Stream) -> Answer<Self> {
        let workspace = DeviceMemory::zeroed(WORKSPACE_BYTES)?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the library writes one handle.
        check(unsafe { sys::cublasCreate_v2(&raw mut handle) })?;
        let blas = Self { handle, _workspace: workspace };
        // SAFETY: handle, stream and workspace live as long as their owners; the workspace is as large as said.
        check(unsafe { sys::cublasSetStream_v2(handle, stream.handle().cast()) })?;
        let address = blas._workspace.address() as *mut c_void;
        // SAFETY: as above.
        check(unsafe { sys::cublasSetWorkspace_v2(handle, address, WORKSPACE_BYTES as usize) })?;
        Ok(blas)
    }

    /// Whether cuBLAS multiplies matrices of this type.
    pub fn takes(dtype: Dtype) -> bool {
        data_type(dtype).is_some()
    }

    /// Queues a product on `stream`, that of the handle.
    pub fn gemm(&self, stream: &Stream, gemm: &Gemm, a: u64, b: u64, out: u64) -> Answer {
        let dtype = data_type(gemm.dtype).ok_or(Code(1))?;
        let dim = |dim: u64| i32::try_from(dim).map_err(|_| Code(1));
        let (m, k, n) = (dim(gemm.m)?, dim(gemm.k)?, dim(gemm.n)?);
        let (one, zero) = (1.0_f32, 0.0_f32);
        // cuBLAS counts by columns: the product of the transposes in the other order is the same bytes.
        let (transpose_b, leading_b) =
            if gemm.b_is_transposed { (Operation::CUBLAS_OP_T, k) } else { (Operation::CUBLAS_OP_N, n) };
        // SAFETY: the handle lives as long as its owner; alpha and beta are read before the call returns; matrices on the
        // device are the program's business.
        let status = unsafe {
            sys::cublasGemmEx(
                self.handle,
                transpose_b,
                Operation::CUBLAS_OP_N,
                n,
                m,
                k,
                (&raw const one).cast(),
                b as *const c_void,
                dtype,
                leading_b,
                a as *const c_void,
                dtype,
                k,
                (&raw const zero).cast(),
                out as *mut c_void,
                dtype,
                n,
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        // cuBLAS keeps the driver's error to itself, but the stream still knows why nothing works on it.
        check(status).map_err(|code| stream.failure().unwrap_or(code))
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: created and destroyed once.
        let _destroyed = unsafe { sys::cublasDestroy_v2(self.handle) };
    }
}

fn data_type(dtype: Dtype) -> Option<DataType> {
    match dtype {
        Dtype::F32 => Some(DataType::CUDA_R_32F),
        Dtype::F16 => Some(DataType::CUDA_R_16F),
        Dtype::Bf16 => Some(DataType::CUDA_R_16BF),
        Dtype::I64 | Dtype::U8 => None,
    }
}

/// cuBLAS has numbers of its own. Those that mean the same become the driver's, all others its "unknown".
fn check(status: sys::cublasStatus_t) -> Answer {
    match status {
        sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(()),
        sys::cublasStatus_t::CUBLAS_STATUS_ALLOC_FAILED => Err(Code(2)),
        sys::cublasStatus_t::CUBLAS_STATUS_INVALID_VALUE => Err(Code(1)),
        sys::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED => Err(Code(801)),
        _ => Err(Code(999)),
    }
}
