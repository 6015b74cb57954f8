// SPDX-License-Identifier: Apache-2.0
// Multilooking and brightness of quick-look pictures.
#include "data/picture/quicklook.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {

namespace {

constexpr double usual_incidence_sine = 0.64;   // 40 degrees, where no orbit tells it
constexpr double deepest_black_db = 60;         // below white
constexpr double point_scene_contrast_db = 15;  // mean over median: clutter has 1.6 dB, towns some 10
constexpr std::int64_t minimum_looks = 2;

/// At a column, in the middle of the scene.
std::optional<GroundView> view_at(const Image& image, double column) {
    const auto& acquisition = image.acquisition;
    if (!image.grid.has_axes() || !acquisition.orbit || acquisition.orbit->time_s.size() < 2) return {};
    const StateVector state =
        interpolate(*acquisition.orbit, image.grid.time_s(0.5 * static_cast<double>(image.grid.rows)));
    return ground_view(state, image.grid.range_m(column), acquisition.identification.look_side,
                       image.processing.scene_height_m);
}

/// From one column to the next, 1 where nothing tells.
double column_spacing_m(const Image& image) { return image.grid.has_axes() ? image.grid.range_spacing_m : 1; }

/// Sine of the incidence angle at a column.
double incidence_sine(const Image& image, double column) {
    const auto view = view_at(image, column);
    const double sine = view ? std::sin(view->incidence_deg * degree) : usual_incidence_sine;
    return std::isfinite(sine) ? std::max(0.2, sine) : usual_incidence_sine;
}

/// From one row to the next on the ground; 0 where the image carries no velocity.
double along_track_m(const Image& image) {
    double speed = image.acquisition.effective_velocity_m_s.value_or(0);
    const auto& velocity = image.processing.effective_velocity_m_s;
    if (!velocity.empty())
        speed = std::accumulate(velocity.begin(), velocity.end(), 0.0) / static_cast<double>(velocity.size());
    if (const auto view = view_at(image, 0.5 * static_cast<double>(image.grid.columns)))
        speed = view->ground_track_velocity_m_s;
    const double along_m = speed * image.grid.time_spacing_s;
    return along_m > 0 && std::isfinite(along_m) ? along_m : 0;
}

/// Azimuth and ground-range spacing of the samples in metres, in the middle; equal where the image carries no velocity.
std::pair<double, double> ground_spacing_m(const Image& image) {
    const double ground_m =
        column_spacing_m(image) / incidence_sine(image, 0.5 * static_cast<double>(image.grid.columns));
    const double along_m = along_track_m(image);
    return {along_m > 0 ? along_m : ground_m, ground_m};
}

/// Ground range of each column from the first one; one more than there are columns.
std::vector<double> ground_range_m(const Image& image) {
    constexpr int places = 33;
    const auto columns = static_cast<double>(image.grid.columns);
    std::vector<double> spacing_m, distance_m{0};
    for (int i = 0; i < places; ++i)
        spacing_m.push_back(column_spacing_m(image) / incidence_sine(image, columns * i / (places - 1)));
    for (std::int64_t column = 0; column < image.grid.columns; ++column) {
        const double place = (static_cast<double>(column) + 0.5) / columns * (places - 1);
        const auto left = static_cast<std::size_t>(place);
        distance_m.push_back(distance_m.back() +
                             std::lerp(spacing_m[left], spacing_m[left + 1], place - static_cast<double>(left)));
    }
    return distance_m;
}

/// Whole looks.
PictureCells even_cells(const ImageGrid& grid, Looks looks) {
    PictureCells cells;
    const auto edges = [](std::int64_t samples, std::int64_t step, std::vector<std::int64_t>& to) {
        for (std::int64_t edge = 0; edge < samples; edge += step) to.push_back(edge);
        to.push_back(samples);
    };
    edges(grid.rows, looks.azimuth, cells.row_edges);
    edges(grid.columns, looks.range, cells.column_edges);
    return cells;
}

std::int64_t cells(std::int64_t samples, std::int64_t looks) { return (samples + looks - 1) / looks; }

struct Stretch {
    double black_db = 0;
    double white_db = 1;
};

/// The cells that decide about the brightness: not zero, and their middle fully compressed unless too few are.
std::vector<float> deciding_cells(const Image& image, const PictureCells& cells, const std::vector<float>& power) {
    const std::int64_t columns = cells.columns();
    const auto middle = [](const std::vector<std::int64_t>& edges, std::int64_t i) {
        return (edges[static_cast<std::size_t>(i)] + edges[static_cast<std::size_t>(i + 1)]) / 2;
    };
    std::vector<float> compressed, every;
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(power.size()); ++k) {
        if (!(power[k] > 0)) continue;
        every.push_back(power[k]);
        if (image.valid_columns.empty()) continue;
        const std::int64_t row = middle(cells.row_edges, k / columns);
        const auto column = static_cast<std::int32_t>(middle(cells.column_edges, k % columns));
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
    result.black_db =
        points ? result.white_db - deepest_black_db : std::max(darkest_db, result.white_db - deepest_black_db);
    if (dynamic_range_db) result.black_db = result.white_db - *dynamic_range_db;
    result.black_db = std::min(result.black_db, result.white_db - 1.0);  // a flat image must not divide by zero
    return result;
}

}  // namespace

