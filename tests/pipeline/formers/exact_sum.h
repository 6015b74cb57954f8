// SPDX-License-Identifier: Apache-2.0
// Back-projection in double precision of lines that hold all that range compression makes of the echo, between whose
// cells nothing is neglected: what factorised sums are held against, column by column.
#pragma once

#include <complex>
#include <vector>

#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// Of some rows of every column.
class ExactSum {
public:
    ExactSum(const Echo& echo, const ImagePlan& image);

    /// Energy of the error of each column to that of the exact sum there.
    std::vector<double> column_errors_db(const Image& image) const;

private:
    std::int64_t columns_;
    std::vector<std::int64_t> rows_;
    std::vector<std::complex<double>> sums_;  // of these rows
};

/// No column errs by more.
void expect_columns_within(const Image& image, const ExactSum& exact, double allowed_db);

}  // namespace cornerturn
