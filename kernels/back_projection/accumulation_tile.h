// SPDX-License-Identifier: Apache-2.0
// Back-projection tile by tile. Within a small tile of pixels, cell and phase of an arrival are polynomials of low
// degree, found in double precision for each line; what a pixel then needs is single precision. Lines are taken in
// blocks. The polynomial of a block's middle line, which holds every large phase, is the block's frame: it is left
// out of the sums and applied to them where blocks change, so that each line adds a small phase only.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/back_projection/tile_heights.h"
#include "kernels/back_projection/tiled_image.h"
#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// How the phase that a line adds to the frame changes along a tile.
enum class AlongPhase : std::uint8_t {
    in_cells,  ///< in proportion to range, so that the cells hold it: for images whose lines of pixels follow range
               ///< closely
    straight,  ///< a straight line of phasors from one end of the tile to the other, with the changes of what bends: as
               ///< long as that is short
    stepped,   ///< from pixel to pixel by a recurrence, with the changes of what bends: for any image
    curved  ///< likewise, by steps that grow evenly: with what bends along the tile differently across it, as it does
            ///< near the antenna
};
/// Most that the phase that curves may reach at either end of a tile: its square is left out of the steps' recurrence.
inline constexpr double largest_curve_cycles = 5e-4;
/// How the frame of a block of lines is known.
enum class Framing : std::uint8_t {
    quadratic,  ///< over the tile, and in proportion to heights
    quartic,    ///< of fourth degree over the tile, where it lies level
    followed,   ///< a quadratic, and what each pixel has beyond it: a parabola over a segment of lines
    exact       ///< for each pixel, by its arrival in the block's middle
};

/// Most that the phase of a line may change from pixel to pixel beyond the frame, where it is stepped over so many of
/// them at once: steps are then below 0.4, for which a short series holds.
constexpr double largest_step_cycles(int pixels) { return 0.06 / pixels; }

/// Places at which arrivals are found for a tile: its centre, the middles of its edges, two corners, the other two, and
/// the centre raised by a metre.
inline constexpr int tile_points = 10, points_of_slopes = 5, points_of_quadratic = 7, points_of_biquadratic = 9,
                     raised_point = 9;
/// Whether phase goes from pixel to pixel by steps.
CT_HOST_DEVICE constexpr bool steps(AlongPhase along) {
    return along == AlongPhase::stepped || along == AlongPhase::curved;
}
/// How many of them a line needs.
CT_HOST_DEVICE constexpr int points_for(AlongPhase along) {
    return along == AlongPhase::in_cells ? points_of_slopes
           : along == AlongPhase::curved ? points_of_biquadratic
                                         : points_of_quadratic;
}

/// Through the values `of(i)` at points of a tile: with those of slopes two parabolas, with those of a quadratic that
/// which is the mean of both corners, with all nine the surface through them.
template <int Points, class Value>
CT_HOST_DEVICE TileSurface surface_through(const TileScale& scale, const Value& of) {
    const double centre = of(0), left = of(1) - centre, right = of(2) - centre, low = of(3) - centre,
                 high = of(4) - centre;
    TileSurface q{.value = centre,
                  .x = (right - left) * scale.slope_x,
                  .y = (high - low) * scale.slope_y,
                  .xx = (right + left) * scale.bend_x,
                  .yy = (high + low) * scale.bend_y};
    if constexpr (Points == points_of_quadratic)
        q.xy = ((of(5) - centre) + (of(6) - centre) - (left + right + low + high)) * scale.twist;
    if constexpr (Points >= points_of_biquadratic) {
        const double below_left = of(5) - centre, above_right = of(6) - centre, above_left = of(7) - centre,
                     below_right = of(8) - centre;
        q.xy = 0.5 * ((below_left + above_right) - (above_left + below_right)) * scale.twist;
        q.xyy =
            ((above_right + below_right - above_left - below_left) - 2 * (right - left)) * scale.slope_x * scale.bend_y;
        q.xxy =
            ((above_right + above_left - below_right - below_left) - 2 * (high - low)) * scale.slope_y * scale.bend_x;
        q.xxyy = ((above_right + above_left + below_right + below_left) - 2 * (left + right + low + high)) *
                 scale.bend_x * scale.bend_y;
    }
    return q;
}

