// SPDX-License-Identifier: Apache-2.0
#include "product_fixture.h"

#include <cstdlib>

namespace cornerturn {

std::optional<std::string> shared_file(const std::string& name) {
    const char* named = std::getenv("CORNERTURN_SHARED_DATA");
    const std::filesystem::path folder = named != nullptr ? named : CORNERTURN_SOURCE_DIR "/../shared/data";
    return std::filesystem::exists(folder / name) ? std::optional((folder / name).string()) : std::nullopt;
}

}  // namespace cornerturn
