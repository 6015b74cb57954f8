// SPDX-License-Identifier: Apache-2.0
// How the pulses of a spotlight pass through blocks of lines that a factorised sum on a map makes of them: as
// BlockPassage of strips, but of pulses each by itself, all of which every pixel sums.
#pragma once

#include <memory>
#include <vector>

#include "kernels/back_projection/raised_pixel.h"
#include "kernels/passes/factorised_accumulation.h"
#include "pipeline/formers/back_projection_passes.h"

namespace cornerturn {

/// The ground whose smooth surface nodes of blocks lie on. That of a map with relief rises evenly: the map's own, a
/// cubic, runs away beside it.
struct NodeGround {
    std::shared_ptr<const MapGround> ground;
    double highest_m =
        0;  ///< up or down, that pixels lie off the surface, as seen at some places of the map; 0: none do
};
NodeGround node_ground(const MapView& map);

/// Arrivals at places all over the map and as far beside it as nodes lie, in lines all along the track. Columns are the
/// map's, samples those of the echo. Echo and image must outlive it.
class SpotlightPassage {
public:
    SpotlightPassage(const Acquisition& echo, const ImagePlan& image, NodeGround nodes);

    /// Samples from one column to the next, the least and the most: nodes follow columns where both are between 0 and
    /// 2. Where ranges fall from column to column all that is said here of columns is of those from the last to the
    /// first.
    struct Pace {
        double least = 0, most = 0;
    };
    Pace pace() const { return pace_; }
    bool nearer() const { return nearer_; }

    /// The largest of blocks of so many lines or more: cycles per row by which the phase of neighbouring lines parts
    /// along a cell, and change of Doppler frequency from line to line.
    struct Rates {
        double band_per_line = 0, line_rate_hz = 0;
    };
    Rates rates(std::int64_t block_lines) const;

    /// In a line amid all: by how much Doppler frequencies off those of the window's middle change from column to
    /// column, and phases bend, at most.
    struct AlongRow {
        double hz_per_column = 0, arch_cycles = 0;
    };
    AlongRow along_row() const;

    /// Cycles per sample by which the spectrum of a block's first or last line lies beside that of its middle line, at
    /// most: where rows of the map are not square to the track, look angles change along them.
    double range_shift(const Factorisation& f) const;

    /// Largest error of laws, as BlockPassage has it.
    double row_law_error_cycles(const Factorisation& f) const;
    double column_law_error_cycles(const Factorisation& f, std::int64_t width) const;

    /// By how much cells of a block's first or last part slide over those of its middle from column to column, for one
    /// of these: 1 where they stand still or go twice as far.
    double slip(const Factorisation& f) const;
    /// Columns beside the map in which corners lie of the rows and cells that a block's nodes take.
    double columns_beside(const Factorisation& f) const;

    /// Rows and columns beside a pixel in which it is read of nodes for its height, at most.
    struct Beside {
        double rows = 0, columns = 0;
    };
    const Beside& beside() const { return beside_; }
    /// Rows and columns by which nodes lie beside the map.
    Beside reach(const Factorisation& f) const;
    /// Largest error of laws of height_terms over the heights of pixels, in cycles.
    double height_law_error_cycles() const;
    /// Amplitude of what is neglected where pixels at their heights are read of blocks of so many lines, at most.
    double height_error(std::int64_t block_lines) const;
    /// The longest blocks for which that is no more.
    std::int64_t longest_of_heights(double most_error) const;

private:
    static constexpr std::int64_t looks_along_track = 16;
    struct Block {
        std::int64_t first, middle, last;  ///< lines: middles of its first and last part, and its own
    };
    struct MapPlace {
        double row, column;
    };
    std::vector<Block> blocks(const Factorisation& f, int level) const;
    std::vector<Block> blocks(std::int64_t lines) const;
    /// Rows in which nodes lie beside the map, of all levels and for heights.
    double rows_of_nodes(const Factorisation& f, double times = 1) const;
    RaisedRead read_of(const Block& block, const MapPlace& at, double height_m, double half_band) const;
    /// Of a block that reaches so far along its band, in cycles per row.
    double height_error(const Block& block, const MapPlace& at, double height_m) const;
    void look_beside();
    std::vector<MapPlace> places(double rows_beside, double columns_beside) const;
    double nodes_beside(const Factorisation& f) const;
    /// The column of a row that lies in the cell of a line that another place has.
    double column_in(std::int64_t line, double row, const MapPlace& same_cell) const;
    template <class PlaceAt>
    double law_error_cycles(const Block& block, double from, double to, int terms, const PlaceAt& place_at) const;

    MapGround::Point ground(const MapPlace& at) const {
        const MapView& map = *image_.map;
        const double column = nearer_ ? last_column_ - at.column : at.column;
        return nodes_.ground->at({map.grid.x(column), map.grid.y(at.row)});
    }
    Place place(const MapPlace& at) const { return ground(at).place; }
    Arrival arrive_at(std::int64_t line, const Place& place) const {
        return arrival(timing_, echo_.phase_history->path(line), place);
    }
    Arrival arrive(std::int64_t line, const MapPlace& at) const { return arrive_at(line, place(at)); }

    const Acquisition& echo_;
    const ImagePlan& image_;
    NodeGround nodes_;
    CompressedTiming timing_;
    double last_row_, last_column_;
    Beside beside_;
    bool nearer_ = false;
    Pace pace_;
};

}  // namespace cornerturn
