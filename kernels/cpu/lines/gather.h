// SPDX-License-Identifier: Apache-2.0
// The interpolating load of AzimuthCompression on the CPU: several adjacent image range lines at a time, vectorised
// over azimuth bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/host/vector_clones.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// Migration laws of a column for a chunk of bins, by bin; the gain that at a range of 1 m.
struct MigrationLaws {
    static constexpr std::int64_t chunk =
        128;  ///< the laws and the rows that adjacent columns read stay in the innermost caches
    double position_cells[chunk], phase_cycles[chunk], gain[chunk];

    void set(std::int64_t i, const Migration& law) {
        position_cells[i] = law.position_cells;
        phase_cycles[i] = law.phase_cycles;
        gain[i] = law.gain;
    }
    Migration operator[](std::int64_t i) const { return {position_cells[i], phase_cycles[i], gain[i]}; }
};

/// Those of a column from three of its group: a + q (b + q c).
struct LawsOfColumn {
    const MigrationLaws &a, &b, &c;
    double q;

    Migration operator[](std::int64_t i) const {
        const auto of = [&](const auto part) { return (a.*part)[i] + q * ((b.*part)[i] + q * (c.*part)[i]); };
        return {of(&MigrationLaws::position_cells), of(&MigrationLaws::phase_cycles), of(&MigrationLaws::gain)};
    }
};

/// Whether the laws of adjacent columns are parabolas along range, by a margin to what single precision tells: at the
/// middle and the edges of their band. At frequencies, not places in each column's own band: a bin is a frequency.
inline bool laws_are_parabolas(const AzimuthCompressionHooks& hooks, std::int64_t first, std::int64_t last) {
    constexpr double error = 1e-7;  // of a cell, a cycle, the gain
    const auto m = static_cast<double>((last - first) / 2), n = static_cast<double>(last - first);
    const std::int64_t middle = first + (last - first) / 2;
    for (const double x : {-1.0, 0.0, 1.0}) {
        const double frequency_hz = hooks.law_centre_hz[middle] + x * hooks.law_half_hz;
        const auto law = [&](std::int64_t column) { return hooks.law(column, frequency_hz); };
        const Migration a = law(first), b = law(middle), c = law(last);
        for (std::int64_t column = first; column <= last; ++column) {
            const auto q = static_cast<double>(column - first);
            const double la = (q - m) * (q - n) / (m * n), lb = q * (q - n) / (m * (m - n)),
                         lc = q * (q - m) / (n * (n - m));
            const Migration exact = law(column);
            const auto off = [&](double Migration::*part) {
                return std::abs(la * a.*part + lb * b.*part + lc * c.*part - exact.*part);
            };
            if (!(off(&Migration::position_cells) < error && off(&Migration::phase_cycles) < error &&
                  off(&Migration::gain) < error * std::abs(exact.gain)))
                return false;
        }
    }
    return true;
}

/// The laws of adjacent columns, one chunk of bins after the other.
template <class Real>
class AdjacentLaws {
public:
    explicit AdjacentLaws(const AzimuthCompressionHooks& hooks) : hooks_(hooks) {}

    /// Turns to columns [first, last).
    void columns(std::int64_t first, std::int64_t last) {
        first_ = first;
        middle_ = first + (last - 1 - first) / 2;
        last_ = last - 1;
        // The reference evaluates each column.
        parabolas_ = sizeof(Real) == sizeof(float) && last - first > 4 && laws_are_parabolas(hooks_, first_, last_);
    }
    /// Turns to the bins from `first_bin`.
    void bins(std::int64_t first_bin) {
        first_bin_ = first_bin;
        bins_ = std::min(MigrationLaws::chunk, hooks_.fft_length - first_bin);
        frequencies();
        if (!parabolas_) return;
        evaluate(first_, a_);
        evaluate(middle_, b_);
        evaluate(last_, c_);
        differences();
    }
    std::int64_t bins() const { return bins_; }

    LawsOfColumn at(std::int64_t column) {
        if (!parabolas_) evaluate(column, a_);
        return {a_, b_, c_, parabolas_ ? static_cast<double>(column - first_) : 0};
    }

private:
    /// Columns that are gathered together share them.
    CT_VECTOR_CLONES void frequencies() {
        const AzimuthCompressionHooks hooks = hooks_;
        const double centre_hz = hooks.doppler_centroid_hz + static_cast<double>(hooks.shift(first_)) *
                                                                 (hooks.prf_hz / static_cast<double>(hooks.fft_length));
#pragma omp simd
        for (std::int64_t i = 0; i < bins_; ++i)
            frequency_hz_[i] = azimuth_frequency_hz(first_bin_ + i, hooks.fft_length, hooks.prf_hz, centre_hz);
    }

