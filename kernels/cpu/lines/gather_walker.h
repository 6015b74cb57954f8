// SPDX-License-Identifier: Apache-2.0
// Azimuth compression on the CPU: each thread takes a few adjacent image columns through gather, inverse FFT and store.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/cpu/lines/gather.h"
#include "kernels/cpu/lines/gather_strips.h"
#include "kernels/cpu/lines/line_walker.h"

namespace cornerturn {

/// Of lines that transforms work on: they want aligned ones.
constexpr std::int64_t aligned_pitch(std::int64_t length) { return (length + 7) / 8 * 8; }

/// Image columns from spectra of range cells.
template <class Real>
class ColumnsOfCells {
public:
    ColumnsOfCells(const AzimuthCompression& pass, int threads)
        : pass_(pass),
          shape_(pass.shape()),
          hooks_(pass_.hooks(HostTables{})),
          weights_(polynomials<Real>(pass.kernel)),
          zeros_(static_cast<std::size_t>(shape_.fft_length)),
          laws_(static_cast<std::size_t>(threads), AdjacentLaws<Real>(hooks_)),
          inverse_(shape_.fft_length, FftDirection::inverse, shape_.lines),
          spectra_(threads, gathered_at_a_time * pitch()),
          line_(threads, shape_.fft_length) {}

    const AzimuthCompression& pass() const { return pass_; }
    const LineShape& shape() const { return shape_; }
    std::int64_t pitch() const { return aligned_pitch(shape_.fft_length); }
    int threads() const { return line_.threads(); }

    /// Columns from `first` to `last`, the first of a group: store(column, rule, line) takes each, and made(begin, end)
    /// those of a group, on the thread that made them.
    template <class Store, class Made>
    void make(const CellSpectra<Real>& cells, std::int64_t first, std::int64_t last, const Store& store,
              const Made& made) {
        with_taps(weights_.taps, [&]<int Taps>(std::integral_constant<int, Taps>) {
            const MigrationGather<Real, Taps> gather(cells, pass_.input_cells, hooks_, weights_, zeros_.data());
            for_each_line((last - first + gathered_at_a_time - 1) / gathered_at_a_time, threads(),
                          [&](std::int64_t group) {
                              const std::int64_t begin = first + group * gathered_at_a_time,
                                                 end = std::min(begin + gathered_at_a_time, last);
                              gather(laws_[static_cast<std::size_t>(omp_get_thread_num())], begin, end, spectra_.mine(),
                                     pitch());
                              for (std::int64_t column = begin; column < end; ++column) {
                                  inverse_(spectra_.mine() + (column - begin) * pitch(), line_.mine());
                                  store(column, hooks_.store(column), line_.mine());
                              }
                              made(begin, end);
                          },
                          1);
        });
    }

private:
    AzimuthCompression pass_;
    LineShape shape_;
    AzimuthCompressionHooks hooks_;
    SincPolynomials<Real> weights_;
    std::vector<Complex<Real>> zeros_;
    std::vector<AdjacentLaws<Real>> laws_;
    PassFft<Real> inverse_;
    LineBuffers<Real> spectra_, line_;
};

/// Azimuth compression of a matrix whose rows are range cells.
template <class Real>
class GatherWalker final : public StepPlan {
public:
    GatherWalker(const AzimuthCompression& pass, int threads) : columns_(pass, threads) {}

    void run(const Matrix& in, Matrix& out) override {
        const LineShape& shape = columns_.shape();
        const std::int64_t cells = columns_.pass().input_cells;
        require_matrix(in, native_format<Real>, cells, shape.fft_length, "azimuth compression: the input");
        require_matrix(out, native_format<Real>, shape.lines, shape.out, "azimuth compression: the output");
        columns_.make(
            {.lines = in.data<Complex<Real>>(), .pitch = shape.fft_length, .first = 0, .last = cells}, 0, shape.lines,
            [&](std::int64_t column, const StoreRule& rule, const Complex<Real>* line) {
                store_line(rule, line, shape.out, out.data<Complex<Real>>() + column * shape.out);
            },
            [](std::int64_t, std::int64_t) {});
    }

private:
    ColumnsOfCells<Real> columns_;
};

}  // namespace cornerturn
