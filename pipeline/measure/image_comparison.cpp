// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/image_comparison.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/measure/chip_match.h"

namespace cornerturn {
namespace {

constexpr double least_correlation = 0.2;
constexpr std::int64_t samples_at_once = std::int64_t{1} << 20;

/// Of samples that are compared one by one.
struct Sums {
    std::int64_t samples = 0, non_finite = 0;
    double first = 0, second = 0, error = 0;                           // energies
    double first_amplitude = 0, second_amplitude = 0, amplitudes = 0;  // sums of |a|, |b|, |a||b|
    std::complex<double> product = 0;                                  // sum a conj(b)

    void add(std::complex<float> a32, std::complex<float> b32) {
        const std::complex<double> a(a32), b(b32);
        const double a_power = std::norm(a), b_power = std::norm(b);
        if (!std::isfinite(a_power) || !std::isfinite(b_power)) {
            ++non_finite;
            return;
        }
        ++samples;
        first += a_power, second += b_power, error += std::norm(a - b);
        first_amplitude += std::sqrt(a_power), second_amplitude += std::sqrt(b_power),
            amplitudes += std::sqrt(a_power * b_power);
        product +=
            std::complex<double>(a.real() * b.real() + a.imag() * b.imag(), a.imag() * b.real() - a.real() * b.imag());
    }
    void add(const Sums& other) {
        samples += other.samples, non_finite += other.non_finite;
        first += other.first, second += other.second, error += other.error;
        first_amplitude += other.first_amplitude, second_amplitude += other.second_amplitude,
            amplitudes += other.amplitudes;
        product += other.product;
    }
    double amplitude_correlation() const {
        const auto n = static_cast<double>(samples);
        const double shared = amplitudes - first_amplitude * second_amplitude / n;
        const double apart =
            (first - first_amplitude * first_amplitude / n) * (second - second_amplitude * second_amplitude / n);
        return apart > 0 ? shared / std::sqrt(apart) : 0;
    }
    /// After the gain that fits best: 1 / (1 - rho^2).
    double error_with_gain() const { return second > 0 ? std::max(0.0, first - std::norm(product) / second) : first; }
};

double ratio_db(double signal, double error) {
    return error > 0 ? 10 * std::log10(signal / error) : std::numeric_limits<double>::infinity();
}

/// The columns of a row that count: the parts of the shared columns that both images call valid.
std::vector<Interval> counted_columns(const CommonGrid& grid, std::int64_t row, bool whole) {
    const auto first = static_cast<std::int32_t>(grid.shared().first_column),
               last = static_cast<std::int32_t>(grid.shared().first_column + grid.shared().columns);
    if (whole || grid.valid(row, {first, last})) return {{first, last}};
    std::vector<Interval> columns;
    for (std::int32_t column = first; column < last; ++column) {
        if (!grid.valid(row, {column, column + 1})) continue;
        if (columns.empty() || columns.back().last != column) columns.push_back({column, column});
        columns.back().last = column + 1;
    }
    return columns;
}

Sums sum_up(const CommonGrid& grid, const ComparisonOptions& options, int threads, const Progress& progress) {
    const PixelBlock& shared = grid.shared();
    const std::int64_t at_once = std::max<std::int64_t>(1, samples_at_once / shared.columns);
    Sums all;
    for (std::int64_t row = 0; row < shared.rows; row += at_once) {
        throw_if_interrupted();
        if (progress) progress("samples", 0.5 * static_cast<double>(row) / static_cast<double>(shared.rows));
        PixelBlock block = shared;
        block.first_row += row;
        block.rows = std::min(at_once, shared.rows - row);
        const Pixels first = grid.first(block), second = grid.second(block);
        std::vector<Sums> rows(
            static_cast<std::size_t>(block.rows));  // added in order: the same with any number of threads
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::int64_t k = 0; k < block.rows; ++k)
            for (const Interval& columns : counted_columns(grid, block.first_row + k, options.whole))
                for (std::int64_t column = columns.first; column < columns.last; ++column)
                    rows[static_cast<std::size_t>(k)].add(first.at(block.first_row + k, column),
                                                          second.at(block.first_row + k, column));
        for (const Sums& sums : rows) all.add(sums);
    }
    return all;
}

/// First row and column of a chip's core.
struct ChipPlace {
    std::int64_t row = 0, column = 0;
};

/// A lattice of cores side by side, of those that both images call valid; where they are too many, evenly chosen.
std::vector<ChipPlace> chip_places(const CommonGrid& grid, const ComparisonOptions& options) {
    const PixelBlock& shared = grid.shared();
    std::vector<ChipPlace> places;
    for (std::int64_t row = shared.first_row; row + chip::core <= shared.first_row + shared.rows; row += chip::core)
        for (std::int64_t column = shared.first_column; column + chip::core <= shared.first_column + shared.columns;
             column += chip::core) {
            const Interval columns{static_cast<std::int32_t>(column), static_cast<std::int32_t>(column + chip::core)};
            bool valid = true;
            for (std::int64_t k = 0; k < chip::core && valid && !options.whole; ++k)
                valid = grid.valid(row + k, columns);
            if (valid) places.push_back({row, column});
        }
    const auto most = static_cast<std::size_t>(options.most_chips);
    if (places.size() <= most) return places;
    std::vector<ChipPlace> chosen;
    for (std::size_t i = 0; i < most; ++i) chosen.push_back(places[i * places.size() / most]);
    return chosen;
}

void clean(Pixels& pixels) {
    for (auto& sample : pixels.samples)
        if (!std::isfinite(std::norm(sample))) sample = 0;
}

/// Calls work(chip, place's number) for each, a band of rows after the other; of those that are mostly dark not at all.
void for_each_chip(const CommonGrid& grid, const std::vector<ChipPlace>& places, std::vector<ChipMatch>& matches,
                   const std::function<void(const ChipMatch&, std::size_t)>& work) {
    const PixelBlock& shared = grid.shared();
    const PixelBlock band{.first_row = 0,
                          .rows = chip::size,
                          .first_column = shared.first_column - chip::margin,
                          .columns = shared.columns + 2 * chip::margin};
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
        while (end < places.size() && places[end].row == places[begin].row) ++end;
        throw_if_interrupted();
        PixelBlock block = band;
        block.first_row = places[begin].row - chip::margin;
        Pixels first = grid.first(block), second = grid.second(block);
        clean(first), clean(second);
#pragma omp parallel for schedule(dynamic) num_threads(static_cast <int>(matches.size()))
        for (std::size_t i = begin; i < end; ++i) {
            ChipMatch& match = matches[static_cast<std::size_t>(omp_get_thread_num())];
            const std::int64_t column = places[i].column - chip::margin - block.first_column;
            if (match.take(first.samples.data() + column, second.samples.data() + column, block.columns))
                work(match, i);
        }
    }
}