struct TilePoint {
    Place place;
    double centroid_hz = 0;
    double phase_cycles = 0;
    double gain = 0;
};
CT_HOST_DEVICE TilePoint tile_point(const TiledImage& image, const PixelMeshView& mesh, double centre_x,
                                    double centre_y, int point, const TileHeights& heights = {}) {
    const double x = point == 1 || point == 5 || point == 7 ? -1 : point == 2 || point == 6 || point == 8 ? 1 : 0;
    const double y = point == 3 || point == 5 || point == 8 ? -1 : point == 4 || point == 6 || point == 7 ? 1 : 0;
    const double at_x = x * image.half_across(), at_y = y * image.half_along();
    const PixelNode node = image.node_of_tile(mesh, centre_x, centre_y, at_x, at_y);
    const double relief_m = heights.surface_m.at(at_x, at_y) + (point == raised_point ? 1 : 0);
    return {raised(node, relief_m), node.centroid_hz, node.phase_cycles, node.gain};
}

/// A line as a tile sees it.
struct TileLine {
    double cell = 0, cell_x = 0, cell_y = 0;
    TileSurface cycles;      ///< the pixels' own phase is not in it
    TileSurface offset_hz;   ///< Doppler frequency less the pixel's centroid; bent where corners are known
    double rise_cycles = 0;  ///< per metre of height

    /// What a pixel's phase has beyond what is linear, as the frame knows it.
    CT_HOST_DEVICE double bend(double x, double y, double height_m) const {
        return cycles.bend(x, y) + rise_cycles * height_m;
    }
    /// And beyond that, of an arrival at the pixel.
    CT_HOST_DEVICE double beyond(double at_pixel_cycles, double x, double y, double height_m) const {
        return at_pixel_cycles - cycles.value - cycles.x * x - cycles.y * y - bend(x, y, height_m);
    }
};
/// `at[i]` is the arrival from point i; `Points` of them, with the raised one apart.
template <int Points>
CT_HOST_DEVICE TileLine tile_line(const TileScale& scale, const Arrival* at, std::int64_t stride,
                                  const TilePoint* points) {
    const auto of = [&](int i) -> const Arrival& { return at[i * stride]; };
    TileLine line;
    line.cell = of(0).cell;
    line.cell_x = (of(2).cell - of(1).cell) * scale.slope_x;
    line.cell_y = (of(4).cell - of(3).cell) * scale.slope_y;
    line.cycles = surface_through<Points>(scale, [&](int i) { return of(i).cycles; });
    line.offset_hz = surface_through<Points>(scale, [&](int i) { return of(i).row_hz - points[i].centroid_hz; });
    if constexpr (Points < points_of_quadratic) line.offset_hz.xx = line.offset_hz.yy = 0;
    return line;
}
/// A phase over a tile by its values at five by five places, evenly from edge to edge: a polynomial of fourth degree in
/// either direction, over places from -1 to 1.
inline constexpr int quartic_nodes = 5;
/// By which the value at a node counts in the coefficient of a power.
CT_HOST_DEVICE double quartic_weight(int power, int node) {
    constexpr double weight[quartic_nodes][quartic_nodes] = {{0, 0, 1, 0, 0},
                                                             {1.0 / 6, -8.0 / 6, 0, 8.0 / 6, -1.0 / 6},
                                                             {-1.0 / 6, 16.0 / 6, -5, 16.0 / 6, -1.0 / 6},
                                                             {-2.0 / 3, 4.0 / 3, 0, -4.0 / 3, 2.0 / 3},
                                                             {2.0 / 3, -8.0 / 3, 4, -8.0 / 3, 2.0 / 3}};
    return weight[power][node];
}
/// At a place from -1 to 1 either way, of the values `of(node_x, node_y)`.
template <class Value>
CT_HOST_DEVICE double quartic_at(double x, double y, const Value& of) {
    const auto through = [](double at, const auto& value) {
        double sum = 0;
        for (int power = quartic_nodes; power-- > 0;) {
            double coefficient = 0;
            for (int node = 0; node < quartic_nodes; ++node) coefficient += quartic_weight(power, node) * value(node);
            sum = sum * at + coefficient;
        }
        return sum;
    };
    return through(x, [&](int node_x) { return through(y, [&](int node_y) { return of(node_x, node_y); }); });
}
/// Where a node lies.
CT_HOST_DEVICE Place quartic_place(const TiledImage& image, const PixelMeshView& mesh, double centre_x, double centre_y,
                                   int node_x, int node_y) {
    const auto part = [](int node) { return 2.0 * node / (quartic_nodes - 1) - 1; };
    return image
        .node_of_tile(mesh, centre_x, centre_y, part(node_x) * image.half_across(), part(node_y) * image.half_along())
        .place;
}
/// How the frame of a block is known where what a line adds is, too.
CT_HOST_DEVICE Framing framing_of(AlongPhase along, std::int64_t segment_lines) {
    return segment_lines > 0 ? Framing::followed : along == AlongPhase::curved ? Framing::quartic : Framing::quadratic;
}

