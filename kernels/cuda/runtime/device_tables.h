// SPDX-License-Identifier: Apache-2.0
// Tables of a pass in device memory, for its hooks.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/cuda/runtime/memory.h"

namespace cornerturn {

class DeviceTables {
public:
    template <class T>
    const T* operator()(const std::vector<T>& table, std::string_view what) const {
        return kept_.emplace_back(table_on_device(table, what)).template data<T>();
    }

private:
    mutable std::vector<DeviceBuffer> kept_;
};

}  // namespace cornerturn