Spread spread_of(const std::vector<double>& values) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (values.empty()) return {nan, nan, nan};
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {median_of(values), mean, std::sqrt(squares / n)};
}

OffsetStatistics statistics_of(const std::vector<ChipOffset>& offsets) {
    std::vector<double> rows, columns;
    for (const ChipOffset& offset : offsets)
        if (offset.correlation >= least_correlation) rows.push_back(offset.row), columns.push_back(offset.column);
    return {static_cast<std::int64_t>(rows.size()), spread_of(rows), spread_of(columns)};
}

/// The part of the shift between the grids that CommonGrid left alone.
double left_alone(double shift) {
    const double rest = shift - std::round(shift);
    return std::abs(rest) <= 1e-3 ? rest : 0;
}

/// What lies so far below the brightest chip is rounding or the far sidelobes of points, not the scene.
std::vector<ChipPlace> without_dark(const CommonGrid& grid, const std::vector<ChipPlace>& places,
                                    std::vector<ChipMatch>& matches) {
    constexpr double darkest = 1e-6;
    std::vector<double> energies(places.size());
    for_each_chip(grid, places, matches, [&](const ChipMatch& match, std::size_t i) { energies[i] = match.energy(); });
    const double brightest = *std::max_element(energies.begin(), energies.end());
    std::vector<ChipPlace> bright;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (energies[i] > darkest * brightest) bright.push_back(places[i]);
    return bright;
}

void measure_offsets(const CommonGrid& grid, const std::vector<ChipPlace>& places, std::vector<ChipMatch>& matches,
                     ImageComparison& result) {
    std::vector<ChipOffset> complex_offsets(places.size()), detected_offsets(places.size());
    for_each_chip(grid, places, matches, [&](const ChipMatch& match, std::size_t i) {
        complex_offsets[i] = match.complex_offset();
        detected_offsets[i] = match.detected_offset();
    });
    result.complex_offset = statistics_of(complex_offsets);
    result.detected_offset = statistics_of(detected_offsets);
    for (OffsetStatistics* offset : {&result.complex_offset, &result.detected_offset}) {
        const auto add = [](Spread& spread, double shift) { spread.median += shift, spread.mean += shift; };
        add(offset->azimuth_px, left_alone(grid.row_shift()));
        add(offset->range_px, left_alone(grid.column_shift()));
    }
}

