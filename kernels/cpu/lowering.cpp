// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/back_projection/accumulation.h"
#include "kernels/cpu/factorised/factorised_accumulation.h"
#include "kernels/cpu/lines/gather_walker.h"
#include "kernels/cpu/lines/line_walker.h"
#include "kernels/cpu/lines/turn_free.h"
#include "kernels/cpu/tiles/tiled_accumulation.h"
#include "kernels/device/corner_turn_plan.h"
#include "kernels/device/resident_matrices.h"
#include "kernels/errors.h"
#include "kernels/math/fast_length.h"
#include "kernels/steps/steps.h"
#include "kernels/steps/turned_steps.h"

namespace cornerturn {
namespace {

void require_followable(const LoweringHints& hints) {
    if (hints.chain == Chain::fused)
        throw Unsupported(
            "--chain fused: a CPU goes through a pass line by line anyway; choose auto, plain or turn-free, or "
            "--device "
            "cuda");
    if (hints.precision != Precision::full)
        throw Unsupported(
            fmt::format("--precision {}: a CPU has no halves between its passes; choose full, or --device cuda",
                        name_of(hints.precision)));
}

FftLengths lengths_of(const Algorithm& algorithm, const LoweringHints& hints) {
    return hints.fft_lengths.value_or(
        FftLengths{fast_length(algorithm.least.range), fast_length(algorithm.least.azimuth)});
}

/// Some steps, one behind the other, that one plan takes: one, or two corner turns with what lies between them.
struct Group {
    std::size_t first = 0, count = 1;
    GatherStrips strips = {};  // of azimuth compression between corner turns
};

const AzimuthCompression* turned_compression(const Steps& steps, std::size_t first) {
    if (is_turned_compression(steps, first)) return std::get_if<AzimuthCompression>(&steps[first + 2].work);
    return turned_pass<AzimuthCompression>(steps, first);
}

/// The group of several steps that begins here; if nobody asked for it, where it takes less memory than corner turns: a
/// window over steep migration may be as large as a matrix.
std::optional<Group> turned_group(const Steps& steps, std::size_t first, int threads, bool asked_for) {
    if (turned_pass<AzimuthSpectrum>(steps, first) || turned_pass<AzimuthImage>(steps, first)) return Group{first, 3};
    const AzimuthCompression* const pass = turned_compression(steps, first);
    if (pass == nullptr) return std::nullopt;
    GatherStrips strips = gather_strips(*pass, strip_columns(threads));
    if (!asked_for && 2 * strips.window > pass->input_cells + 2 * strip_columns(threads)) return std::nullopt;
    return Group{first, is_turned_compression(steps, first) ? std::size_t{4} : std::size_t{3}, std::move(strips)};
}

/// Where nobody asked, strips of columns are for matrices of which two are much memory: small ones go faster turned,
/// and so do those whose rows are whole pages apart, so that a strip's cache lines push each other out (a third more
/// time at 8192 x 8192). Double precision is for a reference, which goes step by step.
bool goes_turn_free(const Steps& steps, const LoweringHints& hints, SampleFormat native) {
    constexpr std::int64_t large_matrix = std::int64_t{1} << 27, samples_of_page = 4096 / sizeof(Complex64);
    if (hints.chain) return *hints.chain == Chain::turn_free;
    const WorkShape first = shape_of(steps.front().work);
    return native == SampleFormat::complex64 && hints.corner_turn == CornerTurnVariant::production &&
           first.out_samples() >= large_matrix && first.out_columns % samples_of_page != 0;
}

std::vector<Group> groups_of(const Steps& steps, const LoweringHints& hints, SampleFormat native, int threads) {
    const bool turn_free = goes_turn_free(steps, hints, native);
    std::vector<Group> groups;
    for (std::size_t i = 0; i < steps.size(); i += groups.back().count)
        groups.push_back(
            (turn_free ? turned_group(steps, i, threads, hints.chain.has_value()) : std::nullopt).value_or(Group{i}));
    if (hints.chain == Chain::turn_free && groups.size() == steps.size())
        throw Unsupported(
            "--chain turn-free: the algorithm has no azimuth transform between corner turns; choose auto");
    return groups;
}

/// Whether a step by itself may leave its result in the place of its input: lines that are as long as before, and are
/// read once.
bool keeps_its_place(const Step& step) {
    return std::visit(
        [](const auto& pass) {
            using Pass = std::decay_t<decltype(pass)>;
            if constexpr (requires { Pass::transforms; })
                return !Pass::reads_echo && !std::is_same_v<Pass, StoltInterpolation> &&
                       pass.shape().in == pass.shape().out;
            else
                return false;
        },
        step.work);
}

/// What is known of a group before it is made ready.
LoweredStep outline_of(const Group& group, const Steps& steps, SampleFormat native) {
    const Step &first = steps[group.first], &last = steps[group.first + group.count - 1];
    const WorkShape in = shape_of(first.work), out = shape_of(last.work);
    LoweredStep outline{.name = last.name,
                        .rows = last.rows,
                        .columns = last.columns,
                        .format = native,
                        .result_rows = out.out_rows,
                        .result_columns = out.out_columns,
                        .in_place = group.count > 1 ? out.out_columns <= in.in_columns : keeps_its_place(last),
                        .plan = {}};
    if (group.count == 3 && group.strips.strips.empty()) outline.name = steps[group.first + 1].name;
    // Rows stay as far apart as those of the input until all are there.
    if (group.count > 1 && outline.in_place) outline.room_samples = out.out_rows * in.in_columns;
    return outline;
}

std::vector<LoweredStep> outline(const Steps& steps, const std::vector<Group>& groups, SampleFormat native) {
    std::vector<LoweredStep> lowered;
    for (const Group& group : groups) lowered.push_back(outline_of(group, steps, native));
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

/// Of the strips of all plans.
std::size_t strip_bytes(const Steps& steps, const std::vector<Group>& groups, SampleFormat native, int threads) {
    const StripBytes bytes{bytes_per_sample(native), threads};
    std::size_t sum = 0;
    for (const Group& group : groups) {
        if (group.count == 1) continue;
        if (const auto* spectrum = turned_pass<AzimuthSpectrum>(steps, group.first))
            sum += bytes.of_transform(spectrum->shape());
        if (const auto* image = turned_pass<AzimuthImage>(steps, group.first))
            sum += bytes.of_transform(image->shape());
        if (const auto* pass = turned_compression(steps, group.first)) sum += bytes.of_compression(*pass, group.strips);
    }
    return sum;
}

std::string title(const Steps& steps, const Group& group) {
    if (group.count == 4) return "azimuth spectrum and compression";
    return std::string(title_of(steps[group.first + (group.count == 3 ? 1 : 0)].work));
}

std::string_view how(const Steps& steps, const Group& group, CornerTurnVariant variant, SampleFormat native) {
    const Work& work = steps[group.first].work;
    if (group.count > 1) return "strip by strip, no corner turn";
    if (std::holds_alternative<CornerTurn>(work)) return name_of(variant);
    if (std::holds_alternative<FactorisedAccumulation>(work)) return "strip of ranges by strip";
    if (std::holds_alternative<Accumulation>(work))
        return native == SampleFormat::complex64 ? "tile by tile" : "pixel by pixel, in double precision";
    return "line by line";
}

/// Of what the first step reads at a time.
std::size_t echo_bytes(const Steps& steps, const LoweringHints& hints, SampleFormat native) {
    const WorkShape echo = shape_of(steps[0].work);
    const std::int64_t lines = hints.block_lines > 0 ? std::min(hints.block_lines, echo.in_rows) : echo.in_rows;
    return static_cast<std::size_t>(lines * echo.in_columns) * bytes_per_sample(input_format(steps, native));
}

LoweringReport report_of(const Steps& steps, const std::vector<Group>& groups, const FftLengths& lengths,
                         const LoweringHints& hints, SampleFormat native, int threads) {
    LoweringReport report{.chain = groups.size() < steps.size() ? Chain::turn_free : Chain::plain,
                          .fft_lengths = lengths,
                          .steps = {},
                          .not_taken = {}};
    const std::size_t native_bytes = bytes_per_sample(native);
    std::size_t in_bytes = bytes_per_sample(input_format(steps, native));
    for (const Group& group : groups) {
        const WorkShape in = shape_of(steps[group.first].work),
                        out = shape_of(steps[group.first + group.count - 1].work);
        report.steps.push_back(
            fmt::format("{}: {}", title(steps, group), how(steps, group, hints.corner_turn, native)));
        report.bytes_moved += static_cast<double>(in.in_samples()) * static_cast<double>(in_bytes) +
                              static_cast<double>(out.out_samples()) * static_cast<double>(native_bytes);
        in_bytes = native_bytes;
    }
    report.memory_bytes = peak_bytes(outline(steps, groups, native), echo_bytes(steps, hints, native)) +
                          work_line_bytes(steps, lengths, native, threads) +
                          strip_bytes(steps, groups, native, threads) + table_bytes(steps);
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

    std::unique_ptr<StepPlan> of(const Steps& steps, const Group& group) const {
        if (group.count == 1) return std::visit(*this, steps[group.first].work);
        if (const auto* spectrum = turned_pass<AzimuthSpectrum>(steps, group.first))
            return std::make_unique<StripTransform<Real, AzimuthSpectrum>>(*spectrum, threads);
        if (const auto* image = turned_pass<AzimuthImage>(steps, group.first))
            return std::make_unique<StripTransform<Real, AzimuthImage>>(*image, threads);
        std::optional<std::int64_t> lines;
        if (group.count == 4) lines = std::get<AzimuthSpectrum>(steps[group.first + 1].work).lines;
        return std::make_unique<StripCompression<Real>>(*turned_compression(steps, group.first), lines, group.strips,
                                                        threads);
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
    return report_of(steps, groups_of(steps, hints, native, threads), lengths, hints, native, threads);
}

template <class Real>
Lowered lower_on_cpu(const Algorithm& algorithm, const LoweringHints& hints, int threads, DeviceBench& device) {
    Lowered lowered{.report = probe_on_cpu(algorithm, hints, native_format<Real>, threads, device), .steps = {}};
    const Steps steps = algorithm.steps(lowered.report.fft_lengths);
    const std::vector<Group> groups = groups_of(steps, hints, native_format<Real>, threads);
    lowered.steps = outline(steps, groups, native_format<Real>);
    for (std::size_t i = 0; i < groups.size(); ++i)
        lowered.steps[i].plan = PlanOnCpu<Real>{hints, threads, device}.of(steps, groups[i]);
    return lowered;
}

template Lowered lower_on_cpu<float>(const Algorithm&, const LoweringHints&, int, DeviceBench&);
template Lowered lower_on_cpu<double>(const Algorithm&, const LoweringHints&, int, DeviceBench&);

}  // namespace cornerturn
