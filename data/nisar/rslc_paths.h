// SPDX-License-Identifier: Apache-2.0
// Our own groups in RSLC files, below metadata/processingInformation. No group but the standard ones may be called `swaths` or
// `identification`: isce3 searches the whole tree for these words.
#pragma once

namespace cornerturn {

inline constexpr const char* rslc_record = "/parameters/record";  ///< the processing record
inline constexpr const char* rslc_echo = "/inputs/echo";          ///< the echo's timing and pulse
/// Behind either for the frequency that is not the file's first: "/parameters/recordFrequencyB".
inline constexpr const char* rslc_of_frequency = "Frequency";

}  // namespace cornerturn
