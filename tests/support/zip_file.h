// SPDX-License-Identifier: Apache-2.0
// Zip archives, made byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn {

struct ZipMember {
    std::string name, contents;
    bool deflated = true;
    int flags = 0, method = -1;             ///< -1: as it is packed
    std::uint32_t checksum_changed_by = 0;  ///< bits
};

/// `large`: with the records of archives beyond 4 GB.
std::string zip_file(const std::vector<ZipMember>& members, bool large = false);

}  // namespace cornerturn
