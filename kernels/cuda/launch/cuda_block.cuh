// SPDX-License-Identifier: Apache-2.0
// What a kernel body sees of the GPU; tests/kernels/emulator.h offers the same on the CPU.
#pragma once

#include <cuda_fp16.h>

#include <nv/target>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/device/scaled_lines.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Words that the hardware loads at once, from the L2 cache, at an offset in bytes. Not the intrinsics for it: theirs
/// keep the compiler from moving anything across, down to the arithmetic of addresses. These may move, because no
/// kernel writes what it fetches.
template <std::size_t Bytes>
struct Word;
template <>
struct Word<2> {
    unsigned short value;
    template <int Offset>
    __device__ void load(const void* from) {
        asm("ld.global.cg.u16 %0, [%1+%2];" : "=h"(value) : "l"(from), "n"(Offset));
    }
};
template <>
struct Word<4> {
    unsigned value;
    template <int Offset>
    __device__ void load(const void* from) {
        asm("ld.global.cg.u32 %0, [%1+%2];" : "=r"(value) : "l"(from), "n"(Offset));
    }
};
template <>
struct Word<8> {
    float x, y;
    template <int Offset>
    __device__ void load(const void* from) {
        asm("ld.global.cg.v2.f32 {%0, %1}, [%2+%3];" : "=f"(x), "=f"(y) : "l"(from), "n"(Offset));
    }
};
template <>
struct Word<16> {
    double x, y;
    template <int Offset>
    __device__ void load(const void* from) {
        asm("ld.global.cg.v2.f64 {%0, %1}, [%2+%3];" : "=d"(x), "=d"(y) : "l"(from), "n"(Offset));
    }
};

struct CudaBlock {
    struct Place {
        int x, y;
    };
    __device__ Place thread() const { return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y)}; }
    __device__ unsigned number() const { return blockIdx.x; }
    __device__ unsigned row() const { return blockIdx.y; }  ///< of blocks, where a kernel has several
    __device__ int threads() const { return static_cast<int>(blockDim.x); }
    __device__ void sync() const { __syncthreads(); }
    /// Among the 32 threads of a warp.
    __device__ void sync_warp() const { __syncwarp(); }
    /// from[Index], past the L1 cache, which belongs to tables: for what passes by once.
    template <int Index = 0, class T>
    __device__ T fetch(const T* from) const {
        Word<sizeof(T)> word;
        word.template load<Index* static_cast<int>(sizeof(T))>(from);
        T value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    /// The same for what is written. Written out for the reason above.
    __device__ void put(Complex64* to, Complex64 value) const {
        asm volatile("st.global.cg.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(value.re), "f"(value.im));
    }
    __device__ void put(HalfPair* to, Complex64 value) const {
        const HalfPair halves = narrowed<HalfPair>(value);
        unsigned word;
        memcpy(&word, &halves, sizeof word);
        asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(to), "r"(word));
    }
    /// As it is stored.
    template <class Sample>
    __device__ Sample narrowed(Complex64 value) const {
        if constexpr (std::is_same_v<Sample, Complex64>) {
            return value;
        } else {
            const __half2 halves = __floats2half2_rn(value.re, value.im);
            Sample sample;
            memcpy(&sample, &halves, sizeof sample);
            return sample;
        }
    }
    /// As a number to compute with.
    __device__ Complex64 widened(Complex64 value) const { return value; }
    __device__ Complex64 widened(HalfPair value) const {
        __half2 halves;
        memcpy(&halves, &value, sizeof halves);
        const float2 wide = __half22float2(halves);
        return {wide.x, wide.y};
    }
    /// exp(j 2 pi cycles) of few cycles by the hardware's functions, which err by 5e-7.
    __device__ Complex64 phasor(float cycles) const {
        const float angle = 6.28318531f * (cycles - rintf(cycles));
        return {__cosf(angle), __sinf(angle)};
    }
    /// Largest of the values of a warp.
    __device__ float warp_max(float value) const {
        for (int distance = 16; distance > 0; distance /= 2)
            value = fmaxf(value, __shfl_xor_sync(~0u, value, distance));
        return value;
    }
    /// A value of 16 bytes, or a float, in a constant table, kept in the L1 cache.
    template <class T>
    __device__ T table(const T* from) const {
        static_assert(sizeof(T) == sizeof(float4));
        const float4 word = __ldg(reinterpret_cast<const float4*>(from));
        T value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    __device__ float table(const float* from) const { return __ldg(from); }
    /// The block that comes `ahead` blocks behind this one; not inside where there is none.
    struct Later {
        unsigned number, row;
        bool inside;
    };
    __device__ Later later(unsigned ahead) const {
        const unsigned place = blockIdx.y * gridDim.x + blockIdx.x + ahead, row = place / gridDim.x;
        return {place - row * gridDim.x, row, row < gridDim.y};
    }
    /// Asks for a cache line to be brought into the L2 cache.
    __device__ void prefetch(const void* address) const { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
    /// Asks for memory to be brought there, by one request for the whole words of 16 bytes in it where the GPU can do
    /// that.
    __device__ void prefetch(const char* memory, int bytes) const {
        NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (prefetch_at_once(memory, bytes);), (prefetch_by_lines(memory, bytes);))
    }
    /// Start of the shared memory that was asked for at launch.
    template <class T>
    __device__ T* memory() const {
        extern __shared__ float4 launch_memory[];
        return reinterpret_cast<T*>(launch_memory);
    }
    /// The block's one S in shared memory, uninitialised: asking again for the same type gives the same memory.
    template <class S>
    __device__ S& shared() const {
        __shared__ S memory;
        return memory;
    }

private:
    __device__ void prefetch_at_once(const char* memory, int bytes) const {
        if (threadIdx.x != 0) return;
        const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + 15) / 16 * 16,
                   end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
        if (end >= begin + 16)
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
                         "r"(static_cast<unsigned>((end - begin) / 16 * 16)));
    }
    __device__ void prefetch_by_lines(const char* memory, int bytes) const {
        constexpr int cache_line = 128;
        for (int i = thread().x * cache_line; i < bytes; i += threads() * cache_line) prefetch(memory + i);
    }
};

}  // namespace cornerturn
