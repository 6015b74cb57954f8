// SPDX-License-Identifier: Apache-2.0
// What every former has to know of the image that it makes: its grid, what of it the echo covers, and how far the
// filters reach.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
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
#include "pipeline/formers/valid_area.h"

namespace cornerturn {

/// The ground that is recorded, by closest ranges R0, whatever the grid keeps of it.
struct Swath {
    double nearest_m = 0, farthest_m = 0;
    friend bool operator==(const Swath&, const Swath&) = default;

    double middle_m() const { return 0.5 * (nearest_m + farthest_m); }
    /// Of the last chirp that is recorded whole, to a part of the migration.
    double farthest_whole_m(const Acquisition& acquisition) const {
        return std::max(nearest_m, farthest_m - acquisition.chirp_samples() * acquisition.range_spacing_m);
    }
};

/// Track and beam of an image, which comparisons leave out: where they differ so that it matters to an image, its range
/// histories differ.
struct ImageGeometry {
    std::shared_ptr<const ViewingGeometry> shared;
    double widening = 1;  ///< of the beam, to the points of the image that it lights longest (beam_widening.h)
    const ViewingGeometry& operator*() const { return *shared; }
    const ViewingGeometry* operator->() const { return shared.get(); }
    friend bool operator==(const ImageGeometry&, const ImageGeometry&) { return true; }
};

/// Range histories that rows of an image share: those of their middle.
struct RowHistories {
    RangeHistory middle;
    std::optional<HistoryDrift> drift;  ///< of other rows, where it matters
    friend bool operator==(const RowHistories&, const RowHistories&) = default;
};

/// Of a target within the processed band: the largest of all columns.
struct LargestAperture {
    double lines = 0;
    double migration_cells = 0;
    friend bool operator==(const LargestAperture&, const LargestAperture&) = default;
};

/// Lines of the echo that rows of an image are made of.
struct RowLines {
    /// Row 0 needs them, for all columns, from this many before line 0 to this many behind it.
    std::int64_t before = 0, behind = 0;
    /// By which a row lies behind the one before: 1 but for rows finer than pulses, and for bursts, whose beam passes
    /// from row to row faster.
    double per_row = 1;
    /// By which a filter looks beyond the echo at most, where rows at its edge are made.
    std::int64_t beyond_echo = 0;
    friend bool operator==(const RowLines&, const RowLines&) = default;

    /// Of blocks beside each other.
    std::int64_t overlap() const { return before + behind; }
};

/// What of an image the echo covers.
struct ImageCoverage {
    /// Per image column: rows whose beam centre lies in the echo; all of them in a valid image.
    std::vector<Interval> beam_rows;
    ValidColumns valid;  ///< fully compressed
    friend bool operator==(const ImageCoverage&, const ImageCoverage&) = default;
};

/// Everything that follows from an acquisition and the parameters, whatever the algorithm.
struct ImagePlan {
    FormerParameters parameters;
    ImageGeometry geometry;
    Swath swath;
    ImageGrid grid;              ///< of an image on a map: its rows and columns, with axes that mean nothing
    std::optional<MapView> map;  ///< where it lies there
    RowHistories histories;
    LargestAperture aperture;
    BandFades fades;
    FilterReach reach;
    RowLines lines;
    ImageCoverage coverage;
    FftLengths least;  ///< of transforms in which nothing wraps that the extent does not allow
    /// Those wanted of a former that sums pixels (Former::sums_pixels); others may stay zero. No value: all.
    std::optional<std::vector<ImagePixel>> asked_pixels;
    friend bool operator==(const ImagePlan&, const ImagePlan&) = default;
};

/// -3 dB, without window: 0.886 c / 2B.
double range_resolution_m(const Acquisition& acquisition);
/// Likewise 0.886 V / Ba in mid swath, along the track of the hyperbola.
double azimuth_resolution_m(const ImagePlan& image);
/// Effective, at each column of the zero-Doppler grid; of an image of all pulses one for all.
std::vector<double> velocities_m_s(const ImagePlan& image);
/// The least and the greatest of them.
std::pair<double, double> velocity_bounds_m_s(const ImagePlan& image);

/// Zero-Doppler time of row 0 less the time of line 0, in lines; to a millionth, as times far from the epoch are
/// rounded.
double image_delay_lines(const Acquisition& acquisition, const ImageGrid& grid);

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
ImagePlan with_history_of_rows(ImagePlan plan, const Acquisition& acquisition, std::int64_t first_row,
                               std::int64_t rows);

/// The same plan with other rows: an image that covers more time, on a grid that `first_time_s` continues. For frames
/// that share an axis.
ImagePlan with_rows(ImagePlan plan, double first_time_s, std::int64_t rows);

}  // namespace cornerturn
