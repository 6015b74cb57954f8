// SPDX-License-Identifier: Apache-2.0
// Into which blocks the sum of back-projection is taken apart: the cheapest way that holds an error which was chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// What a factorisation has to know of a sum.
struct FactorisationNeeds {
    double error_db = -60;  ///< energy of the error to that of the image, at most
    /// Cycles per row by which the phase of neighbouring lines parts along a cell: the band of a block is this times
    /// its lines.
    double band_per_line = 0;
    double line_rate_hz = 0;  ///< change of Doppler frequency from line to line
    DopplerWindow window;
    PowerOverFrequency range_power;  ///< over cycles per column
    std::int64_t rows = 0, columns = 0, lines = 0;
    double pixel_pulses = 0;  ///< of the sum as it is
    /// Of a transform, for lines fine enough that this may take them as straight between cells with the same error.
    double straight_line_samples = 0;
};

struct FactorisationPlan {
    Factorisation factors;
    std::int64_t cells_per_column = 1;  ///< that the lines have to have
    double error_db = 0;                ///< foretold
    double cost = 0;                    ///< of that of the sum as it is
    double node_bytes_per_column = 0;   ///< of all levels
};

/// nullopt: none holds, or none is cheaper than the sum as it is, of lines as fine as that needs; `why` then says
/// which.
std::optional<FactorisationPlan> cheapest_factorisation(const FactorisationNeeds& needs, std::string& why);

}  // namespace cornerturn
