// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/chip_match.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "kernels/host/plane_fft.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

constexpr std::int64_t shift_search_px = chip::margin / 2;

/// Signed, in cycles over the whole length.
std::int64_t frequency(std::int64_t index, std::int64_t size) { return index < size / 2 ? index : index - size; }

/// 1 where offsets are looked for, down to 0 at the edges, so that the periodic continuation has no step.
double fading(std::int64_t index) {
    constexpr std::int64_t fade = chip::margin - shift_search_px;
    const std::int64_t edge = std::min(index, chip::size - 1 - index);
    if (edge >= fade) return 1;
    return 0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(edge) + 0.5) / static_cast<double>(fade));
}

ComplexMatrix baseband(const std::complex<float>* samples, std::int64_t stride, const MeanFrequency& carrier) {
    ComplexMatrix chip(chip::size, chip::size);
    for (std::int64_t row = 0; row < chip.rows; ++row)
        for (std::int64_t column = 0; column < chip.columns; ++column)
            chip(row, column) = std::complex<double>(samples[row * stride + column]) * (fading(row) * fading(column)) *
                                std_phasor(-carrier.row_cycles * static_cast<double>(row) -
                                           carrier.column_cycles * static_cast<double>(column));
    return chip;
}

/// A square in the middle of a matrix.
struct Core {
    std::int64_t first, size;
    std::int64_t end() const { return first + size; }
};

/// That in its place, zero around it.
ComplexMatrix middle(const ComplexMatrix& matrix, Core core) {
    ComplexMatrix result(matrix.rows, matrix.columns);
    for (std::int64_t row = core.first; row < core.end(); ++row)
        for (std::int64_t column = core.first; column < core.end(); ++column) result(row, column) = matrix(row, column);
    return result;
}

}  // namespace

class SquareFourier {
public:
    explicit SquareFourier(std::int64_t size)
        : forward_(size, size, FftDirection::forward), inverse_(size, size, FftDirection::inverse) {}

    void forward(ComplexMatrix& matrix) const { forward_(matrix.values.data()); }
    void inverse(ComplexMatrix& matrix) const {
        inverse_(matrix.values.data());
        for (auto& value : matrix.values) value /= static_cast<double>(matrix.rows * matrix.columns);
    }

private:
    PlaneFft<double> forward_, inverse_;
};

namespace {

/// Spectrum of the cross-correlation, whose peak says by how much the second lies behind the first.
ComplexMatrix cross_spectrum(ComplexMatrix first, ComplexMatrix second, const SquareFourier& fourier) {
    fourier.forward(first);
    fourier.forward(second);
    for (std::size_t i = 0; i < first.values.size(); ++i)
        first.values[i] = std::conj(first.values[i]) * second.values[i];
    return first;
}

/// Twice as many samples each way, detected.
ComplexMatrix oversampled_power(ComplexMatrix chip, const SquareFourier& once, const SquareFourier& twice) {
    once.forward(chip);
    ComplexMatrix fine(2 * chip.rows, 2 * chip.columns);
    const auto place = [](std::int64_t index, std::int64_t size) { return index < size / 2 ? index : index + size; };
    for (std::int64_t row = 0; row < chip.rows; ++row)
        for (std::int64_t column = 0; column < chip.columns; ++column)
            fine(place(row, chip.rows), place(column, chip.columns)) = chip(row, column);
    twice.inverse(fine);
    for (auto& value : fine.values) value = std::norm(value);
    return fine;
}

/// What the mean over the core is.
std::complex<double> mean_of(const ComplexMatrix& matrix, Core core) {
    std::complex<double> sum = 0;
    for (std::int64_t row = core.first; row < core.end(); ++row)
        for (std::int64_t column = core.first; column < core.end(); ++column) sum += matrix(row, column);
    return sum / static_cast<double>(core.size * core.size);
}

/// conj(a) b over the core.
std::complex<double> product(const ComplexMatrix& a, const ComplexMatrix& b, Core core) {
    std::complex<double> sum = 0;
    for (std::int64_t row = core.first; row < core.end(); ++row)
        for (std::int64_t column = core.first; column < core.end(); ++column)
            sum += std::conj(a(row, column)) * b(row, column);
    return sum;
}

/// Sums over squares of one size, wherever they lie in a matrix.
class SquareSums {
public:
    SquareSums(const ComplexMatrix& matrix, const std::function<double(std::complex<double>)>& value)
        : side_(matrix.rows + 1), sums_(static_cast<std::size_t>(side_ * side_)) {
        for (std::int64_t row = 1; row < side_; ++row)
            for (std::int64_t column = 1; column < side_; ++column)
                at(row, column) = value(matrix(row - 1, column - 1)) + at(row - 1, column) + at(row, column - 1) -
                                  at(row - 1, column - 1);
    }
    double operator()(std::int64_t row, std::int64_t column, std::int64_t size) const {
        return at(row + size, column + size) - at(row, column + size) - at(row + size, column) + at(row, column);
    }

private:
    double& at(std::int64_t row, std::int64_t column) { return sums_[static_cast<std::size_t>(row * side_ + column)]; }
    double at(std::int64_t row, std::int64_t column) const {
        return sums_[static_cast<std::size_t>(row * side_ + column)];
    }

