// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/factor_laws.h"

#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

CT_VECTOR_CLONES void evaluate(const double* power, int terms, double first_part, double step, std::size_t groups,
                               double per_column, const LawOfGroups& to) {
    for (std::size_t i = 0; i < groups; ++i) {
        const double part = first_part + static_cast<double>(i) * step;
        double sum = 0, change = 0, half_second = 0, sixth_third = 0;
        for (int k = terms - 1; k >= 0; --k) {
            sixth_third = sixth_third * part + half_second;
            half_second = half_second * part + change;
            change = change * part + sum;
            sum = sum * part + power[k];
        }
        to.value[i] = sum;
        to.slope[i] = change * per_column;
        to.bend[i] = half_second * per_column * per_column;
        to.cube[i] = sixth_third * per_column * per_column * per_column;
    }
}

}  // namespace

void along_groups(const LawAlongRow& law, double first_middle, double step, std::size_t groups, const LawOfGroups& to) {
    const double per_column = law.area.column_half() > 0 ? 1 / law.area.column_half() : 0.0;
    evaluate(law.power, law.terms, law.area.column_part(first_middle), step * per_column, groups, per_column, to);
}

}  // namespace cornerturn
