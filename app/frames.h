// SPDX-License-Identifier: Apache-2.0
// Which echoes of a raw file a command is about.
#pragma once

#include <string>
#include <vector>

#include "data/l0b_reader.h"

namespace cornerturn {

/// Reads `--frequency` and `--polarization`: nothing (the first there is), one, several with commas between them, or `all`. Throws
/// InputError for what the file does not hold and for names that come twice.
std::vector<L0bSelection> choose_frames(const std::string& file, const std::string& frequency, const std::string& polarization);

/// "slc.png" for the image of A HH: "slc-A-HH.png".
std::string path_of_frame(const std::string& path, const std::string& frequency, const std::string& polarization);

}  // namespace cornerturn
