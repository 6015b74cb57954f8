// SPDX-License-Identifier: Apache-2.0
// Orbit and attitude of a platform that flies straight in ECEF, so that every target's range history is exactly a hyperbola.
#pragma once

#include "pipeline/proof/scene.h"

namespace cornerturn {

struct StraightFlight {
    Orbit orbit;
    Attitude attitude;
};

/// Northward over the equator at longitude 0, at the scene's altitude in the middle of the record. State vectors lie on whole seconds or
/// multiples of them and cover all pulses and the zero-Doppler times of everything that they see. The antenna's z axis points where the
/// beam centre meets the ground at mid swath, y along the flight.
StraightFlight straight_flight(const Scene& scene);

}  // namespace cornerturn
