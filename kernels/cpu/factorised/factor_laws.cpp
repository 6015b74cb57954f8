// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/factorised/factor_laws.h"

#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

CT_VECTOR_CLONES void evaluate(const double* power, int terms, double first_part, double step, std::size_t groups,
                               double per_column, double* value, double* slope, double* bend) {
    for (std::size_t i = 0; i < groups; ++i) {
        const double part = first_part + static_cast<double>(i) * step;
        double sum = 0, change = 0, half_second = 0;
        for (int k = terms - 1; k >= 0; --k) {
            half_second = half_second * part + change;
            change = change * part + sum;
            sum = sum * part + power[k];
        }
        value[i] = sum;
        slope[i] = change * per_column;
        bend[i] = half_second * per_column * per_column;
    }
}

}  // namespace

void along_groups(const LawAlongRow& law, double first_middle, double step, std::size_t groups, const LawOfGroups& to) {
    const double per_column = law.area.column_half() > 0 ? 1 / law.area.column_half() : 0.0;
    evaluate(law.power, law.terms, law.area.column_part(first_middle), step * per_column, groups, per_column, to.value,
             to.slope, to.bend);
}

}  // namespace cornerturn
