// SPDX-License-Identifier: Apache-2.0
// Multilooking and brightness of quick-look pictures.
#include "data/picture/quicklook.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {

namespace {

constexpr double usual_incidence_sine = 0.64;   // 40 degrees, where no orbit tells it
constexpr double deepest_black_db = 60;         // below white
constexpr double point_scene_contrast_db = 15;  // mean over median: clutter has 1.6 dB, towns some 10
constexpr std::int64_t minimum_looks = 2;

/// Sine of the incidence angle in the middle of the scene.
double incidence_sine(const Image& image) {
    const auto& acquisition = image.acquisition;
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return usual_incidence_sine;
    const StateVector state = interpolate(*acquisition.orbit, image.grid.time_s(0.5 * static_cast<double>(image.grid.rows)));
    const double range_m = image.grid.range_m(0.5 * static_cast<double>(image.grid.columns));
    const GroundPoint ground = zero_doppler_ground_point(state, range_m, acquisition.identification.look_side);
    const double sine = std::sin(incidence_angle_rad(state.position_m, ground.position_m));
    return ground.on_ellipsoid && std::isfinite(sine) ? std::max(0.2, sine) : usual_incidence_sine;
}

/// Azimuth and ground-range spacing of the samples in metres; equal where the image carries no velocity.
std::pair<double, double> ground_spacing_m(const Image& image) {
    const double ground_m = image.grid.range_spacing_m / incidence_sine(image);
    const auto& velocity = image.processing.effective_velocity_m_s;
    double speed = image.acquisition.effective_velocity_m_s.value_or(0);
    if (!velocity.empty()) speed = std::accumulate(velocity.begin(), velocity.end(), 0.0) / static_cast<double>(velocity.size());
    const double along_m = speed * image.grid.time_spacing_s;
    return {along_m > 0 && std::isfinite(along_m) ? along_m : ground_m, ground_m};
}

std::int64_t cells(std::int64_t samples, std::int64_t looks) { return (samples + looks - 1) / looks; }

struct Stretch {
    double black_db = 0;
    double white_db = 1;
};

/// The cells that decide about the brightness: not zero, and their middle fully compressed unless too few are.
std::vector<float> deciding_cells(const Image& image, Looks looks, const std::vector<float>& power) {
    const std::int64_t columns = cells(image.grid.columns, looks.range);
    std::vector<float> compressed, every;
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(power.size()); ++k) {
        if (!(power[k] > 0)) continue;
        every.push_back(power[k]);
        if (image.valid_columns.empty()) continue;
        const std::int64_t row = std::min(image.grid.rows - 1, k / columns * looks.azimuth + looks.azimuth / 2);
        const auto column = static_cast<std::int32_t>(k % columns * looks.range + looks.range / 2);
        if (image.valid(row, {column, column + 1})) compressed.push_back(power[k]);
    }
    return compressed.size() > every.size() / 10 ? compressed : every;
}

Stretch stretch(std::vector<float> power, const std::optional<double>& dynamic_range_db) {
    if (power.empty()) return {};
    const auto quantile_db = [&](double q) {
        const auto element = power.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(power.size() - 1));
        std::nth_element(power.begin(), element, power.end());
        return 10.0 * std::log10(static_cast<double>(*element));
    };
    const double mean = std::accumulate(power.begin(), power.end(), 0.0) / static_cast<double>(power.size());
    const bool points = 10.0 * std::log10(mean) > quantile_db(0.5) + point_scene_contrast_db;
    Stretch result;
    result.white_db = quantile_db(points ? 1.0 : 0.998);
    // A quarter below the darkest surface, so that it still shows something: water is not empty.
    const double darkest_db = 1.25 * quantile_db(0.01) - 0.25 * result.white_db;
    result.black_db = points ? result.white_db - deepest_black_db : std::max(darkest_db, result.white_db - deepest_black_db);
    if (dynamic_range_db) result.black_db = result.white_db - *dynamic_range_db;
    result.black_db = std::min(result.black_db, result.white_db - 1.0);  // a flat image must not divide by zero
    return result;
}

}  // namespace

std::optional<Looks> parse_looks(const std::string& text) {
    if (text == "auto") return {};
    Looks looks;
    const char* end = text.data() + text.size();
    const auto [comma, error] = std::from_chars(text.data(), end, looks.azimuth);
    if (error == std::errc{} && comma != end && *comma == ',') {
        const auto [rest, second_error] = std::from_chars(comma + 1, end, looks.range);
        if (second_error == std::errc{} && rest == end && looks.azimuth >= 1 && looks.range >= 1 && looks.azimuth <= 10000 &&
            looks.range <= 10000)
            return looks;
    }
    throw InputError(fmt::format("looks '{}': expected auto or AZIMUTH,RANGE, two whole numbers from 1 to 10000 such as 4,2", text));
}

