// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/pixel_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cornerturn {
namespace {

Place operator+(const Place& a, const Place& b) { return {a.x_m + b.x_m, a.y_m + b.y_m, a.z_m + b.z_m}; }
Place operator*(double scale, const Place& a) { return {scale * a.x_m, scale * a.y_m, scale * a.z_m}; }

PixelNode operator+(const PixelNode& a, const PixelNode& b) {
    return {a.place + b.place, a.rise + b.rise, a.centroid_hz + b.centroid_hz, a.phase_cycles + b.phase_cycles, a.gain + b.gain};
}
PixelNode operator*(double scale, const PixelNode& a) {
    return {scale * a.place, scale * a.rise, scale * a.centroid_hz, scale * a.phase_cycles, scale * a.gain};
}

/// The next value of a cubic, from its last four, the last one first. Nodes outside the image are such, as nothing need be known there.
template <class T>
T next_of(const T& last, const T& before, const T& earlier, const T& first) {
    return 4.0 * last + -6.0 * before + 4.0 * earlier + -1.0 * first;
}
/// Puts one value before and two behind.
template <class T>
std::vector<T> continued(const std::vector<T>& inside) {
    std::vector<T> nodes{next_of(inside[0], inside[1], inside[2], inside[3])};
    nodes.insert(nodes.end(), inside.begin(), inside.end());
    for (int i = 0; i < 2; ++i) {
        const auto last = nodes.rbegin();
        nodes.push_back(next_of(last[0], last[1], last[2], last[3]));
    }
    return nodes;
}

/// By which the echo of a pixel comes later than geometry says.
double late_s(const Track& track, double time_s, double range_m) { return 2 / c_m_s * track.added_range_m(time_s, range_m); }

/// What is known of a pixel at any place of the grid, whole or not.
class Pixels {
public:
    Pixels(const Acquisition& echo, const ImagePlan& image)
        : echo_(echo), image_(image), track_(image.seen_from->track()), common_s_(common_delay_s(image)) {
        see_beam();
    }

    /// Where the pixel seems to be when its echo comes late, but for what all echoes do.
    Place place(double row, double column) const {
        const double time_s = image_.grid.time_s(row), range_m = image_.grid.range_m(column);
        const double later_s = late_s(track_, time_s, range_m) - common_s_;
        return later_s == 0 ? track_.place(time_s, range_m, 0) : place_of_later(time_s, range_m, later_s);
    }

    PixelNode node(double row, double column) const {
        constexpr double step_m = 10;
        const double time_s = image_.grid.time_s(row), range_m = image_.grid.range_m(column);
        const FormerParameters& parameters = image_.parameters;
        const double weight = echo_.prf_hz * parameters.azimuth_bandwidth_hz * parameters.azimuth_window.mean();
        const Place up = track_.place(time_s, range_m, step_m), down = track_.place(time_s, range_m, -step_m);
        return {.place = place(row, column),
                .rise = 1 / (2 * step_m) * (up + -1.0 * down),
                .centroid_hz = centroid_hz_(range_m, time_s),
                // A chirp's filter at a Doppler frequency takes that off from the leading edge on, and not from the middle (arrival).
                .phase_cycles =
                    (common_s_ - 2 * range_m / c_m_s) * echo_.carrier_hz + 0.5 * parameters.doppler_centroid_hz * echo_.chirp.duration_s,
                .gain = rate_hz_s_(range_m, time_s) / weight};
    }

