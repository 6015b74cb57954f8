// SPDX-License-Identifier: Apache-2.0
// Ways in which a GPU can run the steps of an algorithm. Of kernels it knows only which fit the GPU, so that a way
// can be compared without a plan, a table or a GPU.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/device/lowering.h"
#include "kernels/device/ways/gpu_limits.h"
#include "kernels/steps/steps.h"

namespace cornerturn {

/// How a GPU runs a step, or several as one.
enum class Method : std::uint8_t {
    corner_turn,  ///< the corner turn's kernel
    plain,        ///< sweeps and cuFFT
    fused,        ///< a kernel with the transforms inside, or a few
    turn_free     ///< corner turn, azimuth spectrum, gather and corner turn back as three kernels; or a transform
                  ///< between corner turns as two
};

/// Line passes over native samples that have kernels with the transforms inside (kernels/cuda/lines).
template <class Pass>
inline constexpr bool has_fused_line_kernels =
    std::is_same_v<Pass, AzimuthSpectrum> || std::is_same_v<Pass, SecondaryRangeCompression> ||
    std::is_same_v<Pass, AzimuthImage> || std::is_same_v<Pass, ScaledCompression> ||
    std::is_same_v<Pass, StoltInterpolation>;

/// Those of them whose both transforms are one kernel, of the lengths that range compression has in one.
template <class Pass>
inline constexpr bool is_filtered_line =
    std::is_same_v<Pass, SecondaryRangeCompression> || std::is_same_v<Pass, ScaledCompression>;

/// Some of the steps, one behind the other, that one plan takes.
struct StepGroup {
    std::size_t first = 0, count = 1;
    Method method = Method::plain;
};

struct Way {
    Chain chain = Chain::plain;
    FftLengths fft_lengths;
    Steps steps;
    std::vector<StepGroup> groups;
    std::vector<LoweredStep> outline;  ///< of each group, without plans
    LoweringReport report;
};

/// Every way that the hints and the GPU allow, what moves the least memory first; of each other one, why not, in
/// `not_taken`. A pass whose kernels do not fit goes plainly, and leaves the others as they are. Throws Unsupported
/// where none is left or the one that was asked for does not go; InputError where no kernels do what a pass asks for.
std::vector<Way> ways_through(const Algorithm& algorithm, const LoweringHints& hints, const GpuLimits& limits,
                              std::vector<std::string>& not_taken);

}  // namespace cornerturn
