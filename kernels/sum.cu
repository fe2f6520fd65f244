// Sum of all elements, in one launch. Blocks have whole warps and at most 512 threads.
#include "element.cuh"
#include "stamp.cuh"

// Zeroed once before the first use; the last block leaves it so. Two sums under way at once need one each.
struct Scratch {
    union {
        double sum;
        unsigned long long whole;
    };
    unsigned ticket, pad;
};

__device__ __forceinline__ void add(double *to, double x) { atomicAdd(to, x); }
__device__ __forceinline__ void add(unsigned long long *to, unsigned long long x) { atomicAdd(to, x); }

// Threads sum in Part, blocks and the whole in Total at `total`.
template <typename Part, typename Total, typename T>
__device__ __forceinline__ void sum(const T *x, T *out, unsigned long long n, Total *total, unsigned *ticket) {
    constexpr unsigned lanes = 16 / sizeof(T), at_once = 4;
    unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long wide = aligned(x, 16) ? n / lanes : 0;
    Part parts[at_once] = {};
    for (unsigned long long i = first; i < wide; i += at_once * stride) {
        Wide<T> values[at_once] = {};
#pragma unroll
        for (unsigned u = 0; u < at_once; u++) {
            if (i + u * stride < wide) values[u] = reinterpret_cast<const Wide<T> *>(x)[i + u * stride];
        }
#pragma unroll
        for (unsigned u = 0; u < at_once; u++) {
#pragma unroll
            for (unsigned lane = 0; lane < lanes; lane++) parts[u] += number(values[u].at[lane]);
        }
    }
    for (unsigned long long i = wide * lanes + first; i < n; i += stride) parts[0] += number(x[i]);

    Total block = static_cast<Total>(parts[0] + parts[1]) + static_cast<Total>(parts[2] + parts[3]);
    __shared__ Total warps[16];
#pragma unroll
    for (int shift = 16; shift; shift /= 2) block += __shfl_xor_sync(0xffffffffu, block, shift);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = block;
    __syncthreads();
    if (threadIdx.x < 32) {
        block = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
#pragma unroll
        for (int shift = 16; shift; shift /= 2) block += __shfl_xor_sync(0xffffffffu, block, shift);
    }
    if (threadIdx.x == 0) {
        add(total, block);
        __threadfence();
        if (atomicAdd(ticket, 1) == gridDim.x - 1) {
            __threadfence();
            volatile Total *whole = total;
            put(out[0], static_cast<decltype(number(T()))>(*whole));
            *whole = 0;
            *ticket = 0;
        }
    }
}

#define SUM(T, Part, total)                                                                                            \
    extern "C" __global__ void __launch_bounds__(512, 4)                                                               \
        sum_##T(const T *x, T *out, unsigned long long n, Scratch *scratch, Stamp *stamps) {                           \
        unsigned long long start = stamp_start(stamps);                                                                \
        sum<Part>(x, out, n, &scratch->total, &scratch->ticket);                                                       \
        stamp_end(stamps, start);                                                                                      \
    }

SUM(f32, float, sum)
SUM(f16, float, sum)
SUM(bf16, float, sum)
// Whole numbers stay exact and wrap around.
SUM(i64, unsigned long long, whole)
