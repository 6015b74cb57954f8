// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/sum_warnings.h"

#include <fmt/format.h>

#include "pipeline/formers/few_pulses.h"
#include "pipeline/formers/uneven_beam.h"

namespace cornerturn {

namespace {

bool is_predicted(const Acquisition& acquisition, const ImagePlan& image) {
    return !image.map && !acquisition.burst && acquisition.azimuth_bandwidth_hz;
}

std::string fall_of_gain(const Acquisition& acquisition, const ImagePlan& image) {
    return fmt::format("their gain falls over pixels of {:.3g} m for a resolution of {:.3g} m",
                       image.grid.range_spacing_m, range_resolution_m(acquisition));
}

}  // namespace

std::vector<std::string> warnings_of_gain(const Acquisition& acquisition, const ImagePlan& image) {
    if (!is_predicted(acquisition, image) || acquisition.flown_beside) return {};
    const Prediction off = predicted_for_uneven_beam(acquisition, image);
    if (holds(off)) return {};
    return {fmt::format("points may differ from theory by up to {} in range: {}, by whatever algorithm", text_of(off),
                        fall_of_gain(acquisition, image))};
}

std::vector<std::string> warnings_of_sums(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double placed_to = 0.005;  // measured (docs/limits.md)
    std::vector<std::string> warnings = warnings_of_gain(acquisition, image);
    if (!is_predicted(acquisition, image)) return warnings;
    if (acquisition.flown_beside)
        if (const Prediction off = predicted_for_uneven_beam(acquisition, image); !holds(off))
            warnings.push_back(
                fmt::format("points may differ from theory by up to {} in range: a flight that sways or turns lights "
                            "their band unevenly, and {}, whatever sums the pulses",
                            text_of(off), fall_of_gain(acquisition, image)));
    if (const auto rows = rows_of_wide_points(acquisition, image))
        warnings.push_back(fmt::format(
            "points of so short an aperture are {:.0f} rows wide; sums over pulses place them along rows to {:.2g} of "
            "that, up to {:.2g} px, where {:.2g} px are the limit of narrower ones; --algorithm rda leaves less",
            *rows, placed_to, placed_to * *rows, error_limits.position_px));
    return warnings;
}

}  // namespace cornerturn
