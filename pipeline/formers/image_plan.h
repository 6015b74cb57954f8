// SPDX-License-Identifier: Apache-2.0
// What every former has to know of the image that it makes: its grid, what of it the echo covers, and how far the
// filters reach.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/passes/echo_format.h"
#include "kernels/passes/image_pixel.h"
#include "kernels/steps/algorithm.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/viewing_geometry.h"
#include "pipeline/formers/history_drift.h"
#include "pipeline/formers/map_view.h"
#include "pipeline/formers/parameters.h"
#include "pipeline/formers/processed_band.h"

namespace cornerturn {

/// Echo lines about a line.
struct LineSpan {
    std::int64_t before = 0;
    std::int64_t behind = 0;
    friend bool operator==(const LineSpan&, const LineSpan&) = default;
};

/// Track and beam of an image, which comparisons leave out: where they differ so that it matters to an image, its range
/// histories differ.
struct ImageGeometry {
    std::shared_ptr<const ViewingGeometry> shared;
    const ViewingGeometry& operator*() const { return *shared; }
    const ViewingGeometry* operator->() const { return shared.get(); }
    friend bool operator==(const ImageGeometry&, const ImageGeometry&) { return true; }
};

/// Everything that follows from an acquisition and the parameters, whatever the algorithm.
struct ImagePlan {
    FormerParameters parameters;
    ImageGeometry geometry;
    ImageGrid grid;                     ///< of an image on a map: its rows and columns, with axes that mean nothing
    std::optional<MapView> map;         ///< where it lies there
    RangeHistory history;               ///< of the middle of these rows
    std::optional<HistoryDrift> drift;  ///< of other rows, where it matters
    std::vector<double> velocity_m_s;   ///< per image column
    std::vector<Interval>
        covered_rows;  ///< per image column: rows whose beam centre lies in the echo; all of them in a valid image
    std::vector<Interval> valid_columns;  ///< [row * intervals_per_row + k]: fully compressed columns
    int intervals_per_row = 1;
    /// Those wanted of a former that sums pixels (Former::sums_pixels); others may stay zero. No value: all.
    std::optional<std::vector<ImagePixel>> asked_pixels;
    FilterReach reach;
    LineSpan
        lines_of_row;  ///< lines that row 0 needs, for all columns: from this many before line 0 to this many behind it
    /// By which lines a row lies behind the one before: 1 but for rows finer than pulses, and for bursts, whose beam
    /// passes from row to row faster.
    double lines_per_row = 1;
    std::int64_t wrap_lines = 0;  ///< by which a filter looks beyond the echo at most, where rows at its edge are made
    FftLengths least;             ///< of transforms in which nothing wraps that the extent does not allow
    double nearest_m = 0,
           farthest_m = 0;            ///< closest ranges R0 at the edges of the swath, whatever the grid keeps of it
    double aperture_lines = 0;        ///< longest synthetic aperture of the processed band
    double migration_cells = 0;       ///< largest range cell migration over the processed band
    double range_resolution_m = 0;    ///< -3 dB, without window 0.886 c / 2B
    double azimuth_resolution_m = 0;  ///< likewise 0.886 V / Ba, along the track of the hyperbola
    friend bool operator==(const ImagePlan&, const ImagePlan&) = default;

    /// In the middle of the swath.
    double reference_range_m() const { return 0.5 * (nearest_m + farthest_m); }
    /// Closest range of the last chirp that is recorded whole, to a part of the migration.
    double farthest_whole_m(const Acquisition& acquisition) const {
        return std::max(nearest_m, farthest_m - acquisition.chirp_samples() * acquisition.range_spacing_m);
    }
};

/// Zero-Doppler time of row 0 less the time of line 0, in lines; to a millionth, as times far from the epoch are
/// rounded.
double image_delay_lines(const Acquisition& acquisition, const ImagePlan& image);

/// By how much the middle of a processed band that several columns or rows share may lie beside the centre of their
/// beam. Beyond the beam's edges a spectrum goes on, falling as sqrt(FM rate) / (2 pi distance); what a band that lies
/// aside cuts off at one end only moves a point, by a third of that part of the beam.
double most_band_shift_hz(const Acquisition& acquisition, const ImagePlan& image);

/// Straight flight at the velocity of the parameters, with their Doppler centroid everywhere.
ViewingGeometry straight_geometry(const Acquisition& acquisition, const FormerParameters& parameters);

/// Throws InputError where the parameters do not fit the acquisition.
ImagePlan plan_image(const Acquisition& acquisition, const FormerParameters& parameters,
                     const ViewingGeometry& geometry);
/// Its grid alone, and what of it lies under beam centres: what else there is would take as long as the echo. The
/// histories are those of its middle.
ImagePlan plan_grid(const Acquisition& acquisition, const FormerParameters& parameters,
                    const ViewingGeometry& geometry);
/// In straight flight.
ImagePlan plan_image(const Acquisition& acquisition, const FormerParameters& parameters);

/// `count` rows from `first_row` on, made of `lines` lines of the acquisition from `first_line` on. `at_edge`: these
/// lines begin or end with the echo, so that rows are wanted whose aperture ends outside; else all that the rows need
/// lies inside.
ImagePlan rows_of(const ImagePlan& plan, std::int64_t first_row, std::int64_t count, std::int64_t lines, bool at_edge);

/// The same image with what the middle of some rows sees, and how that drifts along them: on the same grid, of which it
/// is taken to cover the same.
ImagePlan with_history_of_rows(ImagePlan plan, const Acquisition& acquisition, const ViewingGeometry& geometry,
                               std::int64_t first_row, std::int64_t rows);

/// The same plan with other rows: an image that covers more time, on a grid that `first_time_s` continues. For frames
/// that share an axis.
ImagePlan with_rows(ImagePlan plan, double first_time_s, std::int64_t rows);

}  // namespace cornerturn
