// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/factor_laws.h"

#include <algorithm>
#include <cstring>

#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

typedef double Doubles __attribute__((vector_size(64)));

CT_VECTOR_CLONES void evaluate(const double* power, int terms, double first_part, double step, std::size_t groups,
                               double per_column, const LawOfGroups& to) {
    constexpr std::size_t together = sizeof(Doubles) / sizeof(double);
    Doubles lane{};
    for (std::size_t i = 0; i < together; ++i) lane[i] = static_cast<double>(i);
    for (std::size_t i = 0; i < groups; i += together) {
        const Doubles part = first_part + (static_cast<double>(i) + lane) * step;
        const LocalCubic<Doubles> at = cubic_about(power, terms, part);
        const auto store = [here = std::min(together, groups - i)](const Doubles& values, double* first) {
            if (here == together)
                std::memcpy(first, &values, sizeof values);
            else
                for (std::size_t k = 0; k < here; ++k) first[k] = values[k];
        };
        store(at.value, to.value + i);
        store(at.slope * per_column, to.slope + i);
        store(at.bend * (per_column * per_column), to.bend + i);
        store(at.cube * (per_column * per_column * per_column), to.cube + i);
    }
}

/// Clenshaw's recurrence at u, u + step, ...
CT_VECTOR_CLONES void clenshaw(const std::vector<double>& coefficients, double u, double step, std::size_t count,
                               double* to) {
    constexpr std::size_t together = 64;
    for (std::size_t begin = 0; begin < count; begin += together) {
        const std::size_t here = std::min(together, count - begin);
        double twice[together], next[together] = {}, after[together] = {};
        for (std::size_t i = 0; i < together; ++i) twice[i] = 2 * (u + static_cast<double>(begin + i) * step);
        for (std::size_t k = coefficients.size(); k-- > 1;)
            for (std::size_t i = 0; i < together; ++i) {
                const double now = coefficients[k] + twice[i] * next[i] - after[i];
                after[i] = next[i];
                next[i] = now;
            }
        const double constant = coefficients.empty() ? 0.0 : coefficients[0];
        for (std::size_t i = 0; i < here; ++i) to[begin + i] = constant + 0.5 * twice[i] * next[i] - after[i];
    }
}

}  // namespace

void along_groups(const LawAlongRow& law, double first_middle, double step, std::size_t groups, const LawOfGroups& to) {
    const double per_column = law.area.column_half() > 0 ? 1 / law.area.column_half() : 0.0;
    evaluate(law.power, law.terms, law.area.column_part(first_middle), step * per_column, groups, per_column, to);
}

void values_along(const ChebyshevSeries& series, double first, double step, std::size_t count, double* to) {
    const double centre = 0.5 * (series.from() + series.to()), half = 0.5 * (series.to() - series.from()),
                 per_x = half > 0 ? 1 / half : 0.0;
    clenshaw(series.coefficients(), (first - centre) * per_x, step * per_x, count, to);
}

}  // namespace cornerturn
