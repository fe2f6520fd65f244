// Normalization by rows, one block a row. In place is right: a block reads its whole row before it writes any of it.
#include "stamp.cuh"

struct Sum {
    static constexpr float none = 0;
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
    static constexpr float none = -3.402823466e38f;
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// One value over all threads of the block, which are whole warps.
template <typename F> __device__ __forceinline__ float over_block(float x, F f) {
    __shared__ float warps[32];
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) x = f(x, __shfl_xor_sync(0xffffffffu, x, lanes));
    if (blockDim.x == 32) return x;
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : F::none;
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) x = f(x, __shfl_xor_sync(0xffffffffu, x, lanes));
    return x;
}

// A row: the first KEPT elements of each thread stay in registers, what lies beyond is read again in each pass.
template <int KEPT> struct Row {
    const float *x;
    unsigned long long cols;
    float kept[KEPT];

    __device__ __forceinline__ Row(const float *row, unsigned cols) : x(row), cols(cols) {
#pragma unroll
        for (int j = 0; j < KEPT; j++) {
            unsigned long long i = threadIdx.x + j * blockDim.x;
            kept[j] = i < cols ? row[i] : 0;
        }
    }

    // f(column, element) for all elements of this thread.
    template <typename F> __device__ __forceinline__ void each(F f) const {
#pragma unroll
        for (int j = 0; j < KEPT; j++) {
            unsigned long long i = threadIdx.x + j * blockDim.x;
            if (i < cols) f(i, kept[j]);
        }
        for (unsigned long long i = threadIdx.x + KEPT * blockDim.x; i < cols; i += blockDim.x) f(i, x[i]);
    }
};

// No affine part, eps 1e-5 as PyTorch's default. 128 threads, one block a row.
extern "C" __global__ void __launch_bounds__(1024, 1)
    layer_norm_f32(const float *x, float *out, unsigned rows, unsigned cols, Stamp *stamps) {
    unsigned long long start = stamp_start(stamps);
    for (unsigned long long r = blockIdx.x; r < rows; r += gridDim.x) {
        Row<16> row(x + r * cols, cols);
        float sum = 0, squares = 0;
        row.each([&](unsigned long long, float x) { sum += x; });
        float mean = over_block(sum, Sum()) / cols;
        row.each([&](unsigned long long, float x) { squares = fmaf(x - mean, x - mean, squares); });
        float scale = rsqrtf(over_block(squares, Sum()) / cols + 1e-5f);
        row.each([&](unsigned long long i, float x) { out[r * cols + i] = (x - mean) * scale; });
    }
    stamp_end(stamps, start);
}

// At most 1024 threads, in whole warps, one block a row.
extern "C" __global__ void __launch_bounds__(1024, 1)
    softmax_f32(const float *x, float *out, unsigned rows, unsigned cols, Stamp *stamps) {
    unsigned long long start = stamp_start(stamps);
    for (unsigned long long r = blockIdx.x; r < rows; r += gridDim.x) {
        Row<8> row(x + r * cols, cols);
        float most = -__int_as_float(0x7f800000), sum = 0;
        row.each([&](unsigned long long, float x) { most = fmaxf(most, x); });
        most = over_block(most, Max());
        row.each([&](unsigned long long, float x) { sum += expf(x - most); });
        float scale = 1 / over_block(sum, Sum());
        row.each([&](unsigned long long i, float x) { out[r * cols + i] = expf(x - most) * scale; });
    }
    stamp_end(stamps, start);
}
