// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/libraries/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "kernels/errors.h"
#include "kernels/host/own_folder.h"

namespace cornerturn {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, std::string way_out)
    : way_out_(std::move(way_out)) {
    for (const std::string& name : names) {
        name_ = name;
        library_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        if (library_ != nullptr) return;
    }
    throw DeviceError(fmt::format("cuda: {} could not be opened ({}); {}", name_, dlerror(), way_out_));
}

SharedLibrary::SharedLibrary(const std::string& name, int version, std::string way_out)
    : SharedLibrary({fmt::format("{}/lib{}.so.{}", CORNERTURN_CUDA_LIBRARIES, name, version),
                     fmt::format("{}/../nvidia/cu{}/lib/lib{}.so.{}", own_folder().string(), CORNERTURN_CUDA_MAJOR,
                                 name, version),
                     fmt::format("lib{}.so.{}", name, version)},
                    std::move(way_out)) {}

SharedLibrary::Symbol SharedLibrary::operator[](const char* symbol) const {
    void* const found = dlsym(library_, symbol);
    if (found == nullptr) throw DeviceError(fmt::format("cuda: {} has no {}; {}", name_, symbol, way_out_));
    return {found};
}

}  // namespace cornerturn
