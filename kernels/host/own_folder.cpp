// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/own_folder.h"

#include <dlfcn.h>

namespace cornerturn {

std::filesystem::path own_folder() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &here) == 0 || here.dli_fname == nullptr) return {};
    std::error_code none;
    // A program is named as it was called, which may be by a name without a folder.
    const std::filesystem::path file = std::filesystem::weakly_canonical(here.dli_fname, none);
    return none || !std::filesystem::exists(file, none) ? std::filesystem::path() : file.parent_path();
}

}  // namespace cornerturn