    CT_VECTOR_CLONES void evaluate(std::int64_t column, MigrationLaws& laws) const {
        const AzimuthCompressionHooks hooks = hooks_;
        const double centre_hz = hooks.law_centre_hz[column], of_half = 1 / hooks.law_half_hz;
        const double *position = hooks.law_powers + 3 * hooks.law_terms * column, *phase = position + hooks.law_terms,
                     *gain = phase + hooks.law_terms;
        std::fill_n(laws.position_cells, bins_, 0.0);
        std::fill_n(laws.phase_cycles, bins_, 0.0);
        std::fill_n(laws.gain, bins_, 0.0);
        // Term by term over all bins: a loop over the terms of a bin would keep the compiler from vector code.
        for (std::int64_t k = hooks.law_terms; k-- > 0;)
#pragma omp simd
            for (std::int64_t i = 0; i < bins_; ++i) {
                const double x = (frequency_hz_[i] - centre_hz) * of_half;
                const Migration law = laws[i];
                laws.set(
                    i, {law.position_cells * x + position[k], law.phase_cycles * x + phase[k], law.gain * x + gain[k]});
            }
        weigh(column, laws);
    }

    /// Where the weight is 0 no law need exist. Weights begin anew behind the last one.
    CT_VECTOR_CLONES void weigh(std::int64_t column, MigrationLaws& laws) const {
        const std::int64_t length = hooks_.fft_length, offset = (first_bin_ - hooks_.shift(column)) % length;
        for (std::int64_t first = 0, last = 0, at = offset < 0 ? offset + length : offset; first < bins_;
             first = last, at = 0) {
            last = std::min(bins_, first + length - at);
            const double* weight = hooks_.weight + at;
#pragma omp simd
            for (std::int64_t i = first; i < last; ++i) {
                const Migration law = laws[i];
                const double bin_weight = weight[i - first];
                const bool processed = bin_weight > 0;
                laws.set(i, {processed ? law.position_cells : 0.0, processed ? law.phase_cycles : 0.0,
                             processed ? bin_weight * law.gain : 0.0});
            }
        }
    }

    /// From the laws of three columns.
    CT_VECTOR_CLONES void differences() {
        const auto m = static_cast<double>(middle_ - first_), n = static_cast<double>(last_ - first_);
        const auto turn = [&](double a, double& b, double& c) {
            const double chord = (c - a) / n, bend = (chord - (b - a) / m) / (n - m);
            b = chord - bend * n;
            c = bend;
        };
#pragma omp simd
        for (std::int64_t i = 0; i < bins_; ++i) {
            turn(a_.position_cells[i], b_.position_cells[i], c_.position_cells[i]);
            turn(a_.phase_cycles[i], b_.phase_cycles[i], c_.phase_cycles[i]);
            turn(a_.gain[i], b_.gain[i], c_.gain[i]);
        }
    }

    AzimuthCompressionHooks hooks_;
    std::int64_t first_ = 0, middle_ = 0, last_ = 0, first_bin_ = 0, bins_ = 0;
    bool parabolas_ = false;
    double frequency_hz_[MigrationLaws::chunk] = {};
    MigrationLaws a_{}, b_{}, c_{};
};

/// Spectra of range cells, a line each, as far as they are there: all of them, or those that a window has which moves
/// over them.
template <class Real>
struct CellSpectra {
    const Complex<Real>* lines = nullptr;
    std::int64_t pitch = 0;                    ///< from line to line
    std::int64_t first = 0, last = 0;          ///< cells that are there
    std::uint64_t around = ~std::uint64_t{0};  ///< lines of a window less 1: its cells go around in it
    const Complex<Real>* line(std::int64_t cell) const {
        return lines + static_cast<std::int64_t>(static_cast<std::uint64_t>(cell) & around) * pitch;
    }
};

