// SPDX-License-Identifier: Apache-2.0
// Lowering: how a device runs the steps of an algorithm. The hints it is given, the report it makes, and the plans.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/corner_turn_variant.h"
#include "kernels/device/step_plan.h"
#include "kernels/steps/algorithm.h"

namespace cornerturn {

/// Ways through the steps. All give the same image.
enum class Chain : std::uint8_t {
    plain,     ///< FFT library and one kernel per hook, corner turns as the steps have them; any length. On a CPU line
               ///< by line
    fused,     ///< one kernel per pass where a line fits. GPU only
    turn_free  ///< azimuth spectrum, gather and the corner turns around them as three kernels on the matrix as it lies;
               ///< on a CPU strip of columns by strip, in place
};
std::string_view name_of(Chain chain);
/// `auto` is nullopt; throws InputError listing the names.
std::optional<Chain> chain_named(std::string_view name);

/// Storage of the data between the passes.
enum class Precision : std::uint8_t {
    full,        ///< the device's own numbers
    half_middle  ///< halves with a scale per line (kernels/device/scaled_lines.h); everything is computed in full
                 ///< precision. Turn-free way only
};
std::string_view name_of(Precision precision);
/// `full` or `half-middle`; throws InputError listing them.
Precision precision_named(std::string_view name);

/// Wishes of a user for a device; none changes the image beyond rounding.
struct LoweringHints {
    std::optional<Chain> chain = {};  ///< nullopt: what moves the least memory
    Precision precision = Precision::full;
    std::optional<FftLengths> fft_lengths = {};  ///< instead of the least that the device is good at
    CornerTurnVariant corner_turn = CornerTurnVariant::production;
    std::int64_t block_lines = 0;  ///< that the first step mostly gets at a time; 0: all
    friend bool operator==(const LoweringHints&, const LoweringHints&) = default;
};

/// The plan of a device and its cost. It takes neither tables nor memory of the device to make it.
struct LoweringReport {
    Chain chain = Chain::plain;
    FftLengths fft_lengths;
    std::vector<std::string> steps;      ///< "range compression: one kernel", in order
    std::vector<std::string> not_taken;  ///< "turn-free: why not"
    double bytes_moved = 0;              ///< read and written in the memory of the device
    std::size_t memory_bytes = 0;        ///< at the peak: echo or two matrices, tables, work lines
};

/// A step, or several in one, on a device.
struct LoweredStep {
    std::string_view name, rows, columns;  ///< of the last one, and what the rows and columns of its result are
    SampleFormat format;                   ///< of the result
    std::int64_t result_rows, result_columns;
    std::int64_t room_samples =
        0;  ///< that the storages of its input and of its result must hold, where that is more than they show
    bool in_place = false;  ///< its result takes the place of its input
    std::unique_ptr<StepPlan> plan;
};

struct Lowered {
    LoweringReport report;
    std::vector<LoweredStep> steps;
};

}  // namespace cornerturn
