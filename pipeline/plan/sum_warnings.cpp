// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/sum_warnings.h"

#include <fmt/format.h>

#include "pipeline/formers/few_pulses.h"
#include "pipeline/formers/uneven_beam.h"

namespace cornerturn {

std::vector<std::string> warnings_of_sums(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double placed_to = 0.005;  // measured (docs/limits.md)
    std::vector<std::string> warnings;
    if (image.map || acquisition.burst || !acquisition.azimuth_bandwidth_hz) return warnings;
    if (const Prediction off = predicted_for_uneven_beam(acquisition, image); !holds(off))
        warnings.push_back(fmt::format(
            "points may differ from theory by up to {} in range: a flight that sways or turns lights their band "
            "unevenly, and their gain falls over pixels of {:.3g} m for a resolution of {:.3g} m, whatever sums the "
            "pulses",
            text_of(off), image.grid.range_spacing_m, range_resolution_m(acquisition)));
    if (const auto rows = rows_of_wide_points(acquisition, image))
        warnings.push_back(fmt::format(
            "points of so short an aperture are {:.0f} rows wide; sums over pulses place them along rows to {:.2g} of "
            "that, up to {:.2g} px, where {:.2g} px are the limit of narrower ones; --algorithm rda leaves less",
            *rows, placed_to, placed_to * *rows, error_limits.position_px));
    return warnings;
}

}  // namespace cornerturn