/// Of a line of a block. What bends is that of the block's middle, where lines are not looked at so closely.
CT_HOST_DEVICE TileSurface offset_of(AlongPhase along, const TileLine& line, const TileLine& middle) {
    TileSurface offset_hz = along == AlongPhase::curved ? line.offset_hz : middle.offset_hz;
    offset_hz.value = line.offset_hz.value;
    offset_hz.x = line.offset_hz.x;
    offset_hz.y = line.offset_hz.y;
    return offset_hz;
}
/// With the arrival from the raised point behind the others.
template <int Points>
CT_HOST_DEVICE TileLine whole_tile_line(const TileScale& scale, const Arrival* at, std::int64_t stride,
                                        const TilePoint* points) {
    TileLine line = tile_line<Points>(scale, at, stride, points);
    line.rise_cycles = at[Points * stride].cycles - at[0].cycles;
    return line;
}
/// The point whose arrival stands at place `i` of those.
template <int Points>
CT_HOST_DEVICE constexpr int point_at(int i) {
    return i < Points ? i : raised_point;
}
/// How the cells of a line follow what bends at a block's middle, which heights are most of.
enum class CellBends : std::uint8_t {
    along,  ///< as pixels that are moved along the tile: one step less for each pixel and line
    apart   ///< as cells that are added: over hills, where what changes along the tile is not what changes with heights
};
/// What a line adds to the frame of its block: cycles over the cells from the tile's centre, which a table of cells can
/// hold, and over pixels. The cells c = cell_x x + cell_y y + what bends and rises: they take what changes with the
/// height, and on level ground the square of y, y^2 = (c / cell_y)^2 - 2 s x y - s^2 x^2 with s = cell_x / cell_y. A
/// table that turns from cell to cell errs between them, in the mean by nothing (between_turned_cells).
struct AddedPhase {
    double per_cell = 0, per_cell2 = 0;
    double bends = 1;  ///< the cells, as many times as at the block's middle
    TileSurface pixels = {};

