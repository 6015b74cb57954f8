// SPDX-License-Identifier: Apache-2.0
// Back-projection tile by tile: within a small tile of pixels cell and phase of an arrival are quadratics of the place in the tile, found
// in double precision for each line; what a pixel then needs is single precision. Lines are taken in blocks: the quadratic of the line in
// a block's middle, which holds every large phase, is left out of the sums and put into them where blocks change, so that what a line
// adds to it is small.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// Pixels that are summed together. `along` counts in the direction in which range changes most, `across` in the other.
struct TileShape {
    int across = 0, along = 0;
    friend bool operator==(const TileShape&, const TileShape&) = default;
};

/// The image in terms of its tiles.
struct TiledImage {
    std::int64_t across = 0, along = 0;  ///< pixels
    bool columns_along = true;           ///< along are the columns of the image, across its rows; else the other way round
    TileShape tile;

    /// Half the extent over which quadratics are found: they never look beyond the image.
    CT_HOST_DEVICE double half_across() const { return 0.5 * static_cast<double>(tile.across < across ? tile.across : across); }
    CT_HOST_DEVICE double half_along() const { return 0.5 * static_cast<double>(tile.along < along ? tile.along : along); }
    CT_HOST_DEVICE std::int64_t tiles_across() const { return (across + tile.across - 1) / tile.across; }
    CT_HOST_DEVICE std::int64_t tiles_along() const { return (along + tile.along - 1) / tile.along; }

    /// First pixel of a tile. The last tile is moved back into the image, where it covers again what others have.
    CT_HOST_DEVICE static std::int64_t first_of(std::int64_t tile, int extent, std::int64_t pixels) {
        if (pixels < extent) return -((extent - pixels + 1) / 2);
        const std::int64_t first = tile * extent;
        return first + extent <= pixels ? first : pixels - extent;
    }
    /// A pixel is stored by one tile only.
    CT_HOST_DEVICE static bool owns(std::int64_t tile, int extent, std::int64_t pixels, std::int64_t pixel) {
        return pixel >= 0 && pixel < pixels && pixel / extent == tile;
    }
    CT_HOST_DEVICE std::int64_t row(std::int64_t x, std::int64_t y) const { return columns_along ? x : y; }
    CT_HOST_DEVICE std::int64_t column(std::int64_t x, std::int64_t y) const { return columns_along ? y : x; }
    CT_HOST_DEVICE PixelNode node(const PixelMeshView& mesh, double x, double y) const {
        return columns_along ? mesh.at(x, y) : mesh.at(y, x);
    }
};

/// How the phase that a line adds to the frame changes along a tile.
enum class AlongPhase : std::uint8_t {
    in_cells,  ///< in proportion to range, so that the cells hold it: for images whose lines of pixels follow range closely
    stepped    ///< from pixel to pixel by a recurrence, with the changes of what bends: for any image
};

/// Most that the phase of a line may change from pixel to pixel beyond the frame, where it is stepped: steps of four pixels are then below
/// 0.4, for which a short series holds.
inline constexpr double largest_step_cycles = 0.015;

/// Places at which arrivals are found for a tile: its centre, the middles of its edges, two corners, and the centre raised by a metre.
inline constexpr int tile_points = 8, points_of_slopes = 5, points_of_quadratic = 7, raised_point = 7;

struct TilePoint {
    Place place;
    double centroid_hz = 0;
    double phase_cycles = 0;
    double gain = 0;
};
CT_HOST_DEVICE TilePoint tile_point(const TiledImage& image, const PixelMeshView& mesh, double centre_x, double centre_y, int point,
                                    double base_m = 0) {
    const double x = point == 1 || point == 5 ? -1 : point == 2 || point == 6 ? 1 : 0;
    const double y = point == 3 || point == 5 ? -1 : point == 4 || point == 6 ? 1 : 0;
    const PixelNode node = image.node(mesh, centre_x + x * image.half_across(), centre_y + y * image.half_along());
    return {raised(node, point == raised_point ? base_m + 1 : base_m), node.centroid_hz, node.phase_cycles, node.gain};
}

