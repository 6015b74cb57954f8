// SPDX-License-Identifier: Apache-2.0
// A hot loop for every generation of processors in one program: the compiler makes a copy of the function for AVX-512,
// one for AVX2 and one for any x86-64, and the one that fits is chosen when the program starts. A build for the
// processor of this machine needs no copies. Code that is written in vectors has a function for each number of lanes
// instead, and asks which one to call.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define CT_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define CT_FOR_16_LANES __attribute__((target("arch=x86-64-v4")))
#define CT_FOR_8_LANES __attribute__((target("arch=x86-64-v3")))
#else
#define CT_VECTOR_CLONES
#define CT_FOR_16_LANES
#define CT_FOR_8_LANES
#endif

namespace cornerturn {

/// Floats in a vector of this processor, if it can pick any of them by number.
inline int vector_lanes() {
#if defined(__clang__) || !defined(__x86_64__)
    return 4;
#elif defined(__AVX512F__)
    return 16;
#elif defined(__AVX2__)
    return 8;
#else
    return __builtin_cpu_supports("x86-64-v4") ? 16 : __builtin_cpu_supports("x86-64-v3") ? 8 : 4;
#endif
}

}  // namespace cornerturn