    CT_HOST_DEVICE double over_cells(double cell) const { return cell * (per_cell + cell * per_cell2); }
    CT_HOST_DEVICE double over_pixels(double at_x, double at_y) const { return pixels.at(at_x, at_y); }
};
/// A line w of the way between two cells a and b of a table that turns by `turn` from one to the next is off the line
/// that turns all the way by j turn w (1 - w) (b - a): by a sixth of j turn (b - a) in the mean, which this takes off.
template <class Real>
CT_HOST_DEVICE Complex<Real> between_turned_cells(const Real& turn, const Real& change_re, const Real& change_im) {
    const Real sixth = turn * (1.0f / 6);
    return {sixth * change_im, -sixth * change_re};
}
/// Whether it does: on level ground tables of sums whose phase is stepped turn too little.
CT_HOST_DEVICE constexpr bool turns_between_cells(AlongPhase along, CellBends bends) {
    return !steps(along) || bends == CellBends::apart;
}
/// Root of the mean square of w (1 - w), or of what it is off its mean.
CT_HOST_DEVICE constexpr double left_between_cells(AlongPhase along, CellBends bends) {
    return turns_between_cells(along, bends) ? 0.0745 : 0.1826;
}
/// Whether what changes with heights that reach so far is worth the table's turn.
CT_HOST_DEVICE bool heights_matter(double half_m, double cells_per_m) {
    constexpr double cells_that_matter = 0.3;
    return half_m * std::fabs(cells_per_m) > cells_that_matter;
}
/// `half_m`: how far heights reach, where phase is stepped.
CT_HOST_DEVICE AddedPhase added_phase(AlongPhase along, CellBends bends, const TileLine& line, const TileLine& middle,
                                      double cells_per_cycle, double half_m) {
    const double more_x = line.cycles.x - middle.cycles.x, more_y = line.cycles.y - middle.cycles.y;
    const bool rises = steps(along) && heights_matter(half_m, middle.rise_cycles * cells_per_cycle);
    const double rise = rises ? line.rise_cycles / middle.rise_cycles : 1;
    AddedPhase added;
    added.bends = bends == CellBends::along ? line.cell_y / middle.cell_y : rise;
    added.per_cell = !steps(along) ? more_y / line.cell_y : rises ? (rise - 1) / (added.bends * cells_per_cycle) : 0;
    added.pixels.x = more_x - added.per_cell * line.cell_x;
    added.pixels.y = more_y - added.per_cell * line.cell_y;
    if (along == AlongPhase::in_cells) return added;
    const double in_cells = steps(along) ? rise : 1 + added.per_cell * added.bends * cells_per_cycle;
    added.pixels.xx = line.cycles.xx - in_cells * middle.cycles.xx;
    added.pixels.xy = line.cycles.xy - in_cells * middle.cycles.xy;
    added.pixels.yy = line.cycles.yy - in_cells * middle.cycles.yy;
    added.pixels.xxy = line.cycles.xxy - in_cells * middle.cycles.xxy;
    added.pixels.xyy = line.cycles.xyy - in_cells * middle.cycles.xyy;
    added.pixels.xxyy = line.cycles.xxyy - in_cells * middle.cycles.xxyy;
    if (along == AlongPhase::curved && rises) return added;
    const double per_y = 1 / line.cell_y, slant = line.cell_x * per_y, yy = added.pixels.yy;
    added.per_cell2 = yy * per_y * per_y;
    added.pixels.xx -= yy * slant * slant;
    added.pixels.xy -= 2 * yy * slant;
    added.pixels.yy = 0;
    return added;
}
/// A line at a pixel, from cell and phase of the centre on, as a device has it; `bent` is what of the frame is not
/// linear, in cycles.
struct SeenPixel {
    double cell, cycles;
};
CT_HOST_DEVICE SeenPixel seen_pixel(AlongPhase along, const TileLine& line, const TileLine& middle,
                                    const AddedPhase& added, double cells_per_cycle, double x, double y, double bent) {
    double cell = line.cell_x * x + line.cell_y * y + added.bends * bent * cells_per_cycle;
    if (along != AlongPhase::in_cells)
        cell += cells_per_cycle * x *
                ((line.cycles.xx - added.bends * middle.cycles.xx) * x +
                 (line.cycles.xy - added.bends * middle.cycles.xy) * y);
    return {cell, middle.cycles.x * x + middle.cycles.y * y + bent + added.over_cells(cell) + added.over_pixels(x, y)};
}
/// Cells that a tile needs of a line: four more for what bends over level ground, and for the halves at either end.
CT_HOST_DEVICE double cells_of(const TileShape& tile, const TileLine& line, const TileHeights& heights,
                               double cells_per_cycle) {
    return std::fabs(line.cell_x) * tile.across + std::fabs(line.cell_y) * tile.along +
           2 * heights.off_plane_m(tile) * std::fabs(line.rise_cycles) * cells_per_cycle + 4;
}
/// What is left of a phase when whole cycles are taken away.
CT_HOST_DEVICE double fraction_of(double cycles) { return cycles - std::floor(cycles + 0.5); }

