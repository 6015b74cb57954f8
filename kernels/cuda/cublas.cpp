// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cublas.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <climits>
#include <string>
#include <string_view>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

void check(cublasStatus_t status, std::string_view doing) {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(fmt::format("cuda: {}: cuBLAS status {}", doing, static_cast<int>(status)));
}

/// cuBLAS counts in int.
int dimension(std::int64_t value) {
    if (value > INT_MAX)
        throw InputError(fmt::format("cublas: a matrix with {} rows or columns, the limit is {}; choose another variant", value, INT_MAX));
    return static_cast<int>(value);
}

}  // namespace

/// The library and a handle of it.
struct Cublas::Library {
    struct Close {
        void operator()(void* library) const { dlclose(library); }
    };
    std::unique_ptr<void, Close> file;
    decltype(&cublasCreate) create;
    decltype(&cublasDestroy) destroy;
    decltype(&cublasSetStream) set_stream;
    decltype(&cublasCgeam) cgeam;
    decltype(&cublasSgeam) sgeam;
    cublasHandle_t handle = nullptr;

    /// It stays loaded to the end of the program: its own threads and modules do not like to be unloaded.
    Library() : file(dlopen(name().c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
        if (!file)
            throw DeviceError(
                fmt::format("cuda: {} could not be opened ({}); install cuBLAS or leave the variant cublas out", name(), dlerror()));
        find(create, "cublasCreate_v2");
        find(destroy, "cublasDestroy_v2");
        find(set_stream, "cublasSetStream_v2");
        find(cgeam, "cublasCgeam");
        find(sgeam, "cublasSgeam");
        check(create(&handle), "create a cuBLAS handle");
    }
    ~Library() { destroy(handle); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    static std::string name() { return fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR); }

    template <class Function>
    void find(Function& function, const char* symbol) {
        function = reinterpret_cast<Function>(dlsym(file.get(), symbol));
        if (!function) throw DeviceError(fmt::format("cuda: {} has no {}; install cuBLAS {}", name(), symbol, CUBLAS_VER_MAJOR));
    }
};

Cublas::Cublas() = default;
Cublas::~Cublas() = default;

Cublas::Library& Cublas::library() {
    if (!library_) library_ = std::make_unique<Library>();
    return *library_;
}

// cuBLAS counts columns first: our rows x columns matrix is its columns x rows, of leading dimension `columns`.
void Cublas::corner_turn(const Complex64* in, Complex64* out, std::int64_t rows, std::int64_t columns, const Stream& stream) {
    const cuComplex one{1, 0}, zero{0, 0};
    const int m = dimension(rows), n = dimension(columns);
    auto* result = reinterpret_cast<cuComplex*>(out);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().cgeam(library().handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, reinterpret_cast<const cuComplex*>(in), n, &zero, result,
                          m, result, m),
          "turn a matrix with cublasCgeam");
}

void Cublas::corner_turn(const float* in, float* out, std::int64_t rows, std::int64_t columns, const Stream& stream) {
    const float one = 1, zero = 0;
    const int m = dimension(rows), n = dimension(columns);
    check(library().set_stream(library().handle, stream.get()), "choose the stream");
    check(library().sgeam(library().handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, in, n, &zero, out, m, out, m),
          "turn a matrix with cublasSgeam");
}

}  // namespace cornerturn
