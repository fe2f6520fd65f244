// Kernels that take a given time. Dynamic shared memory may be passed to limit how many blocks an SM holds.
#include "stamp.cuh"

typedef unsigned long long u64;
typedef unsigned char u8;

constexpr int AT_ONCE = 2;

// Units of type U; `in` is repeated when it is shorter.
template <typename U> __device__ __forceinline__ void repeat(const u8 *in, u64 in_bytes, u8 *out, u64 bytes) {
    u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x, stride = static_cast<u64>(gridDim.x) * blockDim.x;
    u64 n = bytes / sizeof(U), in_n = in_bytes / sizeof(U);
    const U *from = reinterpret_cast<const U *>(in);
    U *to = reinterpret_cast<U *>(out);
#pragma unroll 1
    for (u64 i = first; i < n; i += stride) to[i] = from[i < in_n ? i : i % in_n];
}

__device__ __forceinline__ void copy(const u8 *in, u64 in_bytes, u8 *out, u64 bytes) {
    u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x, stride = static_cast<u64>(gridDim.x) * blockDim.x;
    u64 bits = reinterpret_cast<u64>(in) | reinterpret_cast<u64>(out) | bytes;
    if (bits % 16 == 0 && bytes <= in_bytes) {
        // Several at once, because there may be few threads to keep the memory busy.
        const uint4 *from = reinterpret_cast<const uint4 *>(in);
        uint4 *to = reinterpret_cast<uint4 *>(out);
        u64 n = bytes / 16;
        for (u64 i = first; i < n; i += AT_ONCE * stride) {
            uint4 values[AT_ONCE];
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
                if (i + j * stride < n) values[j] = from[i + j * stride];
            }
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
                if (i + j * stride < n) to[i + j * stride] = values[j];
            }
        }
    } else if ((bits | in_bytes) % 4 == 0) {
        repeat<unsigned>(in, in_bytes, out, bytes);
    } else {
        repeat<u8>(in, in_bytes, out, bytes);
    }
}

// Each block spins for `spin_ns` from its own start, and that is all. What it stamps are the two readings that the spin needs
// anyway, so a stamp costs a store. The other warps wait at a barrier: warps that leave make room on the SM for blocks of other
// kernels, and the grid would no longer keep what it asks for.
extern "C" __global__ void __launch_bounds__(1024, 2) timed_alone(u64 spin_ns, Stamp *stamps) {
    if (threadIdx.x == 0) {
        u64 start = globaltimer(), now;
        do {
            now = globaltimer();
        } while (now - start < spin_ns);
        if (stamps) {
            unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
            stamp_store(stamps + block, start, now);
        }
    }
    if (blockDim.x > 32) __syncthreads();
}

// Each block spins for `spin_ns` from its own start. Then, if there is an `in`, each `out` of a length becomes `in`, bit by
// bit and repeated as needed; the whole grid shares that work. Lengths are in bytes, so every element type is served. One
// thread spins and the others wait at the barrier, so that neighbours on the SM lose no issue slots.
extern "C" __global__ void __launch_bounds__(1024, 2)
    timed(u64 spin_ns, const u8 *in, u64 in_bytes, u8 *out0, u64 bytes0, u8 *out1, u64 bytes1, u8 *out2, u64 bytes2,
          u8 *out3, u64 bytes3, Stamp *stamps) {
    u64 start = 0;
    if (threadIdx.x == 0) {
        start = globaltimer();
        while (globaltimer() - start < spin_ns) {
        }
    }
    __syncthreads();
    if (in && in_bytes) {
#pragma unroll 1
        for (int i = 0; i < 4; i++) {
            u8 *out = i == 0 ? out0 : i == 1 ? out1 : i == 2 ? out2 : out3;
            u64 bytes = i == 0 ? bytes0 : i == 1 ? bytes1 : i == 2 ? bytes2 : bytes3;
            if (bytes) copy(in, in_bytes, out, bytes);
        }
    }
    stamp_end(stamps, start);
}

// The same by the SM's own clock: it stretches when the clock falls.
extern "C" __global__ void __launch_bounds__(1024, 2) timed_cycles(u64 cycles, Stamp *stamps) {
    u64 start = stamp_start(stamps);
    if (threadIdx.x == 0) {
        u64 from = clock64();
        while (clock64() - from < cycles) {
        }
    }
    stamp_end(stamps, start);
}
