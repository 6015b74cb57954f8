// SPDX-License-Identifier: Apache-2.0
// What an image will be off by, predicted before work begins: the two-way phase along the track as it is, against that
// which range histories and phases of a block stand for.
#pragma once

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// The largest errors of any point.
struct Prediction {
    double position_px = 0;    ///< of rows and columns together
    double phase_deg = 0;      ///< at the true place
    double width_percent = 0;  ///< of the -3 dB width, either axis
    friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// An image that is off by more is refused.
inline constexpr Prediction error_limits{.position_px = 0.005, .phase_deg = 2, .width_percent = 1};
/// Over a terrain images follow a smooth surface through its heights (docs/limits.md), to 0.007 px and 7 degrees in
/// tests.
inline constexpr Prediction error_limits_over_terrain{.position_px = 0.01, .phase_deg = 10, .width_percent = 1};

/// Of each error the larger one; what is not a number counts as infinite.
Prediction worse_of(const Prediction& a, const Prediction& b);
/// Of errors that may come together.
Prediction sum_of(const Prediction& a, const Prediction& b);
bool holds(const Prediction& prediction, const Prediction& limits = error_limits);
/// "0.0012 px, 0.3 degrees and 0.01 % of width"
std::string text_of(const Prediction& prediction);

/// Of points that the echo covers, by algorithms whose rows share the range histories of `block` (with_history_of_rows,
/// with its phases): targets of so many rows from `first_row` of the grid on. Looked at from both ends of the rows to a
/// quarter of the aperture apart, at near, mid and far range, in the aperture at least four times between state
/// vectors, or each pulse. The phase that is left along an aperture is parted into its mean, a slope, which is a shift,
/// and a rest that widens; the way that is left shifts and blurs the range. Straight flight leaves nothing.
Prediction predicted_along_track(const Acquisition& acquisition, const ImagePlan& block, std::int64_t first_row,
                                 std::int64_t rows);

/// What points are off by that lie above or below the smooth surface that all algorithms on the zero-Doppler grid take
/// for the ground, as far as its relief is known. Straight flight and one height leave nothing.
Prediction predicted_for_relief(const Acquisition& acquisition, const ImagePlan& image, const SceneHeight& height_m);

}  // namespace cornerturn
