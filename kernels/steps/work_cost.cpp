// SPDX-License-Identifier: Apache-2.0
#include "kernels/steps/work_cost.h"

#include <cmath>
#include <type_traits>

#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

/// Operations of a hook for each sample that it is asked for, beside transforms and taps: of its polynomials, and a
/// phasor of a phase in double precision where it has one. From times of the passes on a CPU with AVX-512.
template <class Pass>
constexpr double hook_operations = 20;
template <>
constexpr double hook_operations<AzimuthCompression> = 60;
template <>
constexpr double hook_operations<SecondaryRangeCompression> = 100;
template <>
constexpr double hook_operations<StoltInterpolation> = 260;
template <>
constexpr double hook_operations<ScaledCompression> = 400;
template <>
constexpr double hook_operations<PhaseCorrection> = 60;

/// Weights are polynomials of the fraction of a cell, one for each tap.
constexpr double operations_of_tap = 12;

double transform_operations(std::int64_t length) {
    const auto points = static_cast<double>(length);
    return length > 1 ? 5 * points * std::log2(points) : 0;
}

/// A gather makes the spectra that it transforms back.
template <class Pass>
constexpr Transforms transforms_of() {
    if constexpr (requires { Pass::transforms; })
        return Pass::transforms;
    else
        return Transforms::inverse;
}

template <class Pass>
WorkCost cost_of_lines(const Pass& pass) {
    const LineShape shape = pass.shape();
    double operations = 0;
    constexpr Transforms transforms = transforms_of<Pass>();
    if constexpr (has_forward(transforms)) operations += transform_operations(shape.fft_length);
    if constexpr (has_inverse(transforms)) operations += transform_operations(shape.inverse());
    double of_sample = hook_operations<Pass>;
    if constexpr (requires { pass.kernel.taps; }) of_sample += operations_of_tap * pass.kernel.taps;
    const std::int64_t samples = shape.fft_length > 0 ? shape.fft_length : shape.out;
    operations += of_sample * static_cast<double>(samples);
    return {.operations = operations * static_cast<double>(shape.lines)};
}

WorkCost cost_of_blocks(const FactorisedAccumulation& pass) {
    const double pulses = pass.relative_cost * pass.sum.pixel_pulses;
    return {.pixel_pulses = pulses, .factorised_pulses = pulses, .raised_pulses = pass.raised ? pulses : 0};
}

}  // namespace

WorkCost& WorkCost::operator+=(const WorkCost& other) {
    bytes_moved += other.bytes_moved;
    operations += other.operations;
    pixel_pulses += other.pixel_pulses;
    factorised_pulses += other.factorised_pulses;
    raised_pulses += other.raised_pulses;
    return *this;
}

WorkCost operator*(double times, const WorkCost& cost) {
    return {times * cost.bytes_moved, times * cost.operations, times * cost.pixel_pulses,
            times * cost.factorised_pulses, times * cost.raised_pulses};
}

WorkCost cost_of(const Step& step) {
    return std::visit(
        [](const auto& pass) -> WorkCost {
            using Pass = std::decay_t<decltype(pass)>;
            if constexpr (std::is_same_v<Pass, CornerTurn>)
                return {};
            else if constexpr (std::is_same_v<Pass, Accumulation>)
                return {.pixel_pulses = pass.pixel_pulses};
            else if constexpr (std::is_same_v<Pass, FactorisedAccumulation>)
                return cost_of_blocks(pass);
            else
                return cost_of_lines(pass);
        },
        step.work);
}

WorkCost cost_of(const Steps& steps) {
    WorkCost sum;
    for (const Step& step : steps) sum += cost_of(step);
    return sum;
}

WorkCost cost_of(const Algorithm& algorithm, const FftLengths& fft) { return cost_of(algorithm.steps(fft)); }

double seconds_of(const WorkCost& cost, const WorkRates& rates) {
    const auto seconds = [](double pulses, double pulses_per_s) { return pulses > 0 ? pulses / pulses_per_s : 0.0; };
    return cost.bytes_moved / rates.bytes_per_s + cost.operations / rates.operations_per_s +
           seconds(cost.pixel_pulses - cost.factorised_pulses, rates.pixel_pulses_per_s) +
           seconds(cost.factorised_pulses - cost.raised_pulses, rates.factorised_pulses_per_s) +
           seconds(cost.raised_pulses, rates.raised_pulses_per_s);
}

}  // namespace cornerturn