/// Reads range-Doppler data along the migration curves of image columns and applies the matched filter.
template <class Real, int Taps>
class MigrationGather {
public:
    MigrationGather(const CellSpectra<Real>& in, std::int64_t cells, const AzimuthCompressionHooks& hooks,
                    const SincPolynomials<Real>& weights, const Complex<Real>* zeros)
        : in_(in), cells_(cells), hooks_(hooks), weights_(weights), zeros_(zeros) {}

    /// Columns [first, last), one line of `out` each, `pitch` apart. Chunk by chunk, as adjacent columns read almost
    /// the same rows.
    void operator()(AdjacentLaws<Real>& laws, std::int64_t first, std::int64_t last, Complex<Real>* out,
                    std::int64_t pitch) const {
        laws.columns(first, last);
        for (std::int64_t bin = 0; bin < hooks_.fft_length; bin += laws.bins()) {
            laws.bins(bin);
            for (std::int64_t column = first; column < last; ++column)
                gather_chunk(laws.at(column), column, bin, laws.bins(), out + (column - first) * pitch);
        }
    }

private:
    static constexpr std::int32_t nowhere = -Taps;  // so that all taps lie before the first cell

    struct alignas(64) Chunk {
        std::int32_t base[MigrationLaws::chunk];
        Real u[MigrationLaws::chunk];
        Real re[MigrationLaws::chunk], im[MigrationLaws::chunk];  // of the matched filter
    };

    CT_VECTOR_CLONES void gather_chunk(const LawsOfColumn& laws, std::int64_t column, std::int64_t first,
                                       std::int64_t count, Complex<Real>* out) const {
        Chunk b;
        const double spread = 1 / std::sqrt(hooks_.range_m(column));
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
            const Migration m = laws[i];
            const double cell = std::floor(m.position_cells);
            const Complex<Real> filter = static_cast<Real>(spread * m.gain) * unit_phasor<Real>(m.phase_cycles);
            b.base[i] = m.gain != 0 ? static_cast<std::int32_t>(cell) : nowhere;
            b.u[i] = static_cast<Real>(m.position_cells - cell - 0.5);
            b.re[i] = filter.re;
            b.im[i] = filter.im;
        }
        // The base cell moves slowly with frequency: over a run of equal bases every tap reads one row of the matrix
        // contiguously.
        for (std::int64_t run = 0; run < count;) {
            std::int64_t end = run + 1;
            while (end < count && b.base[end] == b.base[run]) ++end;
            if (reads_something(b.base[run]))
                gather_run(b, first, run, end, out, std::make_integer_sequence<int, Taps / 2>{});
            else
                std::fill(out + first + run, out + first + end, Complex<Real>{});
            run = end;
        }
    }

    /// Unrolled over pairs of taps by hand, so that the loop over bins becomes vector code.
    template <int... Pair>
    CT_VECTOR_CLONES void gather_run(const Chunk& b, std::int64_t first, std::int64_t run, std::int64_t end,
                                     Complex<Real>* out, std::integer_sequence<int, Pair...>) const {
        const std::int64_t first_cell = b.base[run] - Taps / 2 + 1;
        const Complex<Real>* const left[] = {row_of(first_cell + Pair) + first...};
        const Complex<Real>* const right[] = {row_of(first_cell + Taps - 1 - Pair) + first...};
        const SincPolynomials<Real>& weights = weights_;
        Complex<Real>* to = out + first;
#pragma omp simd
        for (std::int64_t i = run; i < end; ++i)
            to[i] = Complex<Real>{b.re[i], b.im[i]} *
                    (weighted(weights.mirrored(Pair, b.u[i]), left[Pair][i], right[Pair][i]) + ...);
    }

    /// Throws std::logic_error where a cell is not there that the matrix has.
    bool reads_something(std::int64_t base) const {
        const std::int64_t first = std::max<std::int64_t>(base - Taps / 2 + 1, 0),
                           last = std::min<std::int64_t>(base + Taps / 2 + 1, cells_);
        if (first < last && (first < in_.first || last > in_.last))
            throw std::logic_error("azimuth compression: migration reaches beyond the cells at hand");
        return first < last;
    }
    const Complex<Real>* row_of(std::int64_t cell) const {
        return cell >= 0 && cell < cells_ ? in_.line(cell) : zeros_;
    }

    CellSpectra<Real> in_;
    std::int64_t cells_;
    const AzimuthCompressionHooks& hooks_;
    const SincPolynomials<Real>& weights_;
    const Complex<Real>* zeros_;  // what lies outside
};

}  // namespace cornerturn
