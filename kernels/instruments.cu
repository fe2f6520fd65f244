// What measures, and what calibration needs.
#include "stamp.cuh"

typedef unsigned long long u64;

// A point in time, as a bracket round what cannot stamp itself. One thread.
extern "C" __global__ void tick(Stamp *slot) {
    u64 now = globaltimer();
    stamp_store(slot, now, now);
}

// Copies the slots of one replay of a graph to entry number *counter of the history, so that each replay has its own. Beyond
// `capacity` nothing is copied, but still counted.
extern "C" __global__ void __launch_bounds__(1024)
    collect(const uint4 *from, uint4 *to, unsigned n16, unsigned *counter, unsigned *ticket, unsigned capacity) {
    unsigned entry = *static_cast<volatile unsigned *>(counter);
    if (entry < capacity) {
        to += static_cast<u64>(entry) * n16;
        u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
        for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < n16; i += stride) to[i] = from[i];
    }
    // All threads of the block have read the counter before the last block may change it.
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(ticket, 1) == gridDim.x - 1) {
            *ticket = 0;
            *counter = entry + 1;
        }
    }
}

// Answers the host, which sets *flag to 1, 2, … in mapped memory: out[0] = now, out[1] = the flag. One thread. Gives up
// after 2 s without the next flag, so that a dead host cannot hang the GPU.
extern "C" __global__ void echo(volatile unsigned *flag, volatile u64 *out, unsigned rounds) {
    for (unsigned i = 1; i <= rounds; i++) {
        u64 since = globaltimer();
        while (*flag != i) {
            if (globaltimer() - since > 2000000000ull) return;
        }
        // One store of 16 bytes, so that both words arrive together and no fence delays the second.
        asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(out), "l"(globaltimer()), "l"(static_cast<u64>(i))
                     : "memory");
    }
}

// Holds the stream until *flag is not 0, at most `limit_ns`: calibration fills the queue behind it. One thread.
extern "C" __global__ void hold(volatile unsigned *flag, u64 limit_ns) {
    u64 since = globaltimer();
    while (*flag == 0 && globaltimer() - since < limit_ns) {
    }
}

// Nothing, stamped.
extern "C" __global__ void empty(Stamp *stamps) {
    u64 start = stamp_start(stamps);
    stamp_end(stamps, start);
}

// Streams over memory: each round reads n4 x 16 bytes and writes as many.
extern "C" __global__ void __launch_bounds__(1024, 1)
    bandwidth(const float4 *a, float4 *b, u64 n4, unsigned rounds, Stamp *stamps) {
    u64 start = stamp_start(stamps);
    u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
    u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (unsigned round = 0; round < rounds; round++) {
        for (u64 i = first; i < n4; i += 4 * stride) {
            float4 values[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (i + j * stride < n4) values[j] = __ldcs(a + i + j * stride);
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (i + j * stride < n4) __stcs(b + i + j * stride, values[j]);
            }
        }
    }
    stamp_end(stamps, start);
}
