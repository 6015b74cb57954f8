// SPDX-License-Identifier: Apache-2.0
// When an image is made, for its record.
#pragma once

#include <string>

namespace cornerturn {

/// UTC, "YYYY-MM-DDThh:mm:ss": now, or what the environment's SOURCE_DATE_EPOCH says (seconds since 1970), with which
/// the same work gives the same file. Throws InputError if that is no whole number.
std::string processing_time();

}  // namespace cornerturn
