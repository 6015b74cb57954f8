// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/processing_time.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "data/nisar/epoch.h"
#include "kernels/errors.h"

namespace cornerturn {

std::string processing_time() {
    std::int64_t seconds = std::time(nullptr);
    if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
        const std::string_view text(given);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (error != std::errc{} || end != text.data() + text.size() || seconds < 0)
            throw InputError(
                fmt::format("SOURCE_DATE_EPOCH is \"{}\", expected whole seconds since 1970; unset it", text));
    }
    return Epoch{.seconds = seconds, .fraction = 0}.text();
}

}  // namespace cornerturn
