// SPDX-License-Identifier: Apache-2.0
// What a former is asked for, all of it resolved. Radar choices only: how a device goes about it is in
// kernels/device/lowering.h.
#pragma once

#include <optional>
#include <string_view>

#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/velocity_profile.h"
#include "pipeline/acquisition/window.h"

namespace cornerturn {

/// How much of the image is made.
enum class ImageExtent {
    full,  ///< every point whose beam centre lies in the echo; transforms are padded so that nothing wraps
    valid  ///< only what the echo covers fully (whole chirp, whole aperture, all migration); transforms are as long as
           ///< the echo
};
std::string_view name_of(ImageExtent extent);
/// `full` or `valid`; throws InputError listing them.
ImageExtent image_extent(std::string_view name);

struct FormerParameters {
    double doppler_centroid_hz = 0;  ///< absolute
    double centroid_doubt_hz = 0;    ///< how far beside it the beam's centre may lie, as somebody else has it
    double centroid_error_hz = 0;    ///< by which it is likely off everywhere, as data gave it
    VelocityProfile velocity;        ///< effective, over closest range
    double azimuth_bandwidth_hz =
        0;  ///< processed, at most widest_azimuth_band_hz (pipeline/acquisition/track/velocity.h)
    Window range_window;
    Window azimuth_window;
    int interpolation_taps = 16;
    ImageExtent extent = ImageExtent::full;
    double error_db = -60;      ///< of what is factorised to the sum that it stands for, energies
    bool keeps_beam = true;     ///< fades out beside the beam, however little room the PRF has there; else over a
                                ///< sixteenth of the band, so that responses end sooner
    double rows_per_pulse = 1;  ///< more where a spectrum needs more room than the PRF: of sums over pulses only
    double lobes_aside_hz = 0;  ///< beside a point's beam, where the columns of its lobes have their own: of sums, too
    std::optional<ImageGrid> part = {};  ///< of the image only what lies within this grid
    bool force = false;  ///< makes the image where an algorithm says that it does not hold, as far as it can
    friend bool operator==(const FormerParameters&, const FormerParameters&) = default;
};

}  // namespace cornerturn
