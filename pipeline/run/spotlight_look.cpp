// SPDX-License-Identifier: Apache-2.0
// Bright points of a spotlight's image as autofocus looks at them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/host/line_loop.h"
#include "kernels/math/phasor.h"
#include "kernels/steps/steps.h"
#include "pipeline/autofocus/point_echoes.h"
#include "pipeline/echo/decoded_lines.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/formers/scene_grid.h"
#include "pipeline/measure/bright_pixels.h"
#include "pipeline/run/autofocus_look.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {
namespace {

constexpr std::int64_t most_points = 192;
constexpr std::int64_t apart_px = 32;       // of points: sidelobes of their neighbours are 35 dB down there
constexpr float least_point_power = 0.01f;  // of the brightest: what is fainter may be its sidelobes
constexpr std::int64_t compressed_bytes_at_once = std::int64_t{1} << 28;

/// The brightest pixel of each tile; the others are forgotten.
class BrightestOfTiles final : public ImageSink {
public:
    void begin(const Image& header) override {
        columns_ = header.grid.columns;
        tiles_per_row_ = (columns_ + apart_px - 1) / apart_px;
        tiles_.assign(static_cast<std::size_t>(tiles_per_row_ * ((header.grid.rows + apart_px - 1) / apart_px)),
                      BrightPixel{0, 0, 0});
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto number = static_cast<std::int64_t>(i);
            const std::int64_t row = first_row + number / columns_, column = number % columns_;
            BrightPixel& brightest =
                tiles_[static_cast<std::size_t>(row / apart_px * tiles_per_row_ + column / apart_px)];
            if (const float power = std::norm(rows[i]); power > brightest.power) brightest = {power, row, column};
        }
    }
    /// Row by row, so that parts of one blurred point are neighbours.
    std::vector<BrightPixel> points() const {
        std::vector<BrightPixel> all = tiles_, found;
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.power > b.power; });
        for (const BrightPixel& pixel : all) {
            if (std::ssize(found) == most_points || !(pixel.power > 0) ||
                pixel.power < least_point_power * all.front().power)
                break;
            if (is_apart(pixel, found, apart_px)) found.push_back(pixel);
        }
        std::sort(found.begin(), found.end(),
                  [](const auto& a, const auto& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
        return found;
    }

private:
    std::int64_t columns_ = 1, tiles_per_row_ = 1;
    std::vector<BrightPixel> tiles_;
};

/// A grid of every so many-th row and column.
MapGrid thinned(MapGrid grid, const MapGrid& enough) {
    const auto every = [](double coarse, double fine) {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::abs(coarse / fine) * (1 + 1e-9)));
    };
    const std::int64_t rows = every(enough.y_step, grid.y_step), columns = every(enough.x_step, grid.x_step);
    grid.rows = (grid.rows - 1) / rows + 1, grid.columns = (grid.columns - 1) / columns + 1;
    grid.y_step *= static_cast<double>(rows), grid.x_step *= static_cast<double>(columns);
    return grid;
}

/// That which is asked for, no finer than pulses resolve.
MapRequest map_for_looking(const Acquisition& echo, const MapRequest& asked, double height_m) {
    if (!asked.grid && asked.spacing_m == 0) return asked;
    const MapGrid grid = asked.grid ? *asked.grid : grid_over_scene(echo, asked, height_m);
    const MapGrid enough = grid_over_scene(echo, {.projection = grid.projection, .spacing_m = 0, .grid = {}}, height_m);
    return {.projection = grid.projection, .spacing_m = 0, .grid = thinned(grid, enough)};
}

Place place_of(const MapView& map, double row, double column) {
    const MapPoint at = map.grid.at(row, column);
    const MapGround::Point ground = map.ground->at(at);
    const double relief_m = map.ground->has_relief() ? map.ground->relief_m(at) : 0;
    return {ground.place.x_m + relief_m * ground.up.x_m, ground.place.y_m + relief_m * ground.up.y_m,
            ground.place.z_m + relief_m * ground.up.z_m};
}

/// By how many cycles the phase of each line changes from the middle of the map to a pixel beside it, on the way along
/// which the delay of the middle line stays.
std::vector<double> directions(const Acquisition& echo, const ImagePlan& image) {
    const CompressedTiming timing = compressed_timing(echo, image, {});
    const double row = 0.5 * static_cast<double>(image.grid.rows - 1),
                 column = 0.5 * static_cast<double>(image.grid.columns - 1);
    const auto by_pixel = [&](std::int64_t line, double rows, double columns) {
        const PulsePath path = echo.phase_history->path(line);
        return 0.5 * (arrival(timing, path, place_of(*image.map, row + rows, column + columns)).cycles -
                      arrival(timing, path, place_of(*image.map, row - rows, column - columns)).cycles);
    };
    const std::int64_t middle = echo.lines / 2;
    const double per_row = by_pixel(middle, 1, 0), per_column = by_pixel(middle, 0, 1),
                 size = std::hypot(per_row, per_column);
    std::vector<double> cycles;
    for (std::int64_t line = 0; line < echo.lines; ++line)
        cycles.push_back((per_column * by_pixel(line, 1, 0) - per_row * by_pixel(line, 0, 1)) / size);
    return cycles;
}

/// Lines compressed as back-projection has them, so many at a time.
class CompressedBlocks {
public:
    CompressedBlocks(Device& device, const Acquisition& echo, const ImagePlan& image)
        : device_(device),
          lines_{.cells = cells_per_sample(echo), .straight = true},
          cells_(lines_.cells_of(echo.samples)),
          at_once_(std::clamp<std::int64_t>(compressed_bytes_at_once / (cells_ * std::int64_t{sizeof(Complex64)}), 1,
                                            echo.lines)),
          timing_(compressed_timing(echo, image, lines_)),
          runner_(device, algorithm(echo, image)),
          echo_(device.allocate(SampleFormat::complex64, at_once_, echo.samples)) {}

