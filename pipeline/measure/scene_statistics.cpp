// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/scene_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/host/plane_fft.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/window.h"
#include "pipeline/measure/point_chip.h"

namespace cornerturn {
namespace {

constexpr std::int64_t window = 16;

double power_of(std::complex<float> sample) {
    const float power = std::norm(sample);
    return std::isfinite(power) ? static_cast<double>(power) : 0;
}

/// Calls work(rows of the image) from the first to the last; bands begin at multiples of the window.
template <class Work>
void for_each_band(const ImageView& view, Work work) {
    const ImageGrid& grid = view.header().grid;
    constexpr std::int64_t samples_of_band = std::int64_t{2} << 20;
    const std::int64_t at_once = std::max<std::int64_t>(1, samples_of_band / grid.columns / window) * window;
    for (std::int64_t row = 0; row < grid.rows; row += at_once) {
        throw_if_interrupted();
        work(view.read({.first_row = row,
                        .rows = std::min(at_once, grid.rows - row),
                        .first_column = 0,
                        .columns = grid.columns}));
    }
}

/// Whether a row's window of columns counts.
bool counts(const Image& image, std::int64_t row, std::int64_t first_column, std::int64_t columns, bool whole) {
    return whole || image.valid(row, {static_cast<std::int32_t>(first_column),
                                      static_cast<std::int32_t>(first_column + columns)});
}

bool block_counts(const Image& image, std::int64_t first_row, std::int64_t first_column, std::int64_t size,
                  bool whole) {
    for (std::int64_t row = first_row; row < first_row + size && !whole; ++row)
        if (!counts(image, row, first_column, size, whole)) return false;
    return true;
}

/// Whether nothing of the image counts as valid that is as large as a block.
bool valid_area_too_small(const Image& image, std::int64_t size) {
    for (std::int64_t row = 0; row + size <= image.grid.rows; row += size)
        for (std::int64_t column = 0; column + size <= image.grid.columns; column += size)
            if (block_counts(image, row, column, size, false)) return false;
    return true;
}

struct WindowMoments {
    double mean = 0, looks = 0;
};

/// Of a window without zeros.
std::optional<WindowMoments> moments(const Pixels& band, std::int64_t first_row, std::int64_t first_column) {
    double sum = 0, squares = 0;
    for (std::int64_t row = first_row; row < first_row + window; ++row)
        for (std::int64_t column = first_column; column < first_column + window; ++column) {
            const double p = power_of(band.at(row, column));
            if (!(p > 0)) return std::nullopt;
            sum += p, squares += p * p;
        }
    constexpr double count = window * window;
    const double mean = sum / count, variance = (squares / count - mean * mean) * count / (count - 1);
    if (!(variance > 0)) return std::nullopt;
    return WindowMoments{mean, mean * mean / variance};
}

/// The densest place of sorted values: halves of them that lie closest together, and again (half-sample mode, Bickel
/// 2002).
double half_sample_mode(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    std::size_t first = 0, count = values.size();
    while (count > 2) {
        const std::size_t half = (count + 1) / 2;
        std::size_t best = first;
        for (std::size_t i = first; i + half <= first + count; ++i)
            if (values[i + half - 1] - values[i] < values[best + half - 1] - values[best]) best = i;
        if (half == count) break;
        first = best, count = half;
    }
    return 0.5 * (values[first] + values[first + count - 1]);
}

double median(const std::vector<double>& values) { return values.empty() ? 0 : median_of(values); }

}  // namespace

SceneStatistics scene_statistics(const ImageView& view) {
    const Image& image = view.header();
    const bool whole = valid_area_too_small(image, window);
    SceneStatistics result;
    double sum = 0, squares = 0, logarithms = 0;
    std::vector<double> looks, means;
    for_each_band(view, [&](const Pixels& band) {
        const PixelBlock& block = band.block;
        for (std::int64_t row = block.first_row; row < block.first_row + block.rows; ++row)
            for (std::int64_t column = 0; column < block.columns; ++column) {
                if (!counts(image, row, column, 1, whole)) continue;
                const double p = power_of(band.at(row, column));
                ++result.samples;
                sum += p, squares += p * p;
                if (p > 0) logarithms += p * std::log(p);
            }
        for (std::int64_t row = block.first_row; row + window <= block.first_row + block.rows; row += window)
            for (std::int64_t column = 0; column + window <= block.columns; column += window) {
                if (!block_counts(image, row, column, window, whole)) continue;
                if (const auto m = moments(band, row, column)) looks.push_back(m->looks), means.push_back(m->mean);
            }
    });
    if (!(sum > 0)) return result;
    const auto count = static_cast<double>(result.samples);
    result.mean_power = sum / count;
    result.sharpness = squares / count / (result.mean_power * result.mean_power);
    result.entropy = std::log(sum) - logarithms / sum;  // -sum (p/S) (ln p - ln S)
    if (looks.empty()) return result;
    result.equivalent_looks = half_sample_mode(looks);
    const std::size_t darkest = std::max<std::size_t>(1, means.size() / 100);
    std::partial_sort(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(darkest), means.end());
    double floor = 0;
    for (std::size_t i = 0; i < darkest; ++i) floor += means[i];
    result.floor_power = floor / static_cast<double>(darkest);
    return result;
}

std::vector<AmbiguityEcho> azimuth_ambiguities(const ImageView& view, const PointAnalysis& point) {
    constexpr std::int64_t rows = 48, columns = 12;
    const Image& image = view.header();
    const ImageGrid& grid = image.grid;
    const ResponseSupport support = response_support(image, point.row, point.column);
    const double wavelength_m = image.acquisition.wavelength_m(), v = support.velocity_m_s,
                 centre_hz = support.centre_hz();
    const auto square = [&](double hz) { return std::pow(wavelength_m * hz / (2 * v), 2); };
    const double rate_hz_s = 2 * v * v / (wavelength_m * point.range_m);
    const auto read = [&](double row, double column, std::int64_t half_rows,
                          std::int64_t half_columns) -> std::vector<double> {
        const PixelBlock block{.first_row = std::lround(row) - half_rows,
                               .rows = 2 * half_rows,
                               .first_column = std::lround(column) - half_columns,
                               .columns = 2 * half_columns};
        if (block.first_row < 0 || block.first_column < 0 || block.first_row + block.rows > grid.rows ||
            block.first_column + block.columns > grid.columns)
            return {};
        std::vector<double> powers;
        for (const auto sample : view.read(block).samples) powers.push_back(power_of(sample));
        return powers;
    };
    // Speckle has a median of ln 2 times its mean.
    const auto energy = [](const std::vector<double>& powers, double background) {
        double sum = 0;
        for (const double p : powers) sum += p - background;
        return sum;
    };
    const std::vector<double> peak = read(point.row, point.column, columns, columns);
    if (peak.empty() || !(square(centre_hz) < 1)) return {};
    const double point_energy = energy(peak, 0);
    std::vector<AmbiguityEcho> found;
    for (const int order : {-1, 1}) {
        const double true_hz = centre_hz + order * image.acquisition.prf_hz;
        if (!(square(true_hz) < 1)) continue;
        AmbiguityEcho ambiguity{.order = order};
        ambiguity.time_s = point.time_s - order * image.acquisition.prf_hz / rate_hz_s;
        ambiguity.range_m =
            point.range_m * (1 + 1 / std::sqrt(1 - square(true_hz)) - 1 / std::sqrt(1 - square(centre_hz)));
        const PixelPosition place = pixel_position(grid, ambiguity.range_m, ambiguity.time_s);
        if (std::abs(place.row) > 1e9 || std::abs(place.column) > 1e9) continue;
        const std::vector<double> there = read(place.row, place.column, rows, columns);
        if (there.empty()) continue;
        std::vector<double> beside = read(place.row - 2 * rows, place.column, rows, columns);
        const std::vector<double> behind = read(place.row + 2 * rows, place.column, rows, columns);
        beside.insert(beside.end(), behind.begin(), behind.end());
        const double background = median(beside.empty() ? there : beside) / std::numbers::ln2;
        const double excess = energy(there, background);
        // Four deviations of the sum over speckle.
        ambiguity.above_background = excess > 4 * background * std::sqrt(static_cast<double>(there.size()));
        ambiguity.ratio_db =
            10 * std::log10(std::max(excess, background * std::sqrt(static_cast<double>(there.size()))) / point_energy);
        found.push_back(ambiguity);
    }
    return found;
}

std::vector<float> mean_spectrum_db(const ImageView& view, std::int64_t size) {
    constexpr std::size_t most_blocks = 64;
    const Image& image = view.header();
    const bool whole = valid_area_too_small(image, size);
    std::vector<PixelBlock> blocks;
    for (std::int64_t row = 0; row + size <= image.grid.rows; row += size)
        for (std::int64_t column = 0; column + size <= image.grid.columns; column += size)
            if (block_counts(image, row, column, size, whole))
                blocks.push_back({.first_row = row, .rows = size, .first_column = column, .columns = size});
    const auto at = [&](std::int64_t row, std::int64_t column) {
        return static_cast<std::size_t>(row * size + column);
    };
    std::vector<double> mean(static_cast<std::size_t>(size * size));
    const PlaneFft<float> fft(size, size, FftDirection::forward);
    std::vector<double> taper;
    for (std::int64_t k = 0; k < size; ++k) taper.push_back(hann(k, size));
    const std::size_t taken = std::min(blocks.size(), most_blocks);
    for (std::size_t i = 0; i < taken; ++i) {
        throw_if_interrupted();
        Pixels pixels = view.read(blocks[i * blocks.size() / taken]);
        double energy = 0;  // each block counts the same, whatever lies in it
        for (auto& sample : pixels.samples) {
            if (!std::isfinite(std::norm(sample))) sample = 0;
            energy += power_of(sample);
        }
        if (!(energy > 0)) continue;
        for (std::int64_t row = 0; row < size; ++row)
            for (std::int64_t column = 0; column < size; ++column)
                pixels.samples[at(row, column)] *=
                    static_cast<float>(taper[static_cast<std::size_t>(row)] * taper[static_cast<std::size_t>(column)]);
        fft(pixels.samples.data());
        for (std::int64_t row = 0; row < size; ++row)
            for (std::int64_t column = 0; column < size; ++column)
                mean[at((row + size / 2) % size, (column + size / 2) % size)] +=
                    power_of(pixels.samples[at(row, column)]) / energy;
    }
    const double greatest = *std::max_element(mean.begin(), mean.end());
    std::vector<float> db(mean.size(), -std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < mean.size() && greatest > 0; ++i)
        if (mean[i] > 0) db[i] = static_cast<float>(10 * std::log10(mean[i] / greatest));
    return db;
}

}  // namespace cornerturn
