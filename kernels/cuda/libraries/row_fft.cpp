// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/libraries/row_fft.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/cuda/libraries/shared_library.h"
#include "kernels/cuda/runtime/check.h"

namespace cornerturn {
namespace {

struct Library {
    SharedLibrary file{"cufft", CUFFT_VER_MAJOR,
                       fmt::format("install cuFFT {} of the CUDA Toolkit, or use --device cpu", CUFFT_VER_MAJOR)};
    decltype(&cufftCreate) create = file["cufftCreate"];
    decltype(&cufftDestroy) destroy = file["cufftDestroy"];
    decltype(&cufftSetAutoAllocation) set_auto_allocation = file["cufftSetAutoAllocation"];
    decltype(&cufftSetStream) set_stream = file["cufftSetStream"];
    decltype(&cufftSetWorkArea) set_work_area = file["cufftSetWorkArea"];
    decltype(&cufftMakePlanMany64) make_plan = file["cufftMakePlanMany64"];
    decltype(&cufftExecC2C) execute = file["cufftExecC2C"];
};

const Library& cufft() {
    static const Library opened;
    return opened;
}

}  // namespace

FftPlan::FftPlan(std::int64_t length, std::int64_t pitch, std::int64_t rows, const CudaContext& context) : FftPlan() {
    const auto doing = [&] { return fmt::format("plan {} transforms of {} points", rows, length); };
    check(cufft().create(&handle_), doing());
    check(cufft().set_auto_allocation(handle_, 0), doing());
    check(cufft().set_stream(handle_, context.stream.get()), doing());
    long long points = length, between = pitch;
    check(cufft().make_plan(handle_, 1, &points, &between, 1, between, &between, 1, between, CUFFT_C2C, rows,
                            &work_bytes_),
          doing());
}

FftPlan::~FftPlan() {
    if (handle_ != none) cufft().destroy(handle_);
}

FftPlan::FftPlan(FftPlan&& other) noexcept
    : handle_(std::exchange(other.handle_, none)), work_bytes_(std::exchange(other.work_bytes_, 0)) {}

FftPlan& FftPlan::operator=(FftPlan&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(work_bytes_, other.work_bytes_);
    return *this;
}

void FftPlan::execute(const Complex64* in, Complex64* out, int direction, void* work_area) const {
    check(cufft().set_work_area(handle_, work_area), "set the cuFFT work area");
    // cuFFT leaves the input of an out-of-place complex transform as it is.
    auto* from = reinterpret_cast<cufftComplex*>(const_cast<Complex64*>(in));
    check(cufft().execute(handle_, from, reinterpret_cast<cufftComplex*>(out), direction), "transform rows");
}

RowFft::RowFft(SharedContext context, std::int64_t length, std::int64_t pitch, const LineBatches& batches)
    : context_(std::move(context)), batch_(batches.batch), last_rows_(batch_ > 0 ? batches.lines % batch_ : 0) {
    if (batches.lines == 0) return;
    full_ = FftPlan(length, pitch, batches.batch, *context_);
    context_->workspace.reserve_fft(full_.work_bytes());
    if (last_rows_ != 0) {
        last_ = FftPlan(length, pitch, last_rows_, *context_);
        context_->workspace.reserve_fft(last_.work_bytes());
    }
}

void RowFft::execute(const Complex64* in, Complex64* out, std::int64_t rows, int direction) const {
    (transformed(rows) == batch_ ? full_ : last_).execute(in, out, direction, context_->workspace.fft());
}

}  // namespace cornerturn
