// SPDX-License-Identifier: Apache-2.0
// A device that a test makes slow, or breaks.
#pragma once

#include <functional>
#include <optional>

#include "tests/support/forwarding_device.h"

namespace cornerturn {

/// Another device, but for what happens whenever a step is waited for.
class FickleDevice final : public ForwardingDevice {
public:
    using ForwardingDevice::ForwardingDevice;

    std::function<void(int step)> at_step;  ///< 1 is the first of all
    std::optional<std::size_t> free_bytes;

    void synchronize() override {
        ++steps_;
        if (at_step) at_step(steps_);
        ForwardingDevice::synchronize();
    }
    DeviceInfo info() const override {
        DeviceInfo info = ForwardingDevice::info();
        info.memory_free_bytes = free_bytes.value_or(info.memory_free_bytes);
        return info;
    }

private:
    int steps_ = 0;
};

}  // namespace cornerturn
