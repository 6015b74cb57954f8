// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/line_fft.h"

#include <fftw3.h>
#include <fmt/format.h>

#include <mutex>
#include <type_traits>

#include "kernels/errors.h"
#include "kernels/host/fftw/wisdom.h"

namespace cornerturn {
namespace {

std::mutex planner;  // FFTW plans and frees one at a time; execution needs no lock

template <class Real>
struct Api;
template <>
struct Api<float> {
    using Plan = fftwf_plan;
    static fftwf_complex* cast(const Complex64* p) {
        return reinterpret_cast<fftwf_complex*>(const_cast<Complex64*>(p));
    }
    static Plan plan(int n, Complex64* from, Complex64* to, int sign, unsigned effort) {
        return fftwf_plan_dft_1d(n, cast(from), cast(to), sign, effort);
    }
    static void destroy(Plan p) { fftwf_destroy_plan(p); }
    static void execute(Plan p, const Complex64* from, Complex64* to) { fftwf_execute_dft(p, cast(from), cast(to)); }
};
template <>
struct Api<double> {
    using Plan = fftw_plan;
    static fftw_complex* cast(const Complex128* p) {
        return reinterpret_cast<fftw_complex*>(const_cast<Complex128*>(p));
    }
    static Plan plan(int n, Complex128* from, Complex128* to, int sign, unsigned effort) {
        return fftw_plan_dft_1d(n, cast(from), cast(to), sign, effort);
    }
    static void destroy(Plan p) { fftw_destroy_plan(p); }
    static void execute(Plan p, const Complex128* from, Complex128* to) { fftw_execute_dft(p, cast(from), cast(to)); }
};

int sign_of(FftDirection direction) { return direction == FftDirection::forward ? FFTW_FORWARD : FFTW_BACKWARD; }

template <class Real>
std::shared_ptr<void> owned(typename Api<Real>::Plan plan, std::int64_t length) {
    if (!plan) throw DeviceError(fmt::format("FFTW has no plan for a transform of {} points", length));
    return std::shared_ptr<void>(plan, [](void* p) {
        const std::scoped_lock lock(planner);
        Api<Real>::destroy(static_cast<typename Api<Real>::Plan>(p));
    });
}

template <class Real>
typename Api<Real>::Plan held(const std::shared_ptr<void>& plan) {
    return static_cast<typename Api<Real>::Plan>(plan.get());
}

/// Measuring takes some tenths of a second, once: it has to be for a length that does real work. The double-precision
/// chain is a reference, not a way to work.
template <class Real>
bool worth_measuring(std::int64_t length, std::int64_t lines) {
    constexpr std::int64_t large_matrix = std::int64_t{1} << 24, longest = std::int64_t{1} << 16;
    return std::is_same_v<Real, float> && lines * length >= large_matrix && length <= longest;
}

}  // namespace

std::string fft_library() {
    const std::string version = fftwf_version;  // "fftw-3.3.10-sse2-avx"
    return "FFTW " + version.substr(version.find('-') + 1);
}

template <class Real>
LineFft<Real>::LineFft(std::int64_t length, FftDirection direction) {
    LineBuffer<Real> scratch(length);
    const std::scoped_lock lock(planner);
    plan_ = owned<Real>(
        Api<Real>::plan(static_cast<int>(length), scratch.data(), scratch.data(), sign_of(direction), FFTW_ESTIMATE),
        length);
}

template <class Real>
void LineFft<Real>::operator()(Complex<Real>* line) const {
    Api<Real>::execute(held<Real>(plan_), line, line);
}

template <class Real>
PassFft<Real>::PassFft(std::int64_t length, FftDirection direction, std::int64_t lines) {
    LineBuffer<Real> from(length), to(length);
    const auto plan = [&](unsigned effort) {
        return Api<Real>::plan(static_cast<int>(length), from.data(), to.data(), sign_of(direction), effort);
    };
    const std::scoped_lock lock(planner);
    typename Api<Real>::Plan fastest = nullptr;
    // Wisdom goes into plans that are not measured, too: recalled before the first of them, the plan of a length, and
    // with it the last bit of an image, does not depend on what was planned before.
    const bool kept = std::is_same_v<Real, float> && recall_fftw_wisdom();
    if (worth_measuring<Real>(length, lines)) {
        fastest = plan(FFTW_MEASURE | FFTW_WISDOM_ONLY);
        if (!fastest && kept) {
            fastest = plan(FFTW_MEASURE);
            keep_fftw_wisdom();
        }
    }
    plan_ = owned<Real>(fastest ? fastest : plan(FFTW_ESTIMATE), length);
}

template <class Real>
void PassFft<Real>::operator()(const Complex<Real>* from, Complex<Real>* to) const {
    Api<Real>::execute(held<Real>(plan_), from, to);
}

template class LineFft<float>;
template class LineFft<double>;
template class PassFft<float>;
template class PassFft<double>;

}  // namespace cornerturn
