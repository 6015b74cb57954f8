// SPDX-License-Identifier: Apache-2.0
// The interpolating load of AzimuthCompression on the CPU: some adjacent image range lines at a time, vectorised over azimuth bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/host/vector_clones.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// Migration laws of a chunk of bins, by bin.
struct MigrationLaws {
    static constexpr std::int64_t chunk = 256;  ///< the laws and the rows that adjacent columns read stay in the innermost caches
    double cells_per_m[chunk], cycles_per_m[chunk], cycles[chunk], gain_root_m[chunk];

    MigrationLaw operator[](std::int64_t i) const { return {cells_per_m[i], cycles_per_m[i], cycles[i], gain_root_m[i]}; }
    void set(std::int64_t i, const MigrationLaw& law) {
        cells_per_m[i] = law.cells_per_m;
        cycles_per_m[i] = law.cycles_per_m;
        cycles[i] = law.cycles;
        gain_root_m[i] = law.gain_root_m;
    }
};

/// The laws of one chunk after the other, at the velocities of adjacent columns.
template <class Real>
class MigrationTable {
public:
    explicit MigrationTable(const AzimuthCompressionHooks& hooks) : hooks_(hooks) {
        for (std::int64_t bin = 0; bin < hooks.fft_length; ++bin) frequency_hz_.push_back(hooks.frequency_hz(bin));
    }

    /// Turns to the bins from `first_bin`, and to velocities from one to another.
    void cover(std::int64_t first_bin, double begin_velocity, double end_velocity) {
        first_bin_ = first_bin;
        bins_ = std::min(MigrationLaws::chunk, hooks_.fft_length - first_bin);
        begin_velocity_ = velocity_ = begin_velocity;
        end_velocity_ = end_velocity;
        evaluate(begin_velocity, now_);
        if (begin_velocity == end_velocity) return;
        begin_ = now_;
        evaluate(end_velocity, end_);
    }
    std::int64_t bins() const { return bins_; }

    const MigrationLaws& at(double velocity) {
        if (velocity == velocity_) return now_;
        velocity_ = velocity;
        const double span = end_velocity_ - begin_velocity_, share = (velocity - begin_velocity_) / span;
        // Over so little the laws run linearly: what is missing is the 1e-12th part of the phase. The reference evaluates each.
        constexpr double linear_part = sizeof(Real) == sizeof(float) ? 1e-6 : 0;
        const bool linear = std::abs(span) < linear_part * begin_velocity_ && share >= 0 && share <= 1;
        linear ? interpolate(share) : evaluate(velocity, now_);
        return now_;
    }

private:
    CT_VECTOR_CLONES void evaluate(double velocity, MigrationLaws& laws) const {
        const double *frequency_hz = frequency_hz_.data() + first_bin_, *weight = hooks_.weight + first_bin_;
        const AzimuthCompressionHooks hooks = hooks_;
#pragma omp simd
        for (std::int64_t i = 0; i < bins_; ++i) laws.set(i, hooks.law(frequency_hz[i], weight[i], velocity));
    }

    CT_VECTOR_CLONES void interpolate(double share) {
#pragma omp simd
        for (std::int64_t i = 0; i < bins_; ++i) {
            const MigrationLaw a = begin_[i], b = end_[i];
            now_.set(i,
                     {a.cells_per_m + share * (b.cells_per_m - a.cells_per_m), a.cycles_per_m + share * (b.cycles_per_m - a.cycles_per_m),
                      a.cycles + share * (b.cycles - a.cycles), a.gain_root_m + share * (b.gain_root_m - a.gain_root_m)});
        }
    }

    AzimuthCompressionHooks hooks_;
    std::vector<double> frequency_hz_;
    std::int64_t first_bin_ = 0, bins_ = 0;
    double begin_velocity_ = 0, end_velocity_ = 0, velocity_ = 0;
    MigrationLaws begin_{}, end_{}, now_{};
};

/// Reads range-Doppler data (cells x bins, packed) along the migration curves of image columns and applies the matched filter.
template <class Real, int Taps>
class MigrationGather {
public:
    MigrationGather(const Complex<Real>* in, std::int64_t cells, const AzimuthCompressionHooks& hooks, const SincPolynomials<Real>& weights,
                    const Complex<Real>* zeros)
        : in_(in), cells_(cells), hooks_(hooks), weights_(weights), zeros_(zeros) {}

    /// Columns [first, last), one line of `out` each, `pitch` apart. Chunk by chunk, as adjacent columns read almost the same rows.
    void operator()(MigrationTable<Real>& table, std::int64_t first, std::int64_t last, Complex<Real>* out, std::int64_t pitch) const {
        const double* velocity = hooks_.velocity_m_s;
        for (std::int64_t bin = 0; bin < hooks_.fft_length; bin += table.bins()) {
            table.cover(bin, velocity[first], velocity[last - 1]);
            for (std::int64_t column = first; column < last; ++column) {
                const MigrationLaws& laws = table.at(velocity[column]);
                gather_chunk(laws, column, bin, table.bins(), out + (column - first) * pitch);
            }
        }
    }

private:
    struct alignas(64) Chunk {
        std::int32_t base[MigrationLaws::chunk];
        Real u[MigrationLaws::chunk];
        Real re[MigrationLaws::chunk], im[MigrationLaws::chunk];  // of the matched filter
    };

    CT_VECTOR_CLONES void gather_chunk(const MigrationLaws& laws, std::int64_t column, std::int64_t first, std::int64_t count,
                                       Complex<Real>* out) const {
        Chunk b;
        const AzimuthCompressionHooks hooks = hooks_;
        const double range_m = hooks.range_m(column);
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
            const Migration m = hooks.at(laws[i], range_m);
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
            gather_run(b, first, run, end, out, std::make_integer_sequence<int, Taps / 2>{});
            run = end;
        }
    }

    /// Unrolled over pairs of taps by hand, so that the loop over bins becomes vector code.
    template <int... Pair>
    CT_VECTOR_CLONES void gather_run(const Chunk& b, std::int64_t first, std::int64_t run, std::int64_t end, Complex<Real>* out,
                                     std::integer_sequence<int, Pair...>) const {
        const std::int64_t first_cell = b.base[run] - Taps / 2 + 1;
        const Complex<Real>* const left[] = {row_of(first_cell + Pair) + first...};
        const Complex<Real>* const right[] = {row_of(first_cell + Taps - 1 - Pair) + first...};
        const SincPolynomials<Real>& weights = weights_;
        Complex<Real>* to = out + first;
#pragma omp simd
        for (std::int64_t i = run; i < end; ++i)
            to[i] = Complex<Real>{b.re[i], b.im[i]} * (weighted(weights.mirrored(Pair, b.u[i]), left[Pair][i], right[Pair][i]) + ...);
    }

    static CT_HOST_DEVICE Complex<Real> weighted(TapPair<Real> weight, Complex<Real> left, Complex<Real> right) {
        return weight.left * left + weight.right * right;
    }

    const Complex<Real>* row_of(std::int64_t cell) const { return cell >= 0 && cell < cells_ ? in_ + cell * hooks_.fft_length : zeros_; }

    const Complex<Real>* in_;
    std::int64_t cells_;
    const AzimuthCompressionHooks& hooks_;
    const SincPolynomials<Real>& weights_;
    const Complex<Real>* zeros_;  // what lies outside
};

}  // namespace cornerturn
