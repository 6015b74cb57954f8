// SPDX-License-Identifier: Apache-2.0
// Groups of NISAR's files, as tests look into them.
#pragma once

#include <string>

namespace cornerturn {

inline const std::string lsar = "/science/LSAR";
inline const std::string l0b_pulses = lsar + "/RRSD/swaths/frequencyA/txH";
inline const std::string rslc_group = lsar + "/RSLC";
inline const std::string rslc_swath = rslc_group + "/swaths/frequencyA";

}  // namespace cornerturn
