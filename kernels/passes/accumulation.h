// SPDX-License-Identifier: Apache-2.0
// Time-domain back-projection: every pixel is the sum over the lines of what the compressed line holds at the delay of
// its place, each with the phase of its way taken off (Cumming & Wong 2005, sec. 2.7 has it as the matched filter that
// all others approximate).
//     image = gain exp(j 2 pi phase) sum over lines w((f - f_dc) / B) line(cell) exp(j 2 pi cycles)
// Nothing stops and goes, nothing is straight or level: delays are exact, for any path of the antenna and any place.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/math/two_way_delay.h"
#include "kernels/passes/echo_format.h"
#include "kernels/passes/image_pixel.h"

namespace cornerturn {

/// What back-projection has to know of lines that were compressed by a filter for chirps with the Doppler frequency
/// filter_doppler_hz.
struct CompressedTiming {
    double carrier_hz = 0;
    double chirp_duration_s = 0;
    double chirp_inverse_slope_s2 = 0;  ///< 1 / K, signed; 0: a pulse that no Doppler frequency moves within itself
    double filter_doppler_hz = 0;
    double first_cell_s = 0;  ///< delay from transmission to the leading edge of what is compressed into cell 0
    double cell_rate_hz = 0;  ///< of the cells, which may be finer than the samples were
};

/// 1 / sqrt(x) by two steps of Newton's from single precision: a GPU has neither root nor division in double precision.
CT_HOST_DEVICE double inverse_root(double x) {
    double root = static_cast<double>(1.0f / std::sqrt(static_cast<float>(x)));
    root *= 1.5 - 0.5 * x * root * root;
    return root * (1.5 - 0.5 * x * root * root);
}

/// Distance of the antenna from a place at a time, and its change over the speed of light, of the antenna itself and by
/// how much more of the even flight (PulsePath::evener_s).
struct Passage {
    double distance_m, receding_c, evener_c;
};
CT_HOST_DEVICE Passage passage(const PulsePath& path, double time_s, const Place& place) {
    const Place here = path.at(time_s);
    const double x = here.x_m - place.x_m, y = here.y_m - place.y_m, z = here.z_m - place.z_m;
    const double square = x * x + y * y + z * z, inverse = inverse_root(square), twice_s = 2 * time_s;
    const double along = x * (path.velocity_s.x_m + twice_s * path.curve_s2.x_m) +
                         y * (path.velocity_s.y_m + twice_s * path.curve_s2.y_m) +
                         z * (path.velocity_s.z_m + twice_s * path.curve_s2.z_m);
    const double evener = x * path.evener_s.x_m + y * path.evener_s.y_m + z * path.evener_s.z_m;
    return {square * inverse, along * inverse * (1 / c_m_s), evener * inverse * (1 / c_m_s)};
}

/// Where and how a place shows in a compressed line.
struct Arrival {
    double cell = 0;
    double cycles = 0;  ///< to be added to the phase of the line there
    double row_hz = 0;  ///< along rows of the image, absolute: the Doppler frequency, in even flight
};

/// A Doppler frequency f moves a pulse within itself by -(f - filter_doppler) / K, where the phase then is -f0 tau -
/// (f^2 - filter_doppler^2) / 2K, tau the delay of what left in the middle of the pulse. One step of Newton's from
/// twice the way there solves c tau = |P(t) - X| + |P(t + tau) - X|: the start is off by some 1e-7 s, what is left by
/// 1e-21. Speeds are so far below that of light that 1 + b + b^2 is 1 / (1 - b) to 1e-12 of what is small anyway.
CT_HOST_DEVICE Arrival arrival(const CompressedTiming& timing, const PulsePath& path, const Place& place) {
    constexpr double per_c = 1 / c_m_s;
    const double sent_s = 0.5 * timing.chirp_duration_s;
    const Passage sent = passage(path, sent_s, place);
    const double about_s = 2 * sent.distance_m * per_c;
    const Passage about = passage(path, sent_s + about_s, place);
    const double late_s = (sent.distance_m + about.distance_m) * per_c - about_s;
    const double delay_s = about_s + late_s * (1 + about.receding_c * (1 + about.receding_c));
    // -f0 tau' by the time of reception; the speed changes by a millionth of a millionth within the step.
    const double f_hz =
        -timing.carrier_hz * (sent.receding_c + about.receding_c) * (1 - sent.receding_c * (1 - sent.receding_c));
    const double beyond_hz = f_hz - timing.filter_doppler_hz;
    const double window_s = timing.first_cell_s + path.opens_s;
    return {.cell = (delay_s - beyond_hz * timing.chirp_inverse_slope_s2 - window_s) * timing.cell_rate_hz,
            .cycles = timing.carrier_hz * delay_s +
                      0.5 * beyond_hz * (f_hz + timing.filter_doppler_hz) * timing.chirp_inverse_slope_s2,
            .row_hz = f_hz - 2 * timing.carrier_hz * sent.evener_c};
}

/// What a pixel is, at a place of the image.
struct PixelNode {
    Place place;              ///< ECEF
    Place rise;               ///< change of the place per metre of relief
    double centroid_hz = 0;   ///< about which the Doppler window lies
    double phase_cycles = 0;  ///< of the sum: -2 R0 / lambda on a zero-Doppler grid
    double gain = 0;          ///< of the sum
};

/// Nodes [row][column] over the image, cubic between: node (i, k) lies at row (i - 1) row_step and column (k - 1)
/// column_step, so that one row and column of them lie before the image and at least two behind its last pixel's cell.
struct PixelMesh {
    std::int64_t rows = 0, columns = 0;  ///< of nodes
    double row_step = 0, column_step = 0;
    std::vector<PixelNode> nodes;
};

/// Weights of the cubic through four nodes at -1, 0, 1, 2.
CT_HOST_DEVICE void cubic_weights(double x, double (&weight)[4]) {
    weight[0] = -x * (x - 1) * (x - 2) / 6;
    weight[1] = (x + 1) * (x - 1) * (x - 2) / 2;
    weight[2] = -(x + 1) * x * (x - 2) / 2;
    weight[3] = (x + 1) * x * (x - 1) / 6;
}

struct PixelMeshView {
    std::int64_t rows, columns;
    double row_step, column_step;
    const PixelNode* nodes;

