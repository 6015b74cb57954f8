// SPDX-License-Identifier: Apache-2.0
// Reference times of products: ISO 8601 texts and the seconds between them. Leap seconds are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cornerturn {

/// A time in whole seconds since 1970-01-01T00:00:00 and a fraction in [0, 1), so that nanoseconds survive.
struct Epoch {
    std::int64_t seconds = 0;
    double fraction = 0;

    double seconds_since(const Epoch& other) const {
        return static_cast<double>(seconds - other.seconds) + (fraction - other.fraction);
    }
    Epoch plus(double elapsed_s) const;
    /// `2021-07-01T00:00:00`, the fraction dropped.
    std::string text() const;
    /// `20210701T000000`, likewise.
    std::string compact_text() const;
    /// `2021-07-01T00:00:00.002972797`, nine digits.
    std::string text_nanoseconds() const;
};

/// Reads `YYYY-MM-DDThh:mm:ss`, with a blank for the T, a fraction, or a final Z; none for anything else.
std::optional<Epoch> parse_epoch(std::string_view text);

/// Reads a units attribute `seconds since EPOCH`.
std::optional<Epoch> parse_time_units(std::string_view units);

}  // namespace cornerturn