/// What is taken off before coherence is measured: the offset of the samples, else that of their power, else none.
OffsetStatistics registration(const ImageComparison& result) {
    for (const OffsetStatistics& offset : {result.complex_offset, result.detected_offset})
        if (offset.chips > 0) return offset;
    return {};
}

void measure_coherence(const CommonGrid& grid, const std::vector<ChipPlace>& places, std::vector<ChipMatch>& matches,
                       ImageComparison& result) {
    const OffsetStatistics offset = registration(result);
    const double row = offset.azimuth_px.median - left_alone(grid.row_shift()),
                 column = offset.range_px.median - left_alone(grid.column_shift());
    std::vector<ChipWindows> registered(places.size()), as_they_are(places.size());
    for_each_chip(grid, places, matches, [&](const ChipMatch& match, std::size_t i) {
        registered[i] = match.windows(row, column);
        as_they_are[i] = match.windows(0, 0);
    });
    const std::complex<double> mean = std::polar(1.0, -result.phase_mean_deg * degree);
    std::vector<double> coherence;
    std::complex<double> row_step = 0, column_step = 0;
    double squares = 0;
    std::size_t phases = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (const WindowSums& sums : registered[i].windows)
            if (sums.first_energy > 0 || sums.second_energy > 0) coherence.push_back(sums.coherence());
        for (const WindowSums& sums : as_they_are[i].windows)
            if (sums.product != 0.0) squares += std::pow(std::arg(sums.product * mean), 2), ++phases;
        row_step += as_they_are[i].row_step, column_step += as_they_are[i].column_step;
    }
    if (coherence.empty()) return;
    result.coherence_mean =
        std::accumulate(coherence.begin(), coherence.end(), 0.0) / static_cast<double>(coherence.size());
    result.coherence_median = median_of(coherence);
    result.phase_rms_deg = phases > 0 ? degrees(std::sqrt(squares / static_cast<double>(phases))) : 0;
    result.phase_ramp_azimuth_deg_px = degrees(std::arg(row_step));
    result.phase_ramp_range_deg_px = degrees(std::arg(column_step));
}

}  // namespace

ImageComparison compare_images(const NamedImage& first, const NamedImage& second, const ComparisonOptions& options,
                               const Progress& progress) {
    const CommonGrid grid(first, second);
    const int threads = thread_count(options.threads);
    ImageComparison result;
    result.on_maps = grid.on_maps();
    result.shared = grid.shared();
    result.row_shift = grid.row_shift();
    result.column_shift = grid.column_shift();
    result.interpolated = grid.interpolates();
    std::vector<ChipPlace> places = chip_places(grid, options);
    if (places.empty())
        throw InputError(fmt::format(
            "{} and {}: share no {} x {} samples that both declare fully compressed; --whole compares all samples",
            first.name, second.name, chip::core, chip::core));
    const Sums sums = sum_up(grid, options, threads, progress);
    if (!(sums.first > 0) || !(sums.second > 0))
        throw InputError(fmt::format("{}: is zero wherever the two images share samples; there is nothing to compare",
                                     sums.first > 0 ? second.name : first.name));
    result.samples = sums.samples;
    result.non_finite = sums.non_finite;
    result.amplitude_correlation = sums.amplitude_correlation();
    result.phase_mean_deg = degrees(std::arg(sums.product));
    result.gain = sums.product / sums.second;
    result.signal_to_error_db = ratio_db(sums.first, sums.error);
    result.signal_to_error_with_gain_db = ratio_db(sums.first, sums.error_with_gain());
    std::vector<ChipMatch> matches(static_cast<std::size_t>(threads));
    places = without_dark(grid, places, matches);
    result.chips = static_cast<std::int64_t>(places.size());
    if (progress) progress("registration", 0.5);
    measure_offsets(grid, places, matches, result);
    if (progress) progress("coherence", 0.8);
    measure_coherence(grid, places, matches, result);
    if (progress) progress("compared", 1);
    return result;
}

}  // namespace cornerturn
