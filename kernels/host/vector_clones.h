// SPDX-License-Identifier: Apache-2.0
// A hot loop for every generation of processors in one program: the compiler makes a copy of the function for AVX-512, one for AVX2 and one
// for any x86-64, and the one that fits is chosen when the program starts. A build for the processor of this machine needs no copies.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define CT_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CT_VECTOR_CLONES
#endif
