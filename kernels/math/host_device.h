// SPDX-License-Identifier: Apache-2.0
// A function that both the host and the CUDA compiler turn into code. The other macros are in
// kernels/host/vector_clones.h; there are no more.
#pragma once

#ifdef __CUDACC__
#define CT_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define CT_HOST_DEVICE inline __attribute__((always_inline))
#endif