    std::int64_t side_;
    std::vector<double> sums_;
};

enum class Mean { kept, removed };

double normalised(double correlation, double first_energy, double second_energy) {
    return first_energy > 0 && second_energy > 0 ? std::min(1.0, correlation / std::sqrt(first_energy * second_energy))
                                                 : 0;
}

/// The whole offset with the highest normalised cross-correlation: without the norm, what is bright beside the core
/// draws it there.
ChipOffset whole_offset(const ComplexMatrix& first, const ComplexMatrix& second, Core core, std::int64_t search,
                        Mean mean, const SquareFourier& fourier) {
    ComplexMatrix template_core = middle(first, core);
    if (mean == Mean::removed) {
        const std::complex<double> level = mean_of(first, core);
        for (std::int64_t row = core.first; row < core.end(); ++row)
            for (std::int64_t column = core.first; column < core.end(); ++column) template_core(row, column) -= level;
    }
    const SquareSums squares(second, [](std::complex<double> v) { return std::norm(v); }),
        levels(second, [](std::complex<double> v) { return v.real(); });
    ComplexMatrix correlation = cross_spectrum(template_core, second, fourier);
    fourier.inverse(correlation);
    const auto count = static_cast<double>(core.size * core.size);
    ChipOffset peak;
    double highest = -1;
    for (std::int64_t row = -search; row <= search; ++row)
        for (std::int64_t column = -search; column <= search; ++column) {
            double energy = squares(core.first + row, core.first + column, core.size);
            if (mean == Mean::removed)
                energy -= std::pow(levels(core.first + row, core.first + column, core.size), 2) / count;
            const double height = std::norm(correlation((row + correlation.rows) % correlation.rows,
                                                        (column + correlation.columns) % correlation.columns));
            if (energy > 0 && height / energy > highest)
                highest = height / energy, peak.row = static_cast<double>(row),
                peak.column = static_cast<double>(column);
        }
    return peak;
}

/// A chip between its samples, by its spectrum.
class MovableChip {
public:
    MovableChip(ComplexMatrix chip, const SquareFourier& fourier) : fourier_(fourier), spectrum_(std::move(chip)) {
        fourier_.forward(spectrum_);
    }
    /// What lies so many samples behind comes to each place.
    ComplexMatrix moved(double rows, double columns) const {
        return filtered([&](double row_cycles, double column_cycles) {
            return std_phasor(row_cycles * rows + column_cycles * columns);
        });
    }
    ComplexMatrix slope_down() const {
        return filtered(
            [](double row_cycles, double) { return std::complex<double>(0, 2 * std::numbers::pi * row_cycles); });
    }
    ComplexMatrix slope_across() const {
        return filtered(
            [](double, double column_cycles) { return std::complex<double>(0, 2 * std::numbers::pi * column_cycles); });
    }

private:
    template <class Filter>
    ComplexMatrix filtered(Filter filter) const {
        ComplexMatrix result = spectrum_;
        const auto size = static_cast<double>(result.rows);
        for (std::int64_t row = 0; row < result.rows; ++row)
            for (std::int64_t column = 0; column < result.columns; ++column)
                result(row, column) *= filter(static_cast<double>(frequency(row, result.rows)) / size,
                                              static_cast<double>(frequency(column, result.columns)) / size);
        fourier_.inverse(result);
        return result;
    }

