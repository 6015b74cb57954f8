// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/lowering/lowering.h"

#include <fmt/format.h>

#include "kernels/cuda/back_projection/accumulation.h"
#include "kernels/cuda/back_projection/factorised_accumulation.h"
#include "kernels/cuda/lines/plans.h"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/turn_free/turn_free_plan.h"
#include "kernels/device/corner_turn_plan.h"
#include "kernels/device/scaled_lines.h"
#include "kernels/device/ways/ways.h"
#include "kernels/errors.h"
#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

/// Why a way that is not the last resort is passed over for want of memory; "" where it fits.
std::string want_of_memory(const Way& way, std::size_t free_bytes) {
    if (free_bytes == 0 || way.report.memory_bytes <= free_bytes) return {};
    return fmt::format("needs {} MiB, {} are free", way.report.memory_bytes >> 20, free_bytes >> 20);
}

void require_corner_turns(const Way& way, const LoweringHints& hints, const DeviceBench& device) {
    for (const StepGroup& group : way.groups)
        if (group.method == Method::corner_turn) {
            const auto& turn = std::get<CornerTurn>(way.steps[group.first].work);
            require_corner_turn("the GPU", device.corner_turn_variants(), hints.corner_turn, turn.rows, turn.columns);
        }
}

struct PlanOnGpu {
    Method method;
    const LoweringHints& hints;
    DeviceBench& device;
    SharedContext context;

    PassTuning tuning() const {
        return {.block_lines = hints.block_lines, .scaled_halves = hints.precision == Precision::half_middle};
    }

    std::unique_ptr<StepPlan> operator()(const CornerTurn&) const {
        return std::make_unique<CornerTurnPlan>(hints.corner_turn, device);
    }
    std::unique_ptr<StepPlan> operator()(const RangeCompression& pass) const {
        return method == Method::fused ? fused_plan(pass, tuning(), context) : plain_line_plan(pass, tuning(), context);
    }
    std::unique_ptr<StepPlan> operator()(const AzimuthCompression& pass) const {
        return method == Method::fused ? fused_plan(pass, context) : plain_plan(pass, context);
    }
    std::unique_ptr<StepPlan> operator()(const Accumulation& pass) const { return accumulation_plan(pass, context); }
    std::unique_ptr<StepPlan> operator()(const FactorisedAccumulation& pass) const {
        return factorised_accumulation_plan(pass, context);
    }
    template <class Pass>
    std::unique_ptr<StepPlan> operator()(const Pass& pass) const {
        if constexpr (has_fused_line_kernels<Pass>)
            if (method == Method::fused) return fused_line_plan(pass, context);
        return plain_line_plan(pass, tuning(), context);
    }
};

std::unique_ptr<StepPlan> turn_free(const Way& way, const StepGroup& group, const LoweringHints& hints,
                                    SharedContext context) {
    if (group.count == 3) {
        const Work& between = way.steps[group.first + 1].work;
        if (const auto* spectrum = std::get_if<AzimuthSpectrum>(&between)) return turn_free_plan(*spectrum, context);
        return turn_free_plan(std::get<AzimuthImage>(between), context);
    }
    const auto& gather = std::get<AzimuthCompression>(way.steps[group.first + 2].work);
    const TurnFreeCompression pass{.lines = std::get<CornerTurn>(way.steps[group.first].work).rows,
                                   .cells = gather.input_cells,
                                   .columns = gather.columns,
                                   .image_rows = gather.image_rows,
                                   .fft_length = gather.fft_length,
                                   .kernel = gather.kernel,
                                   .covered_rows = gather.covered_rows,
                                   .migration = gather};
    return hints.precision == Precision::half_middle ? turn_free_plan<HalfPair>(pass, std::move(context))
                                                     : turn_free_plan<Complex64>(pass, std::move(context));
}

Lowered lower(Way& way, const LoweringHints& hints, DeviceBench& device, const SharedContext& context) {
    context->use();
    Lowered lowered{.report = way.report, .steps = std::move(way.outline)};
    for (std::size_t i = 0; i < way.groups.size(); ++i) {
        const StepGroup& group = way.groups[i];
        lowered.steps[i].plan =
            group.method == Method::turn_free
                ? turn_free(way, group, hints, context)
                : std::visit(PlanOnGpu{group.method, hints, device, context}, way.steps[group.first].work);
    }
    return lowered;
}

/// What `take` makes of the first way that memory and kernels allow, with the reasons against those before it.
template <class Take>
auto first_way(const Algorithm& algorithm, const LoweringHints& hints, std::size_t free_bytes,
               const DeviceBench& device, const GpuLimits& limits, const Take& take) {
    std::vector<std::string> not_taken;
    std::vector<Way> ways = ways_through(algorithm, hints, limits, not_taken);
    for (Way& way : ways) {
        const bool last = &way == &ways.back();
        const auto pass_over = [&](std::string_view why) {
            not_taken.push_back(fmt::format("{}: {}", name_of(way.chain), why));
        };
        if (const std::string refusal = want_of_memory(way, free_bytes); !refusal.empty() && !last) {
            pass_over(refusal);
            continue;
        }
        require_corner_turns(way, hints, device);
        way.report.not_taken = not_taken;
        try {
            return take(way);
        } catch (const Unsupported& unsupported) {
            if (hints.chain)
                throw Unsupported(fmt::format("--chain {}: {}; choose auto", name_of(way.chain), unsupported.what()));
            if (last) throw;
            pass_over(unsupported.what());
        } catch (const MemoryError& want) {
            if (last) throw;
            pass_over(want.what());
        }
    }
    throw std::logic_error("no way was left");
}

}  // namespace

LoweringReport probe_on_gpu(const Algorithm& algorithm, const LoweringHints& hints, std::size_t free_bytes,
                            const DeviceBench& device, const GpuLimits& limits) {
    return first_way(algorithm, hints, free_bytes, device, limits, [](const Way& way) { return way.report; });
}

Lowered lower_on_gpu(const Algorithm& algorithm, const LoweringHints& hints, std::size_t free_bytes,
                     DeviceBench& device, SharedContext context) {
    return first_way(algorithm, hints, free_bytes, device, context->limits,
                     [&](Way& way) { return lower(way, hints, device, context); });
}

}  // namespace cornerturn