std::optional<Looks> parse_looks(const std::string& text) {
    if (text == "auto") return {};
    Looks looks;
    const char* end = text.data() + text.size();
    const auto [cross, error] = std::from_chars(text.data(), end, looks.azimuth);
    if (error == std::errc{} && cross != end && *cross == 'x') {
        const auto [rest, second_error] = std::from_chars(cross + 1, end, looks.range);
        if (second_error == std::errc{} && rest == end && looks.azimuth >= 1 && looks.range >= 1 &&
            looks.azimuth <= 10000 && looks.range <= 10000)
            return looks;
    }
    throw InputError(
        fmt::format("--looks {}: expected auto or AZIMUTHxRANGE, two whole numbers from 1 to 10000 such as 4x2", text));
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
        const std::int64_t longest =
            std::max(cells(image.grid.rows, looks.azimuth), cells(image.grid.columns, looks.range));
        const bool enough =
            looks.azimuth * looks.range >= std::min(minimum_looks, image.grid.rows * image.grid.columns);
        if (longest <= max_size_px && enough) return looks;
    }
}

namespace {

/// Of so much ground, as many as fit, of whole samples but for rounding.
std::vector<std::int64_t> even_edges(std::int64_t samples, double sample_m, double pixel_m) {
    const double length_m = sample_m * static_cast<double>(samples);
    const auto pixels = static_cast<std::int64_t>(
        std::clamp(std::floor(length_m / pixel_m * (1 + 1e-9)), 1.0, static_cast<double>(samples)));
    std::vector<std::int64_t> edges;
    for (std::int64_t k = 0; k <= pixels; ++k) edges.push_back(k * samples / pixels);
    return edges;
}

/// A map's pixels are square as they are, or nearly so.
PictureCells map_cells(const MapGrid& map, std::int64_t max_size_px) {
    const PixelSize size = pixel_size(map);
    const double longest_m =
        std::max(size.down_m * static_cast<double>(map.rows), size.across_m * static_cast<double>(map.columns));
    PictureCells cells;
    cells.pixel_m = std::max({size.down_m, size.across_m, longest_m / static_cast<double>(max_size_px)});
    cells.row_edges = even_edges(map.rows, size.down_m, cells.pixel_m);
    cells.column_edges = even_edges(map.columns, size.across_m, cells.pixel_m);
    return cells;
}

}  // namespace

