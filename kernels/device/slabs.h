// SPDX-License-Identifier: Apache-2.0
// Division of rows over devices: as even as whole rows allow, neighbouring rows together.
#pragma once

#include <cstdint>

#include "kernels/math/host_device.h"

namespace cornerturn {

struct Slabs {
    std::int64_t rows = 0;
    int parts = 1;

    CT_HOST_DEVICE std::int64_t first(int part) const { return rows * part / parts; }
    CT_HOST_DEVICE std::int64_t size(int part) const { return first(part + 1) - first(part); }
    CT_HOST_DEVICE std::int64_t largest() const { return (rows + parts - 1) / parts; }
};

}  // namespace cornerturn
