// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/back_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "kernels/math/frequency.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {
namespace {

constexpr std::int64_t points_at_once = std::int64_t{1} << 18;  // each a node of 72 bytes
constexpr std::size_t cell_bytes_at_once = std::size_t{1} << 28;

/// Of the points that belong to a block of rows and columns.
struct PointBlock {
    std::int64_t first_row, rows, first_column, columns;
};

/// One point for each node of the mesh, which so is exact at the points; those around them go on straight.
PixelMesh mesh_of(const PointGrid& grid, const PointBlock& block) {
    PixelMesh mesh{.rows = block.rows + 3, .columns = block.columns + 3, .row_step = 1, .column_step = 1, .nodes = {}};
    mesh.nodes.resize(static_cast<std::size_t>(mesh.rows * mesh.columns));
    const auto at = [&](std::int64_t row, std::int64_t column) {
        return grid
            .places[static_cast<std::size_t>((block.first_row + row) * grid.columns + block.first_column + column)];
    };
    // a + beyond (a - b), along either axis.
    const auto beyond = [](const Place& a, const Place& b, double by) {
        return Place{a.x_m + by * (a.x_m - b.x_m), a.y_m + by * (a.y_m - b.y_m), a.z_m + by * (a.z_m - b.z_m)};
    };
    const auto in_row = [&](std::int64_t row, std::int64_t column) {
        const std::int64_t last = block.columns - 1, near = std::clamp<std::int64_t>(column, 0, last);
        if (near == column) return at(row, column);
        const std::int64_t inner = std::clamp<std::int64_t>(near + (column < 0 ? 1 : -1), 0, last);
        return beyond(at(row, near), at(row, inner), static_cast<double>(std::abs(column - near)));
    };
    for (std::int64_t i = 0; i < mesh.rows; ++i)
        for (std::int64_t k = 0; k < mesh.columns; ++k) {
            const std::int64_t row = i - 1, last = block.rows - 1, near = std::clamp<std::int64_t>(row, 0, last);
            const std::int64_t inner = std::clamp<std::int64_t>(near + (row < 0 ? 1 : -1), 0, last);
            PixelNode& node = mesh.nodes[static_cast<std::size_t>(i * mesh.columns + k)];
            node.place = near == row ? in_row(row, k - 1)
                                     : beyond(in_row(near, k - 1), in_row(inner, k - 1),
                                              static_cast<double>(std::abs(row - near)));
            node.gain = 1;
        }
    return mesh;
}

/// Whether a cubic through its neighbours finds every point, along rows and columns: what lies between points then
/// tells of them. The fourth difference is 43 times what a cubic misses half-way.
bool is_smooth(const PointGrid& grid, double wavelength_m) {
    const double most_m = 0.01 * wavelength_m;
    const auto rough = [&](std::int64_t first, std::int64_t step) {
        constexpr std::array<double, 5> difference{1, -4, 6, -4, 1};
        Place sum;
        for (std::int64_t n = 0; n < 5; ++n) {
            const Place& place = grid.places[static_cast<std::size_t>(first + n * step)];
            const double weight = difference[static_cast<std::size_t>(n)];
            sum = {sum.x_m + weight * place.x_m, sum.y_m + weight * place.y_m, sum.z_m + weight * place.z_m};
        }
        return std::hypot(sum.x_m, sum.y_m, sum.z_m) > most_m;
    };
    for (std::int64_t row = 0; row < grid.rows; ++row)
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            const std::int64_t number = row * grid.columns + column;
            if (column + 4 < grid.columns && rough(number, 1)) return false;
            if (row + 4 < grid.rows && rough(number, grid.columns)) return false;
        }
    return true;
}

/// Finer cells of some lines, which make up for running straight between them. Lines that go round are transformed as
/// they are: any zero among them would cut what lies at the edges of the band, which never fades out. The others do not
/// wrap into their other ends: what is read between their samples rings for long, but weakly.
class FinerLines {
public:
    static constexpr std::int64_t ringing_samples = 64;

