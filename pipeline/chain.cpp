// SPDX-License-Identifier: Apache-2.0
#include "pipeline/chain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr std::array<Chain, 3> chains{Chain::plain, Chain::fused, Chain::turn_free};

/// Throws Unsupported where the device cannot run a pass of the plan.
void require_passes(Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    check_corner_turns(device, acquisition, plan);
    for (const auto& [pass, method] : passes_of(acquisition, plan)) device.plan(pass, method);
}

/// Planned for one chain, or why not.
struct Candidate {
    RangeDopplerPlan plan;
    std::string refusal;
};

Candidate candidate(const Acquisition& acquisition, RangeDopplerParameters parameters, Chain chain) {
    parameters.chain = chain;
    try {
        return {.plan = plan_range_doppler(acquisition, parameters), .refusal = {}};
    } catch (const Unsupported& unsupported) {
        return {.plan = {}, .refusal = unsupported.what()};
    }
}

}  // namespace

std::string_view name_of(Chain chain) {
    switch (chain) {
        case Chain::plain: return "plain";
        case Chain::fused: return "fused";
        case Chain::turn_free: return "turn-free";
    }
    return "";
}

std::optional<Chain> chain_named(std::string_view name) {
    if (name == "auto") return std::nullopt;
    for (const Chain chain : chains)
        if (name == name_of(chain)) return chain;
    throw InputError(fmt::format("chain '{}': unknown; choose auto, plain, fused or turn-free", name));
}

double chain_cost(const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    // Bytes read and written by each kernel over the fraction of the copy rate that it reaches (README, "Speed").
    const auto area = [](std::int64_t rows, std::int64_t columns) { return static_cast<double>(rows) * static_cast<double>(columns); };
    const double echo = area(acquisition.lines, acquisition.samples);
    const double spectra = area(acquisition.samples, plan.azimuth_fft_length), image = area(plan.grid.rows, plan.grid.columns);
    const double columns = area(plan.grid.columns, plan.azimuth_fft_length), range = area(acquisition.lines, plan.range_fft_length);
    const double turn = 2 / 0.97;
    double cost = 0;
    if (plan.parameters.chain == Chain::plain)
        cost = 8 * range / 0.9 + turn * echo + (echo + 3 * spectra) / 0.9 + (spectra + 3 * columns + 2 * image) / 0.8 + turn * image;
    else if (plan.parameters.chain == Chain::fused)
        cost = (echo + range) / 0.8 + turn * echo + (echo + spectra) / 0.9 + (spectra + columns) / 0.9 + (columns + image) / 0.9 +
               turn * image;
    else
        cost = (echo + range) / 0.8 + (echo + spectra) / 0.9 + (1.14 * spectra + columns) / 0.75 + (columns + image) / 0.9;
    if (plan.coupling == CouplingDomain::two_dimensional)
        cost += (plan.parameters.chain == Chain::plain ? 6 : 2) * spectra + 2 * turn * spectra;
    return cost / (2 * echo);
}

ChainChoice choose_chain(Device& device, const Acquisition& acquisition, const RangeDopplerParameters& parameters,
                         std::optional<Chain> asked) {
    const DeviceInfo info = device.info();
    std::vector<Candidate> candidates;
    ChainChoice choice;
    for (const Chain chain : chains) {
        if (asked ? chain != *asked : chain != Chain::plain && !info.fused_passes) continue;
        candidates.push_back(candidate(acquisition, parameters, chain));
        if (chain == Chain::turn_free && !asked && parameters.corner_turn != CornerTurnVariant::production)
            candidates.back().refusal = fmt::format("the corner turn {} was asked for", name_of(parameters.corner_turn));
        if (chain != Chain::turn_free && parameters.precision == Precision::half_middle)
            candidates.back().refusal = "has no halves between its passes";
        if (candidates.back().refusal.empty()) continue;
        if (asked) throw Unsupported(fmt::format("--chain {}: {}; choose auto", name_of(chain), candidates.back().refusal));
        choice.passed_over.push_back(fmt::format("{}: {}", name_of(chain), candidates.back().refusal));
        candidates.pop_back();
    }
    if (candidates.empty())
        throw Unsupported(fmt::format("--precision {}: no chain of {} has it ({}); choose full", name_of(parameters.precision), info.name,
                                      fmt::join(choice.passed_over, "; ")));
    std::sort(candidates.begin(), candidates.end(),
              [&](const Candidate& a, const Candidate& b) { return chain_cost(acquisition, a.plan) < chain_cost(acquisition, b.plan); });
    const std::size_t free_bytes = info.memory_free_bytes;
    for (Candidate& c : candidates) {
        const Chain chain = c.plan.parameters.chain;
        const bool last = &c == &candidates.back();
        try {
            // Longer transforms may want memory that is not there: the chain behind may get along with less.
            if (!last && free_bytes > 0 && c.plan.device_bytes > free_bytes)
                throw Unsupported(fmt::format("needs {} MiB, {} are free", c.plan.device_bytes >> 20, free_bytes >> 20));
            require_passes(device, acquisition, c.plan);
            choice.plan = std::move(c.plan);
            return choice;
        } catch (const Unsupported& unsupported) {
            if (asked) throw Unsupported(fmt::format("--chain {}: {}; choose auto", name_of(chain), unsupported.what()));
            if (last && parameters.precision != Precision::full)
                throw Unsupported(
                    fmt::format("--precision {}: {}: {}; choose full", name_of(parameters.precision), name_of(chain), unsupported.what()));
            if (last) throw;
            choice.passed_over.push_back(fmt::format("{}: {}", name_of(chain), unsupported.what()));
        }
    }
    throw std::logic_error("no chain was left");  // plain takes any length
}

}  // namespace cornerturn
