// SPDX-License-Identifier: Apache-2.0
// How the echoes of an image pass through blocks of lines that a factorised sum makes of them: how wide their band is,
// and whether the laws of blocks hold and their cells follow one another.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/math/chebyshev.h"
#include "kernels/passes/factorised_accumulation.h"
#include "pipeline/formers/back_projection_passes.h"

namespace cornerturn {

/// Rows and columns by which the nodes of blocks go on beside the image, or a strip of it.
double rows_beside(const Factorisation& factors);
double columns_beside(const Factorisation& factors);

/// Largest error of series of so many terms from one end to the other: of the phase of a block's middle, and of those
/// of its first and last part beside it, which cycles(at) tells in this order.
template <class Cycles>
double largest_law_error(double from, double to, int terms, const Cycles& cycles) {
    std::array<std::vector<double>, 3> values;
    for (const double at : chebyshev_points(from, to, terms)) {
        const auto [middle, first, last] = cycles(at);
        values[0].push_back(middle), values[1].push_back(first - middle), values[2].push_back(last - middle);
    }
    std::array<ChebyshevSeries, 3> laws;
    for (std::size_t i = 0; i < laws.size(); ++i) laws[i] = ChebyshevSeries::through(from, to, values[i]);
    double most = 0;
    for (int look = 0; look <= 2 * terms; ++look) {
        const double at = from + (to - from) * look / (2 * terms);
        const auto [middle, first, last] = cycles(at);
        most = std::max({most, std::abs(middle - laws[0](at)), std::abs(first - middle - laws[1](at)),
                         std::abs(last - middle - laws[2](at))});
    }
    return most;
}

/// Arrivals at some places of the image, in some of the lines in which the window sees them. Echo and image must
/// outlive it.
class BlockPassage {
public:
    BlockPassage(const Acquisition& echo, const ImagePlan& image)
        : echo_(echo), image_(image), track_(image.geometry->track()), timing_(compressed_timing(echo, image, {})) {}

    struct Rates {
        double band_per_line = 0, line_rate_hz = 0;
    };
    /// The largest, anywhere along the track: at both edges of the swath, in rows a quarter of an aperture apart or
    /// less.
    Rates rates() const;

    /// How a line in the middle runs over the swath, on average and at most.
    struct AlongRow {
        double hz_per_column = 0, slide_per_column = 0, arch_cycles = 0;
    };
    AlongRow along_row() const;

    /// Largest error of laws, of a block's phase against that of the pixels and those of its first and last part
    /// against its own; blocks all along the track. Over the rows that see a block, with law_terms:
    double row_law_error_cycles(const Factorisation& f) const;
    /// and over the columns of strips of such a width and the nodes beside them, with column_terms.
    double column_law_error_cycles(const Factorisation& f, std::int64_t width) const;

    /// Whether in each line of a block the cells of its nodes follow each other as in its middle line, wherever nodes
    /// lie: also as far beside the image as those of the shortest blocks do.
    bool cells_follow(const Factorisation& f) const;

    /// What lies in the corners of the rows and cells between which a block's nodes lie, as laws are fitted over all of
    /// them, in the nearest and the farthest strip of such a width.
    struct Corners {
        /// By how much cells slide over those of the block's middle from one column to the next: 1 where they stand
        /// still or go twice as far.
        double slip = 0;
        double columns_beside = 0;  ///< of the image
    };
    Corners corners(const Factorisation& f, std::int64_t width) const;

private:
    struct Span {
        double from = 0, to = 0;
    };
    struct PixelPlace {
        double row, column;
    };

    Rates largest_at(double row, double column) const;
    Rates at(double row, double column, double time_s) const;
    double slip_of_cells(const Factorisation& f, int level, double line, double row, double column) const;
    /// From the middle of a block to those of its first and last part.
    double half_span_s(const Factorisation& f, int level) const;
    template <class ErrorOf>
    double largest_of_blocks(const Factorisation& f, const ErrorOf& error_of) const;
    std::optional<Span> rows_seen(const Factorisation& f, int level, double line, double column) const;
    std::vector<PixelPlace> corners_of(const Factorisation& f, int level, double line, Span strip) const;
    template <class PlaceAt>
    double law_error_cycles(const Factorisation& f, int level, double line, Span span, int terms,
                            const PlaceAt& place_at) const;

    Place place(double row, double column) const {
        return track_.place(image_.grid.time_s(row), image_.grid.range_m(column));
    }
    PulsePath path(double time_s) const { return track_.pulse_path(time_s); }

    const Acquisition& echo_;
    const ImagePlan& image_;
    const Track& track_;
    CompressedTiming timing_;
};

}  // namespace cornerturn
