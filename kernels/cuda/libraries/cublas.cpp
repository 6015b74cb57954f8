// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/libraries/cublas.h"

#include <cublas_v2.h>
#include <fmt/format.h>

#include <climits>
#include <string_view>

#include "kernels/cuda/libraries/shared_library.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

void check(cublasStatus_t status, std::string_view doing) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw DeviceError(fmt::format("cuda: {}: cuBLAS status {}", doing, static_cast<int>(status)));
}

/// cuBLAS counts in int.
int dimension(std::int64_t value) {
    if (value > INT_MAX)
        throw InputError(fmt::format(
            "cublas: a matrix with {} rows or columns, the limit is {}; choose another variant", value, INT_MAX));
    return static_cast<int>(value);
}

}  // namespace

/// The library and a handle of it.
struct Cublas::Library {
    SharedLibrary file{"cublas", CUBLAS_VER_MAJOR,
                       fmt::format("install cuBLAS {} or leave the variant cublas out", CUBLAS_VER_MAJOR)};
    decltype(&cublasCreate) create = file["cublasCreate_v2"];
    decltype(&cublasDestroy) destroy = file["cublasDestroy_v2"];
    decltype(&cublasSetStream) set_stream = file["cublasSetStream_v2"];
    decltype(&cublasCgeam) cgeam = file["cublasCgeam"];
    decltype(&cublasSgeam) sgeam = file["cublasSgeam"];
    decltype(&cublasSetMathMode) set_math_mode = file["cublasSetMathMode"];
    decltype(&cublasSgemm) sgemm = file["cublasSgemm_v2"];
    decltype(&cublasCgemm) cgemm = file["cublasCgemm_v2"];
    decltype(&cublasZgemm) zgemm = file["cublasZgemm_v2"];
    cublasHandle_t handle = nullptr;

    Library() {
        check(create(&handle), "create a cuBLAS handle");
        // The fastest that keeps the precision of the elements: never TF32. (CUBLAS_PEDANTIC_MATH may be slower: no
        // fair opponent.)
        check(set_math_mode(handle, CUBLAS_DEFAULT_MATH), "choose the arithmetic of cuBLAS");
    }
    ~Library() { destroy(handle); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
};

Cublas::Cublas() = default;
Cublas::~Cublas() = default;

Cublas::Library& Cublas::library() {
    if (!library_) library_ = std::make_unique<Library>();
    return *library_;
}

// cuBLAS counts columns first: our rows x columns matrix is its columns x rows, of leading dimension `pitch`.
void Cublas::corner_turn(const Complex64* in, Complex64* out, MatrixShape shape, const Stream& stream) {
    const cuComplex one{1, 0}, zero{0, 0};
    const int m = dimension(shape.rows), n = dimension(shape.columns), pitch = dimension(shape.pitch);
    auto* result = reinterpret_cast<cuComplex*>(out);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().cgeam(library().handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one,
                          reinterpret_cast<const cuComplex*>(in), pitch, &zero, result, m, result, m),
          "turn a matrix with cublasCgeam");
}

void Cublas::corner_turn(const float* in, float* out, MatrixShape shape, const Stream& stream) {
    const float one = 1, zero = 0;
    const int m = dimension(shape.rows), n = dimension(shape.columns), pitch = dimension(shape.pitch);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().sgeam(library().handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, in, pitch, &zero, out, m, out, m),
          "turn a matrix with cublasSgeam");
}

// Its columns first turn our c = a * b into its c' = b' * a': the same memory, the factors in the other order.
void Cublas::matrix_product(const float* a, const float* b, float* c, const ProductShape& shape, const Stream& stream) {
    const float one = 1, zero = 0;
    const int m = dimension(shape.m), k = dimension(shape.k), n = dimension(shape.n);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().sgemm(library().handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n),
          "multiply by cublasSgemm");
}

void Cublas::matrix_product(const Complex64* a, const Complex64* b, Complex64* c, const ProductShape& shape,
                            const Stream& stream) {
    const cuComplex one{1, 0}, zero{0, 0};
    const int m = dimension(shape.m), k = dimension(shape.k), n = dimension(shape.n);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().cgemm(library().handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                          reinterpret_cast<const cuComplex*>(b), n, reinterpret_cast<const cuComplex*>(a), k, &zero,
                          reinterpret_cast<cuComplex*>(c), n),
          "multiply by cublasCgemm");
}

void Cublas::matrix_product(const Complex128* a, const Complex128* b, Complex128* c, const ProductShape& shape,
                            const Stream& stream) {
    const cuDoubleComplex one{1, 0}, zero{0, 0};
    const int m = dimension(shape.m), k = dimension(shape.k), n = dimension(shape.n);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().zgemm(library().handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                          reinterpret_cast<const cuDoubleComplex*>(b), n, reinterpret_cast<const cuDoubleComplex*>(a),
                          k, &zero, reinterpret_cast<cuDoubleComplex*>(c), n),
          "multiply by cublasZgemm");
}

}  // namespace cornerturn
