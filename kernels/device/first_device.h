// SPDX-License-Identifier: Apache-2.0
// Choice of `auto` among the devices that are listed.
#pragma once

#include "kernels/device/device.h"
#include "kernels/errors.h"

namespace cornerturn {

/// The first for which open(name) throws no DeviceError (taken by another program, no code for it); null where there is
/// none.
template <class Open>
std::unique_ptr<Device> first_that_opens(const std::vector<DeviceInfo>& listed, const Open& open) {
    for (const DeviceInfo& device : listed) try {
            return open(device.name);
        } catch (const DeviceError&) {
        }
    return nullptr;
}

}  // namespace cornerturn
