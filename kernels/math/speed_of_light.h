// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cornerturn {

inline constexpr double c_m_s = 299792458.0;

}  // namespace cornerturn
