// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/one_step.h"

#include <tuple>
#include <utility>
#include <variant>

#include "kernels/steps/steps.h"

namespace cornerturn {

template <class Pass>
std::unique_ptr<StepPlan> plan_of(Device& device, const Pass& pass, Chain chain) {
    const Algorithm alone{.least = {}, .steps = [&](const FftLengths&) {
                              return Steps{{"step", "rows", "columns", pass}};
                          }};
    return std::move(device.lower(alone, {.chain = chain, .fft_lengths = FftLengths{}}).steps.at(0).plan);
}

/// Taking their addresses makes them for every pass.
template <class... Passes>
auto plans_of(const std::variant<Passes...>*) {
    return std::tuple(&plan_of<Passes>...);
}
[[gnu::used]] static const auto plans_of_all = plans_of(static_cast<const Work*>(nullptr));

}  // namespace cornerturn