    std::int64_t at_once() const { return at_once_; }
    std::int64_t cells() const { return cells_; }
    const CompressedTiming& timing() const { return timing_; }
    /// `take` gets rows of cells, counted from the first of these lines on.
    void of(std::span<const Complex<float>> decoded, std::int64_t lines, const Device::TakeRows& take) {
        Matrix some = echo_.rows_from(0, lines);
        device_.upload(std::as_bytes(decoded), some);
        runner_.take_lines(some, 0);
        device_.download_rows(runner_.result_of_lines().rows_from(0, lines), take);
    }

private:
    Algorithm algorithm(Acquisition echo, const ImagePlan& image) const {
        const FftLengths least = least_lengths(echo, image, lines_);
        echo.lines = at_once_, echo.format = SampleFormat::complex64, echo.decoding = {};
        return {
            .least = least, .steps = [=, lines = lines_](const FftLengths& fft) {
                return Steps{{"range_compression", "line", "range", fine_range_compression(echo, image, fft, lines)}};
            }};
    }

    Device& device_;
    FineLines lines_;
    std::int64_t cells_, at_once_;
    CompressedTiming timing_;
    StepRunner runner_;
    Matrix echo_;
};

PointEchoes echoes_of(Device& device, EchoSource& frame, const ImagePlan& image, const std::vector<Place>& places,
                      int threads) {
    const Acquisition& echo = frame.acquisition();
    PointEchoes echoes;
    set_slots(directions(echo, image), echoes);
    echoes.points.assign(places.size(), std::vector<Complex64>(static_cast<std::size_t>(echo.lines)));
    if (places.empty()) return echoes;
    CompressedBlocks compressed(device, echo, image);
    std::vector<Complex<float>> decoded;
    for (std::int64_t first = 0; first < echo.lines; first += compressed.at_once()) {
        const std::int64_t lines = std::min(compressed.at_once(), echo.lines - first);
        decoded.resize(static_cast<std::size_t>(lines * echo.samples));
        read_decoded(frame, first, lines, threads, decoded);
        compressed.of(decoded, lines, [&](std::int64_t first_row, std::span<const std::complex<float>> rows) {
            const auto* values = reinterpret_cast<const Complex64*>(rows.data());
            const std::int64_t cells = compressed.cells();
            for_each_line(std::ssize(rows) / cells, threads, [&](std::int64_t row) {
                const std::int64_t line = first + first_row + row;
                const PulsePath path = echo.phase_history->path(line);
                for (std::size_t point = 0; point < places.size(); ++point) {
                    const Arrival at = arrival(compressed.timing(), path, places[point]);
                    echoes.points[point][static_cast<std::size_t>(line)] = complex_cast<float>(
                        between_cells(values + row * cells, cells, at.cell) * unit_phasor<double>(at.cycles));
                }
            });
        });
    }
    return echoes;
}

class SpotlightEvidence final : public PhaseEvidence {
public:
    explicit SpotlightEvidence(PointEchoes echoes) : echoes_(std::move(echoes)) {}

    PhaseEstimate estimate(int threads) const override { return phase_gradient(echoes_, threads); }
    double entropy(std::span<const double> phase_rad, int threads) const override {
        return cornerturn::entropy(echoes_, phase_rad, threads);
    }
    void remove_line(std::span<double> phase_rad, std::span<const double> weight) const override {
        std::vector<double> on_slots = echoes_.on_slots(phase_rad);
        cornerturn::remove_line(on_slots, echoes_.on_slots(weight));
        for (std::size_t line = 0; line < phase_rad.size(); ++line)
            phase_rad[line] = on_slots[static_cast<std::size_t>(echoes_.slot_of_line[line])];
    }
    double bend_rad(std::span<const double> phase_rad, std::span<const double> weight) const override {
        std::vector<double> rest(phase_rad.begin(), phase_rad.end());
        remove_line(rest, weight);
        return rms_rad(rest, weight);
    }
    std::unique_ptr<PhaseEvidence> bands(std::size_t largest_band, const WantedBand& wanted) const override {
        return std::make_unique<SpotlightEvidence>(
            PointEchoes{.slots = echoes_.slots,
                        .slot_of_line = echoes_.slot_of_line,
                        .points = pieces_in_bands(echoes_.points, largest_band, wanted)});
    }

private:
    PointEchoes echoes_;
};

}  // namespace

std::unique_ptr<PhaseEvidence> look_at_spotlight(const AutofocusLook& look, EchoSource& frame, std::int64_t& columns) {
    FocusOptions options = look.options;
    options.autofocus = Autofocus::none;
    options.map = map_for_looking(frame.acquisition(), *options.map, options.height_m);
    BrightestOfTiles tiles;
    EchoSource* const source = &frame;
    const auto reports = focus_frames(look.devices, std::span(&source, 1), options, tiles, look.progress).frames;
    const ImagePlan& image = reports.front().setup.image;
    columns = image.grid.columns;
    std::vector<Place> places;
    for (const BrightPixel& point : tiles.points())
        places.push_back(place_of(*image.map, static_cast<double>(point.row), static_cast<double>(point.column)));
    return std::make_unique<SpotlightEvidence>(echoes_of(*look.devices.front(), frame, image, places, look.threads));
}

AutofocusNeed need_of_spotlight(const Acquisition& acquisition) {
    return {.points = most_points,
            .bytes = static_cast<std::size_t>(most_points * acquisition.lines) * sizeof(Complex64)};
}

}  // namespace cornerturn
