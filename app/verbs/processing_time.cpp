// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/processing_time.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "data/nisar/epoch.h"
#include "kernels/errors.h"
#include "kernels/host/number_text.h"

namespace cornerturn {

std::string processing_time() {
    std::optional<std::int64_t> seconds = std::time(nullptr);
    if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
        seconds = number_from<std::int64_t>(given);
        if (!seconds || *seconds < 0)
            throw InputError(
                fmt::format("SOURCE_DATE_EPOCH is \"{}\", expected whole seconds since 1970; unset it", given));
    }
    return Epoch{.seconds = *seconds, .fraction = 0}.text();
}

}  // namespace cornerturn
