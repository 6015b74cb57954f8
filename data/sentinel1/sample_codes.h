// SPDX-License-Identifier: Apache-2.0
// How Sentinel-1's packets hold samples: plain, in blocks of a common scale (BAQ), or so with codes whose length
// follows their likelihood (FDBAQ). Sentinel-1 SAR Space Packet Protocol Data Unit, S1-IF-ASD-PL-0007, sections 4
// and 5.2.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cornerturn::sentinel1 {

/// As the header of a packet tells it.
enum class SampleCode : std::uint8_t { plain = 0, baq3 = 3, baq4 = 4, baq5 = 5, fdbaq0 = 12, fdbaq1 = 13, fdbaq2 = 14 };

/// Whether this is one of them.
bool is_sample_code(unsigned number);

/// The samples of a packet's user data, two for each quad. False where the data end before the samples, or hold what is
/// no code; what was written by then means nothing.
bool decode_samples(std::span<const std::byte> user_data, SampleCode code, std::int64_t quads, std::complex<float>* to);

}  // namespace cornerturn::sentinel1
