// Few rows through a wide layer: the weight is read once, and its reading is all that takes time. Accumulated in f32.
#include "element.cuh"
#include "stamp.cuh"

constexpr unsigned AT_ONCE = 4;

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
    return x;
}

// The part of x . w that falls to thread `first` of `stride`; k is any length.
template <typename T>
__device__ __forceinline__ float dot(const T *x, const T *w, unsigned k, unsigned first, unsigned stride) {
    constexpr unsigned lanes = 16 / sizeof(T);
    unsigned wide = aligned(x, 16) && aligned(w, 16) ? k / lanes : 0;
    float sums[4] = {};
    // The loads of the weight come first and together: their number under way is what the speed depends on.
    for (unsigned i = first; i < wide; i += AT_ONCE * stride) {
        Wide<T> right[AT_ONCE] = {};
#pragma unroll
        for (unsigned u = 0; u < AT_ONCE; u++) {
            if (i + u * stride < wide) right[u] = reinterpret_cast<const Wide<T> *>(w)[i + u * stride];
        }
#pragma unroll
        for (unsigned u = 0; u < AT_ONCE; u++) {
            if (i + u * stride < wide) {
                Wide<T> left = reinterpret_cast<const Wide<T> *>(x)[i + u * stride];
#pragma unroll
                for (unsigned lane = 0; lane < lanes; lane++) {
                    sums[lane % 4] = fmaf(number(left.at[lane]), number(right[u].at[lane]), sums[lane % 4]);
                }
            }
        }
    }
    float sum = sums[0] + sums[1] + (sums[2] + sums[3]);
#pragma unroll 4
    for (unsigned i = wide * lanes + first; i < k; i += stride) sum = fmaf(number(x[i]), number(w[i]), sum);
    return sum;
}

// A warp a row of w[n, k]: 128 threads, ceil(n / 4) blocks.
template <typename T>
__device__ __forceinline__ void gemv(const T *__restrict__ x, const T *__restrict__ w, T *out, unsigned k, unsigned n) {
    unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row < n) {
        float sum = warp_sum(dot(x, w + static_cast<unsigned long long>(row) * k, k, lane, 32));
        if (lane == 0) put(out[row], sum);
    }
}

// A block a row, for long rows: 128 threads, n blocks.
template <typename T>
__device__ __forceinline__ void gemv_long(const T *__restrict__ x, const T *__restrict__ w, T *out, unsigned k, unsigned n) {
    __shared__ float sums[4];
    unsigned row = blockIdx.x;
    if (row >= n) return;
    float sum = warp_sum(dot(x, w + static_cast<unsigned long long>(row) * k, k, threadIdx.x, 128));
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) put(out[row], sums[0] + sums[1] + sums[2] + sums[3]);
}

// A warp a row of w for up to MOST rows of x.
template <int MOST, typename T>
__device__ __forceinline__ void rows(const T *__restrict__ x, const T *__restrict__ w, T *out, unsigned m, unsigned k, unsigned n) {
    constexpr unsigned lanes = 16 / sizeof(T);
    unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    w += static_cast<unsigned long long>(row) * k;
    unsigned wide = aligned(x, 16) && aligned(w, 16) && k % lanes == 0 ? k / lanes : 0;
    float sums[MOST] = {};
#pragma unroll(MOST > 8 ? 1 : 2)
    for (unsigned i = lane; i < wide; i += 32) {
        Wide<T> right = reinterpret_cast<const Wide<T> *>(w)[i];
#pragma unroll
        for (int r = 0; r < MOST; r++) {
            if (r < m) {
                Wide<T> left = reinterpret_cast<const Wide<T> *>(x)[static_cast<unsigned long long>(r) * wide + i];
#pragma unroll
                for (unsigned j = 0; j < lanes; j++) sums[r] = fmaf(number(left.at[j]), number(right.at[j]), sums[r]);
            }
        }
    }
    for (unsigned i = wide * lanes + lane; i < k; i += 32) {
        float right = number(w[i]);
#pragma unroll
        for (int r = 0; r < MOST; r++) {
            if (r < m) sums[r] = fmaf(number(x[static_cast<unsigned long long>(r) * k + i]), right, sums[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < MOST; r++) {
        if (r < m) {
            float sum = warp_sum(sums[r]);
            if (lane == 0) put(out[static_cast<unsigned long long>(r) * n + row], sum);
        }
    }
}

#define GEMV(T)                                                                                                        \
    extern "C" __global__ void __launch_bounds__(128, 8)                                                               \
        gemv_##T(const T *x, const T *w, T *out, unsigned k, unsigned n, Stamp *stamps) {                              \
        unsigned long long start = stamp_start(stamps);                                                                \
        gemv(x, w, out, k, n);                                                                                         \
        stamp_end(stamps, start);                                                                                      \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(128, 8)                                                               \
        gemv_##T##_long(const T *x, const T *w, T *out, unsigned k, unsigned n, Stamp *stamps) {                       \
        unsigned long long start = stamp_start(stamps);                                                                \
        gemv_long(x, w, out, k, n);                                                                                    \
        stamp_end(stamps, start);                                                                                      \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(128, 4)                                                               \
        linear_rows_##T(const T *x, const T *w, T *out, unsigned m, unsigned k, unsigned n, Stamp *stamps) {           \
        unsigned long long start = stamp_start(stamps);                                                                \
        if (m <= 4) rows<4>(x, w, out, m, k, n);                                                                       \
        else if (m <= 8) rows<8>(x, w, out, m, k, n);                                                                  \
        else rows<16>(x, w, out, m, k, n);                                                                             \
        stamp_end(stamps, start);                                                                                      \
    }

GEMV(f32)
GEMV(f16)
GEMV(bf16)
