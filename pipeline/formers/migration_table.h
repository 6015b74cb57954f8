// SPDX-License-Identifier: Apache-2.0
// The laws of azimuth compression in range-Doppler, from the range history.
#pragma once

#include <functional>

#include "kernels/passes/azimuth_compression.h"
#include "pipeline/formers/image_plan.h"
#include "pipeline/formers/range_coupling.h"

namespace cornerturn {

/// What one column's laws are at an offset from its Doppler centroid; the gain that at a range of 1 m, without the
/// weight.
struct ColumnLaw {
    double centroid_hz = 0;
    std::function<Migration(double offset_hz)> at;
};
/// The polynomials through `terms` Chebyshev points from -half_hz to half_hz about each column's centroid.
MigrationTable tabulated(std::int64_t columns, std::int64_t terms, double half_hz,
                         const std::function<ColumnLaw(std::int64_t column)>& law_of);

/// Per image column, as polynomials of the Doppler frequency.
MigrationTable migration_table(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling);

/// Processed bands that follow the centroid over the columns of an image.
struct ColumnBands {
    std::int64_t columns = band_columns;  ///< that share one
    /// By how many bins the band of each group of columns lies higher than that of the image's centroid; empty where it
    /// is the same.
    std::vector<std::int32_t> shifts = {};
};
/// Groups are so narrow that no column's beam leaves the band of its group, but not narrower than devices take them:
/// most_aside_hz is what its centre lies beside the middle of that band then.
double most_aside_hz(const Acquisition& acquisition, const ImagePlan& image);
/// By how much the centroid moves over so many columns, at most.
double centroid_moves_hz(const ImagePlan& image, std::int64_t columns);
ColumnBands column_bands(const Acquisition& acquisition, const ImagePlan& image, std::int64_t fft_length);

}  // namespace cornerturn
