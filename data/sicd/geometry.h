// SPDX-License-Identifier: Apache-2.0
// Where the samples of a SICD image lie and how they came about: what its metadata say (NGA.STND.0024-1, version 1.3),
// by our geometry. On the zero-Doppler grid a SICD image has rows along range, from near to far, and columns across it,
// so that with rows downwards the scene is seen from above: along the flight where the radar looks right, against it
// where it looks left.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "data/nisar/epoch.h"
#include "data/sicd/polynomial.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn::sicd {

/// One dimension of the grid. Spatial frequencies in cycles per metre.
struct Direction {
    Vec3 axis{};  ///< unit vector in ECEF
    double spacing_m = 0, bandwidth = 0, centre = 0;
    double width_m = 0;            ///< -3 dB width of a point
    std::optional<Window> window;  ///< over this direction's frequencies; none: it weighs others
    Polynomial2 offset = {};       ///< DeltaKCOAPoly: of the middle of the spectrum from `centre`
    Reach offsets = {};            ///< DeltaK1, DeltaK2: of all of it
};
/// Of all of a spectrum: at the corners, where they are largest; all there are where the spectrum wraps.
Reach all_offsets(const Direction& direction, const Reach& down_m, const Reach& across_m);
/// -3 dB width of a response that falls from 0 to `far` on either side alike.
template <class Response>
double half_power_width(double far, const Response& response) {
    const double half_power = response(0) * std::sqrt(0.5);
    double near = 0;
    for (int round = 0; round < 50; ++round) {
        const double middle = 0.5 * (near + far);
        (response(middle) > half_power ? near : far) = middle;
    }
    return 2 * near;
}

/// When an antenna sees a place at a Doppler frequency, -2 R' / lambda: by Newton, from a time on.
double time_at_doppler_s(const Orbit& orbit, double wavelength_m, const Vec3& place, double doppler_hz, double from_s);
/// First row and column, first row and last column, last and last, last and first, of places by coordinates.
std::array<Geographic, 4> corners_over(const Reach& down_m, const Reach& across_m,
                                       const std::function<Vec3(double x, double y)>& place_m);

/// Of images on the zero-Doppler grid (RGZERO): when and from where each place is passed.
struct ZeroDoppler {
    Polynomial closest_time_s;   ///< TimeCAPoly, over the column coordinate
    double closest_range_m = 0;  ///< R_CA_SCP
    Polynomial2 rate_factor;     ///< DRateSFPoly
    Polynomial2 centroid_hz;     ///< DopCentroidPoly
};

/// How SICD's image lies beside ours: its rows are rows or, transposed, columns of ours, from the first or the last one
/// on.
struct Placement {
    bool transposed = true, rows_backwards = false, columns_backwards = false;
};

/// Of an image, whole or between pixels.
struct PixelPlace {
    double row = 0, column = 0;
};

/// Coordinates of polynomials are metres from the scene's centre point (SCP) along rows and columns; times s since
/// `start`.
struct Geometry {
    Placement placement;
    Epoch start;  ///< of the collection, a whole microsecond, as UTC
    double duration_s = 0;
    Reach pulses_s = {};
    std::int64_t rows = 0, columns = 0;        ///< of the SICD image
    std::int64_t scp_row = 0, scp_column = 0;  ///< its pixel
    Vec3 scp_m{};
    Geographic scp;
    std::array<Geographic, 4>
        corners;  ///< first row and column, first row and last column, last and last, last and first
    Direction row, column;
    Polynomial2 centre_time_s;  ///< TimeCOAPoly
    TrackPolynomial track;
    std::optional<ZeroDoppler> zero_doppler;  ///< RGZERO; else PLANE

    /// The place in our image of one in SICD's.
    PixelPlace ours(const PixelPlace& of_sicd) const {
        const double down = placement.rows_backwards ? static_cast<double>(rows - 1) - of_sicd.row : of_sicd.row,
                     across = placement.columns_backwards ? static_cast<double>(columns - 1) - of_sicd.column
                                                          : of_sicd.column;
        return placement.transposed ? PixelPlace{across, down} : PixelPlace{down, across};
    }
};

/// Throws InputError where the image has no orbit, ends above the ground, or lies on a map that is no plane.
Geometry geometry_of(const Image& image);

}  // namespace cornerturn::sicd
