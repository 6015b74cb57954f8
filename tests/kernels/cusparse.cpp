// SPDX-License-Identifier: Apache-2.0
// The product of a sparse matrix by cuSPARSE, whose library is opened at first use.
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "kernels/cuda/runtime/check.h"
#include "kernels/errors.h"
#include "tests/kernels/sparse_matrix.h"

namespace cornerturn {
namespace {

void check_sparse(cusparseStatus_t status, std::string_view doing) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw DeviceError(fmt::format("cuda: {}: cuSPARSE status {}", doing, static_cast<int>(status)));
}

/// Stays loaded to the end of the program.
struct Cusparse {
    void* file;
    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseDestroySpMat) destroy_matrix;
    decltype(&cusparseCreateDnVec) create_vector;
    decltype(&cusparseDestroyDnVec) destroy_vector;
    decltype(&cusparseSpMV_bufferSize) buffer_size;
    decltype(&cusparseSpMV) multiply;

    Cusparse() : file(dlopen(name().c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
        if (!file)
            throw DeviceError(fmt::format("cuda: {} could not be opened ({}); install cuSPARSE", name(), dlerror()));
        find(create, "cusparseCreate");
        find(destroy, "cusparseDestroy");
        find(create_csr, "cusparseCreateCsr");
        find(destroy_matrix, "cusparseDestroySpMat");
        find(create_vector, "cusparseCreateDnVec");
        find(destroy_vector, "cusparseDestroyDnVec");
        find(buffer_size, "cusparseSpMV_bufferSize");
        find(multiply, "cusparseSpMV");
    }

    static std::string name() { return fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR); }

    template <class Function>
    void find(Function& function, const char* symbol) {
        function = reinterpret_cast<Function>(dlsym(file, symbol));
        if (!function) throw DeviceError(fmt::format("cuda: {} has no {}", name(), symbol));
    }
};

const Cusparse& cusparse() {
    static const Cusparse library;
    return library;
}

template <class T>
Matrix on_device(Device& device, SampleFormat format, const std::vector<T>& values) {
    Matrix matrix = device.allocate(format, 1, static_cast<std::int64_t>(values.size()));
    device.upload(std::as_bytes(std::span(values)), matrix);
    return matrix;
}

}  // namespace

std::string why_no_cusparse() {
    try {
        cusparse();
        return "";
    } catch (const DeviceError& error) {
        return error.what();
    }
}

std::vector<std::complex<double>> cusparse_product(Device& device, const SparseMatrix& matrix, const Matrix& x) {
    const Cusparse& library = cusparse();
    const SampleFormat word = SampleFormat::float32;  // four bytes: indices travel so
    const Matrix begins = on_device(device, word, matrix.row_begin), columns = on_device(device, word, matrix.column);
    std::vector<std::complex<float>> weights(matrix.value.begin(), matrix.value.end());
    const Matrix values = on_device(device, SampleFormat::complex64, weights);
    const Matrix y = device.allocate(SampleFormat::complex64, 1, matrix.rows);
    device.synchronize();

    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t from = nullptr, to = nullptr;
    check_sparse(library.create(&handle), "create a handle");
    check_sparse(library.create_csr(&a, matrix.rows, matrix.columns, static_cast<std::int64_t>(matrix.value.size()),
                                    begins.data<void>(), columns.data<void>(), values.data<void>(), CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_C_32F),
                 "describe a sparse matrix");
    check_sparse(library.create_vector(&from, matrix.columns, x.data<void>(), CUDA_C_32F), "describe a vector");
    check_sparse(library.create_vector(&to, matrix.rows, y.data<void>(), CUDA_C_32F), "describe a vector");
    const cuComplex one{1, 0}, zero{0, 0};
    std::size_t bytes = 0;
    const auto operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
    check_sparse(
        library.buffer_size(handle, operation, &one, a, from, &zero, to, CUDA_C_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
        "ask for a buffer");
    const Matrix buffer =
        device.allocate(SampleFormat::complex64, 1, static_cast<std::int64_t>(bytes / sizeof(cuComplex) + 1));
    check_sparse(library.multiply(handle, operation, &one, a, from, &zero, to, CUDA_C_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                                  buffer.data<void>()),
                 "multiply");
    check(cudaDeviceSynchronize(), "wait for cuSPARSE");
    check_sparse(library.destroy_vector(to), "free a vector");
    check_sparse(library.destroy_vector(from), "free a vector");
    check_sparse(library.destroy_matrix(a), "free a sparse matrix");
    check_sparse(library.destroy(handle), "free the handle");

    std::vector<std::complex<double>> product(static_cast<std::size_t>(matrix.rows));
    device.download(y, std::span(product));
    return product;
}

}  // namespace cornerturn