Looks automatic_looks(const Image& image, std::int64_t max_size_px) {
    const auto [along_m, ground_m] = ground_spacing_m(image);
    const double coarser_m = std::max(along_m, ground_m);
    for (std::int64_t step = 1;; ++step) {
        const double pixel_m = static_cast<double>(step) * coarser_m;
        const auto fitting = [&](double spacing_m, std::int64_t size) {
            return std::lround(std::clamp(pixel_m / spacing_m, 1.0, static_cast<double>(size)));
        };
        const Looks looks{fitting(along_m, image.grid.rows), fitting(ground_m, image.grid.columns)};
        const std::int64_t longest = std::max(cells(image.grid.rows, looks.azimuth), cells(image.grid.columns, looks.range));
        const bool enough = looks.azimuth * looks.range >= std::min(minimum_looks, image.grid.rows * image.grid.columns);
        if (longest <= max_size_px && enough) return looks;
    }
}

QuicklookSink::QuicklookSink(QuicklookOptions options) : options_(options) {
    if (options_.max_size_px < 1)
        throw InputError(fmt::format("picture: largest side is {} pixels, expected at least 1", options_.max_size_px));
    if (options_.dynamic_range_db && !(*options_.dynamic_range_db >= 1 && *options_.dynamic_range_db <= 300))
        throw InputError(fmt::format("picture: dynamic range is {} dB, expected 1 to 300", *options_.dynamic_range_db));
}

void QuicklookSink::begin(const Image& header) {
    if (header.grid.rows < 1 || header.grid.columns < 1) throw InputError("image: it has no samples to show");
    header_ = {.acquisition = header.acquisition,
               .grid = header.grid,
               .processing = header.processing,
               .valid_columns = header.valid_columns,
               .intervals_per_row = header.intervals_per_row,
               .samples = {}};
    looks_ = options_.looks ? *options_.looks : automatic_looks(header, options_.max_size_px);
    sums_.assign(static_cast<std::size_t>(cells(header.grid.rows, looks_.azimuth) * cells(header.grid.columns, looks_.range)), 0.0);
}

/// Samples that are not finite count as zero.
void QuicklookSink::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t image_columns = header_.grid.columns, columns = cells(image_columns, looks_.range);
    const std::int64_t end_row = first_row + static_cast<std::int64_t>(rows.size()) / image_columns;
    const int threads = options_.threads > 0 ? options_.threads : omp_get_max_threads();
    const std::int64_t first_cell = first_row / looks_.azimuth, end_cell = cells(end_row, looks_.azimuth);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t cell = first_cell; cell < end_cell; ++cell) {
        const std::int64_t begin = std::max(first_row, cell * looks_.azimuth), end = std::min(end_row, (cell + 1) * looks_.azimuth);
        for (std::int64_t row = begin; row < end; ++row) {
            const std::complex<float>* line = rows.data() + (row - first_row) * image_columns;
            for (std::int64_t column = 0; column < columns; ++column) {
                double& sum = sums_[static_cast<std::size_t>(cell * columns + column)];
                const std::int64_t last = std::min(image_columns, (column + 1) * looks_.range);
                for (std::int64_t sample = column * looks_.range; sample < last; ++sample)
                    if (const float value = std::norm(line[sample]); std::isfinite(value)) sum += static_cast<double>(value);
            }
        }
    }
}

Picture QuicklookSink::picture() const {
    const ImageGrid& grid = header_.grid;
    const std::int64_t columns = cells(grid.columns, looks_.range), rows = cells(grid.rows, looks_.azimuth);
    std::vector<float> power(sums_.size());
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t lines = std::min(looks_.azimuth, grid.rows - row * looks_.azimuth),
                               samples = std::min(looks_.range, grid.columns - column * looks_.range);
            const auto k = static_cast<std::size_t>(row * columns + column);
            power[k] = static_cast<float>(sums_[k] / static_cast<double>(lines * samples));
        }
    const Stretch range = stretch(deciding_cells(header_, looks_, power), options_.dynamic_range_db);
    Picture picture(columns, rows, 1);
    std::transform(power.begin(), power.end(), picture.pixels.begin(), [&](float value) {
        if (!(value > 0)) return std::uint8_t{0};
        const double level = (10.0 * std::log10(static_cast<double>(value)) - range.black_db) / (range.white_db - range.black_db);
        return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(level, 0.0, 1.0)));
    });
    return picture;
}

Picture quicklook(const Image& image, const QuicklookOptions& options) {
    QuicklookSink sink(options);
    sink.begin(image);
    sink.write(0, image.samples);
    return sink.picture();
}

void write_quicklook(const std::string& path, const Image& image, const QuicklookOptions& options) {
    write_png(path, quicklook(image, options));
}

}  // namespace cornerturn