    const SquareFourier& fourier_;
    ComplexMatrix spectrum_;
};

/// Takes the mean over the core away from all of it.
void remove_mean(ComplexMatrix& matrix, Core core) {
    const std::complex<double> mean = mean_of(matrix, core);
    for (auto& value : matrix.values) value -= mean;
}

/// The peak of the normalised cross-correlation of the first core with the second chip, between the samples: where the
/// second, moved and times the best gain, comes nearest to the first. Gauss-Newton steps by the slopes of the first
/// (Baker, Matthews 2004, "inverse compositional").
ChipOffset match(const ComplexMatrix& first, const ComplexMatrix& second, Core core, std::int64_t search, Mean mean,
                 const SquareFourier& fourier) {
    constexpr int most_steps = 12;
    constexpr double enough = 1e-6, farthest = 2;
    const ChipOffset start = whole_offset(first, second, core, search, mean, fourier);
    ComplexMatrix a = first;
    if (mean == Mean::removed) remove_mean(a, core);
    const double energy = product(a, a, core).real();
    const MovableChip movable(second, fourier);
    std::array<ComplexMatrix, 2> slopes;
    {
        const MovableChip still(first, fourier);
        slopes = {still.slope_down(), still.slope_across()};
    }
    if (mean == Mean::removed)
        for (ComplexMatrix& slope : slopes) remove_mean(slope, core);
    ChipOffset offset = start;
    for (int step = 0; step < most_steps; ++step) {
        ComplexMatrix b = movable.moved(offset.row, offset.column);
        if (mean == Mean::removed) remove_mean(b, core);
        const double b_energy = product(b, b, core).real();
        if (!(b_energy > 0) || !(energy > 0)) return {};
        const std::complex<double> ab = product(b, a, core), gain = ab / b_energy;
        offset.correlation = normalised(std::abs(ab), energy, b_energy);
        // gain b - a is the slope of a times how far b has been moved too far, all of it beside b.
        std::array<std::complex<double>, 2> along;
        for (int i = 0; i < 2; ++i) along[i] = product(b, slopes[i], core) / b_energy;
        double normal[2][2]{}, right[2]{};
        for (std::int64_t row = core.first; row < core.end(); ++row)
            for (std::int64_t column = core.first; column < core.end(); ++column) {
                const std::complex<double> value = b(row, column), rest = gain * value - a(row, column);
                const std::complex<double> d[2] = {slopes[0](row, column) - along[0] * value,
                                                   slopes[1](row, column) - along[1] * value};
                for (int i = 0; i < 2; ++i) {
                    right[i] += d[i].real() * rest.real() + d[i].imag() * rest.imag();
                    for (int k = 0; k < 2; ++k) normal[i][k] += d[i].real() * d[k].real() + d[i].imag() * d[k].imag();
                }
            }
        const double determinant = normal[0][0] * normal[1][1] - normal[0][1] * normal[1][0];
        if (!(determinant > 0)) return {};
        const double rows = (normal[1][1] * right[0] - normal[0][1] * right[1]) / determinant,
                     columns = (normal[0][0] * right[1] - normal[1][0] * right[0]) / determinant;
        offset.row -= rows, offset.column -= columns;
        if (!(std::hypot(offset.row - start.row, offset.column - start.column) < farthest)) return {};
        if (std::hypot(rows, columns) < enough) break;
    }
    return offset;
}

bool half_dark(const std::complex<float>* samples, std::int64_t stride) {
    std::int64_t dark = 0;
    for (std::int64_t row = chip::margin; row < chip::margin + chip::core; ++row)
        for (std::int64_t column = chip::margin; column < chip::margin + chip::core; ++column) {
            const float power = std::norm(samples[row * stride + column]);
            if (!(power > 0) || !std::isfinite(power)) ++dark;
        }
    return 2 * dark >= chip::core * chip::core;
}

}  // namespace

