// Tiled matrix products, accumulated in f32: for where cuBLAS is missing, or the map of the SMs is wanted.
#pragma once
#include "element.cuh"
#include "stamp.cuh"

// A block makes TILE x TILE results, a thread ROWS x COLUMNS of them; a warp has LANES_M x LANES_N threads. Both are
// read STEP columns at a time.
template <int TILE_, int STEP_, int ROWS_, int COLUMNS_, int LANES_M_> struct Shape {
    static constexpr int TILE = TILE_, STEP = STEP_, ROWS = ROWS_, COLUMNS = COLUMNS_, LANES_M = LANES_M_;
    static constexpr int LANES_N = 32 / LANES_M;
    static constexpr int WARPS_N = TILE / (LANES_N * COLUMNS);
    static constexpr int THREADS = TILE / ROWS * (TILE / COLUMNS);
    static constexpr int QUADS = TILE * STEP / 4 / THREADS;  // loads of a thread, for each operand
    static constexpr int PITCH = TILE + 4;                   // spreads transposed stores over the banks
};
typedef Shape<128, 8, 8, 8, 8> Large;
typedef Shape<64, 16, 8, 4, 4> Small;

template <typename T> using Quad = Vector<T, 4>;

// Four elements from `column` of a row; beyond the edge zeros. ALIGNED: rows start and end on whole quads.
template <bool ALIGNED, typename T>
__device__ __forceinline__ Quad<T> quad(const T *matrix, unsigned rows, unsigned columns, unsigned row, unsigned column) {
    Quad<T> four = {};
    if (row < rows) {
        const T *from = matrix + static_cast<unsigned long long>(row) * columns + column;
        if constexpr (ALIGNED) {
            if (column < columns) four = *reinterpret_cast<const Quad<T> *>(from);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (column + i < columns) four.at[i] = from[i];
            }
        }
    }
    return four;
}

// A tile of an operand that has k along its rows, on its way to shared memory, where it stands transposed.
template <typename S, bool ALIGNED, typename T> struct AlongK {
    Quad<T> quads[S::QUADS];

    __device__ __forceinline__ void load(const T *matrix, unsigned rows, unsigned k, unsigned row, unsigned step) {
#pragma unroll
        for (int q = 0; q < S::QUADS; q++) {
            unsigned at = threadIdx.x + q * S::THREADS;
            quads[q] = quad<ALIGNED>(matrix, rows, k, row + at / (S::STEP / 4), step + at % (S::STEP / 4) * 4);
        }
    }

    __device__ __forceinline__ void store(float (*tile)[S::PITCH]) const {
#pragma unroll
        for (int q = 0; q < S::QUADS; q++) {
            unsigned at = threadIdx.x + q * S::THREADS;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                tile[at % (S::STEP / 4) * 4 + i][at / (S::STEP / 4)] = number(quads[q].at[i]);
            }
        }
    }
};

// A tile of an operand that has n along its rows.
template <typename S, bool ALIGNED, typename T> struct AlongN {
    Quad<T> quads[S::QUADS];

    __device__ __forceinline__ void load(const T *matrix, unsigned n, unsigned k, unsigned column, unsigned step) {
#pragma unroll
        for (int q = 0; q < S::QUADS; q++) {
            unsigned at = threadIdx.x + q * S::THREADS;
            quads[q] = quad<ALIGNED>(matrix, k, n, step + at / (S::TILE / 4), column + at % (S::TILE / 4) * 4);
        }
    }

    __device__ __forceinline__ void store(float (*tile)[S::PITCH]) const {
#pragma unroll
        for (int q = 0; q < S::QUADS; q++) {
            unsigned at = threadIdx.x + q * S::THREADS;
            float4 four = make_float4(number(quads[q].at[0]), number(quads[q].at[1]), number(quads[q].at[2]), number(quads[q].at[3]));
            *reinterpret_cast<float4 *>(&tile[at / (S::TILE / 4)][at % (S::TILE / 4) * 4]) = four;
        }
    }
};

template <typename S> struct Tiles {
    float left[2][S::STEP][S::PITCH];
    float right[2][S::STEP][S::PITCH];
};