    /// How far a place that should be another is off, from wherever it is looked at.
    double error_cycles(double row, double column, const Place& should_be, const Place& is) const {
        const double range_m = image_.grid.range_m(column), centroid_hz = image_.history.centroid_hz(range_m);
        double most_m = 0;
        for (const double part : {-0.5, 0.0, 0.5}) {
            const double f_hz = centroid_hz + part * image_.parameters.azimuth_bandwidth_hz;
            const Place antenna = track_.pulse_path(image_.grid.time_s(row) + image_.history.time_s(range_m, f_hz)).start;
            most_m = std::max(most_m, std::abs(distance_m(antenna, is) - distance_m(antenna, should_be)));
        }
        return 2 * most_m / c_m_s * echo_.carrier_hz;
    }

private:
    /// The place that has the delay and the Doppler frequency of such an echo in the beam's centre. Off it a nearer echo bends more than a
    /// late one, by a part of the delay's: 1e-6 cycles for some dm over a squinted aperture.
    Place place_of_later(double time_s, double range_m, double later_s) const {
        const PulsePath path = track_.pulse_path(time_s + beam_time_s_(range_m, time_s));
        const double rate_hz_s = rate_hz_s_(range_m, time_s);
        const Place itself = track_.place(time_s, range_m, 0);
        const double wanted_s = sent_delay_s(path, 0, itself) + later_s, wanted_hz = doppler_hz(path, 0, itself, echo_.carrier_hz);
        Place found = itself;
        for (int round = 0; round < 8; ++round) {
            range_m += 0.5 * c_m_s * (wanted_s - sent_delay_s(path, 0, found));
            time_s += (wanted_hz - doppler_hz(path, 0, found, echo_.carrier_hz)) / rate_hz_s;
            found = track_.place(time_s, range_m, 0);
        }
        return found;
    }

    /// When the beam's centre comes, centroid and FM rate, which change slowly.
    void see_beam() {
        constexpr int ranges = 10, times = 8;
        const ImageGrid& grid = image_.grid;
        const auto end = [](std::int64_t count) { return static_cast<double>(std::max<std::int64_t>(count, 2) - 1); };
        const double from_m = grid.range_m(0), to_m = grid.range_m(end(grid.columns)), from_s = grid.time_s(0),
                     to_s = grid.time_s(end(grid.rows));
        std::vector<ChebyshevSeries> beam_times, centroids, rates;
        for (const double range_m : chebyshev_points(from_m, to_m, ranges)) {
            std::vector<double> beam_time_s, centroid_hz, rate_hz_s;
            for (const double time_s : chebyshev_points(from_s, to_s, times)) {
                const BeamCentre centre = image_.seen_from->beam_centre(time_s, range_m);
                beam_time_s.push_back(centre.time_s);
                centroid_hz.push_back(centre.centroid_hz);
                rate_hz_s.push_back(centre.rate_hz_s);
            }
            beam_times.push_back(ChebyshevSeries::through(from_s, to_s, beam_time_s));
            centroids.push_back(ChebyshevSeries::through(from_s, to_s, centroid_hz));
            rates.push_back(ChebyshevSeries::through(from_s, to_s, rate_hz_s));
        }
        beam_time_s_ = ChebyshevSurface(from_m, to_m, beam_times);
        centroid_hz_ = ChebyshevSurface(from_m, to_m, centroids);
        rate_hz_s_ = ChebyshevSurface(from_m, to_m, rates);
    }

