// SPDX-License-Identifier: Apache-2.0
// Marks functions that both the host and the CUDA compiler compile. The only other macros are in
// kernels/host/vector_clones.h.
#pragma once

#ifdef __CUDACC__
#define CT_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define CT_HOST_DEVICE inline __attribute__((always_inline))
#endif
