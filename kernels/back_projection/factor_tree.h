// SPDX-License-Identifier: Apache-2.0
// The blocks of lines of factorised back-projection, level by level: their nodes for the image of a strip, and where
// and with which phase these arrive. Computed in double precision, whatever the precision of the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/back_projection/factor_laws.h"
#include "kernels/back_projection/raised_pixel.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Why a track is refused, in a plan or as late as in its run.
inline constexpr const char* cells_do_not_follow =
    "--algorithm ffbp: ranges change so much over the rows that a block of lines sees that its cells do not follow "
    "them; use --algorithm backprojection";

/// Between rows of nodes.
inline OptimalInterpolation between_rows(const Factorisation& factors) {
    return {factors.row_taps, PowerOverFrequency::flat(0.5 * factors.row_band)};
}

/// Weights of rows of nodes at all rows between those of level 0, which are those of the other levels and more:
/// [row][moment of the window][tap].
template <class Real>
std::vector<Real> row_weights(const Factorisation& factors) {
    const OptimalInterpolation rows = between_rows(factors);
    const std::int64_t step = factors.step_of(0);
    std::vector<Real> weights;
    for (std::int64_t phase = 0; phase < step; ++phase)
        for (int moment = 0; moment < WindowPolynomial::terms; ++moment)
            for (const double weight : rows.weights(static_cast<double>(phase) / static_cast<double>(step), moment))
                weights.push_back(static_cast<Real>(weight));
    return weights;
}

/// Groups that hold so many nodes.
inline std::int64_t whole_groups(std::int64_t nodes) { return (nodes + nodes_at_a_time - 1) / nodes_at_a_time; }
CT_HOST_DEVICE std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Rows of nodes or pixels that may be blended of the same cells: nodes are laid out for that on all devices, so that
/// they sum the same.
inline constexpr std::int64_t rows_blended_together = 4;

/// Lines that are summed on nodes of their own. Rows are those of the image, cells those of the nodes along range.
struct FactorBlock {
    IndexRange lines{0, 0};
    std::int64_t middle = 0;                            ///< line
    double first_row = 0, last_row = -1;                ///< of the image, that may take it
    double first_row_of_any = 0, last_row_of_any = -1;  ///< likewise, or any block that it was merged of
    std::int64_t first_node = 0, nodes = 0;      ///< rows of nodes; number n lies on image row n times the level's step
    std::vector<std::int64_t> first_cell;        ///< of each row of nodes
    std::vector<std::int64_t> cells;             ///< likewise: how many are filled
    std::int64_t room = 0;                       ///< for the cells of a row
    std::size_t at = 0;                          ///< first value among those of the level
    LawArea area;                                ///< of the nodes
    LawArea seen;                                ///< of the image
    std::size_t merge_laws = 0, image_laws = 0;  ///< first coefficient among those of the level
    std::size_t raised_laws = 0;                 ///< likewise
    bool taken = true;                           ///< by pixels, as far as is known
    double half_hz = 0;                          ///< Doppler frequencies of its band, from the middle
};

/// Columns of the image that are formed together.
struct ColumnStrip {
    std::int64_t first_column, columns;
    double last_column() const { return static_cast<double>(first_column + columns - 1); }
};

struct FactorLevel {
    std::int64_t lines = 0, step = 1;
    double migrating_rows = 0;  ///< over which a row of nodes lends its cells to others
    std::int64_t guard = 0;     ///< cells beyond those of the strip
    std::size_t values = 0;     ///< of all nodes, real and imaginary parts
    std::vector<FactorBlock> blocks;
    std::vector<double> merge_laws;   ///< of each child of a block: cell and cycles over its `area`
    std::vector<double> image_laws;   ///< of each block: cell, cycles and Doppler offset over `seen`
    std::vector<double> raised_laws;  ///< likewise of pixels with heights: [block][law][power of the height]
};

/// Where pixels that lie off the smooth surface are read, of those at the same row and column on it.
struct BesidePixels {
    double rows = 0, columns = 0;  ///< at most
    double offset_hz = 0;          ///< by which their Doppler frequencies differ, at most
};

struct FactorTree {
    /// Keeps a reference to the pass. 0 threads: as many as OpenMP regions take here.
    FactorTree(const FactorisedAccumulation& pass, int threads);
    FactorTree(const FactorTree&) = delete;
    FactorTree& operator=(const FactorTree&) = delete;

    const Accumulation& sum;
    const Factorisation& factors;
    AccumulationGeometry geometry;
    PixelMeshView mesh, around;
    DopplerWindowView window;
    LawFit fit;
    int threads;
    std::int64_t cells_per_node;
    double highest_m = 0;  ///< of pixels off the smooth surface, up or down; 0: none have heights
    BesidePixels beside;
    std::vector<FactorLevel> levels;