    FinerLines(Device& device, const CompressedLines& lines, std::int64_t at_once, const BackProjectOptions& options)
        : device_(device),
          lines_(lines),
          runner_(device, algorithm(lines, at_once, options.oversampling),
                  options.periodic ? LoweringHints{.fft_lengths = FftLengths{.range = lines.samples, .azimuth = 1}}
                                   : LoweringHints{}) {
        echo_ = device.allocate(SampleFormat::complex64, at_once, lines.samples);
    }
    const Matrix& of(std::int64_t first_line, std::int64_t count) {
        Matrix some = echo_.rows_from(0, count);
        const auto samples = static_cast<std::size_t>(lines_.samples);
        device_.upload(std::as_bytes(lines_.values.subspan(static_cast<std::size_t>(first_line) * samples,
                                                           static_cast<std::size_t>(count) * samples)),
                       some);
        runner_.take_lines(some, 0);
        return runner_.result_of_lines();
    }

private:
    static Algorithm algorithm(const CompressedLines& lines, std::int64_t at_once, std::int64_t oversampling) {
        const auto steps = [=, samples = lines.samples](const FftLengths& fft) {
            const auto filter = [=] {
                std::vector<std::complex<double>> response(static_cast<std::size_t>(fft.range));
                for (std::int64_t bin = 0; bin < fft.range; ++bin) {
                    const double cycles_per_cell =
                        range_frequency_hz(bin, fft.range, 1) / static_cast<double>(oversampling);
                    response[static_cast<std::size_t>(bin)] =
                        1 / (static_cast<double>(fft.range) *
                             (oversampling > 1 ? droop_between_cells(cycles_per_cell) : 1.0));
                }
                return response;
            };
            return Steps{{"finer_lines", "line", "range",
                          RangeCompression{.lines = at_once,
                                           .samples = samples,
                                           .fft_length = fft.range,
                                           .decoding = {},
                                           .filter = filter,
                                           .oversampling = oversampling}}};
        };
        return {.least = {.range = lines.samples + ringing_samples, .azimuth = 1}, .steps = steps};
    }

    Device& device_;
    const CompressedLines& lines_;
    StepRunner runner_;
    Matrix echo_;
};

Accumulation sum_over(const CompressedLines& lines, std::int64_t first_line, std::int64_t count,
                      const PointGrid& points, const PointBlock& block, const BackProjectOptions& options) {
    const double cell_rate_hz = static_cast<double>(options.oversampling) * c_m_s / (2 * lines.range_spacing_m);
    return {.lines = count,
            .cells = options.oversampling * lines.samples,
            .rows = block.rows,
            .columns = block.columns,
            .timing = {.carrier_hz = lines.carrier_hz,
                       .first_cell_s = 2 * lines.near_range_m / c_m_s,
                       .cell_rate_hz = cell_rate_hz},
            .window = {},
            .covered_rows = {},
            .signal_to_error_db = options.signal_to_error_db,
            .occupied = 1 / static_cast<double>(options.oversampling),
            .pixel_pulses = static_cast<double>(block.rows * block.columns * count),
            .geometry =
                [&lines, &points, first_line, count, block] {
                    return AccumulationGeometry{
                        .paths = {lines.paths.begin() + first_line, lines.paths.begin() + first_line + count},
                        .pixels = mesh_of(points, block)};
                },
            .geometry_bytes = static_cast<std::size_t>(block.rows * block.columns) * sizeof(PixelNode)};
}

/// Adds the sums of a block of points over some lines.
void add_block(Device& device, const Accumulation& sum, const Matrix& finer, const PointGrid& points,
               const PointBlock& block, std::span<std::complex<float>> to) {
    const Lowered lowered = device.lower({.least = {1, 1},
                                          .steps =
                                              [&](const FftLengths&) {
                                                  return Steps{{"sums", "row", "column", sum}};
                                              }},
                                         {});
    Matrix image = device.allocate(device.info().native, sum.rows, sum.columns);
    lowered.steps.front().plan->run(finer, image);
    device.download_rows(image, [&](std::int64_t first_row, std::span<const std::complex<float>> rows) {
        const auto columns = static_cast<std::size_t>(block.columns);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t row = block.first_row + first_row + static_cast<std::int64_t>(i / columns);
            to[static_cast<std::size_t>(row * points.columns + block.first_column) + i % columns] += rows[i];
        }
    });
}