PictureCells ground_cells(const Image& image, std::int64_t max_size_px) {
    if (image.map) return map_cells(*image.map, max_size_px);
    const std::vector<double> across_m = ground_range_m(image);
    const auto rows = static_cast<double>(image.grid.rows), columns = static_cast<double>(image.grid.columns);
    double coarsest_m = 0;
    for (std::size_t i = 1; i < across_m.size(); ++i) coarsest_m = std::max(coarsest_m, across_m[i] - across_m[i - 1]);
    const double known_m = along_track_m(image), row_m = known_m > 0 ? known_m : across_m.back() / columns;
    const double along_m = row_m * rows;
    double pixel_m = std::max({coarsest_m, row_m, along_m / static_cast<double>(max_size_px),
                               across_m.back() / static_cast<double>(max_size_px)});
    const double samples = row_m * (across_m.back() / columns);  // area of one
    pixel_m = std::max(pixel_m, std::sqrt(static_cast<double>(minimum_looks) * samples));
    PictureCells cells;
    const auto count = [&](double length_m, double samples_there) {
        return static_cast<std::int64_t>(std::clamp(std::floor(length_m / pixel_m * (1 + 1e-9)), 1.0, samples_there));
    };
    const std::int64_t pixel_rows = count(along_m, rows), pixel_columns = count(across_m.back(), columns);
    for (std::int64_t k = 0; k <= pixel_rows; ++k) cells.row_edges.push_back(k * image.grid.rows / pixel_rows);
    for (std::int64_t k = 0; k < pixel_columns; ++k) {
        const double edge_m = across_m.back() * static_cast<double>(k) / static_cast<double>(pixel_columns);
        cells.column_edges.push_back(std::upper_bound(across_m.begin(), across_m.end(), edge_m) - across_m.begin() - 1);
    }
    cells.column_edges.push_back(image.grid.columns);
    cells.pixel_m = known_m > 0 ? pixel_m : 0;
    return cells;
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
               .samples = {},
               .map = header.map};
    cells_ = options_.looks ? even_cells(header.grid, *options_.looks) : ground_cells(header, options_.max_size_px);
    sums_.assign(static_cast<std::size_t>(cells_.rows() * cells_.columns()), 0.0);
}

/// Samples that are not finite count as zero.
void QuicklookSink::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t image_columns = header_.grid.columns, columns = cells_.columns();
    const std::int64_t end_row = first_row + static_cast<std::int64_t>(rows.size()) / image_columns;
    const int threads = thread_count(options_.threads);
    const auto cell_of = [&](std::int64_t row) {
        return std::upper_bound(cells_.row_edges.begin(), cells_.row_edges.end(), row) - cells_.row_edges.begin() - 1;
    };
    const std::int64_t first_cell = cell_of(first_row),
                       end_cell = end_row > first_row ? cell_of(end_row - 1) + 1 : first_cell;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t cell = first_cell; cell < end_cell; ++cell) {
        const std::int64_t begin = std::max(first_row, cells_.row_edges[static_cast<std::size_t>(cell)]),
                           end = std::min(end_row, cells_.row_edges[static_cast<std::size_t>(cell + 1)]);
        for (std::int64_t row = begin; row < end; ++row) {
            const std::complex<float>* line = rows.data() + (row - first_row) * image_columns;
            for (std::int64_t column = 0; column < columns; ++column) {
                double& sum = sums_[static_cast<std::size_t>(cell * columns + column)];
                const std::int64_t last = cells_.column_edges[static_cast<std::size_t>(column + 1)];
                for (std::int64_t sample = cells_.column_edges[static_cast<std::size_t>(column)]; sample < last;
                     ++sample)
                    if (const float value = std::norm(line[sample]); std::isfinite(value))
                        sum += static_cast<double>(value);
            }
        }
    }
}

Picture QuicklookSink::picture() const {
    const std::int64_t columns = cells_.columns(), rows = cells_.rows();
    const auto size = [](const std::vector<std::int64_t>& edges, std::int64_t i) {
        return edges[static_cast<std::size_t>(i + 1)] - edges[static_cast<std::size_t>(i)];
    };
    std::vector<float> power(sums_.size());
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t lines = size(cells_.row_edges, row), samples = size(cells_.column_edges, column);
            const auto k = static_cast<std::size_t>(row * columns + column);
            power[k] = static_cast<float>(sums_[k] / static_cast<double>(lines * samples));
        }
    const Stretch range = stretch(deciding_cells(header_, cells_, power), options_.dynamic_range_db);
    Picture picture(columns, rows, 1);
    std::transform(power.begin(), power.end(), picture.pixels.begin(), [&](float value) {
        if (!(value > 0)) return std::uint8_t{0};
        const double level =
            (10.0 * std::log10(static_cast<double>(value)) - range.black_db) / (range.white_db - range.black_db);
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

}  // namespace cornerturn
