// SPDX-License-Identifier: Apache-2.0
// Cross-correlation of looks by Fourier transforms, tile by tile.
#include "pipeline/estimate/look_shift.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/host/line_loop.h"
#include "kernels/host/plane_fft.h"
#include "kernels/host/thread_limit.h"
#include "kernels/math/fast_length.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/fits/parabola.h"

namespace cornerturn {
namespace {

constexpr std::int64_t most_reach_cells = 48;   // in which a peak is looked for: what reaches farther is averaged
constexpr std::int64_t fewest_tile_cells = 24;  // of a tile
constexpr std::int64_t most_tiles = 4;          // either way

/// Amplitudes of the ground that both looks show, on one grid but for a fraction of a cell.
struct Pair {
    std::int64_t rows = 0, columns = 0;
    double row_s = 0, column_m = 0;  ///< spacing
    double later_s = 0,
           farther_m = 0;         ///< the second look's first cell lies later and farther than the first look's by this
    double independent_part = 1;  ///< of the cells
    std::vector<float> first, second;
};

std::vector<float> averaged(const Look& look, std::int64_t row, std::int64_t column, std::int64_t rows,
                            std::int64_t columns, std::int64_t by_rows, std::int64_t by_columns) {
    std::vector<float> cells(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < rows * by_rows; ++i) {
        const float* from = look.amplitude.data() + (row + i) * look.grid.columns + column;
        float* to = cells.data() + i / by_rows * columns;
        for (std::int64_t k = 0; k < columns * by_columns; ++k) to[k / by_columns] += from[k] * from[k];
    }
    for (float& cell : cells) cell = std::sqrt(cell / static_cast<float>(by_rows * by_columns));
    return cells;
}

/// Where two axes of the same spacing overlap.
struct Overlap {
    std::int64_t first, second, count;  ///< first cell in either, and how many there are
    double fraction;                    ///< of a cell by which the second's cells lie behind
};
Overlap overlap(double first_start, std::int64_t first_count, double second_start, std::int64_t second_count,
                double spacing) {
    const double behind = (second_start - first_start) / spacing;
    const std::int64_t whole = std::llround(behind), begin = std::max<std::int64_t>(0, whole);
    return {begin, begin - whole, std::min(first_count, second_count + whole) - begin,
            behind - static_cast<double>(whole)};
}

Pair common_ground(const Look& a, const Look& b, const LookReach& reach) {
    const Overlap rows =
        overlap(a.grid.first_time_s, a.grid.rows, b.grid.first_time_s, b.grid.rows, a.grid.time_spacing_s);
    const Overlap columns =
        overlap(a.grid.near_range_m, a.grid.columns, b.grid.near_range_m, b.grid.columns, a.grid.range_spacing_m);
    const auto cells_averaged = [](double reach_cells) {
        return std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::ceil(reach_cells / static_cast<double>(most_reach_cells))));
    };
    const std::int64_t by_rows = cells_averaged(reach.time_s / a.grid.time_spacing_s),
                       by_columns = cells_averaged(reach.range_m / a.grid.range_spacing_m);
    Pair pair{.rows = std::max<std::int64_t>(0, rows.count / by_rows),
              .columns = std::max<std::int64_t>(0, columns.count / by_columns),
              .row_s = a.grid.time_spacing_s * static_cast<double>(by_rows),
              .column_m = a.grid.range_spacing_m * static_cast<double>(by_columns),
              .later_s = rows.fraction * a.grid.time_spacing_s,
              .farther_m = columns.fraction * a.grid.range_spacing_m,
              .independent_part = std::min(1.0, a.independent_part * static_cast<double>(by_rows * by_columns)),
              .first = {},
              .second = {}};
    pair.first = averaged(a, rows.first, columns.first, pair.rows, pair.columns, by_rows, by_columns);
    pair.second = averaged(b, rows.second, columns.second, pair.rows, pair.columns, by_rows, by_columns);
    return pair;
}

/// Correlation over shifts from -reach to reach either way.
struct Surface {
    std::int64_t row_reach, column_reach;
    std::vector<double> values;

    Surface(std::int64_t rows, std::int64_t columns)
        : row_reach(rows),
          column_reach(columns),
          values(static_cast<std::size_t>((2 * rows + 1) * (2 * columns + 1))) {}
    std::int64_t width() const { return 2 * column_reach + 1; }
    double at(std::int64_t row, std::int64_t column) const {
        return values[static_cast<std::size_t>(row * width() + column)];
    }
    Surface& add(const Surface& other, double sign) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += sign * other.values[i];
        return *this;
    }
};