/// Half a tile's extent, and what differences over it are multiplied with.
struct TileScale {
    double half_x, half_y, slope_x, slope_y, bend_x, bend_y, twist;

    CT_HOST_DEVICE TileScale(double x, double y)
        : half_x(x), half_y(y), slope_x(0.5 / x), slope_y(0.5 / y), bend_x(0.5 / (x * x)), bend_y(0.5 / (y * y)), twist(0.5 / (x * y)) {}
    CT_HOST_DEVICE explicit TileScale(const TiledImage& image) : TileScale(image.half_across(), image.half_along()) {}
};

/// value + x_ x + y_ y + xx x^2 + xy x y + yy y^2 over pixels from the centre.
struct TileQuadratic {
    double value = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};
/// Through the values at the centre, the middles of the edges (x-, x+, y-, y+) and, if there are, the corners (--, ++).
CT_HOST_DEVICE TileQuadratic quadratic_through(const TileScale& scale, double centre, double left, double right, double low, double high) {
    return {centre,
            (right - left) * scale.slope_x,
            (high - low) * scale.slope_y,
            ((right - centre) + (left - centre)) * scale.bend_x,
            0,
            ((high - centre) + (low - centre)) * scale.bend_y};
}
CT_HOST_DEVICE void add_corners(TileQuadratic& q, const TileScale& scale, double first, double last) {
    const double of_edges = 2 * (q.xx * scale.half_x * scale.half_x + q.yy * scale.half_y * scale.half_y);
    q.xy = ((first - q.value) + (last - q.value) - of_edges) * scale.twist;
}

/// A line as a tile sees it.
struct TileLine {
    double cell = 0, cell_x = 0, cell_y = 0;
    TileQuadratic cycles;                                ///< the pixels' own phase is not in it
    double offset_hz = 0, offset_x = 0, offset_y = 0;    ///< Doppler frequency less the pixel's centroid
    double offset_xx = 0, offset_xy = 0, offset_yy = 0;  ///< where the corners are known
    double rise_cycles = 0;                              ///< per metre of relief
};
/// `at[i]` is the arrival from point i; `Points` of them, with the raised one apart.
template <int Points>
CT_HOST_DEVICE TileLine tile_line(const TileScale& scale, const Arrival* at, std::int64_t stride, const TilePoint* points) {
    const auto of = [&](int i) -> const Arrival& { return at[i * stride]; };
    TileLine line;
    line.cell = of(0).cell;
    line.cell_x = (of(2).cell - of(1).cell) * scale.slope_x;
    line.cell_y = (of(4).cell - of(3).cell) * scale.slope_y;
    line.cycles = quadratic_through(scale, of(0).cycles, of(1).cycles, of(2).cycles, of(3).cycles, of(4).cycles);
    if constexpr (Points >= points_of_quadratic) add_corners(line.cycles, scale, of(5).cycles, of(6).cycles);
    const auto offset_hz = [&](int i) { return of(i).doppler_hz - points[i].centroid_hz; };
    line.offset_hz = offset_hz(0);
    line.offset_x = (offset_hz(2) - offset_hz(1)) * scale.slope_x;
    line.offset_y = (offset_hz(4) - offset_hz(3)) * scale.slope_y;
    if constexpr (Points >= points_of_quadratic) {
        TileQuadratic offset = quadratic_through(scale, offset_hz(0), offset_hz(1), offset_hz(2), offset_hz(3), offset_hz(4));
        add_corners(offset, scale, offset_hz(5), offset_hz(6));
        line.offset_xx = offset.xx;
        line.offset_xy = offset.xy;
        line.offset_yy = offset.yy;
    }
    return line;
}
/// What a line adds to the frame of its block where phase is stepped: cycles over the cells from the tile's centre, which a table of cells
/// can hold, and over pixels. The cells c = cell_x x + cell_y y + what bends and rises: they take what changes with the height, and the
/// square of y, y^2 = (c / cell_y)^2 - 2 s x y - s^2 x^2 with s = cell_x / cell_y. Of heights only where
/// that is asked for: a table that turns from cell to cell errs between them.
struct SteppedPhase {
    double per_cell = 0, per_cell2 = 0;
    double x = 0, y = 0, xx = 0, xy = 0;
};
CT_HOST_DEVICE SteppedPhase stepped_phase(const TileLine& line, const TileLine& middle, double cells_per_cycle, bool rises) {
    const double per_cell = rises ? (line.rise_cycles - middle.rise_cycles) / (middle.rise_cycles * cells_per_cycle) : 0,
                 per_bend = per_cell * cells_per_cycle;
    const double yy = line.cycles.yy - middle.cycles.yy - per_bend * middle.cycles.yy, slant = line.cell_x / line.cell_y;
    return {.per_cell = per_cell,
            .per_cell2 = yy / (line.cell_y * line.cell_y),
            .x = line.cycles.x - middle.cycles.x - per_cell * line.cell_x,
            .y = line.cycles.y - middle.cycles.y - per_cell * line.cell_y,
            .xx = line.cycles.xx - middle.cycles.xx - per_bend * middle.cycles.xx - yy * slant * slant,
            .xy = line.cycles.xy - middle.cycles.xy - per_bend * middle.cycles.xy - 2 * yy * slant};
}
/// Cells that a tile needs of a line: four more for what bends, and for the halves at either end.
CT_HOST_DEVICE double cells_of(const TileShape& tile, const TileLine& line) {
    return std::fabs(line.cell_x) * tile.across + std::fabs(line.cell_y) * tile.along + 4;
}
/// Phase of the pixels of a tile.
CT_HOST_DEVICE TileQuadratic tile_phase(const TileScale& scale, const TilePoint* points) {
    TileQuadratic q = quadratic_through(scale, points[0].phase_cycles, points[1].phase_cycles, points[2].phase_cycles,
                                        points[3].phase_cycles, points[4].phase_cycles);
    add_corners(q, scale, points[5].phase_cycles, points[6].phase_cycles);
    return q;
}