    const Acquisition& echo_;
    const ImagePlan& image_;
    const Track& track_;
    double common_s_;
    ChebyshevSurface beam_time_s_, centroid_hz_, rate_hz_s_;  // over range and zero-Doppler time
};

/// Nodes along one axis of the image, the first on its first pixel and the last on its last.
struct Nodes {
    std::int64_t intervals = 4;
    double step = 1;
    Nodes(std::int64_t pixels, std::int64_t count)
        : intervals(count), step(static_cast<double>(std::max<std::int64_t>(pixels - 1, 1)) / static_cast<double>(count)) {}
};

/// The largest error half-way between nodes along a row or column, whose places `place` gives.
template <class At, class Error>
double largest_error_cycles(const Nodes& nodes, const At& place, const Error& error_cycles) {
    std::vector<Place> inside;
    for (std::int64_t i = 0; i <= nodes.intervals; ++i) inside.push_back(place(static_cast<double>(i) * nodes.step));
    const std::vector<Place> all = continued(inside);
    double most = 0;
    for (std::int64_t i = 0; i < nodes.intervals; ++i) {
        double weight[4];
        cubic_weights(0.5, weight);
        Place between;
        for (std::size_t k = 0; k < 4; ++k) between = between + weight[k] * all[static_cast<std::size_t>(i) + k];
        const double at = (static_cast<double>(i) + 0.5) * nodes.step;
        most = std::max(most, error_cycles(at, place(at), between));
    }
    return most;
}

/// As few as hold the error along the edges and the middle. Nodes on every pixel have none.
template <class Error>
Nodes fewest_nodes(std::int64_t pixels, const Error& error_cycles) {
    std::int64_t intervals = 4;
    while (intervals < pixels - 1 && error_cycles(Nodes(pixels, intervals)) > largest_mesh_error_cycles) intervals *= 2;
    return {pixels, std::max<std::int64_t>(4, std::min(intervals, pixels - 1))};
}

std::array<double, 3> edges_and_middle(std::int64_t pixels) {
    const double last = static_cast<double>(pixels - 1);
    return {0, 0.5 * last, last};
}

Nodes nodes_over_columns(const Pixels& pixels, const ImageGrid& grid) {
    return fewest_nodes(grid.columns, [&](const Nodes& nodes) {
        double most = 0;
        for (const double row : edges_and_middle(grid.rows))
            most = std::max(most, largest_error_cycles(
                                      nodes, [&](double at) { return pixels.place(row, at); },
                                      [&](double at, const Place& a, const Place& b) { return pixels.error_cycles(row, at, a, b); }));
        return most;
    });
}

Nodes nodes_over_rows(const Pixels& pixels, const ImageGrid& grid) {
    return fewest_nodes(grid.rows, [&](const Nodes& nodes) {
        double most = 0;
        for (const double column : edges_and_middle(grid.columns))
            most = std::max(most, largest_error_cycles(
                                      nodes, [&](double at) { return pixels.place(at, column); },
                                      [&](double at, const Place& a, const Place& b) { return pixels.error_cycles(at, column, a, b); }));
        return most;
    });
}

}  // namespace

double common_delay_s(const ImagePlan& image) {
    const ImageGrid& grid = image.grid;
    return late_s(image.seen_from->track(), grid.time_s(0.5 * static_cast<double>(grid.rows - 1)),
                  grid.range_m(0.5 * static_cast<double>(grid.columns - 1)));
}

PixelMesh pixel_mesh(const Acquisition& echo, const ImagePlan& image) {
    const Pixels pixels(echo, image);
    const Nodes rows = nodes_over_rows(pixels, image.grid), columns = nodes_over_columns(pixels, image.grid);
    std::vector<std::vector<PixelNode>> inside(static_cast<std::size_t>(rows.intervals + 1));
#pragma omp parallel for
    for (std::int64_t i = 0; i <= rows.intervals; ++i) {
        std::vector<PixelNode> row;
        for (std::int64_t k = 0; k <= columns.intervals; ++k)
            row.push_back(pixels.node(static_cast<double>(i) * rows.step, static_cast<double>(k) * columns.step));
        inside[static_cast<std::size_t>(i)] = continued(row);
    }
    PixelMesh mesh{.rows = rows.intervals + 4,
                   .columns = columns.intervals + 4,
                   .row_step = rows.step,
                   .column_step = columns.step,
                   .nodes = std::vector<PixelNode>(static_cast<std::size_t>((rows.intervals + 4) * (columns.intervals + 4)))};
    for (std::int64_t k = 0; k < mesh.columns; ++k) {
        std::vector<PixelNode> column;
        for (const auto& row : inside) column.push_back(row[static_cast<std::size_t>(k)]);
        column = continued(column);
        for (std::int64_t i = 0; i < mesh.rows; ++i)
            mesh.nodes[static_cast<std::size_t>(i * mesh.columns + k)] = column[static_cast<std::size_t>(i)];
    }
    return mesh;
}

}  // namespace cornerturn