    bool has_heights() const { return highest_m > 0; }
    FactorLevel& level_at(int level) { return levels[static_cast<std::size_t>(level)]; }
    void lay_out(const ColumnStrip& strip);
    std::int64_t largest_room(const ColumnStrip& strip) const;
    void find_laws(int l);
    /// Of a child of a block, or of a line of it: cell, and behind that cycles.
    const double* merge_laws(int l, const FactorBlock& block, std::int64_t child) const {
        return levels[static_cast<std::size_t>(l)].merge_laws.data() + block.merge_laws +
               static_cast<std::size_t>(2 * child) * fit.points();
    }
    /// Cell, cycles or Doppler offset of the pixels that may take a block.
    enum ImageLaw : std::size_t { of_cell, of_cycles, of_offset };
    LawAlongRow image_law(int l, const FactorBlock& block, ImageLaw law, double row) const {
        return fit.along(block.seen,
                         levels[static_cast<std::size_t>(l)].image_laws.data() + block.image_laws + law * fit.points(),
                         row);
    }
    const FactorBlock* child_of(int l, std::int64_t number, std::int64_t child) const;
    /// Cell, cycles with those of the pixels, and Doppler offset of the pixels that may take a block.
    void find_image_laws();

    /// Of pixels with heights (raised_pixel.h): cell, cycles with those of the pixels and Doppler offset as above, the
    /// block's row of nodes at which it is read, and what its phases turn by over the block's band, in rad.
    enum RaisedLaw : std::size_t { raised_cell, raised_cycles, raised_offset, raised_node, raised_bend, raised_twist };
    static constexpr std::size_t raised_law_count = 6;
    /// What the power of height / highest_m counts.
    LawAlongRow raised_law(int l, const FactorBlock& block, RaisedLaw law, int power, double row) const {
        const std::size_t number = law * height_terms + static_cast<std::size_t>(power);
        return fit.along(
            block.seen,
            levels[static_cast<std::size_t>(l)].raised_laws.data() + block.raised_laws + number * fit.points(), row);
    }
    /// Of blocks that are taken. Throws Unsupported where the smooth surface has no place at which to read one.
    void find_raised_laws();

private:
    Arrival arrive(std::int64_t line, const Place& place) const {
        return arrival(sum.timing, geometry.paths[static_cast<std::size_t>(line)], place);
    }
    /// Of the image or beside it.
    Place place(double row, double column) const {
        return around.at(row + geometry.around.rows, column + geometry.around.columns).place;
    }
    double cell_in(const FactorBlock& block, double row, double column) const {
        return arrive(block.middle, place(row, column)).cell / static_cast<double>(cells_per_node);
    }
    /// How a pixel is read of a block whose nodes lie so many rows apart. Throws Unsupported where the smooth surface
    /// has no such place.
    RaisedRead read_of(const BlockLines& lines, double step, const Place& raised, double row, double column) const;
    void look_beside();
    void find_raised_laws(const FactorLevel& level, const FactorBlock& block, double* laws) const;

    void lay_out(int l, std::int64_t number, const ColumnStrip& strip);
    void gather_rows(int l);
    /// Rows of the image in which the window sees any of the block's lines.
    void find_rows(FactorBlock& block, bool shortest, const ColumnStrip& strip) const;
    /// Empty where not even the edge of the image sees it.
    void close_edges(FactorBlock& block, std::int64_t before, std::int64_t behind, double reach_hz,
                     const ColumnStrip& strip) const;
    double offset_hz(std::int64_t line, double row, double column) const;
    double first_row_above(std::int64_t line, double limit_hz, double column) const;
    /// Cells of the strip's columns, in rows of nodes as far away as they are blended from.
    void find_cells(FactorBlock& block, const FactorLevel& level, const ColumnStrip& strip) const;
    /// The place on a row of the image that lies in a cell of the block's middle line.
    Place place_of_node(const FactorBlock& block, double row, double cell) const;
    /// Cell and cycles of the nodes in each line.
    void find_line_laws(const FactorBlock& block, const std::vector<Place>& places);
    void find_block_laws(int l, std::int64_t number, const std::vector<Place>& places);
    void keep(const std::vector<double>& cell, const std::vector<double>& cycles, double* laws) const;
    /// The band of Doppler frequencies that the band of the block's nodes stands for.
    void find_band(FactorBlock& block, int l) const;
};

}  // namespace cornerturn
