// One result for each element. PyTorch's grid is 128 threads with 8 elements each, ceil(n / 1024) blocks; any grid of at most 512 threads is right.
#include "element.cuh"
#include "stamp.cuh"

// out[i] = f(a[i], b[i]). `out` may be `a` or `b`: an element is read before it is written, by the same thread.
template <typename T, typename F>
__device__ __forceinline__ void map(const T *a, const T *b, T *out, unsigned long long n, F f) {
    constexpr unsigned lanes = 16 / sizeof(T);
    constexpr unsigned at_once = sizeof(T) > 2 ? sizeof(T) / 2 : 1;  // loads that are under way: 8 elements
    unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long wide = aligned(a, 16) && aligned(b, 16) && aligned(out, 16) ? n / lanes : 0;
    for (unsigned long long i = first; i < wide; i += at_once * stride) {
        Wide<T> left[at_once], right[at_once];
#pragma unroll
        for (unsigned u = 0; u < at_once; u++) {
            if (i + u * stride < wide) {
                left[u] = reinterpret_cast<const Wide<T> *>(a)[i + u * stride];
                right[u] = reinterpret_cast<const Wide<T> *>(b)[i + u * stride];
            }
        }
#pragma unroll
        for (unsigned u = 0; u < at_once; u++) {
            if (i + u * stride < wide) {
#pragma unroll
                for (unsigned lane = 0; lane < lanes; lane++) {
                    put(left[u].at[lane], f(number(left[u].at[lane]), number(right[u].at[lane])));
                }
                reinterpret_cast<Wide<T> *>(out)[i + u * stride] = left[u];
            }
        }
    }
    for (unsigned long long i = wide * lanes + first; i < n; i += stride) put(out[i], f(number(a[i]), number(b[i])));
}

// A function of one operand; the compiler drops the second reading of `x`.
template <typename T, typename F>
__device__ __forceinline__ void map(const T *x, T *out, unsigned long long n, F f) {
    map(x, x, out, n, [f](auto x, auto) { return f(x); });
}

template <typename T> __device__ __forceinline__ void fill(T *out, T value, unsigned long long n) {
    constexpr unsigned lanes = 16 / sizeof(T);
    unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long wide = aligned(out, 16) ? n / lanes : 0;
    Wide<T> values;
#pragma unroll
    for (unsigned lane = 0; lane < lanes; lane++) values.at[lane] = value;
    for (unsigned long long i = first; i < wide; i += stride) reinterpret_cast<Wide<T> *>(out)[i] = values;
    for (unsigned long long i = wide * lanes + first; i < n; i += stride) out[i] = value;
}

// A double as an element: a floating-point type rounds to f32 first; an integer is cut towards 0 and saturates at 64 bits.
template <typename T> __device__ __forceinline__ T element(double value) {
    T out;
    if constexpr (sizeof(number(T())) == 4) put(out, static_cast<float>(value));
    else put(out, static_cast<i64>(value));
    return out;
}

__device__ __forceinline__ float plus(float a, float b) { return a + b; }
__device__ __forceinline__ i64 plus(i64 a, i64 b) { return static_cast<unsigned long long>(a) + b; }

__device__ __forceinline__ bool whole(double x) { return x == trunc(x) && fabs(x) < 9.2e18; }

// x * scale + shift in f32, rounded once.
template <typename T> __device__ __forceinline__ void scale_shift(const T *x, T *out, unsigned long long n, float scale, float shift) {
    map(x, out, n, [=](float x) { return fmaf(x, scale, shift); });
}

// Whole factors compute in 64 bits and wrap; others in double, cut towards 0 and saturated at 64 bits.
template <typename T>
__device__ __forceinline__ void scale_shift_integer(const T *x, T *out, unsigned long long n, double scale, double shift) {
    if (whole(scale) && whole(shift)) {
        unsigned long long by = static_cast<i64>(scale), plus = static_cast<i64>(shift);
        map(x, out, n, [=](i64 x) { return static_cast<i64>(x * by + plus); });
    } else {
        map(x, out, n, [=](i64 x) { return static_cast<i64>(x * scale + shift); });
    }
}

// PyTorch's default, `approximate="none"`: x * Phi(x) by the error function, in f32 for every type.
__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f)); }

#define ENTRY(name) extern "C" __global__ void __launch_bounds__(512, 2) name

#define FOR_EVERY_TYPE(T)                                                                                              \
    ENTRY(fill_##T)(T *out, double value, unsigned long long n, Stamp *stamps) {                                       \
        unsigned long long start = stamp_start(stamps);                                                                \
        fill(out, element<T>(value), n);                                                                               \
        stamp_end(stamps, start);                                                                                      \
    }                                                                                                                  \
    ENTRY(add_##T)(const T *a, const T *b, T *out, unsigned long long n, Stamp *stamps) {                              \
        unsigned long long start = stamp_start(stamps);                                                                \
        map(a, b, out, n, [](auto a, auto b) { return plus(a, b); });                                                  \
        stamp_end(stamps, start);                                                                                      \
    }                                                                                                                  \
    ENTRY(copy_##T)(const T *x, T *out, unsigned long long n, Stamp *stamps) {                                         \
        unsigned long long start = stamp_start(stamps);                                                                \
        map(x, out, n, [](auto x) { return x; });                                                                      \
        stamp_end(stamps, start);                                                                                      \
    }

#define SCALE_SHIFT(T, compute)                                                                                        \
    ENTRY(scale_shift_##T)(const T *x, T *out, unsigned long long n, double scale, double shift, Stamp *stamps) {      \
        unsigned long long start = stamp_start(stamps);                                                                \
        compute(x, out, n, scale, shift);                                                                              \
        stamp_end(stamps, start);                                                                                      \
    }

#define GELU(T)                                                                                                        \
    ENTRY(gelu_##T)(const T *x, T *out, unsigned long long n, Stamp *stamps) {                                         \
        unsigned long long start = stamp_start(stamps);                                                                \
        map(x, out, n, [](float x) { return gelu(x); });                                                               \
        stamp_end(stamps, start);                                                                                      \
    }

FOR_EVERY_TYPE(f32)
FOR_EVERY_TYPE(f16)
FOR_EVERY_TYPE(bf16)
FOR_EVERY_TYPE(i64)
FOR_EVERY_TYPE(u8)
SCALE_SHIFT(f32, scale_shift)
SCALE_SHIFT(f16, scale_shift)
SCALE_SHIFT(bf16, scale_shift)
SCALE_SHIFT(i64, scale_shift_integer)
SCALE_SHIFT(u8, scale_shift_integer)
GELU(f32)
GELU(f16)
GELU(bf16)
