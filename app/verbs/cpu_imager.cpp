// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/cpu_imager.h"

#include <memory>

namespace cornerturn {

Imager cpu_imager(int threads) {
    const auto device = std::make_shared<std::unique_ptr<Device>>();
    return {.image_of =
                [=](const Echo& echo, const FocusOptions& options) {
                    if (!*device) *device = open_device("cpu", threads);
                    return imager(**device, threads).image_of(echo, options);
                },
            .threads = threads};
}

}  // namespace cornerturn
