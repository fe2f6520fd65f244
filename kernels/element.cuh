// Element types: how each is read into a number to compute with, and written back. No CUDA header is needed.
#pragma once

typedef long long i64;
typedef unsigned char u8;
typedef float f32;
struct f16 {
    unsigned short bits;
};
struct bf16 {
    unsigned short bits;
};

// Floating-point types compute in f32 and are rounded to the nearest, ties to even.
__device__ __forceinline__ float number(f32 x) { return x; }

__device__ __forceinline__ float number(f16 x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
}

__device__ __forceinline__ float number(bf16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }

// Integers compute in 64 bits and wrap around; u8 keeps the low 8 bits.
__device__ __forceinline__ i64 number(i64 x) { return x; }
__device__ __forceinline__ i64 number(u8 x) { return x; }

__device__ __forceinline__ void put(f32 &to, float x) { to = x; }

__device__ __forceinline__ void put(f16 &to, float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x)); }

__device__ __forceinline__ void put(bf16 &to, float x) {
    unsigned bits = __float_as_uint(x);
    unsigned rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    to.bits = x != x ? 0x7fff : rounded;
}

__device__ __forceinline__ void put(i64 &to, i64 x) { to = x; }
__device__ __forceinline__ void put(u8 &to, i64 x) { to = static_cast<u8>(x); }

// As many elements as one load takes.
template <typename T, int N> struct alignas(N * sizeof(T)) Vector {
    T at[N];
};

// Those of 16 bytes, the widest load.
template <typename T> using Wide = Vector<T, 16 / sizeof(T)>;

__device__ __forceinline__ bool aligned(const void *address, unsigned bytes) {
    return (reinterpret_cast<unsigned long long>(address) & (bytes - 1)) == 0;
}
