// SPDX-License-Identifier: Apache-2.0
// A gather on the CPU: several adjacent image columns at a time, since they share most of the rows that they read;
// then each column's inverse FFT and store while it is in cache.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cpu/lines/gather.h"
#include "kernels/cpu/lines/line_walker.h"

namespace cornerturn {

inline constexpr std::int64_t gathered_at_a_time = 16;  ///< image columns
static_assert(least_band_columns % gathered_at_a_time == 0 && band_columns % gathered_at_a_time == 0,
              "columns that are gathered together share a band");

template <class Real>
class GatherWalker final : public StepPlan {
public:
    GatherWalker(const AzimuthCompression& pass, int threads)
        : pass_(pass),
          shape_(pass.shape()),
          hooks_(pass_.hooks(HostTables{})),
          weights_(polynomials<Real>(pass.kernel)),
          zeros_(static_cast<std::size_t>(shape_.fft_length)),
          laws_(static_cast<std::size_t>(threads), AdjacentLaws<Real>(hooks_)),
          inverse_(shape_.fft_length, FftDirection::inverse, shape_.lines),
          spectra_(threads, adjacent * pitch()),
          line_(threads, shape_.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native_format<Real>, pass_.input_cells, shape_.fft_length, "azimuth compression: the input");
        require_matrix(out, native_format<Real>, shape_.lines, shape_.out, "azimuth compression: the output");
        with_taps(weights_.taps, [&]<int Taps>(std::integral_constant<int, Taps>) {
            walk(MigrationGather<Real, Taps>(in.data<Complex<Real>>(), pass_.input_cells, hooks_, weights_,
                                             zeros_.data()),
                 out.data<Complex<Real>>());
        });
    }

private:
    static constexpr std::int64_t adjacent = gathered_at_a_time;
    /// Of the gathered lines: transforms want aligned ones.
    std::int64_t pitch() const { return (shape_.fft_length + 7) / 8 * 8; }

    template <class Gather>
    void walk(const Gather& gather, Complex<Real>* out) {
        const auto groups = (shape_.lines + adjacent - 1) / adjacent;
        for_each_line(
            groups, line_.threads(),
            [&](std::int64_t group) {
                const std::int64_t first = group * adjacent, last = std::min(first + adjacent, shape_.lines);
                gather(laws_[static_cast<std::size_t>(omp_get_thread_num())], first, last, spectra_.mine(), pitch());
                for (std::int64_t column = first; column < last; ++column) {
                    inverse_(spectra_.mine() + (column - first) * pitch(), line_.mine());
                    store_line(hooks_.store(column), line_.mine(), shape_.out, out + column * shape_.out);
                }
            },
            1);
    }

    AzimuthCompression pass_;
    LineShape shape_;
    AzimuthCompressionHooks hooks_;
    SincPolynomials<Real> weights_;
    std::vector<Complex<Real>> zeros_;
    std::vector<AdjacentLaws<Real>> laws_;
    PassFft<Real> inverse_;
    LineBuffers<Real> spectra_, line_;
};

}  // namespace cornerturn