// While one pair of tiles is multiplied, the next is on its way through registers into the other half of shared memory.
template <typename S, bool ALIGNED, template <typename, bool, typename> class Right, typename T>
__device__ __forceinline__ void product(const T *a, const T *b, T *out, unsigned m, unsigned k, unsigned n, Tiles<S> &tiles) {
    unsigned top = blockIdx.y * S::TILE, side = blockIdx.x * S::TILE;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned row = warp / S::WARPS_N * (S::LANES_M * S::ROWS) + lane / S::LANES_N * 4;
    unsigned column = warp % S::WARPS_N * (S::LANES_N * S::COLUMNS) + lane % S::LANES_N * 4;
    float sums[S::ROWS][S::COLUMNS] = {};
    AlongK<S, ALIGNED, T> left;
    Right<S, ALIGNED, T> right;
    left.load(a, m, k, top, 0);
    right.load(b, n, k, side, 0);
    left.store(tiles.left[0]);
    right.store(tiles.right[0]);
    __syncthreads();
    unsigned half = 0;
    // Counted in steps, because k may be near the end of its type.
    unsigned steps = k / S::STEP + (k % S::STEP != 0);
    for (unsigned step = 0; step < steps; step++) {
        bool more = step + 1 < steps;
        if (more) {
            left.load(a, m, k, top, (step + 1) * S::STEP);
            right.load(b, n, k, side, (step + 1) * S::STEP);
        }
#pragma unroll
        for (int i = 0; i < S::STEP; i++) {
            float x[S::ROWS], y[S::COLUMNS];
#pragma unroll
            for (int r = 0; r < S::ROWS; r += 4) {
                *reinterpret_cast<float4 *>(x + r) = *reinterpret_cast<const float4 *>(&tiles.left[half][i][row + r * S::LANES_M]);
            }
#pragma unroll
            for (int c = 0; c < S::COLUMNS; c += 4) {
                *reinterpret_cast<float4 *>(y + c) = *reinterpret_cast<const float4 *>(&tiles.right[half][i][column + c * S::LANES_N]);
            }
#pragma unroll
            for (int r = 0; r < S::ROWS; r++) {
#pragma unroll
                for (int c = 0; c < S::COLUMNS; c++) sums[r][c] = fmaf(x[r], y[c], sums[r][c]);
            }
        }
        if (more) {
            half ^= 1;
            left.store(tiles.left[half]);
            right.store(tiles.right[half]);
            __syncthreads();
        }
    }
#pragma unroll
    for (int r = 0; r < S::ROWS; r++) {
        unsigned y = top + row + r / 4 * 4 * S::LANES_M + r % 4;
        if (y >= m) continue;
#pragma unroll
        for (int c = 0; c < S::COLUMNS; c += 4) {
            unsigned x = side + column + c * S::LANES_N;
            T *to = out + static_cast<unsigned long long>(y) * n + x;
            Quad<T> four;
#pragma unroll
            for (int i = 0; i < 4; i++) put(four.at[i], sums[r][c + i]);
            if constexpr (ALIGNED) {
                if (x < n) *reinterpret_cast<Quad<T> *>(to) = four;
            } else {
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    if (x + i < n) to[i] = four.at[i];
                }
            }
        }
    }
}

template <typename S, template <typename, bool, typename> class Right, typename T>
__device__ __forceinline__ void gemm(const T *a, const T *b, T *out, unsigned m, unsigned k, unsigned n, Stamp *stamps) {
    __shared__ Tiles<S> tiles;
    unsigned long long start = stamp_start(stamps);
    constexpr unsigned bytes = 4 * sizeof(T);
    if (k % 4 == 0 && n % 4 == 0 && aligned(a, bytes) && aligned(b, bytes) && aligned(out, bytes)) {
        product<S, true, Right>(a, b, out, m, k, n, tiles);
    } else {
        product<S, false, Right>(a, b, out, m, k, n, tiles);
    }
    stamp_end(stamps, start);
}

// out[m, n] = a[m, k] @ b[k, n], and x[m, k] @ w[n, k]^T. Grid: ceil(n / tile), ceil(m / tile).
#define GEMM(name, T, S, Right, blocks)                                                                                \
    extern "C" __global__ void __launch_bounds__(S::THREADS, blocks)                                                   \
        name(const T *a, const T *b, T *out, unsigned m, unsigned k, unsigned n, Stamp *stamps) {                      \
        gemm<S, Right>(a, b, out, m, k, n, stamps);                                                                    \
    }

#define GEMMS(T)                                                                                                       \
    GEMM(matmul_##T, T, Large, AlongN, 2)                                                                              \
    GEMM(matmul_##T##_small, T, Small, AlongN, 4)                                                                      \
    GEMM(linear_##T, T, Large, AlongK, 2)                                                                              \
    GEMM(linear_##T##_small, T, Small, AlongK, 4)
