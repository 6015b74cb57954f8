// SPDX-License-Identifier: Apache-2.0
// Match of two chips of the same place: offset by oversampled cross-correlation, coherence and phase in small
// windows.
#pragma once

#include <array>
#include <complex>
#include <memory>

#include "pipeline/measure/common_grid.h"
#include "pipeline/measure/matrix_fourier.h"

namespace cornerturn {

/// A chip is its core and a margin around it, in which the other chip's core is looked for.
namespace chip {
inline constexpr std::int64_t core = 64;
inline constexpr std::int64_t margin = 32;
inline constexpr std::int64_t size = core + 2 * margin;
inline constexpr std::int64_t window = 16;  ///< in which coherence is measured: core / window of them each way
inline constexpr std::int64_t windows = (core / window) * (core / window);
}  // namespace chip

/// Where the second chip's contents lie, less where the first one's do, in pixels.
struct ChipOffset {
    double row = 0, column = 0;
    double correlation = 0;  ///< at the peak, normalised: 1 for equal chips
};

/// What coherence is made of, in one window.
struct WindowSums {
    std::complex<double> product = 0;       ///< sum a conj(b)
    std::complex<double> flat_product = 0;  ///< the same with the chip's phase ramp taken off
    double first_energy = 0, second_energy = 0;

    double coherence() const;
};

struct ChipWindows {
    std::array<WindowSums, chip::windows> windows;
    std::complex<double> row_step,
        column_step;  ///< sums of the product times the conjugate of its neighbour before, over the energies
};

/// Two-dimensional transforms of square matrices of one size, zero frequency first; the inverse with 1 / size^2.
class SquareFourier;

/// Keeps plans and memory; one for each thread.
class ChipMatch {
public:
    ChipMatch();
    ~ChipMatch();
    ChipMatch(ChipMatch&&) noexcept;

    /// Takes chip::size x chip::size samples of both, of lines `stride` samples apart. False if half the core or more
    /// of either is zero.
    bool take(const std::complex<float>* first, const std::complex<float>* second, std::int64_t stride);

    /// Of both cores together.
    double energy() const;
    /// Peak of the normalised cross-correlation of the first core with the second chip, within half a margin, between
    /// the samples. No correlation where there is none.
    ChipOffset complex_offset() const;
    /// The same of the power of both, oversampled twice so that detection does not alias, less its mean.
    ChipOffset detected_offset() const;
    /// Of the cores, the second moved back by an offset; along the chip the phase of a conj(b) may rise evenly.
    ChipWindows windows(double row_offset, double column_offset) const;

private:
    std::unique_ptr<SquareFourier> once_, twice_;
    ComplexMatrix first_, second_;  // at baseband, their edges faded
};

}  // namespace cornerturn
