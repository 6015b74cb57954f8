// SPDX-License-Identifier: Apache-2.0
// DUCC0's plans below its arrays, for one kind of processor (CORNERTURN_PROCESSOR), in a namespace of its own
// (DUCC0_NAMESPACE): CMake compiles this file once for each. DUCC0 transforms columns, one in each lane of a vector,
// twice as fast as a line: a long line is taken as a matrix, whose columns are transformed, turned by their factors and
// transformed again across (four steps: Bailey 1990). What lies in between fits into the first cache.
#include "kernels/host/ducc/line_transform.h"

#include <ducc0/fft/fft1d_impl.h>
#include <ducc0/infra/threading.cc>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>
#include <utility>

#include "kernels/host/lanes.h"

namespace cornerturn {
namespace {

namespace ducc = DUCC0_NAMESPACE;

/// Sixteen lanes are no faster than eight, and fit fewer lengths.
constexpr int lanes = std::min<int>(8, static_cast<int>(ducc::native_simd<float>::size()));
using Vector = Lanes<lanes>;
using Floats = Vector::Floats;
using Ints = Vector::Ints;
/// Of `lanes` columns one row: DUCC0's vector of their real parts and that of their imaginary parts.
using ColumnsRow = ducc::Cmplx<ducc::simd_select<float, lanes>::type>;
static_assert(sizeof(ColumnsRow) == 2 * sizeof(Floats));

template <int... lane>
constexpr Ints numbers(std::integer_sequence<int, lane...>, int first, int step) {
    return Ints{(first + step * lane)...};
}
/// Of two vectors in turn: the first halves of both, or the second ones.
template <int... lane>
constexpr Ints alternating(std::integer_sequence<int, lane...>, int first) {
    return Ints{(first + lane / 2 + lane % 2 * lanes)...};
}
using AllLanes = std::make_integer_sequence<int, lanes>;
constexpr Ints evens = numbers(AllLanes{}, 0, 2), odds = numbers(AllLanes{}, 1, 2);
constexpr Ints first_halves = alternating(AllLanes{}, 0), second_halves = alternating(AllLanes{}, lanes / 2);

/// vectors[i][j] becomes vectors[j][i].
inline void transpose(Floats (&vectors)[lanes]) {
    for (int stage = 1; stage < lanes; stage *= 2) {
        Floats mixed[lanes];
        for (int i = 0; i < lanes / 2; ++i) {
            mixed[2 * i] = shuffled(vectors[i], vectors[i + lanes / 2], first_halves);
            mixed[2 * i + 1] = shuffled(vectors[i], vectors[i + lanes / 2], second_halves);
        }
        std::copy_n(mixed, lanes, vectors);
    }
}

/// Memory of one thread, which stays for the next line.
float* scratch(std::size_t floats) {
    thread_local LineBuffer<float> buffer(0);
    thread_local std::size_t size = 0;
    if (floats > size) {
        buffer = LineBuffer<float>(static_cast<std::int64_t>(floats / 2 + 1));
        size = floats;
    }
    return reinterpret_cast<float*>(buffer.data());
}

std::int64_t whole_vectors(std::int64_t count) { return (count + lanes - 1) / lanes; }

/// x[column + columns * row] -> X[bin_down + rows * bin_across].
class FourSteps final : public LineTransform<float> {
public:
    FourSteps(std::int64_t rows, std::int64_t columns, FftDirection direction)
        : rows_(rows),
          columns_(columns),
          forward_(direction == FftDirection::forward),
          down_(static_cast<std::size_t>(rows)),
          across_(static_cast<std::size_t>(columns)),
          factors_(whole_vectors(columns) * rows * lanes) {
        const double turn = (forward_ ? -2.0 : 2.0) * std::numbers::pi / static_cast<double>(rows * columns);
        for (std::int64_t strip = 0; strip < whole_vectors(columns); ++strip)
            for (std::int64_t bin = 0; bin < rows; ++bin)
                for (int lane = 0; lane < lanes; ++lane) {
                    const double angle = turn * static_cast<double>((strip_start(strip, columns) + lane) * bin);
                    float* const factor = factors_of(strip) + 2 * lanes * bin + lane;
                    factor[0] = static_cast<float>(std::cos(angle));
                    factor[lanes] = static_cast<float>(std::sin(angle));
                }
    }

    void operator()(const Complex64* from, Complex64* to) const override {
        const std::int64_t between = 2 * lanes * whole_vectors(rows_) * columns_, strip = 2 * lanes * rows_;
        const auto work = static_cast<std::int64_t>(2 * lanes * std::max(down_.bufsize(), across_.bufsize()));
        float* const spectra = scratch(static_cast<std::size_t>(between + strip + work));
        float *const gathered = spectra + between, *const buffer = gathered + strip;
        for (std::int64_t i = 0; i < whole_vectors(columns_); ++i) {
            gather(from + strip_start(i, columns_), gathered);
            turn_and_transpose(transformed(down_, gathered, buffer), i, spectra);
        }
        for (std::int64_t i = 0; i < whole_vectors(rows_); ++i)
            scatter(transformed(across_, spectra + 2 * lanes * columns_ * i, buffer), to + strip_start(i, rows_));
    }

private:
    using Plan = ducc::detail_fft::pocketfft_c<float>;

