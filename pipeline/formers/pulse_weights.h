// SPDX-License-Identifier: Apache-2.0
// The azimuth window of a phase history, all of whose pulses are summed: over the directions from which they see the
// scene.
#pragma once

#include "kernels/passes/accumulation.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// Halfway between the Doppler frequencies under which the first and the last of all pulses see a place.
double middle_doppler_hz(const Acquisition& acquisition, const MapView& map, const Place& place);

/// What pulses weigh, over Doppler frequencies about the middle one of each pixel; and all of them together, in the
/// middle of the map.
struct PulseWeights {
    DopplerWindow window;
    double sum = 0;
};
/// Without a window all weigh 1. Of a part of the pulses: as within all.
PulseWeights pulse_weights(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