    /// At a row and column of the image, whole or not, within it.
    CT_HOST_DEVICE PixelNode at(double row, double column) const {
        double wr[4], wc[4];
        const std::int64_t i = cell(row / row_step, rows, wr), k = cell(column / column_step, columns, wc);
        PixelNode sum;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                const PixelNode& node = nodes[(i + a) * columns + k + b];
                const double w = wr[a] * wc[b];
                sum.place = {sum.place.x_m + w * node.place.x_m, sum.place.y_m + w * node.place.y_m,
                             sum.place.z_m + w * node.place.z_m};
                sum.rise = {sum.rise.x_m + w * node.rise.x_m, sum.rise.y_m + w * node.rise.y_m,
                            sum.rise.z_m + w * node.rise.z_m};
                sum.centroid_hz += w * node.centroid_hz;
                sum.phase_cycles += w * node.phase_cycles;
                sum.gain += w * node.gain;
            }
        return sum;
    }

private:
    CT_HOST_DEVICE static std::int64_t cell(double at, std::int64_t nodes, double (&weight)[4]) {
        std::int64_t first = static_cast<std::int64_t>(std::floor(at));
        first = first < 0 ? 0 : first > nodes - 4 ? nodes - 4 : first;
        cubic_weights(at - static_cast<double>(first), weight);
        return first;
    }
};
inline PixelMeshView view_of(const PixelMesh& mesh) {
    return {mesh.rows, mesh.columns, mesh.row_step, mesh.column_step, mesh.nodes.data()};
}

/// Places of an image's rows and columns and of those around it.
struct PlacesAround {
    PixelMesh mesh;
    double rows = 0, columns = 0;  ///< by which it begins before the image
};

CT_HOST_DEVICE Place raised(const PixelNode& pixel, double relief_m) {
    return {pixel.place.x_m + relief_m * pixel.rise.x_m, pixel.place.y_m + relief_m * pixel.rise.y_m,
            pixel.place.z_m + relief_m * pixel.rise.z_m};
}

/// Weight over (f - f_dc) / B from -reach to reach, straight between its entries, 0 beyond.
struct DopplerWindow {
    double bandwidth_hz = 0;
    double reach = 0;
    std::vector<float> weight;  ///< at least two; empty: every line weighs 1
};
struct DopplerWindowView {
    double per_hz, middle, last;  ///< index = middle + per_hz (f - f_dc)
    const float* weight;          ///< nullptr: 1

    CT_HOST_DEVICE double at(double offset_hz) const {
        if (weight == nullptr) return 1;
        const double index = middle + per_hz * offset_hz;
        if (!(index >= 0 && index < last)) return 0;
        const auto i = static_cast<std::int64_t>(index);
        const double part = index - static_cast<double>(i), here = weight[i], next = weight[i + 1];
        return here + part * (next - here);
    }
};
inline DopplerWindowView view_of(const DopplerWindow& window, const float* weight) {
    if (window.weight.empty()) return {0, 0, 0, nullptr};
    const double last = static_cast<double>(window.weight.size() - 1);
    return {0.5 * last / (window.reach * window.bandwidth_hz), 0.5 * last, last, weight};
}

