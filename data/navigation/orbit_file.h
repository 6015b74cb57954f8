// SPDX-License-Identifier: Apache-2.0
// Orbit files of ESA (EOF: AUX_POEORB, AUX_RESORB), whose state vectors are better than those that satellites send.
#pragma once

#include <string>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// The vectors from a minute before `first_s` to a minute behind `last_s`, as far as the file has them; times since an
/// epoch, in UTC. Throws InputError naming the file, what was found and what was expected.
Orbit read_orbit_file(const std::string& path, const std::string& epoch, double first_s, double last_s);

}  // namespace cornerturn