CT_HOST_DEVICE TileQuadratic tile_gain(const TileScale& scale, const TilePoint* points) {
    return quadratic_through(scale, points[0].gain, points[1].gain, points[2].gain, points[3].gain, points[4].gain);
}

/// What is left of a phase when whole cycles are taken away.
CT_HOST_DEVICE double fraction_of(double cycles) { return cycles - std::floor(cycles + 0.5); }

/// A phase over a tile that changes by many cycles from pixel to pixel: per pixel in 2^-32 cycles, of which whole ones drop out by
/// themselves; what bends in cycles.
struct TileFrame {
    std::uint32_t x = 0, y = 0;
    float xx = 0, xy = 0, yy = 0;
    double rise_cycles = 0;  ///< per metre of relief

    CT_HOST_DEVICE float bend(float at_x, float at_y) const { return at_x * (at_x * xx + at_y * xy) + at_y * at_y * yy; }
};
CT_HOST_DEVICE std::uint32_t in_turns(double cycles) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::floor(fraction_of(cycles) * 4294967296.0 + 0.5)));
}
CT_HOST_DEVICE TileFrame tile_frame(const TileQuadratic& q, double rise_cycles) {
    return {in_turns(q.x), in_turns(q.y), static_cast<float>(q.xx), static_cast<float>(q.xy), static_cast<float>(q.yy), rise_cycles};
}
/// Less than a cycle, in 2^-32 cycles.
CT_HOST_DEVICE std::uint32_t in_turns(float cycles) {
    const float fraction = cycles - std::floor(cycles + 0.5f);
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(fraction < 0.5f ? fraction * 0x1p32f : 0.0f));
}
/// `to` less `from` at whole pixels from the centre, in 2^-32 cycles.
CT_HOST_DEVICE std::uint32_t frame_turns(const TileFrame& from, const TileFrame& to, int x, int y) {
    const TileFrame bends{0, 0, to.xx - from.xx, to.xy - from.xy, to.yy - from.yy, 0};
    return static_cast<std::uint32_t>(x) * (to.x - from.x) + static_cast<std::uint32_t>(y) * (to.y - from.y) +
           in_turns(bends.bend(static_cast<float>(x), static_cast<float>(y)));
}
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