/// A compressed line between its cells: straight; beyond them there is nothing.
template <class Real>
CT_HOST_DEVICE Complex<double> between_cells(const Complex<Real>* line, std::int64_t cells, double cell) {
    const double below = std::floor(cell), part = cell - below;
    if (!(below >= -1 && below < static_cast<double>(cells))) return {0, 0};
    const auto i = static_cast<std::int64_t>(below);
    const Complex<double> here = i >= 0 ? Complex<double>{line[i].re, line[i].im} : Complex<double>{0, 0};
    const Complex<double> next =
        i + 1 < cells ? Complex<double>{line[i + 1].re, line[i + 1].im} : Complex<double>{0, 0};
    return {here.re + part * (next.re - here.re), here.im + part * (next.im - here.im)};
}

/// A pixel's sum over some of the lines, by the definition above.
template <class Real>
CT_HOST_DEVICE Complex<double> accumulated_pixel(const CompressedTiming& timing, const DopplerWindowView& window,
                                                 const PulsePath* paths, const Complex<Real>* compressed,
                                                 std::int64_t cells, IndexRange lines, const PixelNode& pixel,
                                                 double relief_m) {
    const Place place = raised(pixel, relief_m);
    Complex<double> sum{0, 0};
    for (std::int64_t line = lines.first; line < lines.last; ++line) {
        const Arrival at = arrival(timing, paths[line], place);
        const double weight = window.at(at.row_hz - pixel.centroid_hz);
        if (weight == 0) continue;
        sum =
            sum + weight * (between_cells(compressed + line * cells, cells, at.cell) * unit_phasor<double>(at.cycles));
    }
    return pixel.gain * (sum * unit_phasor<double>(pixel.phase_cycles));
}

/// The lines in which the window may hold a place: its Doppler frequency falls from line to line.
CT_HOST_DEVICE IndexRange lines_seen(const CompressedTiming& timing, const DopplerWindowView& window,
                                     const PulsePath* paths, std::int64_t lines, const Place& place,
                                     double centroid_hz) {
    if (window.weight == nullptr) return {0, lines};
    const double half_hz = window.middle / window.per_hz;
    const auto first_below = [&](double limit_hz) {
        std::int64_t above = -1, below = lines;
        while (below - above > 1) {
            const std::int64_t middle = above + (below - above) / 2;
            (arrival(timing, paths[middle], place).row_hz < limit_hz ? below : above) = middle;
        }
        return below;
    };
    return {first_below(centroid_hz + half_hz), first_below(centroid_hz - half_hz)};
}

/// Whether a pixel is made: others are zero. nullptr: all are.
CT_HOST_DEVICE bool is_covered(const Interval* covered_rows, std::int64_t row, std::int64_t column) {
    return covered_rows == nullptr || (row >= covered_rows[column].first && row < covered_rows[column].last);
}

/// What takes time and room to be made.
struct AccumulationGeometry {
    std::vector<PulsePath> paths;  ///< of the antenna, one for each line, from the moment its pulse begins to leave
    PixelMesh pixels;
    PlacesAround around = {};          ///< of factorised sums; empty: the mesh of the pixels goes on by itself
    std::vector<float> relief_m = {};  ///< [row][column] of the image, along the `rise` of its pixels; empty: none

    /// How far it reaches up or down.
    double largest_relief_m() const;
    /// Of the pixel that is `number` row by row.
    double relief_at_m(std::int64_t number) const {
        return relief_m.empty() ? 0.0 : static_cast<double>(relief_m[static_cast<std::size_t>(number)]);
    }
};

/// in: lines x cells, native, compressed in range. out: rows x columns, native.
/// Lines are straight between cells and zero outside: oversample them.
struct Accumulation {
    static constexpr std::string_view title = "back-projection";

    std::int64_t lines = 0;
    std::int64_t cells = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    CompressedTiming timing;
    DopplerWindow window;
    std::vector<Interval> covered_rows;  ///< of each column; others are zero. Empty: all are covered
    /// Of which the sum is asked for, in any order, each once: a device may leave the others zero. None: all.
    std::optional<std::vector<ImagePixel>> asked = {};
    /// Of the image to the same sum in double precision: how coarse the approximations within a tile of pixels may be.
    double signal_to_error_db = 100;
    double occupied = 0.5;    ///< bandwidth of the compressed lines, of the cell rate
    double pixel_pulses = 0;  ///< pixels times the lines that the window weighs, about: what it costs
    /// Called when a device makes the step ready.
    std::function<AccumulationGeometry()> geometry;
    std::size_t geometry_bytes = 0;  ///< about what that takes

    bool covers(std::int64_t row, std::int64_t column) const {
        return is_covered(covered_rows.empty() ? nullptr : covered_rows.data(), row, column);
    }
};

}  // namespace cornerturn