void check(const CompressedLines& lines, const PointGrid& points, const BackProjectOptions& options, std::size_t room) {
    const auto samples = static_cast<std::size_t>(lines.lines) * static_cast<std::size_t>(lines.samples);
    if (lines.lines < 1 || lines.samples < 1 || points.rows < 1 || points.columns < 1)
        throw InputError(
            fmt::format("back-projection of {} x {} samples onto {} x {} points: at least one of each is needed",
                        lines.lines, lines.samples, points.rows, points.columns));
    if (lines.values.size() != samples || lines.paths.size() != static_cast<std::size_t>(lines.lines))
        throw InputError(fmt::format("back-projection: {} samples and {} positions, expected {} and {}",
                                     lines.values.size(), lines.paths.size(), samples, lines.lines));
    if (room != points.places.size())
        throw std::logic_error("the memory for back-projected points has not their number");
    if (options.oversampling < 1 || options.oversampling > 64)
        throw InputError(fmt::format("back-projection: lines made {} times finer; give 1 to 64", options.oversampling));
    if (!std::isfinite(options.signal_to_error_db))
        throw InputError(fmt::format("back-projection: to {} dB of signal to error, but that must be a finite number",
                                     options.signal_to_error_db));
    if (!(lines.carrier_hz > 0 && lines.range_spacing_m > 0))
        throw InputError(fmt::format("back-projection: carrier {} Hz, samples {} m apart; both must be above 0",
                                     lines.carrier_hz, lines.range_spacing_m));
}

}  // namespace

void back_project(Device& device, const CompressedLines& lines, const PointGrid& points,
                  const BackProjectOptions& wanted, std::span<std::complex<float>> to, const Progress& progress) {
    check(lines, points, wanted, to.size());
    BackProjectOptions options = wanted;
    constexpr double one_by_one_db = 300;  // no sums of several points hold that
    if (!is_smooth(points, c_m_s / lines.carrier_hz)) options.signal_to_error_db = one_by_one_db;
    const std::size_t line_bytes =
        static_cast<std::size_t>(options.oversampling * lines.samples) * sizeof(std::complex<float>);
    const std::int64_t lines_at_once =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(cell_bytes_at_once / line_bytes), 1, lines.lines);
    const std::int64_t columns_at_once = std::min(points.columns, points_at_once),
                       rows_at_once =
                           std::min(points.rows, std::max<std::int64_t>(1, points_at_once / columns_at_once));
    std::fill(to.begin(), to.end(), std::complex<float>{});
    FinerLines finer(device, lines, lines_at_once, options);
    for (std::int64_t line = 0; line < lines.lines; line += lines_at_once) {
        const std::int64_t count = std::min(lines_at_once, lines.lines - line);
        const Matrix cells = finer.of(line, count).rows_from(0, count);
        for (std::int64_t row = 0; row < points.rows; row += rows_at_once)
            for (std::int64_t column = 0; column < points.columns; column += columns_at_once) {
                throw_if_interrupted();
                if (progress)
                    progress("back-projection", (static_cast<double>(line) +
                                                 static_cast<double>(count * row) / static_cast<double>(points.rows)) /
                                                    static_cast<double>(lines.lines));
                const PointBlock block{row, std::min(rows_at_once, points.rows - row), column,
                                       std::min(columns_at_once, points.columns - column)};
                add_block(device, sum_over(lines, line, count, points, block, options), cells, points, block, to);
            }
    }
    if (progress) progress("back-projection", 1);
}

}  // namespace cornerturn
