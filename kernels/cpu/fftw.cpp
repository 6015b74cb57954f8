// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/fftw.h"

#include <fftw3.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <type_traits>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

std::mutex planner;  // FFTW plans and frees one at a time; execution needs no lock

template <class Real>
struct Api;
template <>
struct Api<float> {
    using Plan = fftwf_plan;
    static fftwf_complex* cast(Complex64* p) { return reinterpret_cast<fftwf_complex*>(p); }
    static Plan plan(int n, Complex64* p, int sign) { return fftwf_plan_dft_1d(n, cast(p), cast(p), sign, FFTW_ESTIMATE); }
    static void destroy(Plan p) { fftwf_destroy_plan(p); }
    static void execute(Plan p, Complex64* line) { fftwf_execute_dft(p, cast(line), cast(line)); }
};
template <>
struct Api<double> {
    using Plan = fftw_plan;
    static fftw_complex* cast(Complex128* p) { return reinterpret_cast<fftw_complex*>(p); }
    static Plan plan(int n, Complex128* p, int sign) { return fftw_plan_dft_1d(n, cast(p), cast(p), sign, FFTW_ESTIMATE); }
    static void destroy(Plan p) { fftw_destroy_plan(p); }
    static void execute(Plan p, Complex128* line) { fftw_execute_dft(p, cast(line), cast(line)); }
};

}  // namespace

template <class Real>
LineFft<Real>::LineFft(std::int64_t length, FftDirection direction) {
    using Fftw = Api<Real>;
    LineBuffer<Real> scratch(length);
    const std::scoped_lock lock(planner);
    auto plan = Fftw::plan(static_cast<int>(length), scratch.data(), direction == FftDirection::forward ? FFTW_FORWARD : FFTW_BACKWARD);
    if (!plan) throw DeviceError(fmt::format("FFTW has no plan for a transform of {} points", length));
    plan_ = std::shared_ptr<void>(plan, [](void* p) {
        const std::scoped_lock destroy_lock(planner);
        Fftw::destroy(static_cast<typename Fftw::Plan>(p));
    });
}

template <class Real>
void LineFft<Real>::operator()(Complex<Real>* line) const {
    Api<Real>::execute(static_cast<typename Api<Real>::Plan>(plan_.get()), line);
}

template <class Real>
LineBuffer<Real>::LineBuffer(std::int64_t length) {
    const std::size_t bytes = (static_cast<std::size_t>(length) * sizeof(Complex<Real>) + 63) / 64 * 64;
    data_.reset(static_cast<Complex<Real>*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw DeviceError(fmt::format("no memory for a line buffer of {} bytes", bytes));
}

template <class Real>
void LineBuffer<Real>::Free::operator()(Complex<Real>* p) const {
    std::free(p);
}

template class LineFft<float>;
template class LineFft<double>;
template class LineBuffer<float>;
template class LineBuffer<double>;

}  // namespace cornerturn