double WindowSums::coherence() const { return normalised(std::abs(flat_product), first_energy, second_energy); }

ChipMatch::ChipMatch()
    : once_(std::make_unique<SquareFourier>(chip::size)),
      twice_(std::make_unique<SquareFourier>(2 * chip::size)),
      first_(chip::size, chip::size),
      second_(chip::size, chip::size) {}
ChipMatch::~ChipMatch() = default;
ChipMatch::ChipMatch(ChipMatch&&) noexcept = default;

bool ChipMatch::take(const std::complex<float>* first, const std::complex<float>* second, std::int64_t stride) {
    if (half_dark(first, stride) || half_dark(second, stride)) return false;
    const MeanFrequency carrier = mean_frequency(first, chip::size, chip::size, stride);
    first_ = baseband(first, stride, carrier);
    second_ = baseband(second, stride, carrier);
    return true;
}

double ChipMatch::energy() const {
    constexpr Core core{chip::margin, chip::core};
    return product(first_, first_, core).real() + product(second_, second_, core).real();
}

ChipOffset ChipMatch::complex_offset() const {
    return match(first_, second_, {chip::margin, chip::core}, shift_search_px, Mean::kept, *once_);
}

ChipOffset ChipMatch::detected_offset() const {
    ChipOffset offset = match(oversampled_power(first_, *once_, *twice_), oversampled_power(second_, *once_, *twice_),
                              {2 * chip::margin, 2 * chip::core}, 2 * shift_search_px, Mean::removed, *twice_);
    offset.row /= 2;
    offset.column /= 2;
    return offset;
}

ChipWindows ChipMatch::windows(double row_offset, double column_offset) const {
    const ComplexMatrix moved =
        row_offset != 0 || column_offset != 0 ? MovableChip(second_, *once_).moved(row_offset, column_offset) : second_;
    ComplexMatrix products(chip::core, chip::core);
    ChipWindows result{};
    for (std::int64_t row = 0; row < chip::core; ++row)
        for (std::int64_t column = 0; column < chip::core; ++column) {
            const std::complex<double> a = first_(row + chip::margin, column + chip::margin),
                                       b = moved(row + chip::margin, column + chip::margin), c = a * std::conj(b);
            products(row, column) = c;
            WindowSums& sums = result.windows[static_cast<std::size_t>(
                row / chip::window * (chip::core / chip::window) + column / chip::window)];
            sums.product += c;
            sums.first_energy += std::norm(a);
            sums.second_energy += std::norm(b);
            if (row > 0) result.row_step += c * std::conj(products(row - 1, column));
            if (column > 0) result.column_step += c * std::conj(products(row, column - 1));
        }
    const double row_cycles = std::arg(result.row_step) / (2 * std::numbers::pi),
                 column_cycles = std::arg(result.column_step) / (2 * std::numbers::pi);
    double energies = 0;
    for (const WindowSums& sums : result.windows) energies += sums.first_energy * sums.second_energy;
    if (energies > 0) result.row_step /= energies, result.column_step /= energies;
    for (std::int64_t row = 0; row < chip::core; ++row)
        for (std::int64_t column = 0; column < chip::core; ++column)
            result
                .windows[static_cast<std::size_t>(row / chip::window * (chip::core / chip::window) +
                                                  column / chip::window)]
                .flat_product += products(row, column) * std_phasor(-row_cycles * static_cast<double>(row) -
                                                                    column_cycles * static_cast<double>(column));
    return result;
}

}  // namespace cornerturn
