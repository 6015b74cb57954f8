// SPDX-License-Identifier: Apache-2.0
// Choice of the blocks of factorised back-projection: the cheapest that hold a given error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Of pixels with heights of their own.
struct HeightNeeds {
    bool some = false;
    double rows = 0, columns = 0;         ///< beside a pixel in which it is read of nodes, at most
    std::int64_t most_lines = INT64_MAX;  ///< of a block that pixels are read of, with an error of tolerance_of
};

/// What a factorisation has to know of a sum.
struct FactorisationNeeds {
    double error_db = -60;  ///< energy of the error to that of the image, at most
    /// Cycles per row by which the phase of neighbouring lines parts along a cell: the band of a block is this times
    /// its lines.
    double band_per_line = 0;
    double line_rate_hz = 0;      ///< change of Doppler frequency from line to line
    double hz_per_column = 0;     ///< by which the Doppler window lies elsewhere, in one line, from column to column
    double slide_per_column = 0;  ///< cells of a line beyond those of the columns
    double arch_cycles = 0;       ///< of a line's phase, times the square of columns
    DopplerWindow window;
    double range_part = 0;           ///< half the range band over the carrier
    PowerOverFrequency range_power;  ///< over cycles per column
    std::int64_t rows = 0, columns = 0, lines = 0;
    double pixel_pulses = 0;  ///< of the sum as it is
    /// Of a transform, for lines fine enough that this may take them as straight between cells with the same error.
    double straight_line_samples = 0;
    HeightNeeds heights = {};
};

/// Amplitude of each approximation that is no interpolation, for an error of so many dB.
double tolerance_of(double error_db);

struct FactorisationPlan {
    Factorisation factors;
    std::int64_t cells_per_column = 1;    ///< that the lines have to have
    double error_db = 0;                  ///< predicted
    double cost = 0;                      ///< of that of the sum as it is
    double node_bytes_per_column = 0;     ///< of all levels
    std::int64_t widest_strip = 0;        ///< columns over which laws hold
    PowerOverFrequency range_power = {};  ///< that it was made for
};

/// Largest second derivative of the window, which is straight between its entries.
double largest_bend_per_hz2(const DopplerWindow& window);

/// nullopt: none holds, or none is cheaper than the sum as it is, of lines as fine as that needs; `why` then says
/// which.
std::optional<FactorisationPlan> cheapest_factorisation(const FactorisationNeeds& needs, std::string& why);

}  // namespace cornerturn
