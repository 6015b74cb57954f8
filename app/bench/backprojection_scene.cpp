// SPDX-License-Identifier: Apache-2.0
#include "app/bench/backprojection_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "kernels/host/thread_limit.h"
#include "kernels/math/sinc.h"
#include "pipeline/acquisition/degree.h"

namespace cornerturn {
namespace {

double radians(double degrees) { return degrees * degree; }

/// Track along x, up z, the middle of the image in the origin.
Place place_at(const BackprojectionScene& scene, double row, double column) {
    const double along = (row - 0.5 * static_cast<double>(scene.rows - 1)) * scene.pixel_m;
    const double across = (column - 0.5 * static_cast<double>(scene.columns - 1)) * scene.pixel_m;
    const double cosine = std::cos(radians(scene.turned_deg)), sine = std::sin(radians(scene.turned_deg));
    return {along * cosine - across * sine, along * sine + across * cosine, 0};
}

std::vector<PulsePath> paths_of(const BackprojectionScene& scene) {
    constexpr double jitter_m = 0.0003;
    std::minstd_rand random(5);
    std::uniform_real_distribution<double> jitter(-jitter_m, jitter_m);
    const double track_m = 2 * scene.range_m * std::tan(radians(scene.aperture_deg) / 2),
                 grazing = radians(scene.grazing_deg);
    std::vector<PulsePath> paths(static_cast<std::size_t>(scene.lines));
    for (std::size_t line = 0; line < paths.size(); ++line) {
        const double part = (static_cast<double>(line) + 0.5) / static_cast<double>(scene.lines) - 0.5;
        paths[line].start = {track_m * part, -scene.range_m * std::cos(grazing) + jitter(random),
                             scene.range_m * std::sin(grazing) + jitter(random)};
    }
    return paths;
}

PixelMesh mesh_of(const BackprojectionScene& scene) {
    constexpr std::int64_t step = 64;
    PixelMesh mesh{.rows = 4 + scene.rows / step,
                   .columns = 4 + scene.columns / step,
                   .row_step = step,
                   .column_step = step,
                   .nodes = {}};
    for (std::int64_t i = 0; i < mesh.rows; ++i)
        for (std::int64_t k = 0; k < mesh.columns; ++k)
            mesh.nodes.push_back(
                {.place = place_at(scene, static_cast<double>((i - 1) * step), static_cast<double>((k - 1) * step)),
                 .rise = {0, 0, 1},
                 .centroid_hz = 0,
                 .phase_cycles = 0,
                 .gain = 1 / std::sqrt(static_cast<double>(scene.lines))});
    return mesh;
}

/// One of the numbers of a sequence of its own.
class Noise {
public:
    explicit Noise(std::uint32_t line) : line_(line * 0x9E3779B9u) {}
    std::complex<float> operator()(std::uint32_t cell) const {
        const std::uint32_t a = mixed(line_ + mixed(cell + 77u)), b = mixed(a ^ 0x68bc21ebu);
        const float size = std::sqrt(-std::log((static_cast<float>(a >> 8) + 0.5f) * 0x1p-24f));
        return std::polar(size, 2 * std::numbers::pi_v<float> * static_cast<float>(b >> 8) * 0x1p-24f);
    }

private:
    static std::uint32_t mixed(std::uint32_t x) {
        x = (x ^ (x >> 16)) * 0x7feb352du;
        x = (x ^ (x >> 15)) * 0x846ca68bu;
        return x ^ (x >> 16);
    }
    std::uint32_t line_;
};

}  // namespace

std::shared_ptr<const AccumulationGeometry> backprojection_geometry(const BackprojectionScene& scene) {
    return std::make_shared<AccumulationGeometry>(
        AccumulationGeometry{.paths = paths_of(scene), .pixels = mesh_of(scene)});
}

Accumulation backprojection_pass(const BackprojectionScene& scene,
                                 std::shared_ptr<const AccumulationGeometry> geometry) {
    Accumulation pass{.lines = scene.lines,
                      .rows = scene.rows,
                      .columns = scene.columns,
                      .timing = {.carrier_hz = scene.carrier_hz, .cell_rate_hz = c_m_s / (2 * scene.cell_m)},
                      .window = {},
                      .covered_rows = {},
                      .signal_to_error_db = scene.signal_to_error_db,
                      .geometry = [=] { return *geometry; }};
    double first = INFINITY, last = -INFINITY;
    for (std::size_t line = 0; line < geometry->paths.size();
         line += std::max<std::size_t>(1, (geometry->paths.size() - 1) / 16))
        for (const double row : {0.0, 0.5, 1.0})
            for (const double column : {0.0, 0.5, 1.0}) {
                const Place place =
                    place_at(scene, row * static_cast<double>(scene.rows), column * static_cast<double>(scene.columns));
                const double cell = arrival(pass.timing, geometry->paths[line], place).cell;
                first = std::min(first, cell);
                last = std::max(last, cell);
            }
    constexpr double margin = 64;
    pass.timing.first_cell_s = (std::floor(first) - margin + 0.37) / pass.timing.cell_rate_hz;
    pass.cells = (static_cast<std::int64_t>(last - first + 2 * margin) + 31) / 32 * 32;
    return pass;
}

std::vector<ScenePoint> scene_points(const BackprojectionScene& scene) {
    std::minstd_rand random(9);
    std::uniform_real_distribution<double> part(0.02, 0.98), amplitude(0.3, 3.3), phase(0, 1);
    std::vector<ScenePoint> points(1000);
    for (ScenePoint& point : points)
        point = {part(random) * static_cast<double>(scene.rows), part(random) * static_cast<double>(scene.columns),
                 amplitude(random), phase(random)};
    return points;
}

std::vector<std::complex<float>> compressed_lines(const Accumulation& pass, const AccumulationGeometry& geometry,
                                                  const std::vector<ScenePoint>& points, int threads) {
    constexpr int reach = 8;
    std::array<float, 2 * reach + 1> half_band{};
    for (int tap = -reach; tap <= reach; ++tap)
        half_band[static_cast<std::size_t>(tap + reach)] =
            static_cast<float>(0.7071 * sinc(0.5 * tap) * (0.5 + 0.5 * std::cos(std::numbers::pi * tap / (reach + 1))));
    std::vector<Place> places;
    const PixelMeshView mesh = view_of(geometry.pixels);
    for (const ScenePoint& point : points) places.push_back(mesh.at(point.row, point.column).place);
    std::vector<std::complex<float>> lines(static_cast<std::size_t>(pass.lines * pass.cells));
#pragma omp parallel for num_threads(thread_count(threads)) schedule(static)
    for (std::int64_t line = 0; line < pass.lines; ++line) {
        const Noise noise(static_cast<std::uint32_t>(line));
        std::vector<std::complex<float>> white;
        for (std::int64_t cell = -reach; cell < pass.cells + reach; ++cell)
            white.push_back(noise(static_cast<std::uint32_t>(cell + reach)));
        std::complex<float>* const to = lines.data() + line * pass.cells;
        for (std::int64_t cell = 0; cell < pass.cells; ++cell) {
            std::complex<float> sum;
            for (std::size_t tap = 0; tap < half_band.size(); ++tap)
                sum += half_band[tap] * white[static_cast<std::size_t>(cell) + tap];
            to[cell] = sum;
        }
        for (std::size_t i = 0; i < points.size(); ++i) {
            constexpr int wide = 15;
            const Arrival at = arrival(pass.timing, geometry.paths[static_cast<std::size_t>(line)], places[i]);
            const auto value = std::polar(
                points[i].amplitude, -2 * std::numbers::pi * std::remainder(at.cycles + points[i].phase_cycles, 1.0));
            const auto middle = static_cast<std::int64_t>(std::lround(at.cell));
            for (std::int64_t cell = std::max<std::int64_t>(0, middle - wide);
                 cell <= std::min(pass.cells - 1, middle + wide); ++cell) {
                const double off = static_cast<double>(cell) - at.cell;
                if (std::abs(off) < wide)
                    to[cell] += std::complex<float>(value * sinc(0.5 * off) *
                                                    (0.5 + 0.5 * std::cos(std::numbers::pi * off / wide)));
            }
        }
    }
    return lines;
}

std::complex<double> expected_pixel(const Accumulation& pass, const AccumulationGeometry& geometry,
                                    const std::vector<std::complex<float>>& compressed, std::int64_t row,
                                    std::int64_t column) {
    const PixelNode pixel = view_of(geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
    const Complex<double> sum = accumulated_pixel(pass.timing, view_of(pass.window, nullptr), geometry.paths.data(),
                                                  reinterpret_cast<const Complex<float>*>(compressed.data()),
                                                  pass.cells, {0, pass.lines}, pixel, 0);
    return {sum.re, sum.im};
}

}  // namespace cornerturn
