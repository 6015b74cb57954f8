// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/back_projection/accumulation.h"
#include "kernels/cpu/factorised/factorised_accumulation.h"
#include "kernels/cpu/lines/gather_walker.h"
#include "kernels/cpu/lines/line_walker.h"
#include "kernels/cpu/tiles/tiled_accumulation.h"
#include "kernels/device/corner_turn_plan.h"
#include "kernels/device/resident_matrices.h"
#include "kernels/errors.h"
#include "kernels/math/fast_length.h"
#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

void require_followable(const LoweringHints& hints) {
    if (hints.chain && *hints.chain != Chain::plain)
        throw Unsupported(fmt::format(
            "--chain {}: a CPU goes through a pass line by line anyway; choose auto or plain, or --device cuda",
            name_of(*hints.chain)));
    if (hints.precision != Precision::full)
        throw Unsupported(
            fmt::format("--precision {}: a CPU has no halves between its passes; choose full, or --device cuda",
                        name_of(hints.precision)));
}

FftLengths lengths_of(const Algorithm& algorithm, const LoweringHints& hints) {
    return hints.fft_lengths.value_or(
        FftLengths{fast_length(algorithm.least.range), fast_length(algorithm.least.azimuth)});
}

/// What is known of the steps before they are made ready.
std::vector<LoweredStep> outline(const Steps& steps, SampleFormat native) {
    std::vector<LoweredStep> lowered;
    for (const Step& step : steps) {
        const WorkShape shape = shape_of(step.work);
        lowered.push_back({.name = step.name,
                           .rows = step.rows,
                           .columns = step.columns,
                           .format = native,
                           .result_rows = shape.out_rows,
                           .result_columns = shape.out_columns,
                           .plan = {}});
    }
    return lowered;
}

/// Of a range line, which may come out finer than it came in.
std::int64_t longest_range_line(const Steps& steps, const FftLengths& lengths) {
    const auto* range = std::get_if<RangeCompression>(&steps[0].work);
    return range ? std::max(lengths.range, range->shape().inverse()) : lengths.range;
}

/// The lines that each thread works in: two for a pass, and those that a gather takes at a time, with its table of
/// frequencies.
std::size_t work_line_bytes(const Steps& steps, const FftLengths& lengths, SampleFormat native, int threads) {
    const std::int64_t samples = 4 * longest_range_line(steps, lengths) + (gathered_at_a_time + 4) * lengths.azimuth;
    return static_cast<std::size_t>(threads) * static_cast<std::size_t>(samples) * bytes_per_sample(native);
}

/// Of what a step needs beside its matrices and lines.
std::size_t table_bytes(const Steps& steps) {
    std::size_t bytes = 0;
    for (const Step& step : steps) {
        if (const auto* sum = std::get_if<Accumulation>(&step.work)) bytes += sum->geometry_bytes;
        if (const auto* parts = std::get_if<FactorisedAccumulation>(&step.work))
            bytes += parts->sum.geometry_bytes + parts->nodes_bytes(FactorisedAccumulation::nodes_on_cpu);
    }
    return bytes;
}

std::string_view how(const Work& work, CornerTurnVariant variant, SampleFormat native) {
    if (std::holds_alternative<CornerTurn>(work)) return name_of(variant);
    if (std::holds_alternative<FactorisedAccumulation>(work)) return "strip of ranges by strip";
    if (std::holds_alternative<Accumulation>(work))
        return native == SampleFormat::complex64 ? "tile by tile" : "pixel by pixel, in double precision";
    return "line by line";
}

LoweringReport report_of(const Steps& steps, const FftLengths& lengths, CornerTurnVariant variant, SampleFormat native,
                         int threads) {
    LoweringReport report{.fft_lengths = lengths, .steps = {}, .not_taken = {}};
    const std::size_t native_bytes = bytes_per_sample(native);
    std::size_t in_bytes = bytes_per_sample(input_format(steps, native));
    for (const Step& step : steps) {
        const WorkShape shape = shape_of(step.work);
        report.steps.push_back(fmt::format("{}: {}", title_of(step.work), how(step.work, variant, native)));
        report.bytes_moved += static_cast<double>(shape.in_samples()) * static_cast<double>(in_bytes) +
                              static_cast<double>(shape.out_samples()) * static_cast<double>(native_bytes);
        in_bytes = native_bytes;
    }
    const auto echo_bytes =
        static_cast<std::size_t>(shape_of(steps[0].work).in_samples()) * bytes_per_sample(input_format(steps, native));
    report.memory_bytes = peak_bytes(outline(steps, native), echo_bytes) +
                          work_line_bytes(steps, lengths, native, threads) + table_bytes(steps);
    return report;
}

template <class Real>
struct PlanOnCpu {
    const LoweringHints& hints;
    int threads;
    DeviceBench& device;

    template <class Pass>
    std::unique_ptr<StepPlan> operator()(const Pass& pass) const {
        return std::make_unique<LineWalker<Real, Pass>>(pass, threads);
    }
    std::unique_ptr<StepPlan> operator()(const AzimuthCompression& pass) const {
        return std::make_unique<GatherWalker<Real>>(pass, threads);
    }
    std::unique_ptr<StepPlan> operator()(const Accumulation& pass) const {
        if constexpr (std::is_same_v<Real, float>)
            return std::make_unique<TiledAccumulation>(pass, threads);
        else
            return exact_accumulation_plan<Real>(pass, threads);
    }
    std::unique_ptr<StepPlan> operator()(const FactorisedAccumulation& pass) const {
        return factorised_accumulation_plan<Real>(pass, threads);
    }
    std::unique_ptr<StepPlan> operator()(const CornerTurn&) const {
        return std::make_unique<CornerTurnPlan>(hints.corner_turn, device);
    }
};

}  // namespace

LoweringReport probe_on_cpu(const Algorithm& algorithm, const LoweringHints& hints, SampleFormat native, int threads,
                            const DeviceBench& device) {
    require_followable(hints);
    const FftLengths lengths = lengths_of(algorithm, hints);
    const Steps steps = algorithm.steps(lengths);
    for (const Step& step : steps)
        if (const auto* turn = std::get_if<CornerTurn>(&step.work))
            require_corner_turn("the CPU", device.corner_turn_variants(), hints.corner_turn, turn->rows, turn->columns);
    return report_of(steps, lengths, hints.corner_turn, native, threads);
}

template <class Real>
Lowered lower_on_cpu(const Algorithm& algorithm, const LoweringHints& hints, int threads, DeviceBench& device) {
    Lowered lowered{.report = probe_on_cpu(algorithm, hints, native_format<Real>, threads, device), .steps = {}};
    const Steps steps = algorithm.steps(lowered.report.fft_lengths);
    lowered.steps = outline(steps, native_format<Real>);
    for (std::size_t i = 0; i < steps.size(); ++i)
        lowered.steps[i].plan = std::visit(PlanOnCpu<Real>{hints, threads, device}, steps[i].work);
    return lowered;
}

template Lowered lower_on_cpu<float>(const Algorithm&, const LoweringHints&, int, DeviceBench&);
template Lowered lower_on_cpu<double>(const Algorithm&, const LoweringHints&, int, DeviceBench&);

}  // namespace cornerturn