/// A phase over a tile that changes by many cycles from pixel to pixel: per pixel in 2^-32 cycles, of which whole ones
/// drop out by themselves; what bends in cycles.
CT_HOST_DEVICE std::uint32_t in_turns(double cycles) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::floor(fraction_of(cycles) * 4294967296.0 + 0.5)));
}
/// Less than a cycle, in 2^-32 cycles.
CT_HOST_DEVICE std::uint32_t in_turns(float cycles) {
    const float fraction = cycles - std::floor(cycles + 0.5f);
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(fraction < 0.5f ? fraction * 0x1p32f : 0.0f));
}
struct TileFrame {
    std::uint32_t x = 0, y = 0;
    float xx = 0, xy = 0, yy = 0, xxy = 0, xyy = 0, xxyy = 0;

    CT_HOST_DEVICE float bend(float at_x, float at_y) const {
        return at_x * (at_x * (xx + at_y * (xxy + at_y * xxyy)) + at_y * (xy + at_y * xyy)) + at_y * at_y * yy;
    }
};
CT_HOST_DEVICE TileFrame tile_frame(const TileSurface& q) {
    const auto f = [](double cycles) { return static_cast<float>(cycles); };
    return {in_turns(q.x), in_turns(q.y), f(q.xx), f(q.xy), f(q.yy), f(q.xxy), f(q.xyy), f(q.xxyy)};
}
/// Three lines of a segment, as far apart, at which pixels are looked at.
struct KeyLines {
    static constexpr int count = 3;
    std::int64_t middle, apart;

    CT_HOST_DEVICE explicit KeyLines(IndexRange lines)
        : middle((lines.first + lines.last - 1) / 2), apart((lines.last - 1 - lines.first) / 2) {}
    CT_HOST_DEVICE std::int64_t line(int key) const { return middle + (key - 1) * apart; }
    /// From -1 to 1.
    CT_HOST_DEVICE double place(std::int64_t line) const {
        return apart > 0 ? static_cast<double>(line - middle) / static_cast<double>(apart) : 0;
    }
};
/// The segment of a tile's lines that a line is in.
CT_HOST_DEVICE IndexRange segment_of(IndexRange lines, std::int64_t segment_lines, std::int64_t line) {
    const std::int64_t first = lines.first + (line - lines.first) / segment_lines * segment_lines;
    return {first, first + segment_lines < lines.last ? first + segment_lines : lines.last};
}
/// What the phase of a pixel has beyond its frame, in cycles: a parabola through its values at three lines. That of the
/// middle one may be of many cycles.
struct FollowedPixel {
    std::uint32_t middle_turns = 0;  ///< in 2^-32 cycles
    float middle = 0, slope = 0, bend = 0;

    FollowedPixel() = default;
    CT_HOST_DEVICE FollowedPixel(double first, double at_middle, double last)
        : middle_turns(in_turns(at_middle)),
          middle(static_cast<float>(at_middle)),
          slope(static_cast<float>(0.5 * (last - first))),
          bend(static_cast<float>(0.5 * (last - at_middle + (first - at_middle)))) {}
    CT_HOST_DEVICE float from_middle(float place) const { return place * (slope + place * bend); }
};

/// An angle as quarters of a cycle and a rest of half a quarter at most, which a float holds to 1e-8 cycles.
struct Quarters {
    unsigned count;
    float rest_cycles;
};
CT_HOST_DEVICE Quarters quarters(std::uint32_t turns) {
    const std::uint32_t count = (turns + (1u << 29)) >> 30;
    return {count, static_cast<float>(static_cast<std::int32_t>(turns - (count << 30))) * 0x1p-32f};
}
CT_HOST_DEVICE Complex<float> by_quarters(unsigned count, Complex<float> value) {
    const Complex<float> swapped = (count & 1) != 0 ? Complex<float>{-value.im, value.re} : value;
    return (count & 2) != 0 ? Complex<float>{-swapped.re, -swapped.im} : swapped;
}

}  // namespace cornerturn
