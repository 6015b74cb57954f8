// SPDX-License-Identifier: Apache-2.0
// Where a parameter of the geometry (Doppler centroid, velocity) comes from: the words are the same in all options.
#pragma once

namespace cornerturn {

enum class ParameterSource {
    automatic,  ///< what the file knows best; see choose_doppler and choose_velocity
    data,       ///< the echo itself
    orbit       ///< orbit and, for the Doppler centroid, attitude; refused without
};

}  // namespace cornerturn
