// SPDX-License-Identifier: Apache-2.0
// How blocks of lines see pixels that lie off the smooth surface of a map.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "pipeline/formers/node_mesh.h"
#include "pipeline/formers/spotlight_passage.h"

namespace cornerturn {
namespace {

/// From edge to edge, with at most so many pixels each way.
MapGrid thinned(MapGrid grid, std::int64_t most) {
    const auto thin = [=](std::int64_t& count, double& step) {
        if (count <= most) return;
        step *= static_cast<double>(count - 1) / static_cast<double>(most - 1);
        count = most;
    };
    thin(grid.rows, grid.y_step);
    thin(grid.columns, grid.x_step);
    return grid;
}

}  // namespace

NodeGround node_ground(const MapView& map) {
    constexpr std::int64_t most = 1025;  // places each way
    const std::shared_ptr<const MapGround>& ground = map.ground;
    if (!ground->has_relief()) return {ground, 0};
    const auto even = ground->evened(map.grid);
    const AccumulationGeometry some{.paths = {}, .pixels = {}, .relief_m = even->relief_m(thinned(map.grid, most))};
    return {even, std::max(some.largest_relief_m(), 1e-3)};
}

/// Throws InputError where there is no place of the smooth surface to read the pixel at.
RaisedRead SpotlightPassage::read_of(const Block& block, const MapPlace& at, double height_m, double half_band) const {
    struct Surface {
        const SpotlightPassage& passage;
        Place place(double row, double column) const { return passage.place({row, column}); }
        Arrival arrive(std::int64_t line, const Place& place) const { return passage.arrive_at(line, place); }
    };
    const MapGround::Point point = ground(at);
    const RaisedRead read = raised_read(Surface{*this}, {block.first, block.middle, block.last}, half_band,
                                        point.place + height_m * point.up, at.row, at.column);
    if (!read.found) throw InputError(no_place_to_read);
    return read;
}

void SpotlightPassage::look_beside() {
    constexpr double spare = 1.2;
    const std::int64_t lines = std::max<std::int64_t>(2, echo_.lines / looks_along_track);
    for (const Block& block : blocks(lines))
        for (const MapPlace& at : places(0, 0))
            for (const double height_m : {-nodes_.highest_m, nodes_.highest_m}) {
                const RaisedRead read = read_of(block, at, height_m, 1);
                beside_ = {std::max(beside_.rows, spare * std::abs(read.row - at.row) + 2),
                           std::max(beside_.columns, spare * std::abs(read.column - at.column) + 2)};
            }
}

/// What the phases of bend and twist leave of those between the lines that tell them; what the polynomial leaves of
/// such a filter; and the bend's own change over the range band, along which a line's place in the band changes as its
/// phase does.
double SpotlightPassage::height_error(const Block& block, const MapPlace& at, double height_m) const {
    constexpr int looks = 16;
    const Place here = ground(at).place + height_m * ground(at).up;
    const auto parted = [&](std::int64_t line, const Place& place) {
        return arrive_at(line, place).cycles - arrive_at(block.middle, place).cycles;
    };
    // The band by its ends, in cycles per row.
    const double column_behind = column_in(block.middle, at.row + 1, at),
                 column_before = column_in(block.middle, at.row - 1, at);
    const Place behind = place({at.row + 1, column_behind}), before = place({at.row - 1, column_before});
    const auto cycles_per_row = [&](std::int64_t line) { return 0.5 * (parted(line, behind) - parted(line, before)); };
    const double half_band = std::max(std::abs(cycles_per_row(block.first)), std::abs(cycles_per_row(block.last)));
    if (!(half_band > 0)) return 0;
    const RaisedRead read = read_of(block, at, height_m, half_band);
    const Place node = place({read.row, read.column});
    const double weight[response_terms] = {1, 1, 1, 1};
    const BlockResponse<double> response = block_response(weight, read.turn.bend_rad, read.turn.twist_rad);
    const double range_part = 0.5 * echo_.chirp.bandwidth_hz() / echo_.carrier_hz;
    double square = 0;
    for (int look = 0; look <= looks; ++look) {
        const std::int64_t line = block.first + (block.last - block.first) * look / looks;
        const double p = cycles_per_row(line) / half_band,
                     rad = 2 * std::numbers::pi * (parted(line, here) - parted(line, node)),
                     of_band = rad * range_part / std::numbers::sqrt3;
        // Odd moments have a factor j in the response.
        const double re = response.re[0] + p * response.im[1] + p * p * (response.re[2] + p * response.im[3]),
                     im = response.im[0] - p * response.re[1] + p * p * (response.im[2] - p * response.re[3]);
        square += std::pow(re - std::cos(rad), 2) + std::pow(im - std::sin(rad), 2) + of_band * of_band;
    }
    return std::sqrt(square / (looks + 1));
}

double SpotlightPassage::height_error(std::int64_t block_lines) const {
    double most = 0;
    for (const Block& block : blocks(block_lines))
        for (const MapPlace& at : places(0, 0))
            for (const double height_m : {-nodes_.highest_m, nodes_.highest_m})
                most = std::max(most, height_error(block, at, height_m));
    return most;
}

double SpotlightPassage::height_law_error_cycles() const {
    const double highest_m = nodes_.highest_m;
    if (!(highest_m > 0)) return 0;
    double most = 0;
    for (const std::int64_t line : {std::int64_t{0}, echo_.lines / 2, echo_.lines - 1})
        for (const MapPlace& at : places(0, 0)) {
            const MapGround::Point point = ground(at);
            const auto cycles = [&](double height_m) {
                return arrive_at(line, point.place + height_m * point.up).cycles;
            };
            std::vector<double> values;
            for (const double height_m : chebyshev_points(-highest_m, highest_m, height_terms))
                values.push_back(cycles(height_m));
            const ChebyshevSeries law = ChebyshevSeries::through(-highest_m, highest_m, values);
            for (const double part : {-1.0, -0.75, -0.25, 0.25, 0.75, 1.0})
                most = std::max(most, std::abs(law(part * highest_m) - cycles(part * highest_m)));
        }
    return most;
}

std::int64_t SpotlightPassage::longest_of_heights(double most_error) const {
    constexpr double shorter = 0.85;
    std::int64_t lines = echo_.lines;
    while (lines > 2 && !(height_error(lines) <= most_error))
        lines = static_cast<std::int64_t>(shorter * static_cast<double>(lines));
    return std::max<std::int64_t>(lines, 2);
}

}  // namespace cornerturn
