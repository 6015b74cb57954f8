// SPDX-License-Identifier: Apache-2.0
// Stores that bypass the cache, for a matrix that is written once and read much later.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/math/complex.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cornerturn {

/// *to = value. Consecutive stores fill whole lines of the write-combining buffers; call stream_fence() behind the last
/// one.
template <class T>
inline void stream_store(T* to, T value) {
#ifdef __SSE2__
    if constexpr (sizeof(T) == sizeof(int))
        return _mm_stream_si32(reinterpret_cast<int*>(to), std::bit_cast<int>(value));
    if constexpr (sizeof(T) == sizeof(long long))
        return _mm_stream_si64(reinterpret_cast<long long*>(to), std::bit_cast<long long>(value));
    if constexpr (sizeof(T) == sizeof(__m128i))
        return _mm_stream_si128(reinterpret_cast<__m128i*>(to), std::bit_cast<__m128i>(value));
#endif
    *to = value;
}

/// Makes the stores of this thread visible to the others.
inline void stream_fence() {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/// Copies a line of samples, in pieces of 16 bytes between the first and the last that such a piece holds whole.
template <class T>
inline void stream_line(const T* from, std::int64_t count, T* to) {
    std::int64_t i = 0;
#ifdef __SSE2__
    constexpr std::int64_t piece = sizeof(__m128i) / sizeof(T);
    for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % sizeof(__m128i) != 0; ++i)
        stream_store(to + i, from[i]);
    for (; i + piece <= count; i += piece)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#endif
    for (; i < count; ++i) stream_store(to + i, from[i]);
}

}  // namespace cornerturn