/// Takes the means of rows and columns off; returns the energy of what is left.
double level_out(std::vector<float>& tile, std::int64_t rows, std::int64_t columns) {
    std::vector<double> of_row(static_cast<std::size_t>(rows)), of_column(static_cast<std::size_t>(columns));
    const auto each = [&](auto&& f) {
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = 0; k < columns; ++k)
                f(tile[static_cast<std::size_t>(i * columns + k)], of_row[static_cast<std::size_t>(i)],
                  of_column[static_cast<std::size_t>(k)]);
    };
    double mean = 0, energy = 0;
    each([&](float& v, double& row, double& column) { row += v, column += v, mean += v; });
    mean /= static_cast<double>(rows * columns);
    each([&](float& v, double& row, double& column) {
        v = static_cast<float>(v - row / static_cast<double>(columns) - column / static_cast<double>(rows) + mean);
        energy += static_cast<double>(v) * v;
    });
    return energy;
}

/// Both looks of a tile as one complex image: the cross spectrum is had from its transform Z by conj(A) B with A =
/// (Z(k) + conj Z(-k)) / 2 and B = (Z(k) - conj Z(-k)) / 2j.
class TileCorrelator {
public:
    TileCorrelator(std::int64_t rows, std::int64_t columns, std::int64_t row_reach, std::int64_t column_reach)
        : rows_(rows),
          columns_(columns),
          row_reach_(row_reach),
          column_reach_(column_reach),
          long_rows_(fast_length(rows + row_reach)),
          long_columns_(fast_length(columns + column_reach)),
          forward_(long_rows_, long_columns_, FftDirection::forward),
          inverse_(long_rows_, long_columns_, FftDirection::inverse) {}

    Surface operator()(const Pair& pair, std::int64_t row, std::int64_t column) const {
        Surface surface(row_reach_, column_reach_);
        std::vector<float> a = cut(pair.first, pair.columns, row, column),
                           b = cut(pair.second, pair.columns, row, column);
        const double energy = std::sqrt(level_out(a, rows_, columns_) * level_out(b, rows_, columns_));
        if (!(energy > 0)) return surface;
        std::vector<Complex<float>> plane(static_cast<std::size_t>(long_rows_ * long_columns_), Complex<float>{0, 0});
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t k = 0; k < columns_; ++k) {
                const auto from = static_cast<std::size_t>(i * columns_ + k);
                plane.data()[i * long_columns_ + k] = {a[from], b[from]};
            }
        forward_(plane.data());
        cross_spectrum(plane.data());
        inverse_(plane.data());
        const double scale = 1 / (energy * static_cast<double>(long_rows_ * long_columns_));
        for (std::int64_t i = -row_reach_; i <= row_reach_; ++i)
            for (std::int64_t k = -column_reach_; k <= column_reach_; ++k)
                surface.values[static_cast<std::size_t>((i + row_reach_) * surface.width() + k + column_reach_)] =
                    scale * plane.data()[wrapped(i, long_rows_) * long_columns_ + wrapped(k, long_columns_)].re;
        return surface;
    }

private:
    static std::int64_t wrapped(std::int64_t i, std::int64_t length) { return i < 0 ? i + length : i; }

    std::vector<float> cut(const std::vector<float>& look, std::int64_t stride, std::int64_t row,
                           std::int64_t column) const {
        std::vector<float> tile;
        for (std::int64_t i = 0; i < rows_; ++i) {
            const auto from = look.begin() + (row + i) * stride + column;
            tile.insert(tile.end(), from, from + columns_);
        }
        return tile;
    }
    void cross_spectrum(Complex<float>* plane) const {
        for (std::int64_t i = 0; i < long_rows_; ++i)
            for (std::int64_t k = 0; k < long_columns_; ++k) {
                const std::int64_t here = i * long_columns_ + k;
                const std::int64_t mirrored =
                    (long_rows_ - i) % long_rows_ * long_columns_ + (long_columns_ - k) % long_columns_;
                if (mirrored < here) continue;
                const Complex<float> z = plane[here], m = conj(plane[mirrored]);
                const Complex<float> a = 0.5f * (z + m), d = 0.5f * (z + -1.0f * m), b{d.im, -d.re};
                plane[here] = conj(a) * b;
                plane[mirrored] = conj(plane[here]);
            }
    }

    std::int64_t rows_, columns_, row_reach_, column_reach_, long_rows_, long_columns_;
    PlaneFft<float> forward_, inverse_;
};

