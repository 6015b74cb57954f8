// SPDX-License-Identifier: Apache-2.0
// Where this program's own files have the parameters of a pulse: words of eight bytes, in the order of the standard.
#pragma once

#include <cstdint>

namespace cornerturn::cphd {

struct OwnField {
    const char* name;
    int words;
};
inline constexpr OwnField own_fields[] = {{"TxTime", 1},     {"TxPos", 3},  {"TxVel", 3}, {"RcvTime", 1}, {"RcvPos", 3},
                                          {"RcvVel", 3},     {"SRPPos", 3}, {"AmpSF", 1}, {"aFDOP", 1},   {"aFRR1", 1},
                                          {"aFRR2", 1},      {"FX1", 1},    {"FX2", 1},   {"TOA1", 1},    {"TOA2", 1},
                                          {"TDTropoSRP", 1}, {"SC0", 1},    {"SCSS", 1}};

constexpr std::int64_t own_record_bytes() {
    std::int64_t words = 0;
    for (const OwnField& field : own_fields) words += field.words;
    return 8 * words;
}

}  // namespace cornerturn::cphd
