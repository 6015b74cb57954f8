// SPDX-License-Identifier: Apache-2.0
// What all files of a SAFE folder tell of the flight, and how they tell it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>

#include "data/nisar/epoch.h"
#include "data/safe/burst_stack.h"
#include "data/sentinel1/burst_id.h"
#include "data/xml/new_element.h"

namespace cornerturn::safe {

struct ProductFacts {
    sentinel1::Flight flight;
    std::uint32_t instrument_configuration = 0;
    Epoch epoch;        ///< UTC, of the images' times
    double node_s = 0;  ///< since then: when the satellite last came over the equator from the south

    std::string satellite() const { return fmt::format("S1{}", flight.satellite); }
};

/// "2022-04-14T10:22:11.755622", as such products have it.
std::string utc(const Epoch& epoch, double later_s);

/// "IW" of "IW2".
inline std::string mode_of(const BurstStack& stack) { return stack.swath().swath.substr(0, 2); }

/// "s1a-iw1-slc-vv-20220414t102211-20220414t102236-042768-051aa4-001", the name of a stack's files. `number`: of the
/// stack in the product, from 1 on.
std::string file_name(const ProductFacts& facts, const BurstStack& stack, int number);

/// Numbers with a blank between them, and how many they are: <NAME count="3">1 2 3</NAME>.
template <class Numbers>
void array(const NewElement& to, const char* name, const Numbers& numbers, const char* format = "{}") {
    to.in(name).with("count", std::ssize(numbers)).set_text(fmt::format(fmt::runtime(format), fmt::join(numbers, " ")));
}
/// Of polynomials and tables, to all their digits.
inline constexpr const char* scientific = "{:.15e}";

/// The header of each annotation.
void write_header(const NewElement& root, const ProductFacts& facts, const BurstStack& stack, int number);

}  // namespace cornerturn::safe