struct Peak {
    double row, column, height;
};
Peak peak_of(const Surface& surface) {
    const auto at = static_cast<std::int64_t>(std::max_element(surface.values.begin(), surface.values.end()) -
                                              surface.values.begin());
    const std::int64_t row = at / surface.width(), column = at % surface.width();
    const bool inside_rows =
        row > 0 && row<2 * surface.row_reach, inside_columns = column> 0 && column < 2 * surface.column_reach;
    const double height = surface.at(row, column);
    return {static_cast<double>(row - surface.row_reach) +
                (inside_rows ? parabola_top(surface.at(row - 1, column), height, surface.at(row + 1, column)) : 0.0),
            static_cast<double>(column - surface.column_reach) +
                (inside_columns ? parabola_top(surface.at(row, column - 1), height, surface.at(row, column + 1)) : 0.0),
            height};
}

}  // namespace

Look look_of(const Image& image) {
    Look look{.grid = image.grid, .amplitude = {}, .frequency_hz = 0};
    look.amplitude.reserve(image.samples.size());
    for (const auto& sample : image.samples) look.amplitude.push_back(std::abs(sample));
    std::complex<double> lag1 = 0;
    const std::int64_t columns = image.grid.columns;
    for (std::int64_t i = 0; i + columns < image.grid.rows * columns; ++i) {
        const auto at = static_cast<std::size_t>(i);
        lag1 +=
            std::complex<double>(std::conj(image.samples[at]) * image.samples[at + static_cast<std::size_t>(columns)]);
    }
    const ProcessingRecord& made = image.processing;
    look.independent_part = std::min(1.0, made.azimuth_bandwidth_hz * look.grid.time_spacing_s) *
                            std::min(1.0, made.range_bandwidth_hz / image.acquisition.sample_rate_hz());
    look.frequency_hz = std::arg(lag1) / (2 * std::numbers::pi * image.grid.time_spacing_s);
    return look;
}

std::optional<LookShift> shift_of(const Look& first, const Look& second, const LookReach& reach, int threads) {
    const Pair pair = common_ground(first, second, reach);
    const auto reach_cells = [](double of, double cell) {
        return std::max<std::int64_t>(4, static_cast<std::int64_t>(std::ceil(of / cell)));
    };
    const std::int64_t row_reach = reach_cells(reach.time_s, pair.row_s),
                       column_reach = reach_cells(reach.range_m, pair.column_m);
    const auto tiles_along = [](std::int64_t cells, std::int64_t reached) {
        return std::clamp(cells / std::max(fewest_tile_cells, 2 * reached), std::int64_t{1}, most_tiles);
    };
    const std::int64_t down = tiles_along(pair.rows, row_reach), across = tiles_along(pair.columns, column_reach);
    const std::int64_t rows = pair.rows / down, columns = pair.columns / across, count = down * across;
    if (rows < std::max(fewest_tile_cells, row_reach) || columns < std::max<std::int64_t>(8, column_reach) || count < 2)
        return std::nullopt;

    const TileCorrelator correlate(rows, columns, row_reach, column_reach);
    std::vector<Surface> tiles(static_cast<std::size_t>(count), Surface(row_reach, column_reach));
    for_each_line(
        count, thread_count(threads),
        [&](std::int64_t i) {
            tiles[static_cast<std::size_t>(i)] = correlate(pair, i / across * rows, i % across * columns);
        },
        1);

    Surface all(row_reach, column_reach);
    for (const Surface& tile : tiles) all.add(tile, 1);
    const Peak peak = peak_of(all);
    std::vector<double> rows_without, columns_without;
    for (const Surface& tile : tiles) {
        const Peak without = peak_of(Surface(all).add(tile, -1));
        rows_without.push_back(without.row), columns_without.push_back(without.column);
    }
    return LookShift{
        .time_s = peak.row * pair.row_s + pair.later_s,
        .range_m = peak.column * pair.column_m + pair.farther_m,
        .time_error_s = jackknife_deviation(rows_without) * pair.row_s,
        .range_error_m = jackknife_deviation(columns_without) * pair.column_m,
        .standing_out = peak.height * std::sqrt(pair.independent_part * static_cast<double>(rows * columns) /
                                                static_cast<double>(count)),
        .tiles = static_cast<int>(count)};
}

}  // namespace cornerturn
