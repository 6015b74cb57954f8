// SPDX-License-Identifier: Apache-2.0
// The interpolating load of AzimuthCompression on the CPU: one image range line, vectorised over azimuth bins.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// The migration law of every bin at one velocity, which most scenes keep from column to column.
template <class Real>
class MigrationTable {
public:
    explicit MigrationTable(const AzimuthCompressionHooks& hooks) {
        const auto bins = static_cast<std::size_t>(hooks.fft_length);
        for (auto* column : {&frequency_hz_, &cells_per_m_, &cycles_per_m_, &cycles_, &gain_root_m_}) column->resize(bins);
        for (std::int64_t bin = 0; bin < hooks.fft_length; ++bin) frequency_hz_[bin] = hooks.frequency_hz(bin);
    }

    void use_velocity(const AzimuthCompressionHooks& hooks, double velocity) {
        if (velocity == velocity_) return;
        velocity_ = velocity;
#pragma omp simd
        for (std::int64_t bin = 0; bin < hooks.fft_length; ++bin) {
            const MigrationLaw law = hooks.law(frequency_hz_[bin], hooks.weight[bin], velocity);
            cells_per_m_[bin] = law.cells_per_m;
            cycles_per_m_[bin] = law.cycles_per_m;
            cycles_[bin] = law.cycles;
            gain_root_m_[bin] = law.gain_root_m;
        }
    }

    MigrationLaw operator[](std::int64_t bin) const { return {cells_per_m_[bin], cycles_per_m_[bin], cycles_[bin], gain_root_m_[bin]}; }

private:
    double velocity_ = 0;  // of none yet
    std::vector<double> frequency_hz_, cells_per_m_, cycles_per_m_, cycles_, gain_root_m_;
};

/// Reads range-Doppler data (cells x bins, packed) along the migration curve of one image column and applies the matched filter.
template <class Real, int Taps>
class MigrationGather {
public:
    MigrationGather(const Complex<Real>* in, std::int64_t cells, std::int64_t bins, const SincPolynomials<Real>& weights,
                    const Complex<Real>* zeros)
        : in_(in), cells_(cells), bins_(bins), weights_(weights), zeros_(zeros) {}

    void operator()(const AzimuthCompressionHooks& hooks, const MigrationTable<Real>& laws, std::int64_t column, Complex<Real>* out) const {
        for (std::int64_t first = 0; first < bins_; first += block)
            gather_block(hooks, laws, column, first, std::min(block, bins_ - first), out);
    }

private:
    static constexpr std::int64_t block = 256;  // bins whose working set stays in L1

    struct alignas(64) Block {
        std::int32_t base[block];
        Real u[block];
        Real re[block], im[block];  // of the matched filter
    };

    void gather_block(const AzimuthCompressionHooks& hooks, const MigrationTable<Real>& laws, std::int64_t column, std::int64_t first,
                      std::int64_t count, Complex<Real>* out) const {
        Block b;
        const double range_m = hooks.range_m(column);
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
            const Migration m = hooks.at(laws[first + i], range_m);
            const double cell = std::floor(m.position_cells);
            const Complex<Real> filter = static_cast<Real>(m.gain) * unit_phasor<Real>(m.phase_cycles);
            b.base[i] = static_cast<std::int32_t>(cell);
            b.u[i] = static_cast<Real>(m.position_cells - cell - 0.5);
            b.re[i] = filter.re;
            b.im[i] = filter.im;
        }
        // The base cell moves slowly with frequency: over a run of equal bases every tap reads one row of the matrix contiguously.
        for (std::int64_t run = 0; run < count;) {
            std::int64_t end = run + 1;
            while (end < count && b.base[end] == b.base[run]) ++end;
            gather_run(b, first, run, end, out + first, std::make_integer_sequence<int, Taps / 2>{});
            run = end;
        }
    }

    /// Unrolled over pairs of taps by hand, so that the loop over bins becomes vector code.
    template <int... Pair>
    void gather_run(const Block& b, std::int64_t first, std::int64_t run, std::int64_t end, Complex<Real>* out,
                    std::integer_sequence<int, Pair...>) const {
        const std::int64_t first_cell = b.base[run] - Taps / 2 + 1;
        const Complex<Real>* const left[] = {row_of(first_cell + Pair) + first...};
        const Complex<Real>* const right[] = {row_of(first_cell + Taps - 1 - Pair) + first...};
        const SincPolynomials<Real>& weights = weights_;
#pragma omp simd
        for (std::int64_t i = run; i < end; ++i)
            out[i] = Complex<Real>{b.re[i], b.im[i]} * (weighted(weights.mirrored(Pair, b.u[i]), left[Pair][i], right[Pair][i]) + ...);
    }

    static CT_HOST_DEVICE Complex<Real> weighted(TapPair<Real> weight, Complex<Real> left, Complex<Real> right) {
        return weight.left * left + weight.right * right;
    }

    const Complex<Real>* row_of(std::int64_t cell) const { return cell >= 0 && cell < cells_ ? in_ + cell * bins_ : zeros_; }

    const Complex<Real>* in_;
    std::int64_t cells_, bins_;
    const SincPolynomials<Real>& weights_;
    const Complex<Real>* zeros_;  // what lies outside
};

}  // namespace cornerturn
