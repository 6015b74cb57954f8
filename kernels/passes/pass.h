// SPDX-License-Identifier: Apache-2.0
// The closed list of passes that cross the device interface. A pass walks once over the lines of a matrix:
//     load(line, index) -> FFT -> filter(line, bin) -> inverse FFT -> store(line, index)
// Each header in this folder holds one pass: its description (host tables, what crosses the interface) and its hooks (the
// formulas, host + device). Back ends own loops, launches and library calls, and no formula.
#pragma once

#include <cstdint>
#include <variant>

#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/azimuth_spectrum.h"
#include "kernels/passes/range_compression.h"
#include "kernels/passes/secondary_range_compression.h"
#include "kernels/passes/unturned_azimuth_compression.h"

namespace cornerturn {

using Pass = std::variant<RangeCompression, AzimuthSpectrum, SecondaryRangeCompression, AzimuthCompression, UnturnedAzimuthCompression>;

/// How a GPU runs a pass.
enum class Method : std::uint8_t {
    plain,  ///< one kernel per hook, transforms by the FFT library: any length
    fused   ///< one kernel for the whole pass (three for UnturnedAzimuthCompression and long range lines): lengths of fused_lengths.h
};

}  // namespace cornerturn
