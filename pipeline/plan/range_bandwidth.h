// SPDX-License-Identifier: Apache-2.0
// How wide points are in range frequency, in the image of an echo: squint, wide apertures and tracks that sway widen
// them beyond the chirp.
#pragma once

#include <optional>

#include "pipeline/plan/view_choice.h"

namespace cornerturn {

/// Of any point in the image, where such a band is processed: at both ends of the swath and of the strip. Where the
/// track sways, of all along it that see points from another side than the rows of the image do.
double widest_image_bandwidth_hz(const Acquisition& acquisition, const ViewingGeometry& geometry,
                                 const DopplerSurface& centroid_hz, const VelocityProfile& velocity,
                                 double azimuth_band_hz);

/// What makes it wider than the chirp's, in words.
inline const char* what_widens(const Acquisition& acquisition) {
    return acquisition.flown_beside ? "squint, aperture and sway" : "squint and aperture";
}

/// Where neither file nor user knows the beam, its band is taken for the whole PRF, which it hardly ever fills: no
/// ground to refuse an image for its sampling, or to change that.
bool knows_range_bandwidth(const Acquisition& acquisition, const FocusOptions& options);

/// Of a point in range.
struct ImageBandwidths {
    double processed_hz = 0;  ///< of all Doppler frequencies that are processed: beside a beam that fades slowly, or is
                              ///< known by its bandwidth at half power, there is echo, too
    double illuminated_hz = 0;  ///< of those of the beam alone
};

/// In the image that such options make of the echo; nothing for maps, where the beam is not known, and where
/// set_up_focus refuses the options. Throws std::logic_error like that.
std::optional<ImageBandwidths> range_bandwidths_of_image(const Acquisition& acquisition, const FocusOptions& options);

}  // namespace cornerturn