    /// The last strip of `lanes` columns reaches back over the one before where their number is no multiple.
    static std::int64_t strip_start(std::int64_t strip, std::int64_t count) {
        return std::min(lanes * strip, count - lanes);
    }
    float* factors_of(std::int64_t strip) const {
        return reinterpret_cast<float*>(factors_.data()) + 2 * lanes * rows_ * strip;
    }

    const float* transformed(const Plan& plan, float* columns, float* buffer) const {
        return reinterpret_cast<const float*>(
            plan.exec(reinterpret_cast<ColumnsRow*>(columns), reinterpret_cast<ColumnsRow*>(buffer), 1.0f, forward_));
    }

    void gather(const Complex64* from, float* gathered) const {
        for (std::int64_t row = 0; row < rows_; ++row) {
            const float* const here = reinterpret_cast<const float*>(from + columns_ * row);
            const Floats first = Vector::load_anywhere(here), second = Vector::load_anywhere(here + lanes);
            Vector::store(shuffled(first, second, evens), gathered + 2 * lanes * row);
            Vector::store(shuffled(first, second, odds), gathered + 2 * lanes * row + lanes);
        }
    }

    /// To where a strip of bins is the matrix whose columns are transformed next.
    void turn_and_transpose(const float* spectrum, std::int64_t strip, float* spectra) const {
        const float* const factors = factors_of(strip);
        for (std::int64_t bins = 0; bins < whole_vectors(rows_); ++bins) {
            Floats re[lanes], im[lanes];
            for (int i = 0; i < lanes; ++i) {
                const std::int64_t place = 2 * lanes * (strip_start(bins, rows_) + i);
                const Floats a = Vector::load(spectrum + place), b = Vector::load(spectrum + place + lanes);
                const Floats c = Vector::load(factors + place), s = Vector::load(factors + place + lanes);
                re[i] = a * c - b * s;
                im[i] = a * s + b * c;
            }
            transpose(re);
            transpose(im);
            float* const into = spectra + 2 * lanes * (columns_ * bins + strip_start(strip, columns_));
            for (int i = 0; i < lanes; ++i) {
                Vector::store(re[i], into + 2 * lanes * i);
                Vector::store(im[i], into + 2 * lanes * i + lanes);
            }
        }
    }

    void scatter(const float* spectrum, Complex64* to) const {
        for (std::int64_t bin = 0; bin < columns_; ++bin) {
            const Floats re = Vector::load(spectrum + 2 * lanes * bin),
                         im = Vector::load(spectrum + 2 * lanes * bin + lanes);
            const Floats first = shuffled(re, im, first_halves), second = shuffled(re, im, second_halves);
            std::memcpy(to + rows_ * bin, &first, sizeof first);
            std::memcpy(to + rows_ * bin + lanes / 2, &second, sizeof second);
        }
    }

    std::int64_t rows_, columns_;
    bool forward_;
    Plan down_, across_;
    LineBuffer<float> factors_;
};

/// As DUCC0 has it: short lines, lengths without two factors, and double precision, which is for references.
template <class Real>
class SingleLine final : public LineTransform<Real> {
public:
    SingleLine(std::int64_t length, FftDirection direction)
        : forward_(direction == FftDirection::forward), plan_(static_cast<std::size_t>(length), true) {}

    void operator()(const Complex<Real>* from, Complex<Real>* to) const override {
        using Sample = ducc::Cmplx<Real>;
        if (from != to) std::copy_n(from, plan_.length(), to);
        auto* const buffer = scratch(2 * sizeof(Real) / sizeof(float) * plan_.bufsize());
        plan_.exec_copyback(reinterpret_cast<Sample*>(to), reinterpret_cast<Sample*>(buffer), Real(1), forward_);
    }

private:
    bool forward_;
    ducc::detail_fft::pocketfft_c<Real> plan_;
};

/// Of the ways to write a length as rows times columns the squarest, counted in whole vectors; 0 where there is none.
std::int64_t rows_of(std::int64_t length) {
    std::int64_t best = 0, least = 0;
    for (std::int64_t rows = lanes; rows * lanes <= length; ++rows) {
        if (length % rows != 0) continue;
        const std::int64_t sides = whole_vectors(rows) + whole_vectors(length / rows);
        if (best != 0 && sides >= least) continue;
        best = rows;
        least = sides;
    }
    return best;
}

}  // namespace

template <Processor, class Real>
std::shared_ptr<LineTransform<Real>> plan_line(std::int64_t length, FftDirection direction) {
    if constexpr (std::is_same_v<Real, float>)
        if (const std::int64_t rows = rows_of(length); rows != 0)
            return std::make_shared<FourSteps>(rows, length / rows, direction);
    return std::make_shared<SingleLine<Real>>(length, direction);
}

template std::shared_ptr<LineTransform<float>> plan_line<CORNERTURN_PROCESSOR, float>(std::int64_t, FftDirection);
template std::shared_ptr<LineTransform<double>> plan_line<CORNERTURN_PROCESSOR, double>(std::int64_t, FftDirection);

}  // namespace cornerturn
